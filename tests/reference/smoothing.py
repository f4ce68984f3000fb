"""Twins of the smoothing kernels: one node, one slot at a time, straight from the formula."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def codes_below(tree, slot):
    """Codes whose path passes through a slot; all of them for the root."""
    paths = [tree.path_slot[a:b] for a, b in pairwise(tree.path_start)]
    return [code for code, path in enumerate(paths) if slot == 0 or slot in path]


def shrink_down(left, right, counts, leaf_of_node, tree, strength, floor, hierarchical=True):
    """Distribution of every leaf of one tree over codes; ``counts`` is a dense table (leaves × codes).

    Nodes lean on the node above them, or all on ``floor`` where the prior is not ``hierarchical``.
    """

    def leaves_below(node):
        if left[node] < 0:
            return [leaf_of_node[node]]
        return leaves_below(left[node]) + leaves_below(right[node])

    def share(node, slot, above):
        """(count[slot] + c · r) / (count[slot above] + c), r being the share in the node above."""
        rows = counts[leaves_below(node)].sum(axis=0)
        c = strength[slot]
        return (rows[codes_below(tree, slot)].sum() + c * above) / (
            rows[codes_below(tree, tree.slot_up[slot])].sum() + c
        )

    out = np.full(counts.shape, np.nan)

    def visit(node, above):
        own = {slot: share(node, slot, above[slot]) for slot in range(1, tree.n_slots)}
        if left[node] >= 0:
            for child in (left[node], right[node]):
                visit(child, own if hierarchical else floor)
            return
        for code in range(tree.n_codes):
            path = tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]]
            out[leaf_of_node[node], code] = np.prod([own[slot] for slot in path])

    visit(0, floor)
    return out


def cumulate(shares):
    """Cumulative shares of every row, scaled to end in 1."""
    below = np.cumsum(np.asarray(shares, float), axis=1)
    return below / below[:, -1:]
