"""Reference for the drawing kernels: inverse distribution functions, one row at a time."""

from __future__ import annotations

import numpy as np

from reference.routing import leaves_of_uniforms, shares_of_uniforms
from reference.walking import draw_on_line


def fill_guide(shares, n_cells):
    """How many shares of each row are not above the start of each cell."""
    return np.array([[int((row <= cell / n_cells).sum()) for cell in range(n_cells)] for row in shares])


def draw_in_leaf(cdf, share, weight=0.0):
    """First code whose cumulative share exceeds the uniform; none for the first ``weight``, which follow a trend."""
    if share < weight:
        return None
    rest = min(np.float32((share - weight) / (1 - weight)), np.nextafter(np.float32(1), np.float32(0)))
    return int(np.flatnonzero(np.asarray(cdf) > rest)[0])


def draw_codes(x, splits, cdf, trends, u):
    """Code of each row, and whether it follows a trend.

    First the tree, then the code by the leaf's histogram or by its line.
    """
    codes, of_trend = [], []
    for row, leaf, share in zip(x.T, leaves_of_uniforms(x, splits, u), shares_of_uniforms(splits, u), strict=True):
        weight = trends.weight[leaf] if len(trends.weight) else 0.0
        code = draw_in_leaf(cdf[leaf], share, weight)
        of_trend.append(code is None)
        if code is None:
            shares = np.diff(np.asarray(cdf[leaf], float), prepend=0.0)
            code = draw_on_line(trends, shares, leaf, row, share / weight)
        codes.append(code)
    return np.array(codes, int), np.array(of_trend)


def scramble(uniforms):
    """SplitMix64: the output for each uniform's bits as a state, its first 53 bits as a number from 0 to 1."""
    out = []
    for bits in np.asarray(uniforms, float).view(np.uint64).tolist():
        bits = (bits + 0x9E3779B97F4A7C15) % 2**64
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) % 2**64
        out.append(((bits ^ (bits >> 31)) >> 11) / 2**53)
    return np.array(out)
