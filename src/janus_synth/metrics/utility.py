"""Utility: train on synthetic rows and test on real ones; the loss against training on real rows out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.learners import (
    Booster,
    class_scores,
    default_booster,
    feature_matrix,
    predicted_values,
)
from janus_synth.metrics.rows import Frame, Rows, Seed, Target, align, equal_rows, mean_of, target_of

LEAST_ROWS = 30  # fewer training or test rows give no meaningful score


@dataclass(frozen=True, slots=True)
class Utility:
    """Scores on held-out real rows of one learner, trained twice.

    Attributes
    ----------
    real, synthetic : float
        Score after training on real and on synthetic rows; NaN where it is undefined.
    measure : {"auc", "r2"}
        What the scores are: area under the ROC curve (mean over classes, one against the rest), or R².
    """

    real: float
    synthetic: float
    measure: Literal["auc", "r2"]

    @property
    def gap(self) -> float:
        """How much is lost by learning from synthetic rows."""
        return self.real - self.synthetic


def utility(
    train: Frame,
    test: Frame,
    synthetic: Frame,
    target: str,
    *,
    booster: Booster | None = None,
    random_state: Seed = 0,
) -> Utility:
    """Compare a learner trained on real rows with one trained on synthetic rows.

    Both see the same number of rows and are tested on the same real rows; rows without a target are left out.

    Parameters
    ----------
    train, test, synthetic : DataFrame
        Real rows to learn from, real rows to test on, generated rows.
    target : str
        Column to predict. Levels (and numbers that take two values) are classified, other numbers regressed.
    booster : {"xgboost", "boosting"}, optional
        Family of the learner; by default XGBoost where it is installed.
    random_state : int or Generator
        Seed of the subsample and the learner.

    Returns
    -------
    Utility
        ``real``, ``synthetic`` and their ``gap``; NaN with fewer than 30 rows, or a target that is constant
        in the test rows.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"x": rng.normal(size=900)}).assign(y=lambda d: d.x > 0)
    >>> result = utility(frame[:300], frame[300:600], frame[600:], "y", booster="boosting")
    >>> result.measure, result.real > 0.99, abs(result.gap) < 0.01
    ('auc', True, True)
    """
    samples = align(train=train, test=test, synthetic=synthetic)
    goal = target_of(samples[0], target)
    real, held_out, fake = (goal.known(rows) for rows in samples)
    rng = np.random.default_rng(random_state)
    real, fake = equal_rows(real, fake, seed=rng)
    trial = _Trial(goal, held_out, booster or default_booster(), int(rng.integers(2**31)))
    return Utility(trial.score(real), trial.score(fake), "auc" if goal.n_classes else "r2")


@dataclass(frozen=True, slots=True)
class _Trial:
    """One test set and learner for different training rows."""

    target: Target
    test: Rows
    booster: Booster
    seed: int

    def score(self, rows: Rows) -> float:
        """Score on the test rows after learning from ``rows``."""
        if min(rows.n_rows, self.test.n_rows) < LEAST_ROWS:
            return float("nan")
        seen, unseen = (feature_matrix(part.without(self.target.name)) for part in (rows, self.test))
        if self.target.n_classes:
            label, truth = self.target.labels(rows), self.target.labels(self.test)
            scores = class_scores(seen, label, unseen, booster=self.booster, seed=self.seed)
            return mean_of(_auc_per_class(truth, scores))
        values = rows[self.target.name]
        predicted = predicted_values(seen, values, unseen, booster=self.booster, seed=self.seed)
        return _r_squared(self.test[self.target.name], predicted)


def _auc_per_class(truth: LongInts, scores: Floats) -> list[float]:
    """AUC of each class against the rest, over the classes the test rows show; two classes need one."""
    from sklearn.metrics import roc_auc_score

    present = np.unique(truth)
    if len(present) < 2:
        return []
    judged = present[1:] if len(present) == 2 and scores.shape[1] == 2 else present
    padded = np.zeros((len(truth), int(max(present.max() + 1, scores.shape[1]))))
    padded[:, : scores.shape[1]] = scores  # a class the learner never saw gets 0 everywhere: AUC 0.5
    return [float(roc_auc_score(truth == level, padded[:, level])) for level in judged]


def _r_squared(truth: Floats, predicted: Floats) -> float:
    """Share of the variance that the prediction explains; below 0 when the mean would do better."""
    spread = float(np.std(truth))
    if spread <= 1e-12 * abs(float(np.mean(truth))):
        return float("nan")
    return float(1.0 - np.mean(((truth - predicted) / spread) ** 2))
