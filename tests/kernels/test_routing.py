"""Routing kernels against walking one row and one node at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.kernels.routing import leaf_of_row, order_by_leaf, rows_of_leaves
from janus_synth.trees.splits import Splits
from reference import routing as reference
from strategies import bag_for, code_tables, quick, seeds


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_rows_reach_the_leaf_of_the_reference(table, n_trees):
    s = bag_for(table, n_trees=n_trees, min_samples_leaf=1).splits
    for root in s.roots:
        nodes = np.full(table.n_rows, -7, INDEX)
        leaf_of_row(table.x, root, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, nodes)
        np.testing.assert_array_equal(nodes, reference.leaf_of_row(table.x, root, s))
        assert (s.left[nodes] < 0).all()


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_rows_of_a_leaf_stand_side_by_side(table, n_trees):
    s = bag_for(table, n_trees=n_trees, min_samples_leaf=1).splits
    for root in s.roots:
        rows, ends = np.full(table.n_rows, -7, INDEX), np.zeros((2, s.n_leaves), INDEX)
        rows_of_leaves(
            table.x, root, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node, rows, *ends
        )
        reached = s.leaf_of_node[reference.leaf_of_row(table.x, root, s)]
        for leaf in range(s.n_leaves):
            assert sorted(rows[ends[0, leaf] : ends[1, leaf]]) == np.flatnonzero(reached == leaf).tolist()


def test_a_cut_keeps_equal_codes_left_and_a_set_sends_its_levels_left():
    splits = Splits(
        roots=np.zeros(1, INDEX),
        feature=np.array([0, 1, -1, -1, -1], INDEX),
        cut=np.array([2, -1, -1, -1, -1], INDEX),
        left=np.array([1, 3, -1, -1, -1], INDEX),
        right=np.array([2, 4, -1, -1, -1], INDEX),
        set_start=np.array([-1, 0, -1, -1, -1], INDEX),
        left_levels=np.array([0, 1, 1], np.uint8),
        leaf_of_node=np.array([-1, -1, 0, 1, 2], INDEX),
    )
    x = np.array([[2, 2, 2, 3, 9], [0, 1, 2, 1, 1]], CODE)
    assert splits.leaves_reached(x, 0).tolist() == [2, 1, 1, 0, 0]


@quick
@given(code_tables(), st.sampled_from([1, 3, 7]), seeds)
def test_rows_are_ordered_by_the_leaf_that_their_uniform_leads_to(table, n_trees, seed):
    s = bag_for(table, n_trees=n_trees, min_samples_leaf=1).splits
    u = np.random.default_rng(seed).random(table.n_rows)
    u[0], u[-1] = 0.0, np.nextafter(1.0, 0.0)
    rows, leaf_of = np.full(table.n_rows, -7, INDEX), np.full(table.n_rows, -7, INDEX)
    share = np.empty(table.n_rows, np.float32)
    order_by_leaf(
        table.x,
        u,
        s.roots,
        s.feature,
        s.cut,
        s.left,
        s.right,
        s.set_start,
        s.left_levels,
        s.leaf_of_node,
        rows,
        leaf_of,
        share,
    )
    np.testing.assert_array_equal(np.sort(rows), np.arange(table.n_rows))
    np.testing.assert_array_equal(leaf_of, reference.leaves_of_uniforms(table.x, s, u)[rows])
    assert len(np.flatnonzero(np.diff(leaf_of))) + 1 == len(np.unique(leaf_of))  # rows of a leaf are side by side
    np.testing.assert_array_equal(share, reference.shares_of_uniforms(s, u))


def test_no_rows_are_in_order():
    nothing = np.zeros(0, INDEX)
    leaf = np.full(1, -1, INDEX)
    root, first = np.zeros(1, INDEX), np.zeros(1, INDEX)
    order_by_leaf(
        np.zeros((1, 0), CODE), np.zeros(0), root, leaf, leaf, leaf, leaf, leaf, np.zeros(0, np.uint8), first,
        nothing, nothing, np.zeros(0, np.float32),
    )  # fmt: skip
