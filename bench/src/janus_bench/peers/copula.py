"""A Gaussian copula with empirical margins: a table in, synthetic rows out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from janus_bench.peers.coding import is_numeric, level_codes, numbers
from janus_bench.peers.interface import Rows, checked, fitted, from_donors
from janus_synth.arrays import Floats


class GaussianCopula:
    """A Gaussian copula: empirical margins, and dependence as the correlation matrix of normal scores.

    Each level of an unordered column is an interval of (0, 1) as wide as its share, the most frequent first,
    and a row gets a random point of it; nulls lie below all values.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": range(100), "b": range(0, 200, 2)})
    >>> rows = GaussianCopula().fit(frame, seed=0).sample(500, seed=1)
    >>> bool(rows["a"].corr(rows["b"]) > 0.99)
    True
    """

    name = "copula"

    def __init__(self) -> None:
        self._frame: pd.DataFrame | None = None
        self._sorted: dict[Any, Rows] = {}
        self._mixing: Floats = np.empty((0, 0))

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Sort every column and correlate normal scores."""
        self._frame = checked(frame)
        rng = np.random.default_rng(seed)
        self._sorted = {}
        scores = np.empty(frame.shape)
        for position, name in enumerate(frame):
            key = _sort_key(frame[name])
            self._sorted[name] = np.argsort(key, kind="stable")
            ranks = rankdata(key)
            if not is_numeric(frame[name]):
                ranks = rankdata(key + rng.random(len(key)))  # keys are whole numbers: random order within a level
            scores[:, position] = ndtri((ranks - 0.5) / len(key))
        self._mixing = _square_root(_correlation(scores))
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw correlated normal numbers and map each column to its empirical quantiles."""
        frame = fitted(self._frame, self)
        normals = np.random.default_rng(seed).standard_normal((n, len(self._mixing))) @ self._mixing.T
        positions = np.minimum((ndtr(normals) * len(frame)).astype(np.intp), len(frame) - 1)
        return from_donors(frame, {name: self._sorted[name][positions[:, j]] for j, name in enumerate(frame)})


def _sort_key(column: pd.Series[Any]) -> Floats:
    """Values, or whole numbers for levels; nulls first."""
    if is_numeric(column):
        values = numbers(column)
        return np.where(np.isnan(values), -np.inf, values)
    return level_codes(column).astype(np.float64)


def _correlation(scores: Floats) -> Floats:
    """Correlation matrix; a constant column has correlation 0 with all others."""
    centred = scores - scores.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(norm > 1e-9, norm, np.inf)
    correlation: Floats = unit.T @ unit
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _square_root(correlation: Floats) -> Floats:
    """Matrix root R with R Rᵀ = the correlation matrix, after negative eigenvalues are set to 0 and rows rescaled."""
    eigenvalues, vectors = np.linalg.eigh(correlation)
    root: Floats = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    lengths: Floats = np.sqrt((root**2).sum(axis=1, keepdims=True))
    return root / lengths
