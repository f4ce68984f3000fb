"""Walks through bags of trees against recursion, one row and one node at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.inference.walker import walker_of
from janus_synth.kernels import walking
from janus_synth.kernels.dtypes import CODE, INDEX, REAL, UNKNOWN
from reference import walking as reference
from strategies import bag_for, code_tables, quick, related_codes, seeds

EXACT = 1e-12
SINGLE = 1e-6
"""Without compilation, products with 32-bit shares are 32-bit floats."""


def walker_for(table, n_trees=3, **rules):
    """Trees of a small bag and its leaves' shares."""
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2, **rules)
    return bag, walker_of(bag, len(table.x))


def forgotten(table, rng, share):
    """Codes with some cells unknown."""
    return np.where(rng.random(table.x.shape) < share, UNKNOWN, table.x).astype(CODE)


def multiplied(walker, x, free, score, *, ordered, tree, of):
    """Scores after the kernel, and the logs of what was divided out."""
    score, log_scale = score.copy(), np.zeros(len(score))
    walking.multiply_by_free(walker.trees, tree, walker.table, of, x, free, ordered, score, log_scale)
    return score, log_scale


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_rows_reach_the_leaves_of_the_reference(table, n_trees):
    bag, walker = walker_for(table, n_trees)
    leaves = np.full((table.n_rows, n_trees), -1, INDEX)
    walking.leaves_of_rows(walker.trees, table.x, leaves)
    np.testing.assert_array_equal(leaves, reference.leaves_of_rows(walker.trees, table.x))
    for tree in range(n_trees):
        np.testing.assert_array_equal(leaves[:, tree], bag.splits.leaves_reached(table.x, tree))


@quick
@given(code_tables(), st.sampled_from([1, 3]), seeds)
def test_shares_are_averaged_over_the_bag_and_trees_picked_by_their_part(table, n_trees, seed):
    bag, walker = walker_for(table, n_trees)
    rng = np.random.default_rng(seed)
    leaves = walker.leaves(table.x)
    score = np.full((table.n_rows, walker.table.shape[1]), np.nan)
    walking.mean_shares(leaves, walker.table, score)
    np.testing.assert_allclose(score, reference.mean_shares(leaves, walker.table), rtol=EXACT)
    np.testing.assert_allclose(score[np.arange(table.n_rows), table.x[0]], bag.shares(table.x), rtol=1e-6)
    u = rng.random(table.n_rows)
    u[0] = 0.0
    chosen = np.full(table.n_rows, -1, INDEX)
    walking.pick_trees(leaves, walker.table, table.x[0], u, chosen)
    np.testing.assert_array_equal(chosen, reference.pick_trees(leaves, walker.table, table.x[0], u))


def test_a_tree_that_rules_a_code_out_is_never_picked():
    leaves, table = np.zeros((4, 3), INDEX) + np.arange(3, dtype=INDEX), np.array([[0], [0.75], [0]], np.float32)
    chosen = np.empty(4, INDEX)
    u = np.array([0.0, 0.5, np.nextafter(1.0, 0.0), 1.0])
    walking.pick_trees(leaves, table, np.zeros(4, CODE), u, chosen)
    assert chosen.tolist() == [1, 1, 1, 1]


def test_an_even_grid_of_uniforms_picks_trees_by_their_part():
    n, table = 6_000, np.array([[0.1, 0.5], [0.2, 0.25], [0.3, 0.25]], np.float32)
    leaves, u = np.tile(np.arange(3, dtype=INDEX), (n, 1)), (np.arange(n) + 0.5) / n
    for code, shares in ((0, [1 / 6, 2 / 6, 3 / 6]), (1, [0.5, 0.25, 0.25])):
        chosen = np.empty(n, INDEX)
        walking.pick_trees(leaves, table, np.full(n, code, CODE), u, chosen)
        np.testing.assert_allclose(np.bincount(chosen) / n, shares, atol=2 / n)


@quick
@given(code_tables(max_rows=25), seeds, st.sampled_from([0.0, 0.3, 1.0]))
def test_scores_are_multiplied_by_the_tree_at_every_code_of_the_free_column(table, seed, gone):
    """Each parent in turn is free, ordered or not; others are known or averaged."""
    _, walker = walker_for(table)
    rng = np.random.default_rng(seed)
    x = forgotten(table, rng, gone)
    tree = rng.integers(0, walker.n_trees, table.n_rows).astype(INDEX)
    of = rng.integers(0, walker.table.shape[1], table.n_rows).astype(CODE)
    for free, codec in enumerate(table.codec.columns.values()):
        score = rng.random((table.n_rows, codec.n_codes)) * (rng.random((table.n_rows, codec.n_codes)) < 0.8)
        expected = reference.multiply_by_free(walker.trees, tree, walker.table, of, x, free, score)
        found, log_scale = multiplied(walker, x, free, score, ordered=codec.ordered, tree=tree, of=of)
        np.testing.assert_allclose(found * np.exp(log_scale)[:, None], expected, rtol=SINGLE)
        assert ((found == 0) == (expected == 0)).all()


@quick
@given(code_tables(max_rows=25), seeds)
def test_an_ordered_column_may_be_walked_as_if_it_were_not(table, seed):
    _, walker = walker_for(table)
    rng = np.random.default_rng(seed)
    x, tree = forgotten(table, rng, 0.3), np.zeros(table.n_rows, INDEX)
    of = table.x[0].copy()
    for free in (i for i, codec in enumerate(table.codec.columns.values()) if codec.ordered):
        score = np.ones((table.n_rows, int(table.codec.n_codes[free])))
        one, other = (multiplied(walker, x, free, score, ordered=how, tree=tree, of=of)[0] for how in (True, False))
        np.testing.assert_allclose(one, other, rtol=EXACT)


def test_tiny_scores_are_scaled_up_and_the_factor_is_kept():
    """Fifty trees of 1e-12 multiply to 1e-600, far below the smallest float."""
    table = related_codes(np.random.default_rng(1), "ou", 60)
    _, walker = walker_for(table, 1)
    tiny = walker.table * np.float32(1e-12)
    n, width = table.n_rows, int(table.codec.n_codes[1])
    score, log_scale = np.ones((n, width)), np.zeros(n)
    of, tree = table.x[0].copy(), np.zeros(n, INDEX)
    for _ in range(50):
        walking.multiply_by_free(walker.trees, tree, tiny, of, table.x, 1, False, score, log_scale)
        assert (score.max(axis=1) >= 1e-30).all()
        assert (score.max(axis=1) <= 1.0).all()
    assert walker.trees.uses[0, 1] == 1
    once = reference.multiply_by_free(walker.trees, tree, tiny, of, table.x, 1, np.ones((n, width)))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.log(score) + log_scale[:, None], 50 * np.log(once), rtol=1e-12)
    assert (log_scale < -1000).all()


def test_scores_that_are_not_tiny_are_left_as_they_are():
    table = related_codes(np.random.default_rng(2), "ou", 40)
    _, walker = walker_for(table, 1)
    score = np.full((40, int(table.codec.n_codes[1])), 1e-20)
    score[:5] = 0.0
    tree, of = np.zeros(40, INDEX), table.x[0].copy()
    found, log_scale = multiplied(walker, table.x, 1, score, ordered=False, tree=tree, of=of)
    assert not log_scale.any()
    assert not found[:5].any()  # a row without a chance stays one
    expected = reference.multiply_by_free(walker.trees, tree, walker.table, of, table.x, 1, score)
    np.testing.assert_allclose(found, expected, rtol=SINGLE)


@quick
@given(code_tables(max_rows=40), seeds, st.sampled_from([0.0, 0.4, 1.0]))
def test_values_are_averaged_over_what_is_unknown(table, seed, gone):
    _, walker = walker_for(table, 1)
    rng = np.random.default_rng(seed)
    x = forgotten(table, rng, gone)
    values = rng.random((len(walker.table), 1)).astype(np.float32)
    out = np.full(table.n_rows, np.nan)
    walking.values_of_rows(walker.trees, values, x, out)
    np.testing.assert_allclose(out, reference.values_of_rows(walker.trees, values, x), rtol=SINGLE)
    assert (out >= values.min() * (1 - SINGLE)).all()
    assert (out <= values.max() * (1 + SINGLE)).all()


@quick
@given(code_tables(), seeds)
def test_the_mean_over_the_training_rows_is_the_value_when_nothing_is_known(table, seed):
    """Shares to the left are those of the rows the tree was counted on."""
    bag, walker = walker_for(table, 1)
    values = np.random.default_rng(seed).random((len(walker.table), 1)).astype(np.float32)
    rows = np.asarray(bag.leaves.forward.sum(axis=1)).ravel()
    out = np.empty(1)
    walking.values_of_rows(walker.trees, values, np.full((len(table.x), 1), UNKNOWN, CODE), out)
    assert out[0] == pytest.approx(rows @ values[:, 0].astype(float) / rows.sum(), rel=1e-5)  # 32-bit shares


@quick
@given(code_tables(), st.sampled_from([1, 3]), seeds)
def test_shares_to_the_left_are_counted_up_the_tree(table, n_trees, seed):
    s = bag_for(table, n_trees=n_trees, min_samples_leaf=1).splits
    rng = np.random.default_rng(seed)
    count = np.where(s.left < 0, rng.integers(0, 4, len(s.left)), 0).astype(REAL)
    expected, total = reference.share_of_left(s.left, s.right, count)
    share = walking.share_of_left(s.left, s.right, count)
    np.testing.assert_allclose(share, expected, atol=1e-7)
    np.testing.assert_array_equal(count, total)  # inner nodes are filled in
    assert share.dtype == np.float32


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_trees_know_the_columns_they_ask_for(table, n_trees):
    _, walker = walker_for(table, n_trees)
    trees = walker.trees
    asked = [[reference.asks_for(trees, root, column) for column in range(len(table.x))] for root in trees.roots]
    np.testing.assert_array_equal(trees.uses == 1, asked)


@quick
@given(code_tables())
def test_codes_go_to_the_side_of_the_reference(table):
    _, walker = walker_for(table)
    trees = walker.trees
    for node in np.flatnonzero(trees.left >= 0)[:20]:
        for code in range(int(table.codec.n_codes[trees.feature[node]])):
            assert walking.goes_left(trees, node, code) == reference.goes_left(trees, node, code)
