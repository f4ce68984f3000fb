from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from janus_synth import holds
from janus_synth.estimators import JanusAugmenter
from janus_synth.estimators.augmenter import rows_to_draw

QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0}
COUNTS = {"a": 90, "b": 30, "c": 60}


def patients(n=300):
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.1
    age = rng.integers(20, 90, n)
    low = np.round(rng.normal(70 + 20 * ill), 1)
    frame = pd.DataFrame(
        {"age": age, "low": low, "high": low + rng.integers(5, 30, n), "sex": rng.choice(["f", "m"], n)}
    )
    return frame, pd.Series(np.where(ill, "ill", "well"), name="state")


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("auto", {"b": 60, "c": 30}),
        ("all", {"b": 60, "c": 30}),
        ("not majority", {"b": 60, "c": 30}),
        ("minority", {"b": 60}),
        ({"b": 45}, {"b": 15}),
        ({"a": 100, "b": 30}, {"a": 10}),
    ],
    ids=str,
)
def test_strategies_say_how_many_rows_to_draw(strategy, expected):
    assert rows_to_draw(strategy, COUNTS) == expected


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("most", "sampling_strategy is 'most'"),
        (0.5, "with two classes"),
        (None, "sampling_strategy is None"),
        ({"d": 5}, "names the class 'd'"),
        ({"b": 5}, "has 30 already"),
    ],
    ids=str,
)
def test_impossible_strategies_are_told(strategy, message):
    with pytest.raises(ValueError, match=message):
        rows_to_draw(strategy, COUNTS)


def test_given_rows_come_first_and_drawn_ones_keep_rules_and_dtypes():
    X, y = patients()
    more, labels = JanusAugmenter(rules="low < high", **QUICK).fit_resample(X, y)
    assert Counter(labels) == {"well": (y == "well").sum(), "ill": (y == "well").sum()}
    pd.testing.assert_frame_equal(more[: len(X)], X)
    assert (more.dtypes == X.dtypes).all()
    assert labels.name == "state"
    assert labels.dtype == y.dtype
    assert holds("low < high", more).all()
    drawn = more[len(X) :]
    assert not drawn.merge(X).shape[0] > 0.05 * len(drawn)  # new rows, not copies


@pytest.mark.statistical
def test_drawn_rows_are_like_those_of_their_class():
    X, y = patients(2_000)
    drawn = JanusAugmenter(**QUICK).fit(X, y).sample("ill", 2_000)
    ill = X["low"][y == "ill"]
    # A normal bound at 1e-6 for the difference of two means, and 0.3 of a spread for what leaves blur.
    bound = 5 * np.sqrt(ill.var() / len(ill) + drawn["low"].var() / len(drawn)) + 0.3
    assert abs(drawn["low"].mean() - ill.mean()) < bound
    assert abs(drawn["low"].mean() - X["low"][y == "well"].mean()) > 10


def test_arrays_keep_their_dtype():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, size=(100, 2)).astype(np.float32), np.array([0] * 80 + [1] * 20)
    more, labels = JanusAugmenter(sampling_strategy=0.5, **QUICK).fit_resample(X, y)
    assert more.dtype == np.float32
    assert labels.dtype == y.dtype
    assert Counter(labels.tolist()) == {0: 80, 1: 40}


def test_balanced_classes_stay_as_they_are():
    X, y = np.arange(20.0)[:, None], np.array([0, 1] * 10)
    more, labels = JanusAugmenter(**QUICK).fit_resample(X, y)
    np.testing.assert_array_equal(more, X)
    np.testing.assert_array_equal(labels, y)


def test_one_seed_gives_the_same_rows():
    X, y = patients(100)
    first, again, other = (JanusAugmenter(**{**QUICK, "random_state": s}).fit_resample(X, y)[0] for s in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


def test_a_pipeline_of_imbalanced_learn_takes_it():
    pipeline = pytest.importorskip("imblearn.pipeline")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.1).astype(int)
    X = rng.normal(size=(300, 2)) + y[:, None]
    steps = pipeline.make_pipeline(JanusAugmenter(**QUICK), LogisticRegression())
    assert (cross_val_score(steps, X, y, cv=2, scoring="balanced_accuracy", error_score="raise") > 0.55).all()
