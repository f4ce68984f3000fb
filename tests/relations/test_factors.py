"""Columns that are one of a few multiples of another: those planted are found, and nothing in tables without any."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from janus_synth.relations import Factor
from janus_synth.relations.factors import _Intervals, factor_rule, simplest_decimal, smallest_cover
from relations.agreement import found, with_nulls
from strategies import quick, seeds


def taxed(seed: int = 0, n: int = 800, rates: tuple[float, ...] = (0.0, 0.07, 0.19)) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"net": rng.lognormal(4, 1, n).round(2), "age": rng.integers(18, 90, n)})
    frame["tax"] = np.floor(100 * frame["net"] * rng.choice(rates, n) + 0.5) / 100  # halves go up
    return frame


@pytest.mark.parametrize("rates", [(0.07, 0.19), (0.0, 0.055, 0.1, 0.2), (1.0, 2.0)], ids=str)
def test_rates_of_a_tax(rates):
    (relation,) = found(taxed(rates=rates), "factor")
    assert relation.detail == Factor("tax", "net", rates, 2)
    assert relation.columns == ("tax", "net")
    assert relation.support == 800


def test_rates_despite_nulls_and_beside_a_total():
    frame = taxed().assign(total=lambda rows: (rows["net"] + rows["tax"]).round(2))
    frame = with_nulls(frame, ["tax", "net"], 0.1, np.random.default_rng(1))
    texts = [str(relation) for relation in found(frame)]
    assert texts == ["total == net + tax", "tax is 0, 0.07 or 0.19 times net, rounded to 2 decimals"]


def test_one_broken_row_is_enough_to_reject():
    frame = taxed(n=5_000)
    frame.loc[3, "tax"] += 0.02
    assert found(frame, "factor", max_rows=500) == []


def test_products_with_a_column_of_few_values_are_products():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"price": rng.lognormal(3, 1, 900).round(2), "quantity": rng.integers(1, 4, 900)})
    frame["amount"] = (frame["price"] * frame["quantity"]).round(2)
    assert [relation.kind for relation in found(frame)] == ["product"]


def test_many_multiples_are_no_relation():
    assert found(taxed(rates=tuple(np.arange(1, 12) / 50)), "factor") == []


def smooth_ratio(rng: np.random.Generator) -> pd.DataFrame:
    """Strongly dependent columns on coarse and fine lattices, some of them mostly zero, without few ratios."""
    n = int(rng.choice([60, 300, 2000]))
    x = rng.lognormal(rng.uniform(0, 5), rng.uniform(0.2, 1.5), n).round(int(rng.integers(0, 3)))
    share = rng.choice([rng.beta(2, 5, n), rng.uniform(0.9, 1.1, n), rng.normal(1, 0.02, n)])
    y = (x * share * (rng.random(n) < rng.choice([1.0, 0.3]))).round(int(rng.integers(0, 3)))
    return pd.DataFrame({"x": x, "y": y, "z": (x * rng.beta(1, 9, n)).round(1)})


@pytest.mark.statistical
def test_nothing_is_found_where_ratios_are_smooth():
    """At most 1 % of tables may give anything; if 2 % did, two of 400 or fewer would be seen with probability 1.4 %."""
    alarms = [seed for seed in range(400) if found(smooth_ratio(np.random.default_rng(seed)), "factor")]
    assert len(alarms) <= 2, alarms


@quick
@given(seeds)
def test_a_cover_meets_all_intervals_with_the_fewest_points(seed):
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 12, 8).astype(float)
    high = low + rng.integers(0, 5, 8)
    cover = smallest_cover(_Intervals(low, high), most=8)
    points = [end for _, end in cover]
    assert all(any(a <= point <= b for point in points) for a, b in zip(low, high, strict=True))
    apart = 0  # as many intervals as points are disjoint, so that fewer points cannot do
    last = -1.0
    for a, b in sorted(zip(low, high, strict=True), key=lambda pair: pair[1]):
        if a > last:
            apart, last = apart + 1, b
    assert len(points) == apart
    assert smallest_cover(_Intervals(low, high), most=len(points) - 1) is None


def test_numbers_of_few_decimals():
    assert simplest_decimal(0.18999, 0.19001) == 0.19
    assert simplest_decimal(-0.001, 0.001) == 0.0
    assert simplest_decimal(1 / 3, 1 / 3) is None


def test_rules_are_texts_of_the_language():
    assert factor_rule("y", "x", (0.5, 2.0), None) == "y == 0.5 * x or y == 2 * x"
