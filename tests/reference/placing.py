"""Reference for the placing kernels: one bin and one set at a time."""

from __future__ import annotations

import numpy as np

from janus_synth.kernels.placing import NEAR


def share_below(level, knot, k, value):
    """Share of bin k's mass below a value: its quantile function, read backwards."""
    if value <= knot[k, 0]:
        return 0.0
    return 1.0 if value >= knot[k, -1] else float(np.interp(value, knot[k], level[k]))


def density_at(level, knot, k, value):
    """Density of bin k per unit at a value; at a knot, of the segment that ends there."""
    wide = np.flatnonzero(np.diff(knot[k]) > 0)
    if not len(wide) or not knot[k, 0] <= value <= knot[k, -1]:
        return 0.0
    t = next(t for t in wide if value <= knot[k, t + 1])
    return (level[k, t + 1] - level[k, t]) / (knot[k, t + 1] - knot[k, t])


def mass_in_bin(level, knot, k, low, high, half):
    """Mass of bin k between two values and half a lattice step beyond; an atom is in it or not."""
    if knot[k, 0] == knot[k, -1]:
        near = NEAR * abs(knot[k, 0])
        return float(low - near <= knot[k, 0] <= high + near)
    if high < knot[k, 0] or low > knot[k, -1]:
        return 0.0
    return share_below(level, knot, k, high + half) - share_below(level, knot, k, low - half)


def weigh_bins(intervals, null, level, knot, half):
    """Share of every bin that a set leaves, then null; if it has no mass at all, densities of its lower ends."""
    bins = range(len(knot))
    w = [sum(mass_in_bin(level, knot, k, *ends, half) for ends in intervals) for k in bins]
    if sum(w) == 0:
        w = [sum(density_in_bin(level, knot, k, *ends) for ends in intervals) for k in bins]
    return np.array([*w, null], float)


def density_in_bin(level, knot, k, low, high):
    """Density where an interval begins in bin k, if it is the first bin that the interval meets."""
    met = [i for i in range(len(knot)) if knot[i, -1] >= low and knot[i, 0] <= high]
    return density_at(level, knot, k, max(low, knot[k, 0])) if met[:1] == [k] else 0.0


def weigh_levels(intervals, null, code_of_level, share_of_level, n_codes):
    """Share of every code's levels that a set leaves; the last code is null."""
    levels = np.arange(len(code_of_level))
    inside = _inside(levels, intervals)
    w = np.bincount(code_of_level[inside], share_of_level[inside], minlength=n_codes)
    w[-1] = null
    return w


def _inside(levels, intervals):
    return np.array([any(low <= level <= high for low, high in intervals) for level in levels], bool)


def value_at(level, knot, k, u):
    """Quantile function of bin k."""
    above = max(1, int(np.searchsorted(level[k], u, side="left")))
    return float(np.interp(u, level[k, above - 1 : above + 1], knot[k, above - 1 : above + 1]))


def place_in_bins(code, u, intervals, level, knot, lattice):
    """Value at share ``u`` of what a set leaves of a bin, put onto the lattice and back into the set."""
    base, gap, scale = lattice
    half = 0.5 * gap / scale if scale else 0.0
    masses = np.array([mass_in_bin(level, knot, code, low, high, half) for low, high in intervals])
    if not masses.any():  # points: one of them, by density
        dense = np.array([density_in_bin(level, knot, code, low, high) for low, high in intervals])
        which = int(np.searchsorted(np.cumsum(dense), u * dense.sum()))
        return float(max(intervals[which][0], knot[code, 0]))
    which = int(np.flatnonzero(masses > 0)[np.searchsorted(np.cumsum(masses[masses > 0]), u * masses.sum())])
    low, high = intervals[which]
    if knot[code, 0] == knot[code, -1]:
        return float(np.clip(knot[code, 0], low, high))
    start = share_below(level, knot, code, low - half) - masses[:which].sum()
    value = value_at(level, knot, code, start + u * masses.sum())
    if scale:
        value = (base + gap * np.rint((value * scale - base) / gap)) / scale
    return float(np.clip(value, low, high))


def place_levels(code, u, intervals, code_of_level, share_of_level):
    """Level at share ``u`` of those that a set leaves of a code; NaN where it leaves none."""
    levels = np.arange(len(code_of_level))
    left = levels[_inside(levels, intervals) & (code_of_level == code) & (share_of_level > 0)]
    if not len(left):
        return np.nan
    below = np.cumsum(share_of_level[left])
    return float(left[min(np.searchsorted(below, u * below[-1], side="right"), len(left) - 1)])


def draw_scored(score, u):
    """Code of one row, where in its score the uniform falls, and the total; no code if all scores are 0."""
    below = np.cumsum(score)
    if below[-1] == 0:
        return None, u, 0.0
    possible = np.flatnonzero(score)
    code = int(min(np.searchsorted(below, u * below[-1], side="right"), possible[-1]))
    return code, (u * below[-1] - (below[code] - score[code])) / score[code], below[-1]


def systematic(weights, u, n):
    """Rows whose stretch of the cumulative weights holds each of n evenly spaced points."""
    below = np.cumsum(weights)
    points = (np.arange(n) + u) * below[-1] / n
    return np.minimum(np.searchsorted(below, points, side="right"), np.flatnonzero(weights)[-1])
