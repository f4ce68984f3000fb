"""Sets of values against a column's codes: how much of each code a set leaves, and a value drawn inside it.

The sets of n rows are sorted closed intervals, those of row r in ``intervals[start[r] : start[r + 1]]``, and a null
flag per row. Sets of a single row serve all rows.
"""

import numpy as np
from numba import njit

NEAR = 2.0**-51  # an atom computed in two ways is still the same


@njit(cache=True, nogil=True)
def share_below(level, knot, k, value):
    """Share of bin k's mass below a value."""
    n_knots = knot.shape[1]
    if value <= knot[k, 0]:
        return 0.0
    if value >= knot[k, n_knots - 1]:
        return 1.0
    t, width = 1, n_knots - 1
    while width > 1:  # first knot that is not below the value
        half = width // 2
        t += half if knot[k, t + half - 1] < value else 0
        width -= half
    gap = knot[k, t] - knot[k, t - 1]
    along = (value - knot[k, t - 1]) / gap if gap > 0.0 else 0.0
    return level[k, t - 1] + along * (level[k, t] - level[k, t - 1])


@njit(cache=True, nogil=True)
def density_at(level, knot, k, value):
    """Density of bin k per unit at a value."""
    n_knots = knot.shape[1]
    if value < knot[k, 0] or value > knot[k, n_knots - 1]:
        return 0.0
    for t in range(1, n_knots):
        if knot[k, t] >= value and knot[k, t] > knot[k, t - 1]:
            return (level[k, t] - level[k, t - 1]) / (knot[k, t] - knot[k, t - 1])
    return 0.0


@njit(cache=True, nogil=True)
def mass_in_bin(level, knot, k, low, high, half):
    """Mass of bin k between two values; on a lattice the cells of both belong to it."""
    first, last = knot[k, 0], knot[k, knot.shape[1] - 1]
    if first == last:
        near = NEAR * abs(first)
        return 1.0 if low - near <= first <= high + near else 0.0
    if high < first or low > last or (low == high and half == 0.0):  # rounding of half a step reaches into no other bin
        return 0.0
    return share_below(level, knot, k, high + half) - share_below(level, knot, k, low - half)


@njit(cache=True, nogil=True)
def first_bin(knot, value):
    """First bin that does not end below a value."""
    lo, hi, last = 0, knot.shape[0], knot.shape[1] - 1
    while lo < hi:
        middle = (lo + hi) // 2
        if knot[middle, last] < value:
            lo = middle + 1
        else:
            hi = middle
    return lo


@njit(cache=True, nogil=True)
def density_in_bin(level, knot, k, low, high):
    """Density where an interval begins, if it begins in bin k."""
    if high < knot[k, 0] or low > knot[k, knot.shape[1] - 1] or first_bin(knot, low) != k:
        return 0.0
    return density_at(level, knot, k, max(low, knot[k, 0]))


@njit(cache=True, nogil=True)
def weigh_bins(start, intervals, null, level, knot, half, w):
    """Share of every code that each row's set leaves; densities where the set has no mass, as in ``x == 0.3``.

    level, knot (K, q) REAL | half: half a lattice step, or 0 | w (n, K+1) REAL, written
    """
    n_bins = knot.shape[0]
    for r in range(w.shape[0]):
        w[r, :] = 0.0
        w[r, n_bins] = null[r]
        total = 0.0
        for i in range(start[r], start[r + 1]):
            low, high = intervals[i, 0], intervals[i, 1]
            k = max(0, first_bin(knot, low - half - NEAR * abs(low)))
            while k < n_bins and knot[k, 0] <= high + half + NEAR * abs(high):
                mass = mass_in_bin(level, knot, k, low, high, half)
                w[r, k] += mass
                total += mass
                k += 1
        if total > 0.0:
            continue
        for i in range(start[r], start[r + 1]):
            k = first_bin(knot, intervals[i, 0])
            if k < n_bins:
                w[r, k] += density_in_bin(level, knot, k, intervals[i, 0], intervals[i, 1])


@njit(cache=True, nogil=True)
def weigh_levels(start, intervals, null, code_of_level, share_of_level, w):
    """Share of every code that each row's set of levels leaves.

    code_of_level (m,) INDEX | share_of_level (m,) REAL, of the code | w (n, K) REAL, written
    """
    for r in range(w.shape[0]):
        w[r, :] = 0.0
        w[r, w.shape[1] - 1] = null[r]
        for i in range(start[r], start[r + 1]):
            low, high = max(intervals[i, 0], 0.0), min(intervals[i, 1], code_of_level.size - 1.0)
            if low <= high:
                for level in range(int(np.ceil(low)), int(np.floor(high)) + 1):
                    w[r, code_of_level[level]] += share_of_level[level]


@njit(cache=True, nogil=True)
def value_at(level, knot, k, u):
    """Invert bin k's quantile function."""
    t, width = 1, knot.shape[1] - 1
    while width > 1:  # first knot whose level is not below u
        half = width // 2
        t += half if level[k, t + half - 1] < u else 0
        width -= half
    below, above = level[k, t - 1], level[k, t]
    along = (u - below) / (above - below) if above > below else 0.0
    return knot[k, t - 1] + along * (knot[k, t] - knot[k, t - 1]) if along < 1.0 else knot[k, t]


@njit(cache=True, nogil=True)
def place_in_bins(codes, u, start, intervals, level, knot, upper, lattice, values):
    """Draw each row's value inside its bin and its set; on the lattice, never outside.

    codes (n,) CODE | u (n,) REAL | upper (K−1,) REAL | lattice (3,) REAL: base, gap, scale | values (n,) REAL, written
    """
    n_bins, last = knot.shape[0], knot.shape[1] - 1
    base, gap, scale = lattice[0], lattice[1], lattice[2]
    half = 0.5 * gap / scale if scale > 0.0 else 0.0
    for r in range(codes.size):
        k = codes[r]
        if k >= n_bins:
            values[r] = np.nan
            continue
        own = 0 if start.size == 2 else r
        total = 0.0
        for i in range(start[own], start[own + 1]):
            total += mass_in_bin(level, knot, k, intervals[i, 0], intervals[i, 1], half)
        by_density = total == 0.0  # as weigh_bins does
        if by_density:
            for i in range(start[own], start[own + 1]):
                total += density_in_bin(level, knot, k, intervals[i, 0], intervals[i, 1])
        target, chosen = u[r] * total, -1
        for i in range(start[own], start[own + 1]):
            low, high = intervals[i, 0], intervals[i, 1]
            if by_density:
                mass = density_in_bin(level, knot, k, low, high)
            else:
                mass = mass_in_bin(level, knot, k, low, high, half)
            if mass > 0.0:
                chosen = i
                if target <= mass:
                    break
                target -= mass
        if chosen < 0:  # nothing is left of this bin
            values[r] = np.nan
            continue
        low, high = intervals[chosen, 0], intervals[chosen, 1]
        if knot[k, 0] == knot[k, last]:
            values[r] = min(max(knot[k, 0], low), high)
            continue
        below, above = share_below(level, knot, k, low - half), share_below(level, knot, k, high + half)
        share = min(max(target / (above - below), 0.0), 1.0) if above > below else 0.5
        value = value_at(level, knot, k, below + share * (above - below))
        if scale > 0.0:
            m = np.rint((value * scale - base) / gap)
            value = (base + gap * m) / scale
            if value < knot[k, 0]:
                value = (base + gap * (m + 1)) / scale
            elif value > knot[k, last]:
                value = (base + gap * (m - 1)) / scale
        else:
            value = min(value, upper[k] if k < n_bins - 1 else knot[k, last])
            if k > 0 and value <= upper[k - 1]:
                value = np.nextafter(upper[k - 1], np.inf)
        values[r] = min(max(value, low), high)


@njit(cache=True, nogil=True)
def place_levels(codes, u, start, intervals, code_of_level, share_of_level, values):
    """Draw each row's level among those of its code and its set; NaN for missing, the last code.

    codes (n,) CODE | u (n,) REAL | code_of_level (m,) INDEX | share_of_level (m,) REAL | values (n,) REAL, written
    """
    for r in range(codes.size):
        own = 0 if start.size == 2 else r
        values[r] = np.nan
        total, best = 0.0, -1
        for walk in range(2):
            target = u[r] * total
            for i in range(start[own], start[own + 1]):
                low = max(intervals[i, 0], 0.0)
                high = min(intervals[i, 1], code_of_level.size - 1.0)
                if low > high:
                    continue
                for level in range(int(np.ceil(low)), int(np.floor(high)) + 1):
                    if code_of_level[level] != codes[r] or share_of_level[level] <= 0.0:
                        continue
                    if walk == 0:
                        total += share_of_level[level]
                    elif target >= 0.0:
                        best = level
                        target -= share_of_level[level]
        if best >= 0:
            values[r] = best


@njit(cache=True, nogil=True)
def draw_scored(score, u, codes, totals):
    """Draw each row's code by its scores and keep what is left of the uniform; an all-zero row keeps its code.

    score (n, K) REAL | u (n,) REAL, overwritten | codes (n,) CODE, written | totals (n,) REAL, written
    """
    for r in range(score.shape[0]):
        total = 0.0
        for k in range(score.shape[1]):
            total += score[r, k]
        totals[r] = total
        if not total > 0.0:
            continue
        target, code, mass = u[r] * total, -1, 1.0
        for k in range(score.shape[1]):
            if score[r, k] > 0.0:
                code, mass = k, score[r, k]
                if target < mass:
                    break
                target -= mass
        codes[r] = code
        u[r] = min(max(target / mass, 0.0), 1.0)


@njit(cache=True, nogil=True)
def systematic(weights, u, chosen):
    """Systematic resampling: the row that each of the evenly spaced points falls on.

    weights (m,) REAL, not all 0 | u: one uniform | chosen (n,) INDEX, written
    """
    n = chosen.size
    step = weights.sum() / n
    row, reached, last = 0, weights[0], 0
    for i in range(n):
        point = (i + u) * step
        while reached <= point and row < weights.size - 1:
            row += 1
            reached += weights[row]
            if weights[row] > 0.0:  # rounding may lead beyond the last row with a weight
                last = row
        chosen[i] = last
