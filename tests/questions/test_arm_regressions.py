"""Regressions per arm: a rare arm borrows from the common one, others do not, and no row teaches its own prediction."""

from __future__ import annotations

import numpy as np

from janus_synth.questions.arm_regressions import predict_arm_means
from janus_synth.questions.nuisance import assign_folds, predict_means, read_covariates
from janus_synth.table import Column, Schema, Table

SCHEMA = Schema((Column("x", "numeric", "float64"),))


def study(n: int, rare: float, seed: int = 0):
    """Rows whose outcome bends at x = 0, with an effect of 1, and an arm that has rows almost only where x > 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    arms = (rng.random(n) < rare * (1 + np.tanh(2 * x))).astype(np.int64)
    y = 3 * np.maximum(x, 0) + arms + 0.5 * rng.normal(size=n)
    return x, arms, y, read_covariates(Table.from_columns(SCHEMA, {"x": x}), ["x"]), assign_folds(arms, rng)


def test_a_rare_arm_borrows_the_shape_of_the_common_one():
    gaps = {"own": [], "borrowed": []}
    for seed in range(5):
        x, arms, y, covariates, folds = study(1_500, 0.05, seed)
        where = x < -1  # hardly a row of the arm is there; its mean outcome is 1
        own = predict_means(covariates, y[:, None], folds, among=arms == 1)[:, 0]
        gaps["own"].append(np.abs(own[where] - 1).mean())
        gaps["borrowed"].append(np.abs(predict_arm_means(covariates, arms, 2, y, folds)[where, 1] - 1).mean())
    assert np.mean(gaps["borrowed"]) < 0.6 * np.mean(gaps["own"])


def test_arms_with_rows_enough_are_learnt_from_their_own():
    _, arms, y, covariates, folds = study(600, 0.4)
    found = predict_arm_means(covariates, arms, 2, y, folds)
    for arm in range(2):
        own = predict_means(covariates, y[:, None], folds, among=arms == arm)[:, 0]
        np.testing.assert_array_equal(found[:, arm], own)


def test_rows_outside_of_all_arms_teach_nothing():
    _, arms, y, covariates, folds = study(800, 0.05)
    arms[::3] = 2
    changed = np.where(arms == 2, 1e6, y)
    both = [predict_arm_means(covariates, arms, 2, one, folds) for one in (y, changed)]
    np.testing.assert_array_equal(*both)


def test_predictions_of_a_row_do_not_depend_on_its_own_fold():
    _, arms, y, covariates, folds = study(800, 0.05)
    test = folds == 0
    changed = y + 100 * test
    learners = [predict_arm_means(covariates, arms, 2, one, folds) for one in (y, changed)]
    # The weights of the learners follow from all rows; learners themselves have not seen the fold.
    assert np.abs(learners[0] - learners[1])[test].max() < 10
    assert np.abs(learners[0] - learners[1])[~test].max() > 10
