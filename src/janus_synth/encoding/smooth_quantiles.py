"""Sorted continuous values in, a smooth quantile function out, or None if the column is not smooth.

Sample quantiles pass their sampling error on to every row that is drawn: with a few thousand rows a bin holds some
twenty, and its mass is off by a fifth. If the column is smooth, a monotone cubic through a few quantiles has a smaller
error. Two-fold cross-validation chooses how many: each half of the values scores the curve of the other half. Together
with trend leaves this is measured in docs/defaults.md, *Leaves, and values inside bins*.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.encoding.monotone_cubic import monotone_cubic

PIECES = (8, 16, 32, 64, 128, 256)
"""Candidate numbers of pieces of equal mass, whose borders the curve interpolates."""
ROWS_PER_PIECE = 16
"""Fewest rows per piece for a candidate to be tried."""
TAIL_ROWS = 4
"""In the two outer pieces further points halve the rows beyond them, down to this many."""
MAX_SCORED = 50_000
"""Most rows used for cross-validation."""
LEAST_GAP = 1e-12
"""Points closer than this share of the range are too close for a curve."""
GRID = 32
"""Linear segments per piece of the quantile function."""


class SmoothQuantiles:
    """Quantile function of the monotone cubic (PCHIP) distribution function through given points."""

    def __init__(self, points: Floats, shares: Floats) -> None:
        self._low, self._high = float(points[0]), float(points[-1])
        self._curve = monotone_cubic(self._inside(points), shares)

    @cached_property
    def _grid(self) -> tuple[Floats, Floats]:
        """Points from 0 to 1, and the shares below them: the quantile function is linear in between."""
        inside, steps = self._curve.points, np.arange(GRID) / GRID
        points = np.append((inside[:-1, None] + steps * np.diff(inside)[:, None]).ravel(), 1.0)
        shares = np.clip(np.maximum.accumulate(self._curve(points)), 0.0, 1.0)
        shares[-1] = 1.0
        return points, shares

    def __call__(self, shares: Floats) -> Floats:
        """Values at the given shares."""
        points, below = self._grid
        inside = np.interp(shares, below, points)
        values = self._low + inside * (self._high - self._low)
        return np.where(inside >= 1.0, self._high, np.clip(values, self._low, self._high))  # both ends exactly

    def log_density(self, values: Floats) -> Floats:
        """Log density, bounded below; outside the range the density is almost zero."""
        inside = self._inside(values)
        density = np.where((inside < 0) | (inside > 1), 0.0, self._curve.derivative()(np.clip(inside, 0, 1)))
        return np.asarray(np.log(np.maximum(density, 1e-9)) - np.log(self._high - self._low))

    def _inside(self, values: Floats) -> Floats:
        """Values scaled to [0, 1]."""
        return (values - self._low) / (self._high - self._low)


def smooth_quantiles(values: Floats, low: float, high: float) -> SmoothQuantiles | None:
    """Quantile function of sorted values from ``low`` to ``high``; None if they are few or not smooth.

    They count as not smooth if the finest candidate scores best.
    """
    choices = [n for n in PIECES if n * ROWS_PER_PIECE <= len(values)]
    if len(choices) < 2:
        return None
    order = np.random.default_rng(0).permutation(len(values))[:MAX_SCORED]  # fixed seed: same column, same curve
    halves = [np.sort(values[part]) for part in np.array_split(order, 2)]
    scores = [
        sum(_held_out_log_likelihood(one, other, n, low, high) for one, other in (halves, halves[::-1]))
        for n in choices
    ]
    best = choices[int(np.argmax(scores))]
    return None if best == choices[-1] else _interpolate(values, best, low, high)


def _held_out_log_likelihood(train: Floats, test: Floats, n_pieces: int, low: float, high: float) -> float:
    curve = _interpolate(train, n_pieces, low, high)
    return -np.inf if curve is None else float(curve.log_density(test).sum())


def _interpolate(values: Floats, n_pieces: int, low: float, high: float) -> SmoothQuantiles | None:
    """Curve through the borders of pieces of equal mass, with further points in the tails."""
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
        return None  # repeated values, or a range that overflows
    return SmoothQuantiles(points, shares)
