"""Planted tables as learning tasks: groups and labels against pandas, and the arguments passed to estimators."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from fairness.planted_tables import planted
from janus_synth.errors import BiasError, UnknownColumnError
from janus_synth.fairness.learning_task import (
    PRIVILEGED,
    UNPRIVILEGED,
    LearningTask,
    fit_and_predict,
    make_tasks,
    take_rows,
    takes_sensitive_features,
)


@cache
def tasks(name: str = "mediated", *, encode: bool = True) -> tuple[LearningTask, LearningTask, tuple[str, ...]]:
    found = planted(name)
    return make_tasks(found, found.certificate.records[-1], features=None, with_protected=True, encode=encode)


@pytest.mark.parametrize("name", ["direct", "mediated"])
def test_groups_and_labels_are_those_of_the_frames(name):
    found = planted(name)
    for task, frame in zip(tasks(name)[:2], (found.frame, found.fair), strict=True):
        np.testing.assert_array_equal(task.favoured, frame["approved"])
        np.testing.assert_array_equal(task.group == PRIVILEGED, frame["sex"] == "male")
        np.testing.assert_array_equal(task.group == UNPRIVILEGED, frame["sex"] == "female")
        south = frame["region"] == "south" if name == "mediated" else True
        np.testing.assert_array_equal(task.hit, (frame["sex"] == "female") & south)
    assert (tasks(name)[0].favoured != tasks(name)[1].favoured).sum() == found.certificate.n_turned


def test_the_better_half_is_known_where_the_mediator_is():
    biased, _, _ = tasks("mediated")
    assert biased.better is not None
    assert biased.better_known.all()
    assert 0 < biased.better.sum() < biased.n_rows
    assert tasks("direct")[0].better is None


def test_descendants_of_the_outcome_are_not_features():
    names = tasks("direct")[2]
    assert "amount" not in names
    assert "approved" not in names
    assert {"sex", "race", "region", "school"} == set(names)


def test_frames_stay_frames_unless_they_are_encoded():
    plain, encoded = tasks("direct", encode=False)[0].inputs, tasks("direct")[0].inputs
    assert list(plain.columns) == list(tasks("direct")[2])
    assert encoded.shape[0] == len(plain)
    rows = np.array([3, 1])
    assert take_rows(plain, rows).index.tolist() == [3, 1]
    np.testing.assert_array_equal(take_rows(encoded, rows), encoded[[3, 1]])


@pytest.mark.parametrize(
    ("features", "with_protected", "error", "says"),
    [
        (["scool"], True, UnknownColumnError, "school"),
        (["approved"], True, BiasError, "'approved' is the outcome"),
        (["sex"], False, BiasError, "no column is left"),
    ],
)
def test_invalid_features_raise(features, with_protected, error, says):
    found = planted("direct")
    with pytest.raises(error, match=says):
        make_tasks(found, found.certificate.records[0], features=features, with_protected=with_protected, encode=True)


class Recorder(ClassifierMixin, BaseEstimator):
    """Decides by group, and records the arguments it receives."""

    def fit(self, X, y, *, sensitive_features):
        self.seen_ = sensitive_features
        return self

    def predict(self, X, *, sensitive_features, random_state):
        assert random_state == 7
        return (sensitive_features == PRIVILEGED).astype(int)


def test_an_estimator_receives_the_groups_if_it_accepts_them():
    task, train, test = tasks("direct")[0], np.arange(200), np.arange(200, 400)
    assert takes_sensitive_features(Recorder())
    assert not takes_sensitive_features(LogisticRegression())
    found = fit_and_predict(Recorder(), task, train, test, seed=7)
    np.testing.assert_array_equal(found.decided, task.group[test] == PRIVILEGED)
    np.testing.assert_array_equal(found.chance, found.decided)  # no probabilities: the decision itself


def test_predictions_are_those_of_a_clone_trained_on_the_training_rows():
    task, train, test = tasks("direct")[0], np.arange(0, 400, 2), np.arange(1, 400, 2)
    found = fit_and_predict(LogisticRegression(max_iter=500), task, train, test, seed=0)
    own = LogisticRegression(max_iter=500).fit(task.inputs[train], task.favoured[train])
    np.testing.assert_allclose(found.chance, own.predict_proba(task.inputs[test])[:, 1], atol=1e-6)
    np.testing.assert_array_equal(found.decided, own.predict(task.inputs[test]))


@pytest.mark.parametrize("favoured", [False, True])
def test_a_single_class_is_decided_without_training(favoured):
    task = tasks("direct")[0]
    one = np.flatnonzero(task.favoured == favoured)[:20]
    found = fit_and_predict(DummyClassifier(), task, one, np.arange(5), seed=0)
    assert (found.decided == favoured).all()
    assert (found.chance == float(favoured)).all()
