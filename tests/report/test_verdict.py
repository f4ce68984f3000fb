from __future__ import annotations

import math

import pytest

from janus_synth.report.verdict import Grade, GradedScore, auc_margin, worst_grade

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "grade"), [(0.6, Grade.GOOD), (0.61, Grade.FAIR), (0.81, Grade.POOR), (NAN, Grade.UNKNOWN)]
)
def test_grades_end_where_the_zones_end(value, grade):
    assert GradedScore(value, NAN, 0.6, 0.8).grade is grade


def test_the_worst_known_grade_counts():
    assert worst_grade(Grade.GOOD, Grade.UNKNOWN, Grade.FAIR) is Grade.FAIR
    assert worst_grade(Grade.UNKNOWN) is Grade.UNKNOWN


@pytest.mark.statistical
def test_chance_moves_an_auc_as_far_as_is_said():
    import numpy as np
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], 100)
    n_trials = 1_000
    beyond = sum(abs(roc_auc_score(label, rng.random(200)) - 0.5) > auc_margin(100) for _ in range(n_trials))
    # Two standard errors: 4.55 % of the trials, give or take 0.66 %; five of those are a false alarm of 1e-6.
    assert 0.0455 - 0.033 < beyond / n_trials < 0.0455 + 0.033


def test_where_more_is_better_grades_fall_with_the_value():
    grades = [GradedScore(value, NAN, 0.8, 0.6, higher_is_better=True).grade for value in (0.8, 0.7, 0.5)]
    assert grades == [Grade.GOOD, Grade.FAIR, Grade.POOR]
