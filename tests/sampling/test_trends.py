"""Sampling and probabilities with trend leaves, against brute force on small models and rejection on larger ones."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Janus, holds
from janus_synth.sampling import log_prob_by_column
from janus_synth.table import read_table
from sampling.small_models import small_model

N_BINS = 24
"""Few enough to sum over all combinations of three columns."""


def smooth_table(n: int, seed: int = 0) -> pd.DataFrame:
    """Linear and curved dependences, a lattice, a category, a heavy atom and nulls."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    kind = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * a)), "up", "down")
    b = 0.8 * a + np.where(kind == "up", 0.5, -0.5) + 0.4 * rng.normal(size=n)
    c = np.round(10 * np.exp(0.4 * b + 0.3 * rng.normal(size=n)))
    d = np.where(rng.random(n) < 0.3, 0.0, np.sin(2 * a) + b + 0.3 * rng.normal(size=n))
    e = np.where(rng.random(n) < 0.1, np.nan, 0.5 * d + 0.1 * c + 0.2 * rng.normal(size=n))
    return pd.DataFrame({"a": a, "kind": kind, "b": b, "c": c, "d": d, "e": e})


@cache
def smooth_model(leaves: str = "trend", **settings: object) -> Janus:
    """A model of the smooth table."""
    return Janus(structure="chain", leaves=leaves, random_state=0, **settings).fit(smooth_table(3_000))


def trend_weight(model: Janus, column: str) -> float:
    """Largest mixture weight of a trend in a column's leaves."""
    trends = model.model_.bag(column).trends
    return 0.0 if trends is None else float(trends.weight.max())


def test_the_models_of_these_tests_have_trends():
    assert all(trend_weight(smooth_model(), column) > 0.9 for column in "bcde")
    assert trend_weight(smooth_model("auto"), "b") > 0.5
    assert trend_weight(smooth_model("histogram"), "b") == 0.0
    for structure in ("dense", "sparse"):  # the enumerated models of the other tests
        assert max(trend_weight(small_model(structure), column) for column in "bf") > 0.2


# Against brute force


@cache
def three_columns() -> tuple[Janus, np.ndarray, np.ndarray]:
    """A model of three columns, all combinations of their codes, and the probability of each."""
    table = smooth_table(2_000)[["a", "b", "e"]]
    model = Janus(structure="chain", leaves="trend", n_bins=N_BINS, n_trees=3, random_state=0).fit(table)
    x = np.array(list(itertools.product(*map(range, model.model_.codec.n_codes))), np.uint16).T
    shares = [bag.compiled(3).probability_of(x[i], x) for i, bag in enumerate(model.model_.bags)]
    return model, x, np.prod(shares, axis=0)


def test_probabilities_of_all_combinations_sum_to_one():
    assert three_columns()[2].sum() == pytest.approx(1.0, abs=1e-6)


def share_left(model: Janus, x: np.ndarray, bounds: dict[str, tuple[float, float]]) -> np.ndarray:
    """Share of each combination's mass inside a box, by a grid of uniform numbers per bin; uses no sampler code."""
    left = np.ones(x.shape[1])
    for name, (low, high) in bounds.items():
        codec = model.model_.codec.columns[name]
        u = (np.arange(2_000) + 0.5) / 2_000
        inside = [
            np.mean((v := codec.decode(np.full(len(u), k, np.uint16), u)) > low) - np.mean(v > high)
            for k in range(codec.n_bins)
        ]
        left *= np.append(inside, 0.0)[x[model.model_.codec.names.index(name)]]
    return left


BOXES = [
    {"b": (0.5, 9.0)},
    {"a": (-9.0, 0.0), "b": (0.7, 9.0)},
    {"a": (0.1, 0.4), "e": (1.0, 2.5)},
    {"a": (-9.0, -0.5), "b": (0.0, 9.0), "e": (1.2, 9.0)},
]


@pytest.mark.statistical
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_probability_equals_the_sum_over_all_combinations(box):
    model, x, shares = three_columns()
    truth = float(shares @ share_left(model, x, box))
    where = " and ".join(f"{name} > {low} and {name} <= {high}" for name, (low, high) in box.items())
    found = model.probability(where, level=0.9999, random_state=1)
    grid_error = 0.005  # of two thousand points per bin, up to four bins cut
    assert found.low * (1 - grid_error) <= truth <= found.high * (1 + grid_error)


@pytest.mark.statistical
@pytest.mark.parametrize("box", BOXES, ids=str)
def test_rows_in_a_box_follow_the_sum_over_all_combinations(box):
    model, x, shares = three_columns()
    shares = shares * share_left(model, x, box)
    where = " and ".join(f"{name} > {low} and {name} <= {high}" for name, (low, high) in box.items())
    n = 8_000
    rows = model.sample(n, where=where, random_state=2)
    for i, name in enumerate(model.model_.codec.names):
        codec = model.model_.codec.columns[name]
        truth = np.bincount(x[i], weights=shares, minlength=codec.n_codes) / shares.sum()
        seen = np.bincount(codec.encode(rows[name].to_numpy(float)), minlength=codec.n_codes) / n
        # DKW at a false-alarm rate of 1e-6 for independent rows: 0.03, doubled as rows of a block share ancestors.
        assert np.abs(np.cumsum(truth - seen)).max() <= 2 * np.sqrt(np.log(2 / 1e-6) / (2 * n))


def test_densities_integrate_to_one():
    model = smooth_model()
    row = smooth_table(1, seed=9).assign(e=1.0)
    low, high = model.schema_["b"].low, model.schema_["b"].high
    grid = np.linspace(low, high, 40_001)
    rows = row.loc[row.index.repeat(len(grid))].assign(b=grid)
    parts = log_prob_by_column(model.model_, read_table(rows, model.schema_))
    assert np.trapezoid(np.exp(parts["b"]), grid) == pytest.approx(1.0, abs=5e-3)


# Against rejection


RULES = [
    "b > 1.0",
    "-0.2 < a < 0.1 and e > 2",
    "c == 12",
    "c != 12 and c > 10 and c < 14",
    "d == 0 and b > 0.5",
    "e is null and kind == 'up'",
    "b > a + 0.8",
    "a + b + d <= -2",
    "2 * e - d > 1 and b < 0",
    "implies(kind == 'up', b < 0.2)",
    "a > 1.2 or d < -1.5",
    "not (b > -0.5 and kind == 'down')",
    "increments(c, 5)",
    "b >= d and d >= -0.5",
]


@cache
def free_rows(leaves: str) -> pd.DataFrame:
    return smooth_model(leaves).sample(150_000, random_state=77)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("rule", "leaves"), [*((rule, "trend") for rule in RULES), *((rule, "auto") for rule in RULES[6:9])]
)
def test_rows_have_the_distribution_of_rejection_sampling(rule, leaves):
    model, free = smooth_model(leaves), free_rows(leaves)
    wanted = free[holds(rule, free, model.schema_)]
    n = 4_000
    rows = model.sample(n, where=rule, random_state=3)
    assert len(rows) == n
    assert holds(rule, rows, model.schema_).all()
    for name in "abcde":
        one, other = (np.sort(table[name].fillna(-99.0).to_numpy(float)) for table in (rows, wanted))
        # Kolmogorov–Smirnov at a false-alarm rate of 1e-6 for independent rows, doubled as rows share ancestors.
        bound = np.sqrt(np.log(2 / 1e-6) / 2 * (1 / n + 1 / len(wanted)))
        assert stats.ks_2samp(one, other).statistic <= 2 * bound, name
    shares = [(table["kind"] == "up").mean() for table in (rows, wanted)]
    assert abs(shares[0] - shares[1]) <= 2 * bound
    found = model.probability(rule, level=0.9999, random_state=4)
    error = 5 * np.sqrt(len(wanted)) / len(free)
    assert found.low - error <= len(wanted) / len(free) <= found.high + error


@pytest.mark.statistical
def test_imputed_cells_follow_the_rows_with_similar_present_cells():
    model, n = smooth_model(), 4_000
    free = free_rows("trend")
    near = free[free["b"].between(0.9, 1.1) & (free["kind"] == "up") & free["e"].notna()]
    partial = pd.DataFrame({"a": np.nan, "kind": "up", "b": 1.0, "c": np.nan, "d": np.nan, "e": np.nan}, index=range(n))
    full = model.complete(partial, random_state=5)
    assert (full["b"] == 1.0).all()
    assert full.notna().all().all()
    for name in "acd":
        gap = stats.ks_2samp(full[name], near[name]).statistic
        # 0.042 for independent rows at 1e-6, doubled for few sweeps, plus the blur of a slice of width 0.2.
        assert gap <= 2 * np.sqrt(np.log(2 / 1e-6) / 2 * (1 / n + 1 / len(near))) + 0.02, name


# Files, updates and tails


def test_a_file_keeps_trends_to_the_last_digit(tmp_path):
    model = smooth_model("auto")
    model.save(tmp_path / "m.janus")
    again = Janus.load(tmp_path / "m.janus")
    rows = smooth_table(200, seed=4)
    np.testing.assert_array_equal(again.log_prob(rows), model.log_prob(rows))
    for where in (None, "b > 1"):
        one, other = (m.sample(300, where=where, random_state=1) for m in (model, again))
        pd.testing.assert_frame_equal(one, other)
    assert str(again.explain("b")) == str(model.explain("b"))


def test_updating_with_rows_equals_counting_all_rows_at_once(tmp_path):
    smooth_model("auto").save(tmp_path / "m.janus")
    first, second = smooth_table(700, seed=5), smooth_table(900, seed=6)
    by_parts = Janus.load(tmp_path / "m.janus").update(second, forget=True).update(first)
    at_once = Janus.load(tmp_path / "m.janus").update(pd.concat([first, second]), forget=True)
    for column in "bcde":
        one, other = (m.model_.bag(column).trends.residuals for m in (by_parts, at_once))
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    rows = smooth_table(100, seed=7)
    np.testing.assert_array_equal(by_parts.log_prob(rows), at_once.log_prob(rows))


def test_an_explanation_states_how_a_trend_changes_with_a_parent():
    text = str(smooth_model().explain("b"))
    assert "rising from" in text
    assert "as a goes from" in text


@pytest.mark.statistical
@pytest.mark.parametrize("leaves", ["auto", "trend"])
def test_heavy_tails_keep_their_far_quantiles(leaves):
    """The true tail probability beyond a generated quantile is right within the error of the training sample."""
    n, m, false_alarm = 10_000, 200_000, 1e-6
    rng = np.random.default_rng(1)
    a = rng.pareto(1.5, n) + 1
    b = a * np.exp(0.3 * rng.normal(size=n))
    rows = Janus(leaves=leaves, random_state=0).fit(pd.DataFrame({"a": a, "b": b})).sample(m, random_state=1)
    truth_b = np.sort((rng.pareto(1.5, 2_000_000) + 1) * np.exp(0.3 * rng.normal(size=2_000_000)))
    for level in (0.99, 0.999):
        beyond = {
            "a": rows["a"].quantile(level) ** -1.5,
            "b": 1 - np.searchsorted(truth_b, rows["b"].quantile(level)) / len(truth_b),
        }
        error = np.sqrt(level * (1 - level) * (1 / n + 1 / m)) * stats.norm.isf(false_alarm / 2)
        assert all(abs(share - (1 - level)) <= error for share in beyond.values()), (level, beyond)
    assert rows["a"].between(a.min(), a.max()).all()
    assert rows["b"].between(b.min(), b.max()).all()
