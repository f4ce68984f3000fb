"""Reference for the check of a bag's arrays: one rule after the other, on whole arrays."""

from __future__ import annotations

import numpy as np


def find_problem(roots, feature, left, right, set_start, left_levels, leaf_of_node):
    """Number of the first rule that the arrays break, or 0; numbers as in the kernel."""
    n_nodes, nodes, inner = len(left), np.arange(len(left)), left >= 0
    if (left < -1).any() or ((right >= 0) != inner).any():
        return 1
    parents, children = np.tile(nodes[inner], 2), np.concatenate([left[inner], right[inner]])
    end_of_tree = np.append(roots[1:], n_nodes)[np.searchsorted(roots, parents, side="right") - 1]
    if (children <= parents).any() or (children >= end_of_tree).any():
        return 2
    n_parents = np.bincount(children, minlength=n_nodes)
    n_parents[roots] += 1
    if (n_parents != 1).any():
        return 3
    if (feature[inner] < 0).any():
        return 4
    if (set_start >= len(left_levels)).any() or (left_levels > 1).any():
        return 5
    return 0 if np.array_equal(leaf_of_node, np.where(inner, -1, np.cumsum(~inner) - 1)) else 6
