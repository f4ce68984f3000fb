from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from janus_synth.estimators import JanusClassifier

QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0}


def animals(n=300, seed=0):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["cat", "dog", "owl"], n, p=[0.5, 0.4, 0.1])
    weight = rng.normal(pd.Series(kind).map({"cat": 4.0, "dog": 12.0, "owl": 1.5}))
    loud = np.where(rng.random(n) < 0.1, None, np.where(kind == "dog", "yes", "no"))
    return pd.DataFrame({"weight": weight, "loud": loud, "noise": rng.normal(size=n)}), pd.Series(kind, name="kind")


@pytest.mark.parametrize("structure", ["auto", "direct"])
def test_probabilities_are_those_of_bayes_rule(structure):
    """The joint likelihood of the row with each class in turn, which ``log_prob`` computes column by column."""
    X, y = animals()
    model = JanusClassifier(structure=structure, **QUICK).fit(X, y)
    asked = X.head(40)
    joint = [model.janus_.log_prob(asked.assign(kind=label)) for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(asked), softmax(np.array(joint).T, axis=1), rtol=1e-5, atol=1e-9)


def test_classes_are_found_again():
    X, y = animals()
    later, truth = animals(300, seed=1)
    model = JanusClassifier(**QUICK).fit(X, y)
    assert model.classes_.tolist() == ["cat", "dog", "owl"]
    assert model.score(later, truth) > 0.9


@pytest.mark.parametrize(
    "labels", [[0, 1], [-1.5, 2.5], ["a", "b"], [False, True], ["null", "x"]], ids=lambda pair: type(pair[0]).__name__
)
def test_labels_of_every_type_come_back(labels):
    rng = np.random.default_rng(0)
    at = rng.integers(0, 2, 120)
    y = np.array(labels)[at]
    if y.dtype.kind == "f":
        y = np.where(at == 0, -1.0, 2.0)  # classes, not measurements
    model = JanusClassifier(**QUICK).fit(rng.normal(5 * at)[:, None], y)
    predicted = model.predict(rng.normal(5 * at)[:, None])
    assert predicted.dtype == y.dtype
    assert (predicted == y).mean() > 0.9


def test_a_class_with_a_single_row_has_a_probability():
    X, y = animals()
    y = y.where(y.index != 7, "unicorn")
    shares = JanusClassifier(**QUICK).fit(X, y).predict_proba(X.head(3))
    assert shares.shape == (3, 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_levels_that_no_training_row_has_are_predicted_from_the_rest():
    X, y = animals()
    model = JanusClassifier(**QUICK).fit(X, y)
    asked = X.head(60).assign(loud="very", noise=np.nan)
    assert (model.predict(asked) == y.head(60)).mean() > 0.8
    assert np.isfinite(model.predict_uncertainty(asked.head(5), n_draws=2)).all(axis=None)


def test_uncertainty_adds_up_and_a_direct_graph_knows_its_support():
    X, y = animals()
    parts = JanusClassifier(**QUICK).fit(X, y).predict_uncertainty(X.head(30), n_draws=5)
    np.testing.assert_allclose(parts["aleatoric"] + parts["epistemic"], parts["total"])
    direct = JanusClassifier(structure="direct", **QUICK).fit(X, y)
    far = direct.predict_uncertainty(X.head(30).assign(weight=500.0))
    near = direct.predict_uncertainty(X.head(30))
    assert far["support"].mean() < near["support"].mean()
    assert far["epistemic"].mean() > near["epistemic"].mean()
