from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth.estimators import JanusRegressor

QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0}


def lines(n=600, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n)
    return x[:, None], 3 * x + rng.normal(scale=1 + 0.3 * x)


def test_means_and_spreads_follow_the_line():
    x, y = lines(2_000)
    model = JanusRegressor(**QUICK).fit(x, y)
    mean, std = model.predict([[2.0], [5.0], [8.0]], return_std=True)
    assert np.abs(mean - [6, 15, 24]).max() < 1.0
    assert np.abs(std - [1.6, 2.5, 3.4]).max() < 0.8
    assert std[0] < std[2]
    np.testing.assert_array_equal(mean, model.predict([[2.0], [5.0], [8.0]]))


@pytest.mark.statistical
def test_intervals_hold_fresh_targets():
    model = JanusRegressor(n_trees=8, n_jobs=1, random_state=0).fit(*lines(2_000))
    x, y = lines(2_000, seed=1)
    low, high = model.predict_interval(x, level=0.9).T
    inside = ((low <= y) & (y <= high)).mean()
    chance = sqrt(log(2 / 1e-6) / (2 * len(y)))  # Hoeffding: 0.06 at a false-alarm rate of 1e-6
    assert abs(inside - 0.9) <= chance


def test_quantiles_are_ordered():
    x, y = lines()
    model = JanusRegressor(**QUICK).fit(x, y)
    low, middle, high = (model.predict_quantile(x[:20], q) for q in (0.1, 0.5, 0.9))
    assert (low <= middle).all()
    assert (middle <= high).all()
    np.testing.assert_allclose(model.predict_interval(x[:20], level=0.8), np.stack([low, high], axis=1), rtol=1e-12)


@pytest.mark.parametrize(("call", "name"), [("predict_quantile", "q"), ("predict_interval", "level")])
def test_shares_beyond_one_are_refused(call, name):
    model = JanusRegressor(**QUICK).fit(*lines(50))
    with pytest.raises(ValueError, match=f"{name} is 1.5"):
        getattr(model, call)([[1.0]], 1.5)


def test_far_from_the_training_rows_there_is_no_support():
    x, y = lines()
    parts = JanusRegressor(**QUICK).fit(x, y).predict_uncertainty([[5.0], [500.0]])
    assert parts["support"][0] > 0.9 > 0.5 > parts["support"][1]
    assert parts["epistemic"][1] > parts["epistemic"][0]


def test_frames_with_levels_and_times_are_features():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"group": rng.choice(["a", "b"], 300), "day": pd.Timestamp("2024-01-01")})
    X["day"] += pd.to_timedelta(rng.integers(0, 300, 300), unit="D")
    y = pd.Series(10.0 * (X["group"] == "b") + rng.normal(size=300), name="y")
    model = JanusRegressor(**QUICK).fit(X, y)
    assert model.score(X, y) > 0.8


def test_targets_of_very_few_rows_are_learnt():
    """Three of 600 rows lie far out; a model that protects rare values would smooth them away."""
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = np.where(np.arange(600) < 3, [50.0] * 3 + [0.0] * 597, X[:, 0])
    y[2] = 51.0
    found = JanusRegressor(n_trees=2, random_state=0, n_jobs=1).fit(X, y).predict_quantile(X[:5], 1.0)
    np.testing.assert_allclose(found, 51.0)
