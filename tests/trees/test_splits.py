"""Splits: a joined bag routes rows as each tree alone does, and invalid arrays are rejected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.splits import Splits, join_splits, single_leaf
from reference.routing import leaf_of_row
from strategies import bag_for, code_tables, quick, related_codes


@quick
@given(code_tables())
def test_a_joined_bag_routes_like_each_tree_alone(table):
    parts = [bag_for(table, n_trees=2, seed=seed, min_samples_leaf=2).splits for seed in (0, 1)]
    parts.append(single_leaf())
    joined = join_splits(parts)
    assert joined.n_trees == sum(part.n_trees for part in parts)
    assert joined.n_leaves == sum(part.n_leaves for part in parts)
    tree, first = 0, 0
    for part in parts:
        for own in range(part.n_trees):
            expected = first + part.leaf_of_node[leaf_of_row(table.x, part.roots[own], part)]
            np.testing.assert_array_equal(joined.leaves_reached(table.x, tree), expected)
            tree += 1
        first += part.n_leaves


@quick
@given(code_tables())
def test_rows_keep_the_nodes_that_are_known(table):
    splits = bag_for(table, n_trees=1, min_samples_leaf=2).splits
    nodes = leaf_of_row(table.x, 0, splits)
    known = np.where(np.arange(table.n_rows) % 2 == 0, nodes, -1).astype(INDEX)
    known[0] = -1 if splits.n_leaves == 1 else np.flatnonzero((splits.left < 0) & (splits.leaf_of_node >= 0))[-1]
    expected = splits.leaf_of_node[np.where(known >= 0, known, nodes)]
    np.testing.assert_array_equal(splits.leaves_reached(table.x, 0, known), expected)


@quick
@given(code_tables())
def test_nodes_of_a_tree_are_contiguous_and_contain_its_leaves(table):
    splits = bag_for(table, n_trees=3, min_samples_leaf=2).splits
    seen = []
    for tree in range(splits.n_trees):
        at = splits.nodes_of(tree)
        nodes = np.arange(len(splits.left))[at]
        children = np.concatenate([splits.left[at], splits.right[at]])
        assert set(children[children >= 0]) == set(nodes[1:])  # all nodes but the root are children
        own = splits.leaf_of_node[at][splits.left[at] < 0]
        assert np.isin(splits.leaves_reached(table.x, tree), own).all()
        seen += own.tolist()
    assert seen == list(range(splits.n_leaves))


def test_features_are_the_columns_that_split():
    table = related_codes(np.random.default_rng(0), "ouo", 300)
    splits = bag_for(table).splits
    assert set(splits.features) == set(splits.feature[splits.left >= 0])
    assert single_leaf().features.tolist() == []


def test_a_lone_leaf_takes_every_row():
    table = related_codes(np.random.default_rng(0), "ou", 20)
    assert single_leaf().leaves_reached(table.x, 0).tolist() == [0] * 20
    assert (single_leaf().n_trees, single_leaf().n_leaves) == (1, 1)


@pytest.mark.parametrize(
    "damage",
    [
        lambda s: {"left": np.where(s.left > 0, 0, s.left)},  # a child before its parent
        lambda s: {"right": np.where(s.right > 0, len(s.right), s.right)},  # a child beyond the nodes
        lambda s: {"feature": np.full_like(s.feature, -1)},
        lambda s: {"cut": s.cut[:-1]},
        lambda s: {"roots": s.roots + 1},
        lambda s: {"roots": s.roots[:0]},
        lambda s: {"leaf_of_node": np.where(s.left < 0, 0, -1)},
        lambda s: {"set_start": s.set_start + len(s.left_levels) + 1},
    ],
)
def test_arrays_that_would_misroute_rows_raise(damage):
    splits: Splits = bag_for(related_codes(np.random.default_rng(1), "ouo", 300)).splits
    with pytest.raises(ValueError, match="not a bag of trees"):
        replace(splits, **damage(splits))
