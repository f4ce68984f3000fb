"""A smooth quantile function of a run of continuous values, as fine as held-out values bear, or none.

Quantiles of the values themselves carry the chance of the sample into every row that is drawn: a few thousand rows have
bins of some twenty, each off by a fifth. A monotone cubic through a few of them does not, if the column is smooth. How
few is up to the values: halves of them foretell one another.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats

PIECES = (8, 16, 32, 64, 128, 256)
"""Pieces of equal mass between the points that the curve runs through."""
ROWS_PER_PIECE = 16
TAIL_ROWS = 4
"""In the two outer pieces points go on, each with half the rows beyond it, down to so few."""
MOST_JUDGED = 50_000
LEAST_GAP = 1e-12
"""Points closer than this, as a share of the whole range, are too close for a curve."""
GRID = 32
"""Points of each piece between which the quantile function runs straight."""


class SmoothQuantiles:
    """Quantile function through the given points of a distribution function; inside, values run from 0 to 1."""

    def __init__(self, points: Floats, shares: Floats) -> None:
        from scipy.interpolate import PchipInterpolator

        self._low, self._high = float(points[0]), float(points[-1])
        inside = self._inside(points)
        self._curve = PchipInterpolator(inside, shares)
        steps = np.arange(GRID) / GRID
        self._points = np.append((inside[:-1, None] + steps * np.diff(inside)[:, None]).ravel(), 1.0)
        self._shares = np.clip(np.maximum.accumulate(self._curve(self._points)), 0.0, 1.0)
        self._shares[-1] = 1.0

    def __call__(self, shares: Floats) -> Floats:
        """Values at some shares."""
        inside = np.interp(shares, self._shares, self._points)
        values = self._low + inside * (self._high - self._low)
        return np.where(inside >= 1.0, self._high, np.clip(values, self._low, self._high))  # the ends exactly

    def log_density(self, values: Floats) -> Floats:
        """Log density; at the ends and beyond them next to nothing."""
        inside = self._inside(values)
        density = np.where((inside < 0) | (inside > 1), 0.0, self._curve.derivative()(np.clip(inside, 0, 1)))
        return np.asarray(np.log(np.maximum(density, 1e-9)) - np.log(self._high - self._low))

    def _inside(self, values: Floats) -> Floats:
        return (values - self._low) / (self._high - self._low)


def smooth_quantiles(values: Floats, low: float, high: float) -> SmoothQuantiles | None:
    """Quantile function between two ends of sorted values; None if they are few, or rough to the finest piece tried."""
    choices = [n for n in PIECES if n * ROWS_PER_PIECE <= len(values)]
    if len(choices) < 2:
        return None
    order = np.random.default_rng(0).permutation(len(values))[:MOST_JUDGED]  # the same every time
    halves = [np.sort(values[part]) for part in np.array_split(order, 2)]
    scores = [sum(_foretold(one, other, n, low, high) for one, other in (halves, halves[::-1])) for n in choices]
    best = choices[int(np.argmax(scores))]
    return None if best == choices[-1] else _through(values, best, low, high)


def _foretold(seen: Floats, unseen: Floats, n_pieces: int, low: float, high: float) -> float:
    curve = _through(seen, n_pieces, low, high)
    return -np.inf if curve is None else float(curve.log_density(unseen).sum())


def _through(values: Floats, n_pieces: int, low: float, high: float) -> SmoothQuantiles | None:
    """Curve through the borders of pieces of equal mass, and further and further out in the outer two."""
    n = len(values)
    halvings = max(0, int(np.log2(n / n_pieces / TAIL_ROWS)))
    tail = 0.5 ** np.arange(halvings, 0, -1) / n_pieces
    shares = np.concatenate([tail, np.arange(1, n_pieces) / n_pieces, 1 - tail[::-1]])
    rank = np.unique(np.clip(np.rint(shares * n).astype(int), 1, n - 1))
    points = np.concatenate([[low], values[rank - 1] / 2 + values[rank] / 2, [high]])
    shares = np.concatenate([[0.0], rank / n, [1.0]])
    with np.errstate(over="ignore"):
        span = high - low
    if not np.isfinite(span) or not (np.diff(points) > LEAST_GAP * span).all():
        return None  # repeated values, or such as have nothing to do with one another
    return SmoothQuantiles(points, shares)
