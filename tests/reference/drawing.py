"""Reference for the drawing kernels: inverse distribution functions, one row at a time."""

from __future__ import annotations

import numpy as np

from reference.routing import next_node
from reference.walking import draw_on_line


def fill_guide(shares, n_cells):
    """How many shares of each row are not above the start of each cell."""
    return np.array([[int((row <= cell / n_cells).sum()) for cell in range(n_cells)] for row in shares])


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


def draw_codes(x, splits, cdf, trends, u):
    """Code of each row, what is left of its uniform, and whether it follows a trend.

    First the tree, then the code by the leaf's histogram or by its line, then the rest.
    """
    codes, left_over, of_trend = [], [], []
    for row, share in zip(x.T, u, strict=True):
        tree = min(int(share * splits.n_trees), splits.n_trees - 1)
        node = splits.roots[tree]
        while splits.left[node] >= 0:
            node = next_node(splits, node, row)
        leaf = int(splits.leaf_of_node[node])
        weight = trends.weight[leaf] if len(trends.weight) else 0.0
        code, rest = draw_in_leaf(cdf[leaf], share * splits.n_trees - tree, weight)
        of_trend.append(code is None)
        if code is None:
            shares = np.diff(np.asarray(cdf[leaf], float), prepend=0.0)
            code, rest = draw_on_line(trends, shares, leaf, row, rest)
        codes.append(code)
        left_over.append(rest)
    return np.array(codes, int), np.array(left_over), np.array(of_trend)
