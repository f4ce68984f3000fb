"""Augmented inverse probability weighting: right if either regression is, mixtures, and weak overlap."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.questions import doubly_robust
from janus_synth.questions.doubly_robust import (
    Overlap,
    Scores,
    arm_scores,
    average_repetitions,
    average_scores,
    mixture_shares,
    unseen_variance,
)
from questions.test_nuisance import covariates


def confounded(n: int, seed: int, strength: float = 1.0):
    """E[y | do(arm)] is 0 and 1; the confounded difference is larger."""
    x, _, found, rng = covariates(n, seed)
    arms = (rng.random(n) < 1 / (1 + np.exp(-strength * x))).astype(int)
    return found, arms, arms + 2 * x + rng.normal(size=n), rng


@pytest.mark.statistical
@pytest.mark.parametrize("wrong", [None, "predict_arm_means", "predict_probabilities"])
def test_either_regression_may_be_wrong(wrong, monkeypatch):
    """Five standard errors of 4,000 rows, a false alarm in two million; the naive difference misses by ten."""
    if wrong == "predict_arm_means":
        monkeypatch.setattr(doubly_robust, wrong, lambda x, arms, n_arms, y, folds: np.zeros((len(y), n_arms)))
    if wrong == "predict_probabilities":
        monkeypatch.setattr(doubly_robust, wrong, lambda x, arms, n, folds: np.full((x.n_rows, n), 0.5))
    x, arms, y, rng = confounded(4_000, 3)
    found = arm_scores(x, arms, 2, y, np.ones(4_000, bool), [[0], [1]], rng=rng)
    contrast = np.array([-1.0, 1.0])
    error = np.sqrt(contrast @ found.covariance @ contrast)
    assert abs(contrast @ found.values - 1) < 5 * error
    assert y[arms == 1].mean() - y[arms == 0].mean() - 1 > 10 * error


def test_a_mixture_is_the_mean_of_its_arms_by_their_shares():
    x, _, found, rng = covariates(1_200, 1)
    arms = rng.choice(3, 1_200, p=[0.2, 0.3, 0.5])
    y = arms + x
    scores = arm_scores(found, arms, 3, y, np.ones(1_200, bool), [[0], [1], [2], [1, 2]], rng=rng)
    share = np.sum(arms == 1) / np.sum(arms > 0)
    assert scores.values[3] == pytest.approx(share * scores.values[1] + (1 - share) * scores.values[2])
    shares, errors = mixture_shares(arms, [1, 2])
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(errors.sum(axis=0), 0, atol=1e-12)
    assert np.sqrt(np.sum(errors[:, 0] ** 2)) == pytest.approx(np.sqrt(share * (1 - share) / np.sum(arms > 0)))


def test_scores_have_the_standard_error_of_a_mean():
    values = np.random.default_rng(0).normal(size=(50, 1))
    among = np.arange(50) < 30
    means, influence = average_scores(values, among)
    assert means[0] == values[:30].mean()
    assert np.sqrt(np.sum(influence**2)) == pytest.approx(values[:30].std(ddof=1) / np.sqrt(30))


@pytest.mark.parametrize(("strength", "weak"), [(0.5, False), (3.5, True)])
def test_weak_overlap_is_flagged(strength, weak):
    x, arms, y, rng = confounded(1_500, 5, strength)
    found = arm_scores(x, arms, 2, y, np.ones(1_500, bool), [[0], [1]], rng=rng)
    assert found.overlap.weak is weak
    assert ("weak" in str(found.overlap)) is weak
    assert (found.overlap.trimmed > 0.05) is weak
    assert bool(found.bias.trace() > 0.2 * np.trace(found.covariance)) is weak
    assert found.overlap.effective_rows < 1_500


def test_unseen_variance_counts_rows_that_are_absent_from_an_arm():
    """Half of the rows are never in the arm: their mean relies on the regression, and that has a variance."""
    x, _, found, rng = covariates(400, 2)
    residual = rng.normal(size=400)
    everywhere = np.full(400, 0.5)
    own = rng.random(400) < 0.5
    among = np.ones(400, bool)
    good = unseen_variance(found, residual, own, everywhere, everywhere, among)
    low = np.where(x < 0, 1e-4, 0.5)
    poor = unseen_variance(found, residual, own & (x > 0), low, np.maximum(low, 0.03), among)
    assert good < 0.002
    assert poor > 0.01


def test_a_rare_confounded_treatment_is_flagged_and_its_interval_counts_what_is_unbalanced():
    """5 % treated, mostly where x is large: the scores' own variance is less than four fifths of what is stated."""
    flags, shares = [], []
    for seed in range(3):
        x, _, found, rng = covariates(1_500, seed)
        arms = (rng.random(1_500) < 1 / (1 + np.exp(4.1 - 1.5 * x))).astype(np.int64)
        y = 2 * x + np.maximum(x, 0) + arms + rng.normal(size=1_500)
        scores = arm_scores(found, arms, 2, y, np.ones(1_500, bool), [[0], [1]], rng=rng)
        flags.append(scores.overlap.weak)
        shares.append(scores.bias[1, 1] / scores.covariance[1, 1])
    assert all(flags)
    assert np.mean(shares) > 0.2


def test_divisions_that_disagree_widen_the_interval():
    """Two divisions with means 1 and 3, variances 4 and 6, and a further variance of 1: 5 + 1 within and 1 between."""
    parts = [
        Scores(np.array([1.0]), np.array([[2.0], [0.0]]), np.eye(1), 50.0, Overlap(52.0, 0.0, False)),
        Scores(np.array([3.0]), np.array([[1.0], [np.sqrt(5.0)]]), np.eye(1), 40.0, Overlap(42.0, 0.1, True)),
    ]
    found = average_repetitions(parts)
    assert found.values.tolist() == [2.0]
    assert found.covariance[0, 0] == pytest.approx(5 + 1 + 1)
    assert (found.freedom, found.overlap) == (40.0, parts[1].overlap)
    same = average_repetitions([parts[0], parts[0]])
    assert same.covariance[0, 0] == pytest.approx(parts[0].covariance[0, 0])
