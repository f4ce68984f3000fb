"""Draw codes from leaves and values from bins: uniforms in, codes and values out."""

import cython
import numpy as np
from cython.cimports.libc.math import INFINITY, NAN, nextafter, rint

from janus_synth.kernels.dtypes import INDEX

BELOW_ONE = cython.declare(cython.double, 1.0 - 2.0**-53)


def values_in_bins(
    codes: cython.const[cython.ushort][::1],
    u: cython.const[cython.double][::1],
    level: cython.const[cython.double][:, ::1],
    knot: cython.const[cython.double][:, ::1],
    upper: cython.const[cython.double][::1],
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[::1],
) -> None:
    """Invert each code's quantile function at ``u``; codes beyond the bins (missing) become NaN.

    With ``scale > 0`` values are rounded onto the lattice (base + gap · m) / scale. Rounding never leaves the bin.

    codes (n,) CODE | u, out (n,) REAL | level, knot (K, q) REAL | upper (K−1,) REAL
    """
    n_bins: cython.Py_ssize_t = level.shape[0]
    n_knots: cython.Py_ssize_t = level.shape[1]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    t: cython.Py_ssize_t
    width: cython.Py_ssize_t
    half: cython.Py_ssize_t
    value: cython.double
    below: cython.double
    above: cython.double
    along: cython.double
    m: cython.double
    with cython.nogil:
        for i in range(codes.shape[0]):
            k = codes[i]
            if k >= n_bins:
                out[i] = NAN
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
                    m = rint((value * scale - base) / gap)
                    value = (base + gap * m) / scale
                    if value < knot[k, 0]:
                        value = (base + gap * (m + 1.0)) / scale
                    elif value > knot[k, n_knots - 1]:
                        value = (base + gap * (m - 1.0)) / scale
                else:
                    value = min(value, upper[k] if k < n_bins - 1 else knot[k, n_knots - 1])
                    if k > 0 and value <= upper[k - 1]:
                        value = nextafter(upper[k - 1], INFINITY)
            out[i] = value


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def draw_in_leaf(
    x: cython.ushort[:, ::1],
    target: cython.Py_ssize_t,
    rows: cython.const[cython.int][::1],
    cdf: cython.const[cython.float][::1],
    n_trees: cython.Py_ssize_t,
    leaf: cython.int,
    weight: cython.double,
    u: cython.double[::1],
    leaf_of_row: cython.int[::1],
) -> cython.void:
    """Draw the target's code for rows that share a leaf with the given cumulative shares.

    Rows that are to follow the leaf's trend, a share ``weight`` of them, get the leaf instead of a code.

    x (d, n) CODE | rows (r,) INDEX | cdf (K,) float32, ending in 1 | u (n,) REAL | leaf_of_row (n,) INDEX
    """
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    code: cython.Py_ssize_t
    width: cython.Py_ssize_t
    half: cython.Py_ssize_t
    scaled: cython.double
    rest: cython.double
    below: cython.double
    mass: cython.double
    for at in range(rows.shape[0]):
        i = rows[at]
        scaled = u[i] * n_trees
        rest = scaled - min(cython.cast(cython.Py_ssize_t, scaled), n_trees - 1)
        if rest < weight:
            leaf_of_row[i] = leaf
            u[i] = rest / weight
            continue
        if weight > 0.0:
            rest = min(max((rest - weight) / (1.0 - weight), 0.0), BELOW_ONE)
        code, width = 0, cdf.shape[0]
        while width > 1:  # first code whose cumulative share exceeds the uniform
            half = width // 2
            code += half if cdf[code + half - 1] <= rest else 0
            width -= half
        below = 0.0
        if code > 0:
            below = cdf[code - 1]
        mass = cdf[code] - below
        x[target, i] = cython.cast(cython.ushort, code)
        u[i] = min(max((rest - below) / mass, 0.0), 1.0) if mass > 0.0 else 0.5


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def group_by_tree(
    u: cython.const[cython.double][::1], start: cython.int[::1], place: cython.int[::1], rows: cython.int[::1]
) -> cython.void:
    """Order rows by the tree that their uniform picks; ``start`` receives where each tree's rows begin.

    u (n,) REAL | rows (n,) INDEX | start, place (b+1,) INDEX, start all zero, place work space
    """
    n_trees: cython.Py_ssize_t = start.shape[0] - 1
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    for i in range(u.shape[0]):
        start[min(cython.cast(cython.Py_ssize_t, u[i] * n_trees), n_trees - 1) + 1] += 1
    for t in range(n_trees):
        start[t + 1] += start[t]
    for t in range(n_trees + 1):
        place[t] = start[t]
    for i in range(u.shape[0]):
        t = min(cython.cast(cython.Py_ssize_t, u[i] * n_trees), n_trees - 1)
        rows[place[t]] = cython.cast(cython.int, i)
        place[t] += 1


def draw_codes(
    x: cython.ushort[:, ::1],
    target: cython.Py_ssize_t,
    roots: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    leaf_of_node: cython.const[cython.int][::1],
    cdf: cython.const[cython.float][:, ::1],
    weight: cython.const[cython.double][::1],
    u: cython.double[::1],
    leaf_of_row: cython.int[::1],
) -> None:
    """Draw the target's code of every row given its parents; one uniform per row does it all.

    The uniform picks the tree of the bag, then the code; what is left of it comes back in ``u`` as a fresh uniform
    for the place inside the bin. Rows go down a tree together, split by split, as they did when it grew:
    twice as fast as one by one, because no branch has to be guessed and a leaf's shares stay in the cache.

    x (d, n) CODE: row ``target`` is written | roots (b,), feature, cut, left, right, set_start, leaf_of_node INDEX
    left_levels uint8 | cdf (L, K) float32, rows ending in 1 | weight (L,) REAL: share of rows that follow a trend
    u (n,) REAL | leaf_of_row (n,) INDEX: written for rows that follow a trend, whose code is still to be drawn
    """
    n: cython.Py_ssize_t = x.shape[1]
    n_trees: cython.Py_ssize_t = roots.shape[0]
    start: cython.int[::1] = np.zeros(n_trees + 1, INDEX)
    place: cython.int[::1] = np.empty(n_trees + 1, INDEX)
    rows: cython.int[::1] = np.empty(n, INDEX)
    spare: cython.int[::1] = np.empty(n, INDEX)
    stack: cython.int[:, ::1] = np.empty((left.shape[0] + 1, 3), INDEX)
    parent: cython.const[cython.ushort][::1]
    levels: cython.const[cython.uchar][::1]
    t: cython.Py_ssize_t
    r: cython.Py_ssize_t
    depth: cython.Py_ssize_t
    node: cython.int
    leaf: cython.int
    lo: cython.int
    hi: cython.int
    at: cython.int
    late: cython.int
    row: cython.int
    bound: cython.int
    goes_left: cython.int
    goes_right: cython.int
    share: cython.double
    with cython.nogil:
        group_by_tree(u, start, place, rows)
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
                    share = weight[leaf] if weight.shape[0] > 0 else 0.0
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
                        goes_left = levels[parent[row]]
                        rows[at] = row
                        spare[late] = row
                        at += goes_left
                        late += 1 - goes_left
                for r in range(late):
                    rows[at + r] = spare[r]
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = left[node], lo, at
                stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = right[node], at, hi
                depth += 2
