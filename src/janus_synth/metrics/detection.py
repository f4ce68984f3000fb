"""Detection: two tables in; the AUC of a classifier that separates real rows from synthetic ones out."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import DataError
from janus_synth.metrics.learners import (
    Booster,
    class_scores,
    default_booster,
    feature_matrix,
    network_scores,
)
from janus_synth.metrics.rows import Frame, Rows, Seed, align, equal_rows, stack

Detector: TypeAlias = Literal["xgboost", "boosting", "mlp"]

LEAST_ROWS = 30  # with fewer rows of each kind the AUC is noise (standard error above 0.07)


def default_detector() -> Booster:
    """Name the strongest detector that is installed.

    Returns
    -------
    str
        ``"xgboost"`` where it is installed, else ``"boosting"`` (scikit-learn).

    Examples
    --------
    >>> default_detector() in ("xgboost", "boosting")
    True
    """
    return default_booster()


def detection_auc(
    real: Frame,
    synthetic: Frame,
    *,
    detector: Detector | None = None,
    random_state: Seed = 0,
    folds: int = 3,
) -> float:
    """Out-of-fold AUC of a classifier that separates real rows from synthetic ones.

    0.5 is ideal: the tables cannot be distinguished. The larger table is cut to the size of the smaller one. Compare
    with held-out rows, not with training rows: copies of those confuse the detector and push the AUC below 0.5.
    Synthetic rows that repeat one another are recognised across folds, as they should be.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    detector : {"xgboost", "boosting", "mlp"}, optional
        XGBoost, scikit-learn's histogram boosting, or a small neural network; by default `default_detector`.
    random_state : int or Generator
        Seed of the subsample, the folds and the classifier.
    folds : int
        Number of stratified folds.

    Returns
    -------
    float
        Area under the ROC curve over all out-of-fold scores; NaN with fewer than 30 rows of either kind.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> real = pd.DataFrame({"x": rng.normal(0, 1, 300)})
    >>> shifted = pd.DataFrame({"x": rng.normal(5, 1, 300)})
    >>> detection_auc(real, shifted, detector="boosting") > 0.95
    True
    """
    detector = detector or default_detector()
    if detector not in get_args(Detector):
        raise DataError(f"no detector is called {detector!r}. Choose one of {', '.join(get_args(Detector))}.")
    if folds < 2:
        raise DataError(f"folds is {folds}, but scoring rows a classifier has not seen takes at least 2.")
    rng = np.random.default_rng(random_state)
    pair = equal_rows(*align(real=real, synthetic=synthetic), seed=rng)
    n_rows = pair[0].n_rows
    if n_rows < max(LEAST_ROWS, folds):
        return float("nan")
    from sklearn.metrics import roc_auc_score

    label = np.repeat(np.array([0, 1]), n_rows)
    rows = _renumber_levels(stack(*pair), rng)
    score = _out_of_fold(rows, label, detector=detector, folds=folds, seed=int(rng.integers(2**31)))
    return float(roc_auc_score(label, score))


def _renumber_levels(rows: Rows, rng: np.random.Generator) -> Rows:
    """Renumber levels from frequent to rare, ties at random.

    The original codes leak the label: the highest belong to levels that no real row has, and a tree that splits on
    codes would recognise such a row without having seen its level in training.
    """
    values = dict(rows.values)
    for column in rows.discrete:
        codes = rows[column.name]
        counts = np.bincount(codes[codes >= 0], minlength=column.n_levels)
        place = np.full(column.n_levels + 1, -1)  # the last place serves −1, missing
        place[np.lexsort((rng.random(column.n_levels), -counts))] = np.arange(column.n_levels)
        values[column.name] = place[codes]
    return Rows(rows.columns, values, rows.n_rows)


def _out_of_fold(rows: Rows, label: LongInts, *, detector: Detector, folds: int, seed: int) -> Floats:
    """Score of being synthetic that each row gets from a classifier trained without it."""
    from sklearn.model_selection import StratifiedKFold

    score = np.zeros(rows.n_rows)
    features = feature_matrix(rows)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for seen, unseen in splitter.split(features.matrix, label):
        if detector == "mlp":
            score[unseen] = network_scores(rows.take(seen), label[seen], rows.take(unseen), seed=seed)
        else:
            known, new = features.take(seen), features.take(unseen)
            score[unseen] = class_scores(known, label[seen], new, booster=detector, seed=seed)[:, 1]
    return score
