"""Cross-fitted regressions on covariates: columns and targets in, out-of-fold predictions out.

Four learners run side by side: ridge regression on the columns, on hinges of them (kinks), and on hinges and products
of pairs (interactions), and gradient boosting (interactions, nulls, categories). Their out-of-fold predictions are
averaged with the convex weights that predict best: short-stacking (Ahrens, Hansen, Schaffer and Wiemann 2025), which
needs no inner cross-validation.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.table import Table
from janus_synth.threads import one_thread

N_FOLDS = 5
HINGES = np.arange(1, 6) / 6
"""Quantiles of a numeric covariate at which it has hinges."""
MIN_LEVEL_ROWS = 10
"""Levels with fewer rows share an indicator."""
MAX_LEVELS = 40
"""Indicators of a column with levels; rarer levels share one."""
MAX_PRODUCTS = 60
"""Products of two columns that a regression has; of more, those that go best with what the columns leave over."""
N_LEARNERS = 4
RIDGE_PENALTIES = tuple(10.0 ** np.arange(-2, 5))
BOOSTING = {"max_iter": 60, "max_leaf_nodes": 8, "min_samples_leaf": 20, "l2_regularization": 1.0}
"""Small trees and few of them: tables of a thousand rows in a tenth of a second."""


@dataclass(frozen=True)
class Covariates:
    """Covariates of all rows in the three forms that learners take."""

    linear: Floats
    """(n, p) standardised numbers, indicators of levels and of nulls."""
    hinges: Floats
    """(n, q) the same, and hinges max(0, x − quantile) of the numbers."""
    raw: Floats
    """(n, d) numbers and levels with NaN for null."""
    categorical: Bools
    """(d,) which columns of ``raw`` have levels."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.raw)

    @cached_property
    def products(self) -> Floats:
        """(n, r) standardised products of two columns of ``linear`` that are not constant."""
        first, second = np.triu_indices(self.linear.shape[1], 1)
        found = self.linear[:, first] * self.linear[:, second]
        found -= found.mean(axis=0)
        spread = found.std(axis=0)
        kept = spread > 1e-9
        return np.asarray(found[:, kept] / spread[kept])

    def take(self, rows: LongInts) -> Covariates:
        """Pick rows by position."""
        return Covariates(self.linear[rows], self.hinges[rows], self.raw[rows], self.categorical)


def read_covariates(table: Table, columns: Sequence[str]) -> Covariates:
    """Turn columns of a table into covariates; none of them make an empty matrix."""
    linear: list[Floats] = []
    kinked: list[Floats] = []
    raw, categorical = [], []
    for name in columns:
        values, discrete = table[name], table.schema[name].is_discrete
        if discrete:
            linear += _indicators(values)
            raw.append(np.where(values < 0, np.nan, values).astype(float))
        else:
            scaled = standardise(values)
            linear += [scaled, *([np.isnan(values).astype(float)] if np.isnan(values).any() else [])]
            kinked += hinges_at(scaled, quantile_knots(scaled[~np.isnan(values)], HINGES))
            raw.append(values)
        categorical.append(discrete)
    n = table.n_rows
    return Covariates(
        _stack(linear, n), _stack([*linear, *map(standardise, kinked)], n), _stack(raw, n), np.array(categorical, bool)
    )


def standardise(values: Floats) -> Floats:
    """Subtract the mean and divide by the standard deviation; null becomes the mean."""
    known = values[~np.isnan(values)]
    centre, spread = (known.mean(), known.std()) if len(known) else (0.0, 1.0)
    return np.asarray(np.nan_to_num((values - centre) / (spread or 1.0)))


def quantile_knots(values: Floats, shares: Floats) -> Floats:
    """Distinct inner quantiles."""
    if not len(values):
        return np.zeros(0)
    knots = np.unique(np.quantile(values, shares))
    return np.asarray(knots[(knots > values.min()) & (knots < values.max())])


def hinges_at(values: Floats, knots: Floats) -> list[Floats]:
    """max(0, x − knot) for each knot."""
    return [np.maximum(values - knot, 0.0) for knot in knots]


def _indicators(levels: LongInts) -> list[Floats]:
    """Centred indicators of frequent levels; null is a level."""
    found, counts = np.unique(levels, return_counts=True)
    frequent = found[np.argsort(-counts, kind="stable")][:MAX_LEVELS]
    kept = [level for level in frequent if counts[found == level][0] >= MIN_LEVEL_ROWS]
    return [(levels == level) - np.mean(levels == level) for level in (kept[1:] if len(kept) == len(found) else kept)]


def _stack(columns: Sequence[Floats], n_rows: int) -> Floats:
    return np.column_stack(columns) if len(columns) else np.zeros((n_rows, 0))


def assign_folds(strata: LongInts, rng: np.random.Generator, n_folds: int = N_FOLDS) -> LongInts:
    """Fold of each row, balanced within strata."""
    folds = np.empty(len(strata), np.int64)
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        folds[rows] = (np.arange(len(rows)) + rng.integers(n_folds)) % n_folds
    return folds


def predict_means(
    x: Covariates,
    targets: Floats,
    folds: LongInts,
    *,
    among: Bools | None = None,
    third: Floats | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Out-of-fold estimates of E[target | covariates, row is among] for all rows, a column per target.

    Parameters
    ----------
    x : Covariates
        Covariates of all rows.
    targets : array (n, k)
        What is predicted; only rows ``among`` are used.
    folds : array of int
        Fold of each row; a row is predicted by learners that have not seen its fold.
    among : array of bool, optional
        Rows to learn from, such as one arm of a treatment.
    third : array (n, k), optional
        Out-of-fold predictions to use in place of boosting, which is slow for many targets.
    weights : array (n,), optional
        Weights of the rows; means are then weighted ones.

    Returns
    -------
    array (n, k)
    """
    among = np.ones(x.n_rows, bool) if among is None else among
    predictions = np.zeros((N_LEARNERS, *targets.shape))
    for train, test in fold_splits(folds, among):
        predictions[:, test] = fit_learners(x, targets, train, test, boost=third is None, weights=weights)
    if third is not None:
        predictions[-1] = third
    found = np.empty(targets.shape)
    root = np.ones(int(among.sum())) if weights is None else np.sqrt(weights[among])
    for k in range(targets.shape[1]):
        shares = convex_weights(predictions[:, among, k].T * root[:, None], targets[among, k] * root)
        found[:, k] = np.tensordot(shares, predictions[:, :, k], axes=1)
    return found


def predict_nested_means(
    wide: Covariates, x: Covariates, outcome: Floats, folds: LongInts, *, learn: Bools, average: Bools
) -> tuple[Floats, Floats]:
    """Out-of-fold E[outcome | wide, learn], and the mean of that given ``x`` among others.

    The inner regression is learnt from some rows of the training folds and predicts the others there, which it has not
    seen; the outer one is learnt from these predictions.
    """
    inner, nested = np.zeros((2, N_LEARNERS, wide.n_rows, 1))
    for fold in np.unique(folds):
        test = np.flatnonzero(folds == fold)
        train, others = (np.flatnonzero((folds != fold) & rows) for rows in (learn, average))
        both = np.concatenate([test, others])
        found = fit_learners(wide, outcome[:, None], train, both)
        inner[:, test] = found[:, : len(test)]
        target = np.zeros((wide.n_rows, 1))
        target[others] = found[:, len(test) :].mean(axis=0)
        nested[:, test] = fit_learners(x, target, others, test)
    weights = convex_weights(inner[:, learn, 0].T, outcome[learn])
    mean = np.tensordot(weights, inner[:, :, 0], axes=1)
    outer = convex_weights(nested[:, average, 0].T, mean[average])
    return mean, np.tensordot(outer, nested[:, :, 0], axes=1)


def fit_learners(
    x: Covariates,
    targets: Floats,
    train: LongInts,
    test: LongInts,
    *,
    boost: bool = True,
    weights: Floats | None = None,
) -> Floats:
    """Predictions (learner, row, target) for the test rows."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    found = np.empty((N_LEARNERS, len(test), targets.shape[1]))
    own = None if weights is None else weights[train]
    for i, matrix in enumerate((x.linear, x.hinges, with_products(x, targets, train))):
        found[i] = ridge_predictions(matrix[train], targets[train], matrix[test], own)
    if not boost or not x.raw.shape[1] or len(train) < 2 * BOOSTING["min_samples_leaf"]:
        found[-1] = found[0]
        return found
    for k in range(targets.shape[1]):
        model = HistGradientBoostingRegressor(
            categorical_features=x.categorical, random_state=0, early_stopping=False, **BOOSTING
        )
        with one_thread():
            found[-1, :, k] = model.fit(x.raw[train], targets[train, k], own).predict(x.raw[test])
    return found


def with_products(x: Covariates, targets: Floats, train: LongInts) -> Floats:
    """(n, ·) hinges, and the products of columns that go best with what a regression on the columns leaves over."""
    products = x.products
    if products.shape[1] > MAX_PRODUCTS:
        known = x.linear[train]
        rest = targets[train] - ridge_predictions(known, targets[train], known)
        gain = (products[train].T @ (rest / np.maximum(rest.std(axis=0), 1e-12))) ** 2
        products = products[:, np.sort(np.argsort(-gain.sum(axis=1), kind="stable")[:MAX_PRODUCTS])]
    return np.column_stack([x.hinges, products])


def ridge_predictions(train: Floats, targets: Floats, test: Floats, weights: Floats | None = None) -> Floats:
    """Ridge regression with the penalty of each target chosen by its leave-one-out error, in closed form.

    Weighted rows are rows times the root of their weight, from weighted means.
    """
    shares = np.full(len(train), 1 / len(train)) if weights is None else weights / weights.sum()
    root = np.sqrt(shares * len(train))
    centre, mean = shares @ train, shares @ targets
    if not train.shape[1]:
        return np.broadcast_to(mean, (len(test), targets.shape[1]))
    u, d, vt = np.linalg.svd((train - centre) * root[:, None], full_matrices=False)
    scaled = (targets - mean) * root[:, None]
    uy = u.T @ scaled
    best = np.full(targets.shape[1], np.inf)
    coefficients = np.zeros((train.shape[1], targets.shape[1]))
    for penalty in RIDGE_PENALTIES:
        shrunk = d**2 / (d**2 + penalty)
        leverage = np.minimum(root**2 / len(train) + (u**2 @ shrunk), 0.999)
        errors = (scaled - u @ (shrunk[:, None] * uy)) / (1 - leverage)[:, None]
        loss = np.mean(errors**2, axis=0)
        better = loss < best
        best = np.where(better, loss, best)
        solved = vt.T @ ((d / (d**2 + penalty))[:, None] * uy)
        coefficients[:, better] = solved[:, better]
    return np.asarray(mean + (test - centre) @ coefficients)


def predict_probabilities(x: Covariates, arms: LongInts, n_arms: int, folds: LongInts) -> Floats:
    """Out-of-fold estimates (row, arm) of the probability of each arm given the covariates."""
    predictions = np.zeros((N_LEARNERS, x.n_rows, n_arms))
    for train, test in fold_splits(folds, np.ones(x.n_rows, bool)):
        predictions[:, test] = _fit_classifiers(x, arms, n_arms, train, test)
    likelihoods = np.maximum(predictions[:, np.arange(x.n_rows), arms], 1e-6)
    return np.asarray(np.tensordot(mixture_weights(likelihoods), predictions, axes=1))


def _fit_classifiers(x: Covariates, arms: LongInts, n_arms: int, train: LongInts, test: LongInts) -> Floats:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    found = np.zeros((N_LEARNERS, len(test), n_arms))
    present = np.unique(arms[train])
    if len(present) < 2 or not x.raw.shape[1]:
        found[:] = np.bincount(arms[train], minlength=n_arms) / len(train)
        return found
    joint = with_products(x, (arms[:, None] == present).astype(float), train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a logistic regression that has not converged is one of several learners
        for i, (matrix, strength) in enumerate(((x.linear, 1.0), (x.hinges, 0.3), (joint, 0.1))):
            model = LogisticRegression(C=strength, max_iter=300)
            found[i][:, present] = model.fit(matrix[train], arms[train]).predict_proba(matrix[test])
    boosted = HistGradientBoostingClassifier(
        categorical_features=x.categorical, random_state=0, early_stopping=False, **BOOSTING
    )
    with one_thread():
        found[-1][:, present] = boosted.fit(x.raw[train], arms[train]).predict_proba(x.raw[test])
    return found


def fold_splits(folds: LongInts, among: Bools) -> Iterator[tuple[LongInts, LongInts]]:
    """Training rows of each fold, among some, and all its test rows."""
    for fold in np.unique(folds):
        train = np.flatnonzero((folds != fold) & among)
        yield train if len(train) else np.flatnonzero(among), np.flatnonzero(folds == fold)


def convex_weights(predictions: Floats, target: Floats) -> Floats:
    """Weights ≥ 0 with sum 1 of the columns of ``predictions`` that minimise the squared error.

    Examples
    --------
    >>> convex_weights(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]), np.array([1.0, 2.0, 3.0])).round(3)
    array([1., 0.])
    """
    from scipy.optimize import nnls

    scale = max(float(np.abs(target).max(initial=0.0)), 1e-300)
    heavy = 1e3 * np.sqrt(len(target))
    matrix = np.vstack([predictions / scale, np.full(predictions.shape[1], heavy)])
    weights, _ = nnls(matrix, np.append(target / scale, heavy))
    return np.asarray(weights / weights.sum()) if weights.sum() > 0 else np.full(len(weights), 1 / len(weights))


def mixture_weights(likelihoods: Floats, n_steps: int = 100) -> Floats:
    """Weights of a mixture that make observations (learner, row) most likely, by expectation–maximisation."""
    weights = np.full(len(likelihoods), 1 / len(likelihoods))
    for _ in range(n_steps):
        joint = weights[:, None] * likelihoods
        weights = np.mean(joint / joint.sum(axis=0), axis=1)
    return np.asarray(weights)
