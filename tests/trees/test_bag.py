"""Bags: probabilities of rows over all trees, joined bags, and draws that agree with both."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from janus_synth.trees.bag import join_bags
from reference.routing import leaf_of_row
from strategies import bag_for, code_tables, quick, related_codes


@quick
@given(code_tables())
def test_a_row_has_the_mean_probability_of_the_trees(table):
    bag = bag_for(table, min_samples_leaf=2)
    table_of_leaves = bag.leaves.shares(bag.splits)
    expected = np.zeros(table.n_rows)
    for root in bag.splits.roots:
        leaves = bag.splits.leaf_of_node[leaf_of_row(table.x, root, bag.splits)]
        expected += table_of_leaves[leaves, table.x[0]] / bag.splits.n_trees
    np.testing.assert_allclose(bag.shares(table.x), expected, rtol=1e-6)
    assert (bag.shares(table.x) > 0).all()


def test_probabilities_of_all_codes_sum_to_one():
    table = related_codes(np.random.default_rng(0), "ouo", 200)
    bag = bag_for(table)
    total = np.zeros(200)
    for code in range(bag.leaves.tree.n_codes):
        x = table.x.copy()
        x[0] = code
        total += bag.shares(x)
    np.testing.assert_allclose(total, 1.0, atol=1e-6)


@quick
@given(code_tables())
def test_joined_bags_keep_every_tree_and_its_leaves(table):
    parts = [bag_for(table, n_trees=2, seed=seed, min_samples_leaf=2) for seed in (0, 1)]
    joined = join_bags(parts)
    recounted = joined.counted(table.x, table.codec.n_codes)
    for way in ("forward", "backward"):
        np.testing.assert_array_equal(getattr(joined.leaves, way).toarray(), getattr(recounted, way).toarray())
    mean = (parts[0].shares(table.x) + parts[1].shares(table.x)) / 2
    np.testing.assert_allclose(joined.shares(table.x), mean, rtol=1e-6)


def test_a_bag_of_one_is_itself():
    bag = bag_for(related_codes(np.random.default_rng(0), "ou", 50))
    assert join_bags([bag]) is bag
