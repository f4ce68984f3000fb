"""Walk trees with one column free: a row's codes in, a value for every code of the free column out.

Columns that are not drawn yet (``UNKNOWN``) are averaged: both sides of their splits are followed, weighted by the
share of training rows on each side.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import INDEX, REAL, UNKNOWN


class Trees(NamedTuple):
    """A bag of trees for walking: its splits, and the share of rows that each node sends to the left."""

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    set_start: NDArray[np.int32]
    left_levels: NDArray[np.uint8]
    leaf_of_node: NDArray[np.int32]
    share_left: NDArray[np.float32]
    uses: NDArray[np.uint8]
    """(b, d) 1 where a tree splits on a column."""


@njit(cache=True, nogil=True)
def goes_left(trees, node, code):
    """Side of a split that a code belongs to."""
    if trees.set_start[node] < 0:
        return code <= trees.cut[node]
    return trees.left_levels[trees.set_start[node] + code] == 1


@njit(cache=True, nogil=True)
def share_of_left(left, right, count):
    """Share of each node's rows that go left, a half where there are none; ``count`` holds the leaves' rows.

    left, right (m,) INDEX, children after their parents | count (m,) REAL, filled in for inner nodes
    returns (m,) float32
    """
    share = np.full(left.size, 0.5, np.float32)
    for node in range(left.size - 1, -1, -1):
        if left[node] >= 0:
            count[node] = count[left[node]] + count[right[node]]
            if count[node] > 0.0:
                share[node] = count[left[node]] / count[node]
    return share


@njit(cache=True, nogil=True)
def leaves_of_rows(trees, x, leaves):
    """Leaf of every row in every tree; all columns that the trees use are known.

    x (d, n) CODE | leaves (n, b) INDEX, written
    """
    for t in range(trees.roots.size):
        for r in range(x.shape[1]):
            node = trees.roots[t]
            while trees.left[node] >= 0:
                node = trees.left[node] if goes_left(trees, node, x[trees.feature[node], r]) else trees.right[node]
            leaves[r, t] = trees.leaf_of_node[node]


@njit(cache=True, nogil=True)
def mean_shares(leaves, table, score):
    """Mean over the bag of each row's leaf shares.

    leaves (n, b) INDEX | table (L, K) float32 | score (n, K) REAL, written
    """
    n_trees = leaves.shape[1]
    for r in range(leaves.shape[0]):
        row = score[r]
        row[:] = 0.0
        for t in range(n_trees):
            leaf = table[leaves[r, t]]
            for k in range(row.size):
                row[k] += leaf[k]
        for k in range(row.size):
            row[k] /= n_trees


@njit(cache=True, nogil=True)
def pick_trees(leaves, table, codes, u, chosen):
    """Draw each row's tree given its code: the more a tree expected the code, the likelier it is.

    leaves (n, b) INDEX | table (L, K) float32 | codes (n,) CODE | u (n,) REAL | chosen (n,) INDEX, written
    """
    for r in range(codes.size):
        total = 0.0
        for t in range(leaves.shape[1]):
            total += table[leaves[r, t], codes[r]]
        target = u[r] * total
        chosen[r] = 0
        for t in range(leaves.shape[1]):
            if table[leaves[r, t], codes[r]] > 0.0:
                chosen[r] = t
                target -= table[leaves[r, t], codes[r]]
                if target < 0.0:
                    break


@njit(cache=True, nogil=True)
def multiply_by_free(trees, tree_of_row, table, column, x, free, ordered, score, log_scale):
    """Multiply each row's scores by the value of its tree as a function of the free column.

    A tree that never asks for the free column would multiply all its codes alike, and is left out. Scores that
    become tiny are scaled up again, so that long products do not underflow.

    tree_of_row (n,) INDEX | table (L, m) float32: a leaf's value is in column ``column[r]`` | column (n,) CODE
    x (d, n) CODE, the free column is not read | score (n, K), log_scale (n,) REAL, changed
    """
    n_codes = score.shape[1]
    depth_limit = trees.left.size + 2
    stack = np.empty((depth_limit, 3), INDEX)
    weights = np.empty(depth_limit, REAL)
    codes = np.empty(n_codes, INDEX)  # a permutation: the codes that reach a node stand side by side
    spare = np.empty(n_codes, INDEX)
    value = np.empty(n_codes, REAL)
    for r in range(score.shape[0]):
        if trees.uses[tree_of_row[r], free] == 0:
            continue
        if not ordered:
            for k in range(n_codes):
                codes[k] = k
        value[:] = 0.0
        stack[0, 0], stack[0, 1], stack[0, 2] = trees.roots[tree_of_row[r]], 0, n_codes
        weights[0] = 1.0
        depth = 1
        while depth > 0:
            depth -= 1
            node, lo, hi, weight = stack[depth, 0], stack[depth, 1], stack[depth, 2], weights[depth]
            while trees.left[node] >= 0:  # go left at once, leave the right for later
                feature = trees.feature[node]
                middle = lo
                if feature == free:
                    if ordered:
                        middle = min(max(trees.cut[node] + 1, lo), hi)
                    else:
                        late = 0
                        for i in range(lo, hi):
                            if goes_left(trees, node, codes[i]):
                                codes[middle] = codes[i]
                                middle += 1
                            else:
                                spare[late] = codes[i]
                                late += 1
                        for i in range(late):
                            codes[middle + i] = spare[i]
                    if middle == hi:
                        node = trees.left[node]
                    elif middle == lo:
                        node = trees.right[node]
                    else:
                        stack[depth, 0], stack[depth, 1], stack[depth, 2] = trees.right[node], middle, hi
                        weights[depth] = weight
                        depth += 1
                        node, hi = trees.left[node], middle
                elif x[feature, r] == UNKNOWN:
                    share = trees.share_left[node]
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = trees.right[node], lo, hi
                    weights[depth] = weight * (1.0 - share)
                    depth += 1
                    node, weight = trees.left[node], weight * share
                else:
                    node = trees.left[node] if goes_left(trees, node, x[feature, r]) else trees.right[node]
            gain = weight * table[trees.leaf_of_node[node], column[r]]
            if ordered:
                for k in range(lo, hi):
                    value[k] += gain
            else:
                for i in range(lo, hi):
                    value[codes[i]] += gain
        most = 0.0
        for k in range(n_codes):
            score[r, k] *= value[k]
            most = max(most, score[r, k])
        if 0.0 < most < 1e-30:
            log_scale[r] += np.log(most)
            for k in range(n_codes):
                score[r, k] /= most


@njit(cache=True, nogil=True)
def values_of_rows(trees, table, x, out):
    """Value of each row in the first tree, columns that are not drawn yet averaged.

    table (L, 1) float32 | x (d, n) CODE | out (n,) REAL, written
    """
    stack = np.empty(trees.left.size + 2, INDEX)
    weights = np.empty(trees.left.size + 2, REAL)
    for r in range(out.size):
        stack[0], weights[0] = trees.roots[0], 1.0
        depth, total = 1, 0.0
        while depth > 0:
            depth -= 1
            node, weight = stack[depth], weights[depth]
            while trees.left[node] >= 0:
                code = x[trees.feature[node], r]
                if code == UNKNOWN:
                    share = trees.share_left[node]
                    stack[depth], weights[depth] = trees.right[node], weight * (1.0 - share)
                    depth += 1
                    node, weight = trees.left[node], weight * share
                else:
                    node = trees.left[node] if goes_left(trees, node, code) else trees.right[node]
            total += weight * table[trees.leaf_of_node[node], 0]
        out[r] = total
