"""Ascending points and heights in; a monotone cubic curve through them, and its derivative, out.

Piecewise cubics with the slopes of Fritsch and Butland (1984, "A method for constructing local monotone piecewise cubic
interpolants"), known as PCHIP: between ascending heights the curve ascends. They equal those of SciPy, whose module of
interpolation takes as long to import as a small table takes to fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats


@dataclass(frozen=True, slots=True)
class MonotoneCubic:
    """A piecewise polynomial: on each piece powers of the distance from the piece's first point."""

    points: Floats
    """(n,) where pieces begin, and the end of the last one."""
    coef: Floats
    """(powers, n − 1) coefficients of each piece, the constants first."""

    def __call__(self, at: Floats) -> Floats:
        """Heights; beyond the ends those of the outer pieces, continued."""
        piece = np.clip(np.searchsorted(self.points, at, side="right") - 1, 0, len(self.points) - 2)
        along = at - self.points[piece]
        total, power = self.coef[0][piece], along
        for i, own in enumerate(self.coef[1:]):
            power = power * along if i else along
            total = total + own[piece] * power
        return np.asarray(total)

    def derivative(self) -> MonotoneCubic:
        """Its slope everywhere."""
        return MonotoneCubic(self.points, self.coef[1:] * np.arange(1.0, len(self.coef))[:, None])


def monotone_cubic(points: Floats, heights: Floats) -> MonotoneCubic:
    """Curve through three or more points.

    Examples
    --------
    >>> curve = monotone_cubic(np.array([0.0, 1.0, 3.0]), np.array([0.0, 0.5, 1.0]))
    >>> curve(np.array([0.0, 0.5, 3.0])).round(3)
    array([0.  , 0.28, 1.  ])
    """
    width = np.diff(points)
    steep = np.diff(heights) / width
    slope = _slopes(width, steep)
    bend = (slope[:-1] + slope[1:] - 2 * steep) / width
    return MonotoneCubic(
        points, np.stack([heights[:-1], slope[:-1], (steep - slope[:-1]) / width - bend, bend / width])
    )


def _slopes(width: Floats, steep: Floats) -> Floats:
    """Slope at every point: a weighted harmonic mean of those of the two pieces beside it, 0 where they turn."""
    left, right = width[:-1], width[1:]
    turns = (np.sign(steep[1:]) != np.sign(steep[:-1])) | (steep[1:] == 0) | (steep[:-1] == 0)
    one, other = 2 * right + left, right + 2 * left
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = (one / steep[:-1] + other / steep[1:]) / (one + other)
        inside = np.where(turns, 0.0, 1.0 / inverse)
    return np.concatenate(
        [[_slope_at_end(width[:2], steep[:2])], inside, [_slope_at_end(width[:-3:-1], steep[:-3:-1])]]
    )


def _slope_at_end(width: Floats, steep: Floats) -> float:
    """One-sided estimate from three points, the own piece first, bounded so that the shape of the data is kept."""
    slope = ((2 * width[0] + width[1]) * steep[0] - width[0] * steep[1]) / (width[0] + width[1])
    if np.sign(slope) != np.sign(steep[0]):
        return 0.0
    if np.sign(steep[0]) != np.sign(steep[1]) and abs(slope) > 3 * abs(steep[0]):
        return float(3 * steep[0])
    return float(slope)
