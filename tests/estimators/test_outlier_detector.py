from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from janus_synth import datasets
from janus_synth.estimators import JanusOutlierDetector
from janus_synth.estimators.outlier_detector import largest_usual_score

QUICK = {"n_trees": 2, "n_jobs": 1, "random_state": 0}


@pytest.mark.statistical
def test_at_most_one_in_a_hundred_of_the_models_own_rows_is_called_an_outlier():
    n, false_alarm = 20_000, 1e-6
    chance = sqrt(log(1 / false_alarm) / (2 * n))  # Hoeffding: 0.019
    X = np.random.default_rng(0).normal(size=(800, 4))
    detector = JanusOutlierDetector(**QUICK).fit(X)
    rows = detector.janus_.sample(n, random_state=5)
    found = (detector.predict(rows.to_numpy()) == -1).mean()
    assert found <= 0.01 + chance
    assert found > 0.002  # and not none, where all columns are continuous


@pytest.mark.statistical
@pytest.mark.parametrize("n_columns", [1, 3, 20])
def test_the_threshold_is_the_quantile_of_sums_of_log_p_values(n_columns):
    n = 200_000
    sums = -np.log(np.random.default_rng(0).random((n, n_columns))).sum(axis=1) - n_columns
    share = (sums > largest_usual_score(n_columns)).mean()
    assert abs(share - 0.01) <= 5 * sqrt(0.01 * 0.99 / n)  # normal bound, false alarms below 1e-6


def test_planted_outliers_are_found_and_named():
    rows = datasets.hiring(300, random_state=0).drop(columns="applicant_id")
    detector = JanusOutlierDetector(**QUICK).fit(rows)
    strange = rows.head(20).assign(age=120, bonus=9e6)
    assert (detector.predict(strange) == -1).all()
    assert (detector.score_samples(strange) < detector.score_samples(rows.head(20))).all()
    by_column = detector.janus_.anomaly_score(strange, by_column=True)
    assert set(by_column.mean().nlargest(2).index) == {"age", "bonus"}


def test_contamination_is_the_share_of_training_rows():
    X = np.random.default_rng(0).normal(size=(200, 3))
    detector = JanusOutlierDetector(contamination=0.1, **QUICK).fit(X)
    assert (detector.predict(X) == -1).sum() == 20
    np.testing.assert_allclose(detector.decision_function(X), detector.score_samples(X) - detector.offset_)


@pytest.mark.parametrize("value", [0, -0.1, 0.7, "many", None])
def test_a_bad_contamination_is_named(value):
    with pytest.raises(ValueError, match="contamination is"):
        JanusOutlierDetector(contamination=value).fit([[1.0], [2.0]])


def test_identifiers_do_not_raise_the_threshold():
    rows = datasets.hiring(100, random_state=0)[["applicant_id", "age", "commute_km"]]
    assert JanusOutlierDetector(**QUICK).fit(rows).offset_ == -largest_usual_score(2)
