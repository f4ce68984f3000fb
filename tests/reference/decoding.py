"""Reference for the decoding kernel: inverse distribution functions, one row at a time."""

from __future__ import annotations

import numpy as np


def values_in_bins(codes, u, level, knot, upper=()):
    """Quantile function of each code's bin at ``u``, kept inside the bin; NaN beyond the bins."""
    values = np.full(len(codes), np.nan)
    for i, k in enumerate(codes):
        if k < len(knot) and knot[k, 0] == knot[k, -1]:
            values[i] = knot[k, 0]
        elif k < len(knot):
            above = max(1, int(np.searchsorted(level[k], u[i], side="left")))
            ends = slice(above - 1, above + 1)
            values[i] = np.interp(u[i], level[k, ends], knot[k, ends])
            if k < len(upper):
                values[i] = min(values[i], upper[k])
            if 0 < k <= len(upper) and values[i] <= upper[k - 1]:
                values[i] = np.nextafter(upper[k - 1], np.inf)
    return values


def bins_of_values(values, upper, missing):
    """First bin whose upper bound each value does not exceed."""
    return [
        missing if np.isnan(v) else next((i for i, end in enumerate(upper) if v <= end), len(upper)) for v in values
    ]


def count_between_knots(values, codes, knot):
    """How many values of each bin lie in each interval: the first whose upper knot a value does not exceed."""
    counts = np.zeros((len(knot), knot.shape[1] - 1), int)
    for value, k in zip(values, codes, strict=True):
        if k < len(knot):
            fitting = [t for t in range(counts.shape[1]) if value <= knot[k, t + 1]]
            counts[k, fitting[0] if fitting else -1] += 1
    return counts
