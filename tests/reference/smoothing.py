"""Reference for the smoothing kernels: shrinkage by the formula, one node and one slot at a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def leaning(count, rows, strength, share, left_out=0):
    """(count + c · r) / (rows + c); with ``left_out`` 1 one row fewer, if there is one to leave out."""
    if left_out and count > 0:
        count, rows = count - 1, rows - 1
    return share if rows == 0 else (count + strength * share) / (rows + strength)


def codes_below(tree, slot):
    """Codes whose path passes through a slot; all of them for the root."""
    paths = [tree.path_slot[a:b] for a, b in pairwise(tree.path_start)]
    return [code for code, path in enumerate(paths) if slot == 0 or slot in path]


def leaves_below(left, right, leaf_of_node, node):
    """Leaves of a node, from left to right."""
    if left[node] < 0:
        return [leaf_of_node[node]]
    return [leaf for child in (left[node], right[node]) for leaf in leaves_below(left, right, leaf_of_node, child)]


def shrink_down(left, right, counts, leaf_of_node, tree, strength, first, floor, hierarchical=True, left_out=0):
    """Distribution of every leaf of one tree over codes; ``counts`` is a dense table (leaves × codes).

    The root is shrunk to ``floor`` by ``first``, other nodes by ``strength`` to the node above, or all to ``floor``
    where the prior is not ``hierarchical``. With ``left_out`` a code's share comes from a table with one row fewer,
    NaN where a leaf has no such row.
    """
    out = np.full(counts.shape, np.nan)
    if left_out:
        for leaf, code in np.argwhere(counts > 0):
            fewer = counts.copy()
            fewer[leaf, code] -= 1
            shares = shrink_down(left, right, fewer, leaf_of_node, tree, strength, first, floor, hierarchical)
            out[leaf, code] = shares[leaf, code]
        return out

    def share(node, slot, above):
        """Share of a slot in the split above it, r being its share in the node above."""
        rows = counts[leaves_below(left, right, leaf_of_node, node)].sum(axis=0)
        count, whole = (rows[codes_below(tree, s)].sum() for s in (slot, tree.slot_up[slot]))
        return leaning(count, whole, first[slot] if node == 0 else strength[slot], above)

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


def drawn_entropies(left, right, counts, leaf_of_node, tree, strength, first, floor, rng, n, hierarchical=True):
    """Mean entropy of each leaf's distribution over n draws from its posterior, and the mean's standard error."""
    out = np.full((2, len(counts)), np.nan)

    def posterior(node, above):
        """Dirichlet α of every slot: the node's own counts plus the pseudo-counts of the prior."""
        rows = counts[leaves_below(left, right, leaf_of_node, node)].sum(axis=0)
        lean = first if node == 0 else strength
        return np.array([rows[codes_below(tree, s)].sum() + lean[s] * above[s] for s in range(tree.n_slots)])

    def visit(node, above):
        alpha = posterior(node, above)
        whole = np.array([alpha[tree.slot_up == s][s == 0 :].sum() for s in range(tree.n_slots)])
        mean = np.array([0.0, *(alpha[1:] / whole[tree.slot_up[1:]])])
        if left[node] >= 0:
            for child in (left[node], right[node]):
                visit(child, mean if hierarchical else floor)
            return
        gamma = rng.standard_gamma(alpha, (n, tree.n_slots))
        share = np.ones((n, tree.n_slots))
        for slot in range(1, tree.n_slots):
            siblings = [s for s in range(1, tree.n_slots) if tree.slot_up[s] == tree.slot_up[slot]]
            own = gamma[:, slot] / np.maximum(gamma[:, siblings].sum(axis=1), 1e-300)
            share[:, slot] = own * share[:, tree.slot_up[slot]]
        p = share[:, [tree.path_slot[stop - 1] for stop in tree.path_start[1:]]]
        entropy = -np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1)
        out[:, leaf_of_node[node]] = entropy.mean(), entropy.std() / np.sqrt(n)

    visit(0, floor)
    return out
