"""Leaves: forward and backward counts against brute force, and the distributions computed from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, vstack

from janus_synth.encoding import Codec, LevelCodec
from janus_synth.kernels.dtypes import CODE, COUNT, INDEX
from janus_synth.trees import Bag, GrowthSettings, grow_tree, join_bags, prepare_growth
from janus_synth.trees.leaves import LeafCounts, stack_counts
from reference import smoothing as reference
from strategies import bag_for, code_tables, quick, related_codes, seeds


def tables_equal(a, b) -> bool:
    return a.shape == b.shape and np.array_equal(a.toarray(), b.toarray())


def columns_of(bag: Bag, tree: int) -> np.ndarray:
    at = bag.splits.nodes_of(tree)
    return np.unique(bag.splits.feature[at][bag.splits.left[at] >= 0])


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_forward_counts_are_the_rows_of_each_leaf(table, n_trees):
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2)
    forward = bag.leaves.forward.toarray()
    expected = np.zeros_like(forward)
    for tree in range(bag.splits.n_trees):
        leaf = bag.splits.leaves_reached(table.x, tree)
        np.add.at(expected, (leaf, table.x[0].astype(int)), 1)
        assert forward[np.unique(leaf)].sum() == table.n_rows  # every tree counts every row
    np.testing.assert_array_equal(forward, expected)


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_backward_counts_are_the_parents_of_each_leaf(table, n_trees):
    """H_l[j][k] for the columns j that the leaf's own tree splits on; nothing for other columns."""
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2)
    offsets = np.concatenate([[0], np.cumsum(table.codec.n_codes)])
    expected = np.zeros((bag.splits.n_leaves, offsets[-1]), int)
    for tree in range(bag.splits.n_trees):
        leaf = bag.splits.leaves_reached(table.x, tree)
        for j in columns_of(bag, tree):
            np.add.at(expected, (leaf, offsets[j] + table.x[j].astype(int)), 1)
    np.testing.assert_array_equal(bag.leaves.backward.toarray(), expected)


@quick
@given(code_tables(min_rows=4), st.sampled_from([1, 3]))
def test_adding_counts_equals_counting_both_tables_together(table, n_trees):
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2)
    half = table.n_rows // 2
    parts = [bag.counted(part.copy(), table.codec.n_codes).leaves for part in np.split(table.x, [half], axis=1)]
    both = parts[0].plus(parts[1])
    assert tables_equal(both.forward, bag.leaves.forward)
    assert tables_equal(both.backward, bag.leaves.backward)
    np.testing.assert_array_equal(both.shares(bag.splits), bag.shares)
    kept = [getattr(both.forward, part).dtype for part in ("indptr", "indices", "data")]
    assert kept == [np.int32] * 3  # kernels compile once


def test_sums_allow_the_codes_of_either_part():
    """A code that is allowed in only one of two tables is possible in their sum, in either order."""
    table = related_codes(np.random.default_rng(0), "ou", 60, missing=0.0)
    bag = bag_for(table, n_trees=1)
    narrow, wide = bag.leaves, replace(bag.leaves, allowed=np.ones_like(bag.leaves.allowed))
    assert not narrow.allowed.all()
    one, other = narrow.plus(wide), wide.plus(narrow)
    np.testing.assert_array_equal(one.allowed, other.allowed)
    np.testing.assert_array_equal(one.shares(bag.splits), other.shares(bag.splits))
    assert (one.shares(bag.splits) > 0).all()
    assert (narrow.plus(narrow).shares(bag.splits)[:, ~narrow.allowed] == 0).all()


def tree_by_tree(bag):
    """For each tree: left and right children, leaf numbers in the bag, and per node the leaf number counted from 0."""
    s = bag.splits
    for tree in range(s.n_trees):
        at = s.nodes_of(tree)
        leaves = s.leaf_of_node[at][s.left[at] < 0]
        left, right = (np.where(side[at] < 0, -1, side[at] - at.start) for side in (s.left, s.right))
        yield left, right, leaves, np.where(left < 0, s.leaf_of_node[at] - leaves[0], -1)


def priors(leaves, prior_strength):
    """Per slot: concentration of inner nodes, concentration of the root, and prior shares of the root."""
    level = np.maximum(1, leaves.tree.level)
    first = np.where(level == 1, prior_strength, leaves.root_strength) * level
    counts = leaves.forward.toarray()
    return prior_strength * level, first, leaves.tree.share_of_allowed(leaves.allowed | (counts.sum(axis=0) > 0))


@quick
@given(code_tables(), st.sampled_from([1, 3]), st.booleans(), st.sampled_from([None, 50.0]))
def test_shares_follow_the_hierarchy_of_each_tree(table, n_trees, flat_prior, root_strength):
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2, prior_strength=2.0, flat_prior=flat_prior)
    leaves = bag.leaves if root_strength is None else replace(bag.leaves, root_strength=root_strength)
    counts = leaves.forward.toarray()
    strength, first, prior = priors(leaves, 2.0)
    for left, right, own, numbers in tree_by_tree(bag):
        expected = reference.shrink_down(
            left, right, counts[own], numbers, leaves.tree, strength, first, prior, hierarchical=not flat_prior
        )
        np.testing.assert_allclose(leaves.shares(bag.splits)[own], expected, atol=1e-6)


@quick
@given(code_tables(max_rows=40), st.booleans())
def test_leave_one_out_shares_are_those_of_the_other_rows(table, flat_prior):
    bag = bag_for(table, n_trees=1, min_samples_leaf=2, flat_prior=flat_prior)
    counts, (strength, first, prior) = bag.leaves.forward.toarray(), priors(bag.leaves, 1.0)
    leaf, code = np.nonzero(counts)
    out = bag.leaves.shares_at(bag.splits, leaf.astype(INDEX), code.astype(CODE), left_out=1.0)
    ((left, right, _, numbers),) = tree_by_tree(bag)
    expected = reference.shrink_down(
        left, right, counts, numbers, bag.leaves.tree, strength, first, prior, not flat_prior, left_out=1
    )
    np.testing.assert_allclose(out, expected[leaf, code], atol=1e-9)
    assert (out <= bag.shares[leaf, code] + 1e-6).all()


@quick
@given(code_tables(max_rows=40), st.booleans())
def test_single_shares_are_those_of_all(table, flat_prior):
    bag = bag_for(table, n_trees=1, min_samples_leaf=2, flat_prior=flat_prior)
    leaf, code = np.indices(bag.shares.shape)
    out = bag.leaves.shares_at(bag.splits, leaf.ravel().astype(INDEX), code.ravel().astype(CODE))
    np.testing.assert_allclose(out, bag.shares.ravel(), atol=1e-6)


def test_a_strong_root_gives_all_codes_except_missing_equal_shares():
    """The share of *missing* does not depend on the strength of the root."""
    table = related_codes(np.random.default_rng(2), "ou", 60, missing=0.3)
    bag = bag_for(table, n_trees=1, min_samples_leaf=60)  # a lone leaf
    strong = replace(bag.leaves, root_strength=1e9).shares(bag.splits)[0]
    missing = (table.x[0] == len(strong) - 1).sum()
    assert strong[-1] == pytest.approx((missing + 1 / len(strong)) / (60 + 1), abs=1e-6)
    np.testing.assert_allclose(strong[:-1], (1 - strong[-1]) / (len(strong) - 1), rtol=1e-5)


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_shares_and_cumulative_shares_agree(table, n_trees):
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2)
    shares, cdf = bag.shares, bag.cdf
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.diff(cdf, axis=1, prepend=0), shares, atol=1e-6)
    assert (np.diff(cdf, axis=1) >= 0).all()
    assert (cdf[:, -1] == 1.0).all()
    assert (np.diff(cdf, axis=1, prepend=0)[shares == 0] == 0).all()  # exactly, or it could be drawn
    possible = bag.leaves.allowed | (np.bincount(table.x[0], minlength=shares.shape[1]) > 0)
    assert ((shares > 0) == possible).all()


def test_cumulative_shares_do_not_depend_on_earlier_calls():
    table = related_codes(np.random.default_rng(0), "ouo", 200)
    asked, fresh = bag_for(table), bag_for(table)
    assert asked.shares.shape == fresh.leaves.cdf(fresh.splits).shape
    np.testing.assert_array_equal(asked.cdf, fresh.leaves.cdf(fresh.splits))
    np.testing.assert_array_equal(asked.cdf, fresh.cdf)


def test_a_code_first_seen_in_an_update_gets_a_share():
    """*Missing* has no share in a column without nulls, until an update counts one."""
    codec = LevelCodec(np.arange(2, dtype=np.int32), np.array([5.0, 5.0]), ordered=False, nullable=False)
    x = np.array([[0, 1] * 5, [0, 1] * 5], np.uint16)
    table = related_codes(np.random.default_rng(0), "uu", 10)
    bag = bag_for(type(table)(Codec({"a": codec, "b": codec}), x), n_trees=1)
    assert (bag.shares[:, 2:] == 0).all()
    late = np.array([[3], [0]], np.uint16)
    shares = bag.plus(bag.counted(late, np.array([4, 4], np.int32))).leaves.shares(bag.splits)
    assert (shares[:, 3] > 0).all()
    assert (shares[:, 2] == 0).all()
    assert shares.sum(axis=1) == pytest.approx(1.0, abs=1e-6)


@quick
@given(seeds, st.integers(1, 4), st.booleans())
def test_counts_of_trees_are_stacked_as_scipy_does(seed, n_parts, plain):
    rng = np.random.default_rng(seed)
    parts = [csr_array(rng.integers(0, 3, (rng.integers(1, 6), 7)).astype(COUNT)) for _ in range(n_parts)]
    given = [LeafCounts(part.data, part.indices, part.indptr, part.shape) for part in parts] if plain else parts
    found, expected = stack_counts(given), vstack(parts, format="csr")
    assert isinstance(found, csr_array)
    assert found.dtype == expected.dtype == COUNT
    assert found.indices.dtype == found.indptr.dtype == INDEX
    assert tables_equal(found, expected)


def test_a_bag_of_one_tree_has_sparse_matrices_too():
    table = related_codes(np.random.default_rng(0), "ou", 50)
    context = prepare_growth(table.codec, table.x, GrowthSettings(n_trees=1))
    tree = grow_tree(context, 0, [1], GrowthSettings(n_trees=1), np.random.default_rng(0))
    assert isinstance(tree.leaves.forward, LeafCounts)
    joined = join_bags([tree])
    assert isinstance(joined.leaves.forward, csr_array)
    assert isinstance(joined.leaves.backward, csr_array)
    assert joined.leaves.forward.sum() == 50
