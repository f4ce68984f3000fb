"""Reference for the drawing kernels: inverse distribution functions, one row at a time."""

from __future__ import annotations

import numpy as np

from reference.routing import next_node


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


def draw_in_leaf(cdf, rest, weight=0.0):
    """First code whose cumulative share exceeds the uniform, and where in its share the uniform lies.

    No code for the first ``weight`` of the uniforms, which follow a trend.
    """
    if rest < weight:
        return None, rest / weight
    rest = (rest - weight) / (1 - weight)
    below = np.asarray(cdf, float)
    code = int(np.flatnonzero(below > rest)[0])
    start = below[code - 1] if code > 0 else 0.0
    return code, (rest - start) / (below[code] - start)


def draw_codes(x, splits, cdf, weight, u):
    """Code of each row and what is left of its uniform: first the tree, then the code, then the rest.

    Rows that follow a trend have no code yet (−1) but a leaf, the others no leaf.
    """
    codes, left_over, leaves = [], [], []
    for row, share in zip(x.T, u, strict=True):
        tree = int(share * splits.n_trees)
        node = splits.roots[tree]
        while splits.left[node] >= 0:
            node = next_node(splits, node, row)
        leaf = int(splits.leaf_of_node[node])
        of_trend = weight[leaf] if len(weight) else 0.0
        code, rest = draw_in_leaf(cdf[leaf], share * splits.n_trees - tree, of_trend)
        codes.append(-1 if code is None else code)
        left_over.append(rest)
        leaves.append(leaf if code is None else -1)
    return np.array(codes, int), np.array(left_over), np.array(leaves, int)
