"""Reference for the routing kernels: one row and one node at a time."""

from __future__ import annotations

import numpy as np


def next_node(splits, node, row):
    """Child of an inner node that a row of codes goes to."""
    code = row[splits.feature[node]]
    if splits.set_start[node] < 0:
        goes_left = code <= splits.cut[node]
    else:
        goes_left = splits.left_levels[splits.set_start[node] + code] == 1
    return splits.left[node] if goes_left else splits.right[node]


def leaf_of_row(x, root, splits):
    """Node (a leaf) that each row reaches from ``root``."""
    reached = []
    for row in x.T:
        node = root
        while splits.left[node] >= 0:
            node = next_node(splits, node, row)
        reached.append(node)
    return np.array(reached, int)


def leaves_of_uniforms(x, splits, u):
    """Leaf of each row in the tree that its uniform picks."""
    trees = [min(int(share * splits.n_trees), splits.n_trees - 1) for share in u]
    nodes = [leaf_of_row(x[:, [r]], splits.roots[tree], splits)[0] for r, tree in enumerate(trees)]
    return splits.leaf_of_node[nodes]


def shares_of_uniforms(splits, u):
    """What the pick of a tree leaves of each uniform, as 32-bit floats below 1."""
    shares = [share * splits.n_trees - min(int(share * splits.n_trees), splits.n_trees - 1) for share in u]
    return np.minimum(np.array(shares, np.float32), np.nextafter(np.float32(1), np.float32(0)))
