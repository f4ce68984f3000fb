"""Backward messages (belief propagation): the leaves' backward histograms in, a lookahead for sparse graphs out.

In reverse topological order every column i collects e_i(k), the mass of code k that its own conditions allow times the
messages of its children. A leaf of its trees has the value v = Σ_k P(k) e_i(k), and parent j receives the message
m(k) = Σ_l H_l[j][k] v_l / Σ_l H_l[j][k] over the leaves.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Bools, Floats, Ints
from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.sampling.particles import Particles
from janus_synth.sampling.proposals.evidence_trees import mean_allowed_mass
from janus_synth.sampling.proposals.lookahead import Lookahead, ValueTree
from janus_synth.sampling.request import Request
from janus_synth.trees.compiled import CompiledTrees, compile_value_tree

MOST_LEAVES = 300


def message_trees(request: Request, pilot: Particles) -> Lookahead:
    """Make a value tree for every column that receives evidence and has parents."""
    initial: dict[int, float] = {}
    value_trees: dict[int, tuple[ValueTree, ...]] = {}
    n_codes = request.model.codec.n_codes
    offsets = np.concatenate([[0], np.cumsum(n_codes)])
    evidence: dict[int, Floats] = {}
    for column in reversed(request.order):
        if column in request.links:  # a computed column has no leaves that could send messages
            continue
        evidence_here = evidence.pop(column, np.ones(n_codes[column]))
        if column in request.constrained:
            evidence_here = evidence_here * mean_allowed_mass(request, pilot, column)
        if not request.parents[column] or np.ptp(evidence_here) == 0 or evidence_here.max() <= 0:
            continue
        evidence_here = evidence_here / evidence_here.max()
        bag = request.model.bags[column]
        value_of_leaf = bag.shares @ evidence_here
        backward = bag.leaves.backward
        total, rows = backward.T @ value_of_leaf, np.asarray(backward.sum(axis=0)).ravel()
        if not rows.any():  # a bag of trends without a split sends no message
            continue
        mean = float(total.sum() / rows.sum())
        message = np.divide(total, rows, out=np.full(len(total), mean), where=rows > 0)
        for parent in request.parents[column]:
            part = message[offsets[parent] : offsets[parent + 1]]
            evidence[parent] = evidence.get(parent, 1.0) * part / max(part.max(), 1e-300)
        tree = _pruned(request, column, value_of_leaf)
        if tree is not None:
            initial[column] = float(tree.values(np.full((len(n_codes), 1), UNKNOWN, CODE))[0])
            for at in map(int, tree.columns_of_first_tree()):
                value_trees[at] = (*value_trees.get(at, ()), ValueTree(column, tree))
    return Lookahead(request, initial, value_trees)


def _pruned(request: Request, column: int, value_of_leaf: Floats) -> CompiledTrees | None:
    """First tree of a column's bag with the leaves' values, pruned to its largest nodes."""
    from janus_synth.kernels.walking import share_of_left

    bag = request.model.bags[column]
    s, at = bag.splits, bag.splits.nodes_of(0)
    left, right, leaf = s.left[at], s.right[at], s.leaf_of_node[at]
    inner = left >= 0
    if not inner.any():
        return None
    count, total = np.zeros(len(left)), np.zeros(len(left))
    rows = np.asarray(bag.leaves.forward.sum(axis=1)).ravel()
    count[~inner] = rows[leaf[~inner]] + 1e-9
    total[~inner] = count[~inner] * value_of_leaf[leaf[~inner]]
    share_left = share_of_left(left, right, count)
    share_of_left(left, right, total)  # sums up the tree
    value = np.maximum(total / count, 1e-12 * value_of_leaf.max())
    kept = np.zeros(len(left), bool)
    largest = np.argsort(-np.where(inner, count, -1.0), kind="stable")[: MOST_LEAVES - 1]
    kept[largest] = inner[largest]
    kept = _with_kept_above(kept, left, right)
    nodes = np.flatnonzero(kept | _children_of(kept, left, right) | (np.arange(len(left)) == 0))
    place = np.full(len(left) + 1, -1, INDEX)
    place[nodes] = np.arange(len(nodes))
    is_leaf = ~kept[nodes]
    new_left = np.where(is_leaf, -1, place[left[nodes]]).astype(INDEX)
    new_right = np.where(is_leaf, -1, place[right[nodes]]).astype(INDEX)
    return compile_value_tree(
        s.feature[at][nodes], s.cut[at][nodes], new_left, new_right, s.set_start[at][nodes], s.left_levels,
        share_left[nodes], value[nodes], n_columns=len(request.parents),
    )  # fmt: skip


def _children_of(kept: Bools, left: Ints, right: Ints) -> Bools:
    children = np.zeros(len(kept), bool)
    children[left[kept]] = children[right[kept]] = True
    return children


def _with_kept_above(kept: Bools, left: Ints, right: Ints) -> Bools:
    """Nodes whose ancestors are all kept; among equal counts a child may have been taken before its parent."""
    above = np.zeros(len(kept), bool)
    above[0] = True
    for node in np.flatnonzero(kept):
        if above[node]:
            above[left[node]] = above[right[node]] = True
    return kept & above
