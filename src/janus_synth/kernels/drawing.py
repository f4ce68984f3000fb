"""Draw codes from leaves and values from bins: uniforms in, codes and values out."""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import INDEX

BELOW_ONE = 1.0 - 2.0**-53


@njit(cache=True, nogil=True)
def values_in_bins(codes, u, level, knot, upper, base, gap, scale, out):
    """Invert each code's quantile function at ``u``; codes beyond the bins (missing) become NaN.

    With ``scale > 0`` values are rounded onto the lattice (base + gap · m) / scale. Rounding never leaves the bin.

    codes (n,) CODE | u, out (n,) REAL | level, knot (K, q) REAL | upper (K−1,) REAL
    """
    n_bins, n_knots = level.shape
    for i in range(codes.size):
        k = codes[i]
        if k >= n_bins:
            out[i] = np.nan
            continue
        value = knot[k, 0]
        if knot[k, n_knots - 1] > value:
            t, width = 1, n_knots - 1
            while width > 1:  # first knot whose level is not below u
                half = width // 2
                t += half if level[k, t + half - 1] < u[i] else 0
                width -= half
            below, above = level[k, t - 1], level[k, t]
            along = (u[i] - below) / (above - below) if above > below else 0.0
            value = knot[k, t - 1] + along * (knot[k, t] - knot[k, t - 1]) if along < 1.0 else knot[k, t]
            if scale > 0.0:
                m = np.rint((value * scale - base) / gap)
                value = (base + gap * m) / scale
                if value < knot[k, 0]:
                    value = (base + gap * (m + 1)) / scale
                elif value > knot[k, n_knots - 1]:
                    value = (base + gap * (m - 1)) / scale
            else:
                value = min(value, upper[k] if k < n_bins - 1 else knot[k, n_knots - 1])
                if k > 0 and value <= upper[k - 1]:
                    value = np.nextafter(upper[k - 1], np.inf)
        out[i] = value


@njit(cache=True, nogil=True)
def draw_in_leaf(x, target, rows, cdf, n_trees, leaf, weight, u, leaf_of_row):
    """Draw the target's code for rows that share a leaf with the given cumulative shares.

    Rows that are to follow the leaf's trend, a share ``weight`` of them, get the leaf instead of a code.

    x (d, n) CODE | rows (r,) INDEX | cdf (K,) float32, ending in 1 | u (n,) REAL | leaf_of_row (n,) INDEX
    """
    for at in range(rows.size):
        i = rows[at]
        scaled = u[i] * n_trees
        rest = scaled - min(int(scaled), n_trees - 1)
        if rest < weight:
            leaf_of_row[i] = leaf
            u[i] = rest / weight
            continue
        if weight > 0.0:
            rest = min(max((rest - weight) / (1.0 - weight), 0.0), BELOW_ONE)
        code, width = 0, cdf.size
        while width > 1:  # first code whose cumulative share exceeds the uniform
            half = width // 2
            code += half if cdf[code + half - 1] <= rest else 0
            width -= half
        below = cdf[code - 1] if code > 0 else 0.0
        mass = cdf[code] - below
        x[target, i] = code
        u[i] = min(max((rest - below) / mass, 0.0), 1.0) if mass > 0 else 0.5


@njit(cache=True, nogil=True)
def draw_codes(
    x, target, roots, feature, cut, left, right, set_start, left_levels, leaf_of_node, cdf, weight, u, leaf_of_row
):  # fmt: skip
    """Draw the target's code of every row given its parents; one uniform per row does it all.

    The uniform picks the tree of the bag, then the code; what is left of it comes back in ``u`` as a fresh uniform
    for the place inside the bin. Rows go down a tree together, split by split, as they did when it grew:
    twice as fast as one by one, because no branch has to be guessed and a leaf's shares stay in the cache.

    x (d, n) CODE: row ``target`` is written | roots (b,), feature, cut, left, right, set_start, leaf_of_node INDEX
    left_levels uint8 | cdf (L, K) float32, rows ending in 1 | weight (L,) REAL: share of rows that follow a trend
    u (n,) REAL | leaf_of_row (n,) INDEX: written for rows that follow a trend, whose code is still to be drawn
    """
    n, n_trees = x.shape[1], roots.size
    start = np.zeros(n_trees + 1, INDEX)
    for i in range(n):
        start[min(int(u[i] * n_trees), n_trees - 1) + 1] += 1
    for t in range(n_trees):
        start[t + 1] += start[t]
    rows = np.empty(n, INDEX)
    place = start.copy()
    for i in range(n):
        t = min(int(u[i] * n_trees), n_trees - 1)
        rows[place[t]] = i
        place[t] += 1

    spare = np.empty(n, INDEX)
    stack = np.empty((left.size + 1, 3), INDEX)
    for t in range(n_trees):
        stack[0, 0], stack[0, 1], stack[0, 2] = roots[t], start[t], start[t + 1]
        depth = 1
        while depth > 0:
            depth -= 1
            node, lo, hi = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            if lo == hi:
                continue
            if left[node] < 0:
                leaf = leaf_of_node[node]
                share = weight[leaf] if weight.size > 0 else 0.0
                draw_in_leaf(x, target, rows[lo:hi], cdf[leaf], n_trees, leaf, share, u, leaf_of_row)
                continue
            parent = x[feature[node]]
            at, late = lo, 0
            if set_start[node] < 0:
                bound = cut[node]
                for r in range(lo, hi):
                    row = rows[r]
                    goes_right = 1 if parent[row] > bound else 0
                    rows[at] = row
                    spare[late] = row
                    at += 1 - goes_right
                    late += goes_right
            else:
                levels = left_levels[set_start[node] :]
                for r in range(lo, hi):
                    row = rows[r]
                    goes_left = int(levels[parent[row]])
                    rows[at] = row
                    spare[late] = row
                    at += goes_left
                    late += 1 - goes_left
            for r in range(late):
                rows[at + r] = spare[r]
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = left[node], lo, at
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = right[node], at, hi
            depth += 2
