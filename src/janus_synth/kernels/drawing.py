"""Draw codes from leaves and values from bins: uniforms in, codes and values out."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def values_in_bins(codes, u, level, knot, out):
    """Invert each code's quantile function at ``u``; codes beyond the bins (missing) become NaN.

    codes (n,) CODE | u, out (n,) REAL | level, knot (K, q) REAL
    """
    n_bins, n_knots = level.shape
    for i in range(codes.size):
        k = codes[i]
        if k >= n_bins:
            out[i] = np.nan
            continue
        t = 1
        while t < n_knots - 1 and level[k, t] < u[i]:
            t += 1
        below, above = level[k, t - 1], level[k, t]
        along = (u[i] - below) / (above - below) if above > below else 0.0
        out[i] = knot[k, t - 1] + along * (knot[k, t] - knot[k, t - 1])


@njit(cache=True, nogil=True)
def draw_codes(x, target, roots, feature, cut, left, right, set_start, left_levels, leaf_of_node, cdf, u):
    """Draw the target's code of every row given its parents; one uniform per row does it all.

    The uniform picks the tree of the bag, then the code; what is left of it comes back in ``u`` as a fresh
    uniform for the place inside the bin.

    x (d, n) CODE: row ``target`` is written | roots (b,), feature, cut, left, right, set_start, leaf_of_node INDEX
    left_levels uint8 | cdf (L, K) REAL, rows ending in 1 | u (n,) REAL
    """
    n_trees = roots.size
    n_codes = cdf.shape[1]
    for i in range(x.shape[1]):
        scaled = u[i] * n_trees
        tree = min(int(scaled), n_trees - 1)
        rest = scaled - tree
        node = roots[tree]
        while left[node] >= 0:
            code = x[feature[node], i]
            if set_start[node] < 0:
                goes_left = code <= cut[node]
            else:
                goes_left = left_levels[set_start[node] + code] == 1
            node = left[node] if goes_left else right[node]
        leaf = leaf_of_node[node]
        lo, hi = 0, n_codes - 1
        while lo < hi:  # first code whose cdf exceeds the uniform
            middle = (lo + hi) // 2
            if cdf[leaf, middle] > rest:
                hi = middle
            else:
                lo = middle + 1
        below = cdf[leaf, lo - 1] if lo > 0 else 0.0
        mass = cdf[leaf, lo] - below
        x[target, i] = lo
        u[i] = min(max((rest - below) / mass, 0.0), 1.0) if mass > 0 else 0.5
