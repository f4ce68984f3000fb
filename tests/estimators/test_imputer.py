from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from janus_synth import holds
from janus_synth.estimators import JanusImputer

QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0}


def people(n=300):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 65, n)
    frame = pd.DataFrame({"age": age, "worked": age - 18 - rng.integers(0, 4, n), "city": rng.choice(["x", "y"], n)})
    holed = frame.astype({"age": "Int64", "worked": "Int64"})
    holed.loc[::3, "worked"], holed.loc[1::5, "city"] = pd.NA, None
    return frame, holed


def test_observed_cells_stay_and_missing_ones_are_filled_under_the_rules():
    _, holed = people()
    filled = JanusImputer(rules="worked is null or worked <= age - 18", **QUICK).fit(holed).transform(holed)
    assert isinstance(filled, pd.DataFrame)
    assert not filled.isna().any(axis=None)
    assert (filled.dtypes == holed.dtypes).all()
    for name in holed:
        there = holed[name].notna()
        assert (filled[name][there] == holed[name][there]).all()
    assert holds("worked <= age - 18", filled).all()


def test_draws_follow_the_rest_of_the_row():
    frame, holed = people()
    filled = JanusImputer(**QUICK).fit(holed).transform(holed)
    gone = holed["worked"].isna()
    error = (filled["worked"][gone].astype(float) - frame["worked"][gone]).abs()
    assert error.mean() < 4  # a column's own draw is off by 15 on average


def test_the_same_rows_get_the_same_values_and_another_seed_others():
    _, holed = people()
    fitted = JanusImputer(**QUICK).fit(holed)
    pd.testing.assert_frame_equal(fitted.transform(holed), fitted.transform(holed))
    other = JanusImputer(**{**QUICK, "random_state": 1}).fit(holed).transform(holed)
    assert not other.equals(fitted.transform(holed))


def test_arrays_come_back_as_arrays():
    x = np.arange(60.0)
    X = np.stack([x, 2 * x, np.where(x % 4 == 0, np.nan, x)], axis=1)
    filled = JanusImputer(**QUICK).fit_transform(X)
    assert isinstance(filled, np.ndarray)
    assert np.isfinite(filled).all()
    np.testing.assert_array_equal(filled[:, :2], X[:, :2])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_can_be_set(library):
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]
    X = np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]] * 20)
    out = JanusImputer(**QUICK).set_output(transform=library).fit_transform(X)
    assert isinstance(out, kind)
    assert list(out.columns) == ["x0", "x1"]


def test_a_column_without_any_value_stays_missing():
    X = np.stack([np.arange(20.0), np.full(20, np.nan)], axis=1)
    filled = JanusImputer(**QUICK).fit_transform(X)
    assert np.isnan(filled[:, 1]).all()


def test_values_beyond_those_of_the_training_rows_are_kept():
    frame, _ = people()
    fitted = JanusImputer(**QUICK).fit(frame)
    later = pd.DataFrame({"age": [90, 30], "worked": [None, 5], "city": ["new", None]})
    filled = fitted.transform(later)
    assert filled["age"].tolist() == [90, 30]
    assert filled["city"][0] == "new"
    assert not filled.isna().any(axis=None)
