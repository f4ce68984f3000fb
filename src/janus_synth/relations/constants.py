"""Constants of proportionality: values and what they should be proportional to in; the simplest factor that fits out.

Rounding leaves each row an interval of factors. The factor is the number of fewest digits that meets all of them, or
the inverse of such a number: 0.062, 1000, or 1 / 3600.
"""

from __future__ import annotations

import math

import numpy as np

from janus_synth.arrays import Floats

FIRST_ROWS = 60
"""Rows that almost all candidates are rejected by."""
MIN_SPREAD, MIN_DISTINCT = 5.0, 20
"""Standard deviation of the column in units of its last decimal, below which rounding would explain anything, and its
distinct values, at least."""
MOST_DIGITS = 6
"""Significant digits of a constant, or of its inverse."""
LOG_CONSTANTS = math.log(4e6)
"""Log of the number of such constants within a power of ten, of both kinds and signs."""


def factor_range(column: Floats, source: Floats, slack: Floats) -> tuple[float, float] | None:
    """Factors that give every row its value within a slack; None if there are none.

    Examples
    --------
    >>> factor_range(np.array([6.0, 0.0]), np.array([8.0, 0.0]), np.array([1.0, 1.0]))
    (0.625, 0.875)
    """
    zero = source == 0
    if (np.abs(column[zero]) > slack[zero]).any() or zero.all():
        return None
    ends = np.stack([column - slack, column + slack])[:, ~zero] / source[~zero]
    low, high = float(ends.min(axis=0).max()), float(ends.max(axis=0).min())
    return (low, high) if low <= high else None


def simplest_constant(low: float, high: float) -> float | None:
    """Number of the fewest digits in a range, or the inverse of one with fewer; None if it takes more than six.

    Examples
    --------
    >>> simplest_constant(0.014499, 0.014501), simplest_constant(1 / 3600.2, 1 / 3599.7) == 1 / 3600
    (0.0145, True)
    >>> print(simplest_constant(0.12345678, 0.12345679))
    None
    """
    if low <= 0.0 <= high:
        return None
    middle = (low + high) / 2
    for digits in range(1, MOST_DIGITS + 1):
        both = (float(f"{middle:.{digits}g}"), 1 / float(f"{1 / middle:.{digits}g}"))
        fitting = [found for found in both if low <= found <= high]
        if fitting:
            return min(fitting, key=lambda found: min(len(f"{found:.15g}"), len(f"{1 / found:.15g}")))
    return None
