"""Classifiers and regressors behind detection and utility: rows in, predictions out."""

from __future__ import annotations

import importlib.util
import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.errors import DataError, require_extra
from janus_synth.metrics.rows import Rows
from janus_synth.threads import one_thread

Booster: TypeAlias = Literal["xgboost", "boosting"]

MOST_SPLIT_LEVELS = 64  # columns with more levels are split on their codes, as if ordered
MOST_ONE_HOT_LEVELS = 50
MICROSECONDS_PER_DAY = 86_400e6


@dataclass(frozen=True, slots=True)
class Features:
    """A matrix for boosted trees: NaN is missing, ``categorical`` columns hold level codes."""

    matrix: Floats
    categorical: Bools

    def take(self, index: LongInts) -> Features:
        """Pick rows by position."""
        return Features(self.matrix[index], self.categorical)

    def pick(self, columns: Bools) -> Features:
        """Pick columns by mask."""
        return Features(self.matrix[:, columns], self.categorical[columns])


def default_booster() -> Booster:
    """Name XGBoost where it is installed, else scikit-learn's histogram boosting."""
    return "xgboost" if importlib.util.find_spec("xgboost") is not None else "boosting"


def feature_matrix(rows: Rows) -> Features:
    """Convert aligned rows to a feature matrix for boosted trees."""
    matrix = np.empty((rows.n_rows, len(rows.columns)))
    for j, column in enumerate(rows.columns):
        values = rows[column.name].astype(np.float64)
        if column.discrete:
            values[values < 0] = np.nan
        elif column.kind == "datetime":
            values /= MICROSECONDS_PER_DAY  # the learners work in float32, too coarse for microseconds
        matrix[:, j] = values
    few = [column.discrete and column.n_levels <= MOST_SPLIT_LEVELS for column in rows.columns]
    limit = float(np.finfo(np.float32).max) / 2  # XGBoost refuses infinities, float32 makes some
    return Features(np.clip(matrix, -limit, limit), np.array(few, dtype=np.bool_))


def class_scores(seen: Features, label: LongInts, unseen: Features, *, booster: Booster, seed: int) -> Floats:
    """Probability of each class for rows the classifier has not seen; a class without rows gets 0."""
    present, code = np.unique(label, return_inverse=True)
    scores = np.zeros((len(unseen.matrix), int(max(present.max() + 1, 2))))
    seen, unseen = _informative(seen, unseen)
    if len(present) == 1 or seen.matrix.shape[1] == 0:
        scores[:, present] = np.bincount(code) / len(code)
        return scores
    model = _booster(booster, "classifier", seen.categorical, seed)
    with one_thread():
        scores[:, present] = model.fit(seen.matrix, code).predict_proba(unseen.matrix)
    return scores


def predicted_values(seen: Features, target: Floats, unseen: Features, *, booster: Booster, seed: int) -> Floats:
    """Predict a number for rows the regressor has not seen."""
    centre, scale = float(np.mean(target)), float(np.std(target))
    seen, unseen = _informative(seen, unseen)
    if scale <= 1e-12 * abs(centre) or seen.matrix.shape[1] == 0:
        return np.full(len(unseen.matrix), centre)
    model = _booster(booster, "regressor", seen.categorical, seed)
    with one_thread():
        prediction = model.fit(seen.matrix, (target - centre) / scale).predict(unseen.matrix)
    return np.asarray(prediction, dtype=np.float64) * scale + centre


def network_scores(seen: Rows, label: LongInts, unseen: Rows, *, seed: int) -> Floats:
    """Probability of class 1 from a small neural network."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    inputs, new_inputs = standard_inputs(seen, seen), standard_inputs(unseen, seen)
    if inputs.shape[1] == 0:
        return np.zeros(len(new_inputs))
    model = MLPClassifier(
        hidden_layer_sizes=(64, 32),
        learning_rate_init=3e-3,
        max_iter=40,
        early_stopping=len(label) >= 200,  # a tenth of fewer rows is no validation set
        n_iter_no_change=5,
        random_state=seed,
    )
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopping at max_iter is intended
        scores = model.fit(inputs, label).predict_proba(new_inputs)[:, 1]
    return np.asarray(scores, dtype=np.float64)


def _booster(booster: Booster, task: str, categorical: Bools, seed: int) -> Any:
    """Build an unfitted model of the family, for the task."""
    if booster not in get_args(Booster):
        raise DataError(f"no booster is called {booster!r}. Choose one of {', '.join(get_args(Booster))}.")
    if booster == "xgboost":
        xgboost = require_extra("xgboost", "detection", purpose="judging rows with XGBoost")
        family = xgboost.XGBClassifier if task == "classifier" else xgboost.XGBRegressor
        kinds = ["c" if flag else "q" for flag in categorical]
        return family(
            tree_method="hist",
            n_estimators=100,
            max_depth=6,
            learning_rate=0.3,
            enable_categorical=True,
            feature_types=kinds,
            n_jobs=1,
            random_state=seed,
        )
    from sklearn import ensemble

    name = "HistGradientBoostingClassifier" if task == "classifier" else "HistGradientBoostingRegressor"
    # Early stopping would switch itself on at 10,000 rows and make sizes incomparable.
    return getattr(ensemble, name)(categorical_features=categorical, early_stopping=False, random_state=seed)


def _informative(seen: Features, unseen: Features) -> tuple[Features, Features]:
    """Drop columns that are constant in the seen rows; scikit-learn fails on a column without any value."""
    matrix = seen.matrix
    missing = np.isnan(matrix)
    low = np.min(np.where(missing, np.inf, matrix), axis=0, initial=np.inf)
    high = np.max(np.where(missing, -np.inf, matrix), axis=0, initial=-np.inf)
    varies = (low < high) | (missing.any(axis=0) & ~missing.all(axis=0))
    return seen.pick(varies), unseen.pick(varies)


def standard_inputs(rows: Rows, basis: Rows) -> Floats:
    """Standardised numbers with null indicators, and one-hot levels, on the scale of ``basis``."""
    blocks: list[Floats] = []
    for column in rows.columns:
        values, known = rows[column.name], basis[column.name]
        if column.discrete:
            counts = np.bincount(known + 1, minlength=column.n_levels + 1)
            kept = np.argsort(-counts, kind="stable")[:MOST_ONE_HOT_LEVELS]
            blocks.append((values[:, None] + 1 == kept[None, :]).astype(np.float64))
            continue
        present = known[np.isfinite(known)]
        if len(present) == 0:
            blocks.append(np.isnan(values)[:, None].astype(np.float64))
            continue
        largest = float(np.abs(present).max()) or 1.0  # squares of huge numbers would overflow
        present, values = present / largest, values / largest
        centre, scale = float(np.mean(present)), float(np.std(present))
        standard = (values - centre) / (scale or 1.0)
        blocks.append(np.clip(np.nan_to_num(standard, nan=0.0), -10.0, 10.0)[:, None])
        if np.isnan(known).any():
            blocks.append(np.isnan(values)[:, None].astype(np.float64))
    return np.hstack(blocks) if blocks else np.zeros((rows.n_rows, 0))
