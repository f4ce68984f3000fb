"""Regressions of an outcome in each arm of a treatment: covariates and arms in, out-of-fold mean outcomes out.

A rare arm has few rows to learn from, and they lie where the treatment is likely. Its outcome is therefore predicted in
two ways: from its own rows, and as the prediction for the commonest arm plus a difference that its own rows tell (the
X-learner of Künzel, Sekhon, Bickel and Yu 2019). What predicts held-out rows of the arm best has the largest weight.
Arms that have rows of their own enough are learnt from these alone: a difference that is shrunk towards a line misses
an effect that bends where the arm is absent (with equal arms and weak overlap, an effect of x² was covered in 35 of 40
tables instead of 37).
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.questions.nuisance import (
    N_LEARNERS,
    Covariates,
    convex_weights,
    fit_learners,
    fold_splits,
    predict_means,
    ridge_predictions,
)

RARE_ARM = 0.25
"""An arm with fewer rows than this share of the commonest one's borrows from that."""


def predict_arm_means(x: Covariates, arms: LongInts, n_arms: int, outcome: Floats, folds: LongInts) -> Floats:
    """Out-of-fold estimates (n, arms) of E[outcome | covariates, arm] for all rows.

    Parameters
    ----------
    x : Covariates
        Covariates of all rows.
    arms : array of int
        Arm of each row; rows with other numbers than 0 … n_arms − 1 teach nothing.
    n_arms : int
        Number of arms.
    outcome : array
        Outcome of each row.
    folds : array of int
        Fold of each row; a row is predicted by learners that have not seen its fold.
    """
    counts = np.bincount(arms, minlength=n_arms)[:n_arms]
    base, rare = int(counts.argmax()), counts < RARE_ARM * counts.max()
    everywhere = _base_predictions(x, arms == base, outcome, folds) if rare.any() else []
    found = np.empty((x.n_rows, n_arms))
    for arm in range(n_arms):
        own = arms == arm
        if not rare[arm]:
            found[:, arm] = predict_means(x, outcome[:, None], folds, among=own)[:, 0]
            continue
        candidates = np.empty((N_LEARNERS + 3, x.n_rows))
        for (train, test), predicted in zip(fold_splits(folds, own), everywhere, strict=True):
            candidates[:N_LEARNERS, test] = fit_learners(x, outcome[:, None], train, test)[:, :, 0]
            candidates[N_LEARNERS:, test] = _with_difference(x, outcome, predicted, train, test)
        found[:, arm] = convex_weights(candidates[:, own].T, outcome[own]) @ candidates
    return found


def _base_predictions(x: Covariates, own: Bools, outcome: Floats, folds: LongInts) -> list[Floats]:
    """For each fold, predictions for all rows from the arm's rows in the other folds."""
    learners, everyone = [], np.arange(x.n_rows)
    held_out = np.empty((N_LEARNERS, x.n_rows))
    for train, test in fold_splits(folds, own):
        learners.append(fit_learners(x, outcome[:, None], train, everyone)[:, :, 0])
        held_out[:, test] = learners[-1][:, test]
    weights = convex_weights(held_out[:, own].T, outcome[own])
    return [weights @ one for one in learners]


def _with_difference(x: Covariates, outcome: Floats, base: Floats, train: LongInts, test: LongInts) -> Floats:
    """(3, test) predictions of the commonest arm plus a constant, a line, and hinges, learnt from the training rows."""
    difference = (outcome - base)[train, None]
    forms = (x.linear[:, :0], x.linear, x.hinges)
    return np.stack([base[test] + ridge_predictions(one[train], difference, one[test])[:, 0] for one in forms])
