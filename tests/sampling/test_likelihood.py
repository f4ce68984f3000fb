"""Log probabilities sum or integrate to one, equal brute force, and are −∞ for rows that the model cannot emit."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from janus_synth.errors import DataError, SchemaError
from janus_synth.sampling import log_prob, log_prob_by_column
from janus_synth.table import read_table
from model.tables import FRAME_KINDS, as_kind, assert_same_frame, fitted, mixed
from reference.routing import leaf_of_row


def tiny_table(n: int = 250, seed: int = 0) -> pd.DataFrame:
    """Dependent unordered columns, with nulls in one and a pair of rare levels in another."""
    rng = np.random.default_rng(seed)
    a = rng.choice(["x", "y", "z"], n, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(n) < 0.8, np.where(a == "x", "k", "l"), rng.choice(["k", "l"], n))
    b[:2], b[2:5] = "rare", "rarer"
    c = pd.array((a == "x") ^ (rng.random(n) < 0.2), dtype="boolean")
    c[rng.random(n) < 0.1] = pd.NA
    return pd.DataFrame({"a": a, "b": b, "c": c})


def every_row(frame: pd.DataFrame) -> pd.DataFrame:
    """All combinations of the levels, nulls among them."""
    levels = {name: [*frame[name].dropna().unique(), *([pd.NA] if frame[name].isna().any() else [])] for name in frame}
    rows = pd.DataFrame(list(itertools.product(*levels.values())), columns=list(frame))
    return rows.astype(frame.dtypes.to_dict())


def brute_force(model, rows: pd.DataFrame) -> np.ndarray:
    """Probability of each row by walking every tree; rare levels get their share of the code they have in common."""
    table = read_table(rows, model.schema_)
    x = model.model_.codec.encode(table)
    probability = np.ones(len(rows))
    for i, bag in enumerate(model.model_.bags):
        shares = bag.shares
        leaves = [bag.splits.leaf_of_node[leaf_of_row(x, root, bag.splits)] for root in bag.splits.roots]
        probability *= np.mean([shares[leaf, x[i]] for leaf in leaves], axis=0)
        name = model.model_.codec.names[i]
        weight = model.model_.codec.columns[name].shared_weight
        at = table[name]
        is_rare = (at >= 0) & (weight[at] > 0)
        probability[is_rare] *= weight[at][is_rare] / weight.sum()
    return probability


@pytest.mark.parametrize("structure", ["auto", "forest", [("c", "a"), ("c", "b"), ("a", "b")]], ids=str)
def test_all_combinations_of_levels_sum_to_one_and_equal_brute_force(structure):
    frame = tiny_table()
    model = fitted(frame, structure=structure, n_trees=3)
    rows = every_row(frame)
    scores = np.exp(model.log_prob(rows))
    assert scores.sum() == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(scores, brute_force(model, rows), rtol=1e-6)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1_000), n=st.integers(1, 40), n_trees=st.integers(1, 3))
def test_all_combinations_of_small_tables_sum_to_one(seed, n, n_trees):
    frame = tiny_table(250, seed=seed)[:n]
    model = fitted(frame, n_trees=n_trees, min_samples_leaf=2)
    assert np.exp(model.log_prob(every_row(frame))).sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("n_bins", [3, 20, "auto"])
@pytest.mark.parametrize("within", ["smooth", "knots", "uniform"])
@pytest.mark.parametrize("step", [1, 0.25, 500])
def test_a_column_on_a_lattice_sums_to_one(step, within, n_bins):
    rng = np.random.default_rng(0)
    group = rng.choice(["x", "y"], 400)
    frame = pd.DataFrame({"group": group, "v": step * rng.poisson(np.where(group == "x", 8, 30))})
    model = fitted(frame, n_bins=n_bins, within=within)
    lattice = step * np.arange(-20, 120)
    rows = pd.DataFrame(itertools.product(["x", "y"], lattice), columns=["group", "v"])
    scores = np.exp(model.log_prob(rows))
    assert scores.sum() == pytest.approx(1.0, abs=1e-5)
    outside = ~rows["v"].between(frame["v"].min(), frame["v"].max())
    assert (scores[outside] == 0).all()


def test_days_sum_to_one():
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01", "us") + rng.integers(0, 60, 300).astype("timedelta64[D]")
    model = fitted(pd.DataFrame({"day": days}))
    every_day = pd.DataFrame({"day": np.datetime64("2023-12-01", "us") + np.arange(150).astype("timedelta64[D]")})
    assert np.exp(model.log_prob(every_day)).sum() == pytest.approx(1.0, abs=1e-5)


def integral(model, low: float, high: float, n: int = 400_000, **fixed) -> float:
    """Integral of the density of x between two values by the midpoint rule."""
    width = (high - low) / n
    middles = low + width * (np.arange(n) + 0.5)
    rows = pd.DataFrame({"x": middles, **{name: [value] * n for name, value in fixed.items()}})
    return float(np.exp(model.log_prob(rows)).sum() * width)


@pytest.mark.parametrize("within", ["smooth", "knots", "uniform"])
@pytest.mark.parametrize("n_bins", [2, 20, "auto"])
def test_a_continuous_column_integrates_to_one(n_bins, within):
    values = np.random.default_rng(0).normal(size=500)
    model = fitted(pd.DataFrame({"x": values}), n_bins=n_bins, within=within)
    assert integral(model, values.min() - 1, values.max() + 1) == pytest.approx(1.0, abs=2e-3)


def test_a_continuous_column_integrates_to_one_given_another():
    rng = np.random.default_rng(0)
    group = rng.choice(["x", "y"], 400)
    frame = pd.DataFrame({"group": group, "x": rng.normal(size=400) + 5.0 * (group == "x")})
    model = fitted(frame)
    areas = [integral(model, -10, 20, group=level) for level in ("x", "y")]
    shares = [np.exp(fitted(frame[["group"]]).log_prob(pd.DataFrame({"group": [level]})))[0] for level in ("x", "y")]
    np.testing.assert_allclose(areas, shares, atol=2e-3)


def test_atoms_have_probability_mass_and_other_values_a_density():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(600) < 0.4, 0.0, rng.gamma(2.0, 3.0, 600))
    model = fitted(pd.DataFrame({"x": values}))
    mass = float(np.exp(model.log_prob(pd.DataFrame({"x": [0.0]})))[0])
    assert mass == pytest.approx((values == 0).mean(), abs=0.02)
    assert mass + integral(model, -1, values.max() + 1) == pytest.approx(1.0, abs=2e-3)


def test_the_density_extends_over_the_declared_domain():
    values = np.random.default_rng(0).random(300)
    model = fitted(pd.DataFrame({"x": values}), schema={"x": {"low": -2, "high": 3}})
    assert integral(model, -3, 4) == pytest.approx(1.0, abs=2e-3)
    assert np.isfinite(model.log_prob(pd.DataFrame({"x": [-2.0, -1.0, 2.0, 3.0]}))).all()


def test_null_has_a_probability_mass_of_its_own():
    values = np.where(np.arange(400) % 4 == 0, np.nan, np.arange(400) % 7)
    model = fitted(pd.DataFrame({"x": values}))
    rows = pd.DataFrame({"x": [np.nan, *range(7)]})
    scores = np.exp(model.log_prob(rows))
    assert scores[0] == pytest.approx(0.25, abs=0.01)
    assert scores.sum() == pytest.approx(1.0, abs=1e-5)


def test_training_rows_are_possible():
    model = fitted(mixed(300), keep_rare=True)
    assert np.isfinite(model.log_prob(mixed(300))).all()


def test_only_training_rows_with_an_extreme_value_are_impossible_without_rare_values():
    """The ends of each ordered column are smoothed: at most five rows at each end of four columns."""
    impossible = mixed(300)[~np.isfinite(fitted(mixed(300)).log_prob(mixed(300)))]
    assert len(impossible) <= 4 * 2 * 5
    extremes = [mixed(300)[name].rank(method="min") for name in ("amount", "units", "day", "seen")]
    assert all(any(rank[i] <= 5 or rank[i] >= rank.max() - 4 for rank in extremes) for i in impossible.index)


def test_sampled_rows_are_possible():
    model = fitted(mixed(300))
    assert np.isfinite(model.log_prob(model.sample(3_000))).all()


def test_columns_add_up_to_rows():
    model = fitted(mixed(200))
    table = read_table(mixed(100, seed=7), model.schema_)
    parts = log_prob_by_column(model.model_, table)
    assert tuple(parts) == model.model_.codec.names
    np.testing.assert_allclose(sum(parts.values()), log_prob(model.model_, table))


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_every_kind_of_frame_is_scored_alike(kind):
    rows = mixed(60, seed=3)[["group", "member", "amount", "units", "day"]]
    model = fitted(mixed(200)[list(rows)])
    frame = as_kind(rows, kind)
    scores = model.log_prob(frame)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, model.log_prob(rows))
    assert_same_frame(frame, as_kind(rows, kind))


def test_neither_identifiers_nor_order_nor_other_columns_matter():
    model, rows = fitted(mixed(200)), mixed(50, seed=3)
    changed = rows.drop(columns="key")[rows.columns[:0:-1]].assign(other=1)
    np.testing.assert_array_equal(model.log_prob(changed), model.log_prob(rows))


@pytest.mark.parametrize(
    "change",
    [
        {"group": "west"},
        {"amount": 1e9},
        {"amount": -1e9},
        {"units": -1},
        {"units": 10**6},
        {"day": pd.Timestamp("1999-01-01")},
        {"group": None},
        {"day": pd.NaT},
    ],
    ids=str,
)
def test_what_the_model_cannot_produce_is_impossible(change):
    scores = fitted(mixed(200)).log_prob(mixed(5).assign(**change))
    assert (scores == -np.inf).all()


def test_a_value_between_two_points_of_a_lattice_is_impossible():
    frame = pd.DataFrame({"i": np.random.default_rng(0).integers(0, 1_000, 500)})
    scores = fitted(frame, n_bins=5).log_prob(pd.DataFrame({"i": [2.5, 500.5]}))
    assert (scores == -np.inf).all()


def test_likelier_rows_score_higher():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, 500)
    model = fitted(pd.DataFrame({"x": x, "y": 2 * x}))
    together, apart = model.log_prob(pd.DataFrame({"x": [2, 2], "y": [4, 8]}))
    assert together > apart + 2


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (mixed(5).drop(columns="units"), DataError, "required but missing: 'units'"),
        (mixed(5).rename(columns={"units": "unit"}), DataError, "Did you mean 'unit'"),
        (mixed(5).assign(units="many"), SchemaError, "'units'"),
        (mixed(5)[:0], DataError, "no rows"),
        (np.zeros((3, 3)), DataError, "required but missing: 'group'.* It has 'x0', 'x1', 'x2'"),
    ],
    ids=["column missing", "column misspelt", "text for numbers", "empty", "array"],
)
def test_rows_that_do_not_fit_are_refused(rows, error, message):
    with pytest.raises(error, match=message):
        fitted(mixed(100)).log_prob(rows)
