"""scikit-learn's own checks for all estimators, and how they work in its tools."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from janus_synth import Janus, datasets
from janus_synth.estimators import (
    JanusAugmenter,
    JanusClassifier,
    JanusImputer,
    JanusOutlierDetector,
    JanusRegressor,
)
from janus_synth.estimators.base import direct_graph, make_integer_seed

CLASSES = (JanusClassifier, JanusRegressor, JanusImputer, JanusOutlierDetector, JanusAugmenter)
QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0}


def people(n=200):
    rows = datasets.hiring(n, random_state=0)
    return rows.drop(columns=["hired", "offered_salary"]), rows["hired"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([make(**QUICK) for make in CLASSES])
def test_an_estimator_keeps_the_contract(estimator, check):
    check(estimator)


@parametrize_with_checks([JanusClassifier(structure="direct", **QUICK), JanusRegressor(structure="auto", **QUICK)])
def test_other_graphs_keep_the_contract_too(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", CLASSES)
def test_frames_with_all_kinds_of_columns_are_learnt_and_survive_pickling(make):
    X, y = people()
    target = y.astype(float) if make is JanusRegressor else y
    fitted = make(**QUICK).fit(X, target)
    assert list(fitted.feature_names_in_) == list(X.columns)
    assert fitted.n_features_in_ == X.shape[1]
    again = pickle.loads(pickle.dumps(fitted))
    if hasattr(fitted, "predict"):
        np.testing.assert_array_equal(fitted.predict(X), again.predict(X))
    assert not hasattr(clone(fitted), "janus_")


def test_a_pipeline_can_be_searched_over_rows_with_missing_cells():
    X, y = people()
    X = X.drop(columns="applicant_id")
    X.loc[::3, "age"], X.loc[1::4, "sex"] = np.nan, None
    steps = make_pipeline(JanusImputer(**QUICK), JanusClassifier(**QUICK))
    search = GridSearchCV(steps, {"janusclassifier__min_samples_leaf": [5, 60]}, cv=2, error_score="raise").fit(X, y)
    assert search.best_params_["janusclassifier__min_samples_leaf"] in (5, 60)
    assert search.best_score_ > 0.55  # the more frequent class has 0.69 of the rows, a coin 0.5


def test_cross_validation_scores_a_regressor():
    x = np.random.default_rng(0).uniform(-2, 2, size=(400, 2))
    noise = np.random.default_rng(1).normal(scale=0.3, size=400)
    scores = cross_val_score(JanusRegressor(**QUICK), x, 2 * x[:, 0] - x[:, 1] + noise, cv=3)
    assert scores.min() > 0.8  # the noise alone allows 0.99


@pytest.mark.parametrize("make", CLASSES)
def test_columns_in_another_order_are_refused(make):
    X, y = people(60)
    fitted = make(**QUICK).fit(X, y.astype(float) if make is JanusRegressor else y)
    ask = getattr(fitted, "transform", None) or getattr(fitted, "predict", None) or fitted._read
    with pytest.raises(ValueError, match="feature names should match"):
        ask(X[X.columns[::-1]])


def test_a_direct_graph_leaves_identifiers_out():
    X, y = people(80)
    assert "applicant_id" in X
    fitted = JanusClassifier(structure="direct", **QUICK).fit(X, y)
    assert set(fitted.janus_.dag_.columns) == {"hired", *X.columns} - {"applicant_id"}
    assert all(parent_of == "hired" for _, parent_of in fitted.janus_.dag_.edges)


def test_a_direct_graph_needs_a_target():
    with pytest.raises(ValueError, match="no target here"):
        direct_graph(["a", "b"], None)
    with pytest.raises(ValueError, match="no target here"):
        JanusImputer(structure="direct").fit([[1.0, 2.0], [2.0, 3.0], [1.0, 1.0]])


def test_seeds_of_every_kind_become_integers():
    assert make_integer_seed(7) == make_integer_seed(np.int64(7)) == 7
    for make in (np.random.default_rng, np.random.RandomState):
        assert make_integer_seed(make(3)) == make_integer_seed(make(3))
    assert make_integer_seed(None) >= 0
    with pytest.raises(ValueError, match="seed"):
        make_integer_seed("a")


def test_a_bad_parameter_is_named_at_the_fit():
    with pytest.raises(ValueError, match="n_trees is 0"):
        JanusClassifier(n_trees=0).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="structure is 'tree'"):
        JanusRegressor(structure="tree").fit([[1.0], [2.0]], [0, 1])


def test_rules_name_the_target_by_the_name_of_the_series():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 60, 200)})
    y = pd.Series(X["age"] - 18 - rng.integers(0, 3, 200), name="experience").astype(float)
    fitted = JanusRegressor(rules="experience <= age - 18", **QUICK).fit(X, y)
    assert fitted.target_ == "experience"
    assert (fitted.predict_quantile(X, 1.0) <= X["age"] - 18).all()


@pytest.mark.parametrize("make", CLASSES)
def test_shared_settings_have_the_defaults_of_the_model(make):
    ours, theirs = make().get_params(), Janus().get_params()
    shared = (ours.keys() & theirs.keys()) - {"structure", "links"}  # which each estimator documents
    assert {"n_trees", "n_bins", "min_samples_leaf", "prior_strength", "leaves"} <= shared
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}
