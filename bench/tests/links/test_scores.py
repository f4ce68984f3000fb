"""Errors of summaries, by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from janus_bench.links.scores import Worst, correlation_errors, mean_errors, numbers, quantile_errors, worst


def sample(n: int = 2_000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": x + rng.normal(size=n), "level": rng.choice(["a", "b"], n, p=[0.8, 0.2])})


def test_means_are_compared_in_standard_deviations():
    truth = sample()
    errors = mean_errors(truth.assign(x=truth["x"] + 0.5), truth)
    assert errors["x"] == pytest.approx(0.5 / truth["x"].std(ddof=0))
    assert errors["y"] == errors["level"] == 0


def test_shares_of_levels_and_nulls_count_as_means():
    truth = pd.DataFrame({"level": ["a"] * 8 + ["b"] * 2, "x": [1.0] * 5 + [2.0] * 3 + [np.nan] * 2})
    rows = pd.DataFrame({"level": ["a"] * 10, "x": [1.0] * 6 + [2.0] * 4})
    errors = mean_errors(rows, truth)
    assert errors["level"] == pytest.approx(0.2 / np.sqrt(0.2 * 0.8))
    assert errors["x"] == pytest.approx(0.2 / np.sqrt(0.2 * 0.8))


def test_quantiles_see_a_shape_that_means_do_not():
    truth = sample(20_000)
    flat = np.random.default_rng(1).uniform(-np.sqrt(3), np.sqrt(3), 20_000)
    rows = truth.assign(x=flat)
    assert mean_errors(rows, truth)["x"] < 0.05
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    by_hand = max(
        abs((flat <= place).mean() - p) / np.sqrt(p * (1 - p))
        for p, place in zip(levels, np.quantile(truth["x"], levels), strict=True)
    )
    assert quantile_errors(rows, truth)["x"] == pytest.approx(by_hand, abs=1e-3)
    assert "level" not in quantile_errors(rows, truth)


def test_correlations_are_those_of_ranks():
    truth, rows = sample(), sample().assign(y=sample(seed=5)["y"])
    by_hand = abs(spearmanr(rows["x"], rows["y"])[0] - spearmanr(truth["x"], truth["y"])[0])
    assert correlation_errors(rows, truth) == {("x", "y"): pytest.approx(by_hand, abs=1e-9)}
    assert correlation_errors(truth.assign(x=1.0), truth)["x", "y"] == pytest.approx(
        spearmanr(truth["x"], truth["y"])[0]
    )


def test_the_worst_column_is_sought_inside_and_outside():
    errors = {"a": 0.1, "b": 0.3, "c": 0.2}
    assert worst(errors, {"a", "c"}) == Worst(0.2, "c")
    assert worst(errors, {"a", "c"}, inside=False) == Worst(0.3, "b")
    pairs = {("a", "b"): 0.1, ("b", "d"): 0.4}
    assert worst(pairs, {"a"}) == Worst(0.1, "a ~ b")
    assert worst(pairs, {"a"}, inside=False) == Worst(0.4, "b ~ d")
    assert worst({}, {"a"}) == Worst()


def test_times_booleans_and_nullable_numbers_become_floats():
    frame = pd.DataFrame(
        {
            "t": pd.to_datetime(["2000-01-03", None]),
            "b": [True, False],
            "i": pd.array([1, None], dtype="Int64"),
            "s": ["a", "b"],
        }
    )
    found = {name: column.tolist() for name, column in numbers(frame).items()}
    assert found["t"][0] == 2
    assert found["b"] == [1, 0]
    assert found["i"][0] == 1
    assert np.isnan([found["t"][1], found["i"][1]]).all()
    assert "s" not in found
