"""Suites: every combination of algorithms, biases and magnitudes is audited."""

from __future__ import annotations

import pytest
from sklearn.linear_model import LogisticRegression

from fairness.small_tables import loan_model
from janus_synth.errors import BiasError
from janus_synth.fairness import ALGORITHMS, Bias, algorithm, audit_suite

DIRECT = Bias("sex", "male", "approved", True, 0.3)


THROUGH_SCHOOL = Bias("sex", "male", "approved", True, 0.1, path="school")


def test_a_suite_crosses_algorithms_biases_and_sizes():
    kinds = {"direct": DIRECT, "through school": THROUGH_SCHOOL}
    suite = audit_suite(loan_model(), ["logistic", "majority"], kinds, [0, 0.1, 0.9], n=2_000, n_splits=3)
    frame = suite.to_frame()
    assert len(frame) == 2 * 5
    assert set(suite.skipped) == {("through school", 0.9)}
    assert "cannot be reached" in suite.skipped["through school", 0.9]
    assert not frame.loc[frame["magnitude"] == 0, "found"].any()
    assert (frame.loc[frame["algorithm"] == "majority", "degenerate"] != "").all()
    direct = frame[(frame["bias"] == "direct") & (frame["algorithm"] == "logistic")]
    assert direct["excess"].is_monotonic_increasing


def test_user_estimators_keep_their_names():
    suite = audit_suite(loan_model(), {"mine": LogisticRegression()}, {"direct": DIRECT}, [0.3], n=1_000, n_splits=2)
    assert suite.cases[0].algorithm == "mine"


def test_an_unknown_algorithm_lists_those_there_are():
    with pytest.raises(BiasError, match="threshold-optimizer"):
        algorithm("treshold")
    assert set(ALGORITHMS) >= {"logistic", "exponentiated-gradient", "threshold-optimizer"}


def test_an_empty_suite_is_refused():
    with pytest.raises(BiasError, match="at least one"):
        audit_suite(loan_model(), [], {"direct": DIRECT}, [0.1])
