"""Tests of conditional independence between columns of any kind, with nulls: columns in, p-values out.

The generalised covariance measure (Shah and Peters, 2020, "The hardness of conditional independence testing and the
generalised covariance measure"): if X and Y are independent given Z, the residuals of their regressions on Z are
uncorrelated. The test is valid where the product of the two regression errors falls faster than 1/√n, so that neither
regression must be perfect. Every column becomes a few features: normal score and squared rank, or indicators of levels,
and an indicator of null. All features are regressed at once on the conditioning columns, by kernel ridge regression
with leave-one-out residuals and penalties in closed form. The largest of the d standardised covariances of a pair is
compared with the normal distribution, with Bonferroni's factor d.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from janus_synth.arrays import Array, Floats, LongInts

MIN_COUNT = 20
"""Rows with a level, or with null, below which it has no indicator: its covariances would be far from normal."""
MAX_LEVELS = 8
"""Levels of a column that have an indicator, the most frequent ones."""
N_LANDMARKS = 100
"""Rows whose kernels are the basis of a regression."""
PENALTIES = 10.0 ** np.arange(-3.0, 4.5, 1.0)
"""Ridge penalties, relative to the mean eigenvalue of the basis; each feature uses the best by leave-one-out error."""
DETERMINED = 1e-6
"""Share of a feature's variance below which its residuals are rounding errors."""


def column_features(values: Array, *, ordered: bool) -> Floats:
    """(rows, features) of a column, centred; a constant column has none.

    Parameters
    ----------
    values : array
        Numbers with NaN for null, or numbers of levels with −1 for null.
    ordered : bool
        Whether neighbouring values are alike.

    Examples
    --------
    >>> column_features(np.arange(100.0), ordered=True).shape
    (100, 2)
    >>> column_features(np.repeat([0, 1, 2], 40), ordered=False).shape
    (120, 3)
    """
    null = values < 0 if values.dtype.kind == "i" else np.isnan(values)
    parts = []
    if not ordered:
        levels, count = np.unique(values[~null], return_counts=True)
        most = np.argsort(-count, kind="stable")[:MAX_LEVELS]
        some = [levels[i] for i in most if MIN_COUNT <= count[i] <= len(values) - MIN_COUNT]
        some = some[:1] if len(levels) == 2 and not null.any() else some
        parts = [(values == level).astype(float) for level in some]
    elif len(np.unique(values[~null])) > 1:
        score, curve = np.zeros(len(values)), np.zeros(len(values))
        score[~null], curve[~null] = _normal_scores(values[~null])
        parts = [score] if len(np.unique(values[~null])) == 2 else [score, curve]
    if MIN_COUNT <= null.sum() <= len(values) - MIN_COUNT:
        parts.append(null.astype(float))
    features = np.column_stack(parts) if parts else np.empty((len(values), 0))
    return np.asarray(features - features.mean(axis=0))


def _normal_scores(values: Array) -> tuple[Floats, Floats]:
    """Mid-ranks through the normal quantile function, and their squared distance from the median.

    The square is one of ranks and not of scores: its tails are light. With squared scores an independence of two
    numbers given two others was rejected in 13 % of 300 tables at the level 5 %, with squared ranks in 7 %.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    rank = (rankdata(values) - 0.5) / len(values)
    score, curve = ndtri(rank), (2 * rank - 1) ** 2
    return score / score.std(), np.asarray(curve - curve.mean())


@dataclass(frozen=True, eq=False)
class IndependenceTests:
    """Conditional independence tests between the columns of one table; answers are kept.

    Parameters
    ----------
    features : mapping of str to array of shape (rows, features)
        Of every column, from `column_features`.
    seed : int
        Seed of the landmark rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.normal(size=500)
    >>> columns = {"z": cause, "x": cause + rng.normal(size=500), "y": cause + rng.normal(size=500)}
    >>> tests = IndependenceTests({name: column_features(v, ordered=True) for name, v in columns.items()})
    >>> bool(tests.p_value("x", "y") < 1e-6), bool(tests.p_value("x", "y", ["z"]) > 0.05)
    (True, True)
    """

    features: Mapping[str, Floats]
    seed: int = 0
    _known: dict[tuple[str, frozenset[str]], dict[str, float]] = field(default_factory=dict, repr=False)
    _every: Floats = field(init=False, repr=False)
    _slices: dict[str, slice] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ends = np.cumsum([0, *(part.shape[1] for part in self.features.values())])
        slices = {name: slice(int(a), int(b)) for name, (a, b) in zip(self.features, pairwise(ends), strict=True)}
        object.__setattr__(self, "_slices", slices)
        object.__setattr__(self, "_every", np.column_stack([*self.features.values()]))

    def p_value(self, one: str, other: str, given: Iterable[str] = ()) -> float:
        """p-value of the independence of two columns given others."""
        return self.p_values(one, [other], given)[other]

    def p_values(self, one: str, others: Sequence[str], given: Iterable[str] = ()) -> dict[str, float]:
        """p-values of the independence of one column from each of several, given the same columns."""
        key = one, frozenset(given)
        known = self._known.setdefault(key, {})
        missing = [other for other in others if other not in known]
        if missing:
            known.update(self._test(one, missing, key[1]))
        return {other: known[other] for other in others}

    def _test(self, one: str, others: Sequence[str], given: frozenset[str]) -> dict[str, float]:
        columns = [one, *others]
        places = np.concatenate([np.r_[self._slices[name]] for name in columns]).astype(int)
        outputs = self._every[:, places]
        residuals = outputs
        names = [name for name in self.features if name in given and self.features[name].shape[1]]
        if names and outputs.shape[1]:
            inputs = np.column_stack([self.features[name] for name in names])
            residuals = ridge_residuals(inputs, outputs, np.random.default_rng(self.seed))
        residuals = residuals * ((residuals**2).mean(axis=0) > DETERMINED * (outputs**2).mean(axis=0))
        sizes = [self.features[name].shape[1] for name in columns]
        return dict(zip(others, _covariance_p_values(residuals, sizes), strict=True))


def _covariance_p_values(residuals: Floats, sizes: Sequence[int]) -> list[float]:
    """p-values of no covariance between the first block of residuals and each of the others."""
    from scipy.special import ndtr

    n, first = len(residuals), sizes[0]
    mine, theirs = residuals[:, :first], residuals[:, first:]
    mean = mine.T @ theirs / n
    variance = (mine**2).T @ (theirs**2) / n - mean**2
    usable = variance > 0
    z = np.sqrt(n) * np.abs(mean) / np.sqrt(np.where(usable, variance, 1.0))
    ends = np.cumsum([0, *sizes[1:]])
    found = []
    for a, b in pairwise(ends):
        tested = int(usable[:, a:b].sum())
        largest = float(np.where(usable[:, a:b], z[:, a:b], 0.0).max(initial=0.0))
        found.append(min(1.0, tested * 2 * float(ndtr(-largest))) if tested else 1.0)
    return found


def ridge_residuals(inputs: Floats, outputs: Floats, rng: np.random.Generator) -> Floats:
    """(rows, outputs) leave-one-out residuals of kernel ridge regression, each output with its own penalty.

    The basis holds the inputs and the Gaussian kernels of some rows. With the eigenvectors V and eigenvalues λ of its
    Gram matrix, the smoother is H = B V diag(1 / (λ + penalty)) Vᵀ Bᵀ, and residuals are (y − H y) / (1 − diag H).
    """
    basis = _basis(inputs, rng)
    values, vectors = np.linalg.eigh(basis.T @ basis)
    rotated = basis @ vectors
    along = rotated.T @ outputs
    best, error = outputs, (outputs**2).sum(axis=0)
    for penalty in PENALTIES * values.mean():
        shrunk = rotated / (np.maximum(values, 0.0) + penalty)
        leverage = np.minimum((shrunk * rotated).sum(axis=1), 0.99)
        found = (outputs - shrunk @ along) / (1 - leverage)[:, None]
        found_error = (found**2).sum(axis=0)
        best = np.where(found_error < error, found, best)
        error = np.minimum(error, found_error)
    return np.asarray(best - best.mean(axis=0))


def _basis(inputs: Floats, rng: np.random.Generator) -> Floats:
    """Inputs and Gaussian kernels of landmark rows, whitened (Nyström), centred."""
    n, scaled = len(inputs), inputs / np.maximum(inputs.std(axis=0), 1e-12)
    landmarks = _landmarks(scaled, min(N_LANDMARKS, n // 4), rng)
    if not len(landmarks):
        return np.asarray(scaled)
    squared = _distances(scaled, scaled[landmarks])
    width = max(float(np.median(squared)), 1e-9)
    kernel = np.exp(-squared / width)
    values, vectors = np.linalg.eigh(kernel[landmarks])
    kept = values > 1e-6 * values[-1]
    curved = kernel @ (vectors[:, kept] / np.sqrt(values[kept]))
    basis = np.column_stack([scaled / np.sqrt(scaled.shape[1]), curved])
    return np.asarray(basis - basis.mean(axis=0))


def _landmarks(points: Floats, most: int, rng: np.random.Generator) -> LongInts:
    """Rows at different places, in random order."""
    _, first = np.unique(points.round(6), axis=0, return_index=True)
    return np.asarray(rng.permutation(first)[:most], np.int64)


def _distances(points: Floats, others: Floats) -> Floats:
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.asarray(np.maximum(squares - 2 * points @ others.T, 0.0))
