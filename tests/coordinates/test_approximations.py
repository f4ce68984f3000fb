"""Columns that are close to a product: found where they are, and not among columns that are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.coordinates.approximations import find_approximate_products
from janus_synth.table import read_table


def bills(n=2_000, seed=0, error=0.03) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    months = rng.integers(1, 72, n)
    fee = np.round(rng.normal(60, 20, n).clip(18), 2)
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "months": months, "fee": fee})
    return frame.assign(paid=np.where(months == 1, fee, np.round(months * fee * rng.normal(1, error, n), 2)))


def found_in(frame):
    return [(each.column, each.factors) for each in find_approximate_products(read_table(frame))]


@pytest.mark.parametrize("seed", range(3))
def test_a_bill_is_about_the_fee_times_the_months(seed):
    assert found_in(bills(seed=seed)) == [("paid", ("months", "fee"))]


def test_nulls_are_left_out():
    frame = bills()
    frame.loc[::7, "paid"] = np.nan
    assert found_in(frame) == [("paid", ("months", "fee"))]


@pytest.mark.parametrize("error", [0.3, 1.0])
def test_a_loose_product_is_none(error):
    assert found_in(bills(error=error)) == []


def test_a_column_that_follows_one_factor_is_no_product():
    """The other factor is almost constant, so that the product says little more than the first one."""
    rng = np.random.default_rng(0)
    x = rng.normal(100, 30, 1_000)
    rate = rng.normal(1, 0.01, 1_000)
    assert found_in(pd.DataFrame({"x": x, "rate": rate, "y": x * (1 + rng.normal(0, 0.005, 1_000))})) == []


def test_tables_without_products_have_none():
    """Sixty tables of six columns that share a frailty, from counts to amounts of thousands: none has a product."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frailty = rng.lognormal(0, 0.6, 800)
        scale = 10.0 ** rng.uniform(0, 3, 6)
        columns = {f"x{i}": np.round(s * frailty * rng.lognormal(0, 0.4, 800), i % 3) for i, s in enumerate(scale)}
        assert found_in(pd.DataFrame(columns)) == []


def test_rows_of_a_model_keep_the_quotient_and_the_sign():
    frame = bills(3_000)
    model = Janus(random_state=0).fit(frame)
    assert [str(link) for link in model.links_] == ["paid = months * fee + a learnt gap"]
    rows = model.sample(3_000, random_state=0)
    assert (rows["paid"] > 0).all()
    apart = Janus(random_state=0, links="off").fit(frame).sample(3_000, random_state=0)
    true, linked, loose = (_tails(each["paid"] / (each["months"] * each["fee"])) for each in (frame, rows, apart))
    assert abs(linked - true).sum() < 0.5 * abs(loose - true).sum()


def _tails(quotient: pd.Series) -> np.ndarray:
    return quotient.quantile([0.005, 0.02, 0.1, 0.9, 0.98, 0.995]).to_numpy()


def test_conditions_and_missing_cells_follow_the_product():
    model = Janus(random_state=0).fit(bills(3_000))
    condition = "paid > 5000 and months < 60"
    assert holds(condition, model.sample(50, where=condition, random_state=0)).all()
    filled = model.complete(pd.DataFrame({"paid": [2000.0] * 50, "fee": [80.0] * 50}), random_state=0)
    assert filled["months"].between(20, 30).all()
    assert model.log_prob(model.sample(200, random_state=0)).min() > -np.inf
