"""Twins of the walking kernels: one row, one node at a time, by recursion."""

from __future__ import annotations

import numpy as np

from janus_synth.kernels.dtypes import UNKNOWN


def goes_left(trees, node, code):
    """Side of a split that a code belongs to."""
    start = trees.set_start[node]
    return bool(code <= trees.cut[node] if start < 0 else trees.left_levels[start + code] == 1)


def share_of_left(left, right, count):
    """Share of each node's rows that go left, a half where there are none; and the rows of every node."""

    def rows(node):
        return count[node] if left[node] < 0 else rows(left[node]) + rows(right[node])

    total = np.array([rows(node) for node in range(len(left))])
    share = [rows(left[i]) / total[i] if left[i] >= 0 and total[i] > 0 else 0.5 for i in range(len(left))]
    return np.array(share), total


def leaf_weights(trees, node, row):
    """Leaves that a row may reach from a node, and their chances: 1 for one leaf if all columns are known."""
    if trees.left[node] < 0:
        return {int(trees.leaf_of_node[node]): 1.0}
    code = row[trees.feature[node]]
    if code != UNKNOWN:
        child = trees.left[node] if goes_left(trees, node, code) else trees.right[node]
        return leaf_weights(trees, child, row)
    share = float(trees.share_left[node])
    left, right = leaf_weights(trees, trees.left[node], row), leaf_weights(trees, trees.right[node], row)
    return {leaf: share * w for leaf, w in left.items()} | {leaf: (1 - share) * w for leaf, w in right.items()}


def leaves_of_rows(trees, x):
    """(rows, trees) the leaf of every row in every tree."""
    return np.array([[next(iter(leaf_weights(trees, root, row))) for root in trees.roots] for row in x.T])


def mean_shares(leaves, table):
    """Mean over the bag of each row's leaf shares."""
    return table.astype(float)[leaves].mean(axis=1)


def pick_trees(leaves, table, codes, u):
    """First tree whose cumulative expectation of the code exceeds the uniform."""
    chosen = []
    for row, code, share in zip(leaves, codes, u, strict=True):
        below = np.cumsum(table.astype(float)[row, code])
        chosen.append(int(np.searchsorted(below, share * below[-1], side="right")))
    return np.array(chosen)


def value_of_row(trees, root, table, column, row):
    """Value of a row in a tree, what is unknown averaged."""
    return sum(weight * float(table[leaf, column]) for leaf, weight in leaf_weights(trees, root, row).items())


def asks_for(trees, node, column):
    """Whether a node or one below it splits on a column."""
    if trees.left[node] < 0:
        return False
    children = trees.left[node], trees.right[node]
    return trees.feature[node] == column or any(asks_for(trees, child, column) for child in children)


def multiply_by_free(trees, tree_of_row, table, column, x, free, score):
    """Scores times the value of each row's tree, the free column set to every code in turn; nothing is scaled.

    A tree that does not ask for the free column changes nothing.
    """
    product = np.array(score, float)
    for r, row in enumerate(x.T):
        root = trees.roots[tree_of_row[r]]
        for code in range(score.shape[1]) if asks_for(trees, root, free) else ():
            asked = row.copy()
            asked[free] = code
            product[r, code] *= value_of_row(trees, root, table, column[r], asked)
    return product


def values_of_rows(trees, table, x):
    """Value of each row in the first tree."""
    return np.array([value_of_row(trees, trees.roots[0], table, 0, row) for row in x.T])
