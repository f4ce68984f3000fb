"""Bags: mean probabilities over trees, joined bags, counts of further rows, and the columns a bag depends on."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from janus_synth.trees.bag import join_bags
from reference.routing import leaf_of_row
from strategies import bag_for, code_tables, quick, related_codes, trend_tables, trended_bag


def shares_of(bag, x):
    """Probability of each row's own code, over all trees."""
    return bag.compiled(len(x)).probability_of(x[bag.target], x)


@quick
@given(code_tables())
def test_a_row_has_the_mean_probability_of_the_trees(table):
    bag = bag_for(table, min_samples_leaf=2, leaves="histogram")
    table_of_leaves = bag.shares
    expected = np.zeros(table.n_rows)
    for root in bag.splits.roots:
        leaves = bag.splits.leaf_of_node[leaf_of_row(table.x, root, bag.splits)]
        expected += table_of_leaves[leaves, table.x[0]] / bag.splits.n_trees
    np.testing.assert_allclose(shares_of(bag, table.x), expected, rtol=1e-6)
    assert (shares_of(bag, table.x) > 0).all()


def test_probabilities_of_all_codes_sum_to_one():
    table = related_codes(np.random.default_rng(0), "ouo", 200)
    bag = bag_for(table)
    total = np.zeros(200)
    for code in range(bag.leaves.tree.n_codes):
        x = table.x.copy()
        x[0] = code
        total += shares_of(bag, x)
    np.testing.assert_allclose(total, 1.0, atol=1e-6)


@quick
@given(code_tables() | trend_tables())
def test_joined_bags_keep_every_tree_and_its_leaves(table):
    parts = [bag_for(table, n_trees=2, seed=seed, min_samples_leaf=2) for seed in (0, 1)]
    joined = join_bags(parts)
    recounted = joined.counted(table.x, table.codec.n_codes).leaves
    for way in ("forward", "backward"):
        np.testing.assert_array_equal(getattr(joined.leaves, way).toarray(), getattr(recounted, way).toarray())
    mean = (shares_of(parts[0], table.x) + shares_of(parts[1], table.x)) / 2
    np.testing.assert_allclose(shares_of(joined, table.x), mean, rtol=1e-6)


def test_joining_a_single_bag_returns_it_unchanged():
    bag = bag_for(related_codes(np.random.default_rng(0), "ou", 50))
    assert join_bags([bag]) is bag


@quick
@given(code_tables() | trend_tables())
def test_a_bag_depends_on_the_columns_of_its_splits_and_trends(table):
    bag = bag_for(table, min_samples_leaf=2)
    lines = [] if bag.trends is None else bag.trends.parents.tolist()
    assert bag.parents.tolist() == sorted({*bag.splits.features.tolist(), *lines})
    moved = table.x.copy()
    for other in set(range(1, len(table.x))) - set(bag.parents.tolist()):
        moved[other] = 0
    np.testing.assert_array_equal(shares_of(bag, moved), shares_of(bag, table.x))


@quick
@given(code_tables(min_rows=4) | trend_tables())
def test_recounting_a_bag_on_other_rows_keeps_the_trees_and_replaces_the_counts(table):
    bag = bag_for(table, min_samples_leaf=2)
    few = np.ascontiguousarray(table.x[:, :2])
    other = bag.counted(few, table.codec.n_codes)
    assert other.splits is bag.splits
    assert other.leaves.forward.sum() == 2 * bag.splits.n_trees
    assert (other.leaves.root_strength, other.leaves.tree) == (bag.leaves.root_strength, bag.leaves.tree)
    assert (other.trends is None) == (bag.trends is None)


@quick
@given(trend_tables(min_rows=60))
def test_codes_that_become_possible_get_a_share(table):
    """*Missing* in a column that had no missing cell: leaves and trends give it a probability."""
    table.x[0] = np.minimum(table.x[0], table.codec.n_codes[0] - 2)
    bag = trended_bag(table, min_samples_leaf=2)
    codes = np.arange(table.codec.n_codes[0])
    for allowed in (codes < len(codes) - 1, codes >= 0):
        walker = bag.allowing(allowed).compiled(len(table.x))
        shares = walker.shares(walker.leaves(table.x), table.x)
        assert ((shares > 0) == allowed).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)


def test_everything_that_drawing_needs_is_precomputed():
    bag = bag_for(related_codes(np.random.default_rng(0), "oo", 200, n_values=9))
    assert bag.trends is not None
    assert not bag.is_prepared
    bag.prepare()
    assert bag.is_prepared
    cdf, arrays = bag.cdf, bag.trend_arrays()
    x, u = np.zeros((2, 50), np.uint16), np.linspace(0, 0.99, 50)
    bag.draw(x, u)
    assert bag.cdf is cdf
    assert bag.trend_arrays() is arrays
