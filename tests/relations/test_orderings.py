from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from relations.agreement import complete, found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(8)


def pairs(frame, **options):
    return {relation.columns for relation in found(frame, "ordering", **options)}


def test_start_and_end_of_trips(random):
    n = 800
    frame = pd.DataFrame(
        {"start": pd.Timestamp("2022-01-01") + pd.to_timedelta(random.integers(0, 10**8, n), unit="s")}
    )
    frame["end"] = frame.start + pd.to_timedelta(random.lognormal(6, 1, n).round(), unit="s")
    frame["x"] = random.normal(size=n)
    frame = with_nulls(frame, ["end"], 0.2, random)
    (relation,) = found(frame, "ordering")
    assert relation.columns == ("end", "start")
    assert relation.rule == "end is null or end > start"
    rows = complete(frame, "start", "end")
    assert relation.support == len(rows)
    gap = (rows.end - rows.start).dt.total_seconds()
    assert relation.detail.slack == pytest.approx(gap.quantile([0, 0.25, 0.5, 0.75, 1]).tolist())
    assert relation.detail.at_equality == 0
    assert relation.detail.stable


@pytest.mark.parametrize("gap", ["exponential", "uniform", "zero inflated"])
def test_gaps_of_several_shapes(random, gap):
    n = 2000
    low = random.normal(50, 10, n).round(1)
    drawn = {
        "exponential": random.exponential(3, n),
        "uniform": random.uniform(0, 8, n),
        "zero inflated": random.exponential(5, n) * (random.random(n) < 0.5),
    }[gap]
    frame = pd.DataFrame({"low": low, "high": (low + drawn).round(1)})
    (relation,) = found(frame, "ordering")
    assert relation.columns == ("high", "low")
    assert relation.detail.at_equality == pytest.approx((frame.high == frame.low).mean())
    assert relation.rule == "high >= low"


def test_a_gap_that_depends_on_the_start_is_not_stable(random):
    total = random.lognormal(4, 1, 3000).round(2)
    frame = pd.DataFrame({"total": total, "part": (total * random.beta(1, 2, 3000)).round(2)})
    (relation,) = found(frame, "ordering")
    assert relation.columns == ("total", "part")
    assert not relation.detail.stable


def test_chains_list_neighbours_only(random):
    n = 1000
    frame = pd.DataFrame({"a": random.normal(0, 20, n)})
    frame["b"] = frame.a + random.exponential(2, n)
    frame["c"] = frame.b + random.exponential(2, n)
    frame["d"] = frame.c + random.exponential(2, n)
    assert pairs(frame.round(2)) == {("b", "a"), ("c", "b"), ("d", "c")}


def test_orderings_that_sums_imply_are_not_listed(random):
    frame = pd.DataFrame({"a": random.poisson(50, 500), "b": random.poisson(60, 500)})
    frame["c"] = frame.a + frame.b
    assert [relation.kind for relation in found(frame)] == ["sum"]


def test_columns_that_are_far_apart_are_no_ordering(random):
    n = 500
    frame = pd.DataFrame({"age": random.integers(18, 90, n), "year": random.integers(1990, 2020, n)})
    frame["children"] = random.poisson(1, n)
    assert pairs(frame) == set()


@pytest.mark.parametrize("shift", [2.0, 3.0, 4.0, 6.0])
def test_shifted_correlated_columns_are_no_ordering(shift):
    """The gap is normal and ``shift`` standard deviations above zero: where no row is below, that is luck."""
    for seed in range(25):
        random = np.random.default_rng(seed)
        low = random.normal(size=400)
        high = low + 0.1 * (shift + random.normal(size=400))
        assert pairs(pd.DataFrame({"low": low, "high": high})) == set()
        assert pairs(pd.DataFrame({"low": np.exp(low), "high": np.exp(high)})) == set()


def test_random_walks_that_stay_apart_are_no_ordering():
    apart = 0
    for seed in range(60):
        walks = np.random.default_rng(seed).normal(size=(1000, 2)).cumsum(axis=0) + np.array([0, 20])
        frame = pd.DataFrame(walks, columns=["low", "high"])
        apart += bool((frame.high > frame.low).all())
        assert pairs(frame) == set()
    assert apart >= 10


def test_one_broken_row_is_enough_to_reject(random):
    low = random.normal(size=20_000)
    frame = pd.DataFrame({"low": low, "high": low + random.exponential(0.5, 20_000)})
    frame.loc[7, "high"] = frame.low[7] - 0.01
    assert pairs(frame, max_rows=500) == set()
