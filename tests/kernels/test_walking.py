"""Walks through bags of trees against recursion, one row and one node at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from janus_synth.kernels import walking
from janus_synth.kernels.dtypes import CODE, INDEX, N_RESIDUALS, REACH, REAL, UNKNOWN
from janus_synth.kernels.views import NO_SURFACE
from janus_synth.trees.compiled import in_tree
from janus_synth.trees.scale import places
from janus_synth.trees.trend import along_lines, no_trends
from reference import walking as reference
from strategies import (
    bag_for,
    code_tables,
    quick,
    related_codes,
    reweighted,
    seeds,
    trend_tables,
    trended_bag,
)

EXACT = 1e-12
SINGLE = 1e-6
"""Rounding of shares, which are 32-bit floats."""

NO_TRENDS = no_trends()

bends = st.sampled_from([0.0, 0.4, 7.0, 300.0])


def compiled_trees(table, n_trees=3, **rules):
    """Trees of a small bag and the distributions of its leaves; trends, if the column can have them, of any weight."""
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2, **rules)
    bag = bag if bag.trends is None else reweighted(bag, np.random.default_rng(table.n_rows))
    return bag, bag.compiled(len(table.x))


def compiled_lines(table, n_trees=3, **rules):
    """The same for a bag that must have trends."""
    bag = reweighted(
        trended_bag(table, n_trees=n_trees, min_samples_leaf=2, **rules), np.random.default_rng(table.n_rows)
    )
    return bag, bag.compiled(len(table.x))


def forgotten(table, rng, share):
    """Codes with some cells unknown."""
    return np.where(rng.random(table.x.shape) < share, UNKNOWN, table.x).astype(CODE)


def multiplied(compiled, x, free, score, *, ordered, tree, of):
    """Scores after the kernel, and the logs of the factors divided out."""
    score, log_scale = score.copy(), np.zeros(len(score))
    walking.multiply_by_free(
        compiled.trees, compiled.trends, tree, compiled.table, of, x, free, ordered, score, log_scale
    )
    return score, log_scale


# Distributions of leaves for known rows


@quick
@given(code_tables(), st.sampled_from([1, 3]))
def test_rows_reach_the_leaves_of_the_reference(table, n_trees):
    bag, compiled = compiled_trees(table, n_trees)
    leaves = compiled.leaves(table.x)
    np.testing.assert_array_equal(leaves, reference.leaves_of_rows(compiled.trees, table.x))
    for tree in range(n_trees):
        np.testing.assert_array_equal(leaves[:, tree], bag.splits.leaves_reached(table.x, tree))


@quick
@given(code_tables(max_rows=30) | trend_tables(max_rows=50), seeds, st.booleans())
def test_shares_of_all_codes_are_the_mean_over_the_leaves(table, seed, one_tree):
    bag, compiled = compiled_trees(table)
    leaves = compiled.leaves(table.x)
    if one_tree:
        tree = np.random.default_rng(seed).integers(0, compiled.n_trees, table.n_rows).astype(INDEX)
        leaves = in_tree(leaves, tree)
        assert leaves.shape == (table.n_rows, 1)
    score = compiled.shares(leaves, table.x)
    expected = reference.mean_shares(compiled.trends, compiled.table, leaves, table.x)
    np.testing.assert_allclose(score, expected, atol=EXACT)
    np.testing.assert_allclose(score.sum(axis=1), 1.0, atol=SINGLE)
    possible = bag.leaves.allowed | (np.bincount(table.x[0], minlength=score.shape[1]) > 0)
    assert ((score > 0) == possible).all()


@quick
@given(code_tables(max_rows=30) | trend_tables(max_rows=50), seeds)
def test_copies_of_a_row_have_its_shares(table, seed):
    """Side by side, as resampling leaves them, or not; other columns may differ."""
    _, compiled = compiled_trees(table)
    rows = np.sort(np.random.default_rng(seed).integers(0, table.n_rows, 20))
    x = np.ascontiguousarray(table.x[:, rows])
    x[0, ::2] = 0  # no split uses the target
    every = compiled.shares(compiled.leaves(table.x), table.x)
    np.testing.assert_array_equal(compiled.shares(compiled.leaves(x), x), every[rows])


@quick
@given(code_tables(max_rows=30) | trend_tables(max_rows=50), st.sampled_from([1, 3]))
def test_shares_of_the_rows_own_codes_are_those_of_every_tree(table, n_trees):
    _, compiled = compiled_trees(table, n_trees)
    leaves = compiled.leaves(table.x)
    out = compiled.shares_of(table.x[0], leaves, table.x)
    expected = reference.shares_of_codes(compiled.trends, compiled.table, leaves, table.x, table.x[0])
    np.testing.assert_allclose(out, expected, atol=EXACT)
    for tree in range(n_trees):
        shares = compiled.shares(leaves[:, [tree]], table.x)
        np.testing.assert_allclose(out[:, tree], shares[np.arange(table.n_rows), table.x[0]], atol=EXACT)


# Lines


def predicted(lines, leaf, x):
    """Scores that regressions predict for rows."""
    out = np.full(x.shape[1], np.nan)
    walking.centres_of_rows(lines, np.asarray(leaf, INDEX), x, out, np.empty(x.shape[1]))
    return out


def by_regression(trends, leaf, at):
    """(codes,) share of every code in a leaf that has nothing but its regression, which predicts the score ``at``."""
    lines, n_codes, some = trends.lines, len(trends.apart), np.ones(len(trends.weight))
    coef = np.zeros_like(lines.coef)
    coef[:, -1] = at
    trends = trends._replace(lines=lines._replace(coef=coef, surface=NO_SURFACE), weight=some, rest=some)
    out, x = np.full((n_codes, 1), np.nan), np.zeros((int(lines.parents.max(initial=0)) + 1, n_codes), CODE)
    table, leaves = np.zeros((len(some), n_codes), np.float32), np.full((n_codes, 1), leaf, INDEX)
    walking.shares_of_codes(trends, table, leaves, x, np.arange(n_codes, dtype=CODE), out)
    means = np.full((1, n_codes), np.nan)
    walking.mean_shares(trends, table, leaves[:1], x, means)
    np.testing.assert_array_equal(means[0], out[:, 0])
    return out[:, 0]


@quick
@given(trend_tables(max_rows=50), seeds, st.sampled_from([0.0, 0.3, 1.0]))
def test_lines_put_rows_where_the_formula_does(table, seed, gone):
    """Unknown parents are set to their mean score."""
    _, compiled = compiled_lines(table)
    rng = np.random.default_rng(seed)
    x, lines = forgotten(table, rng, gone), compiled.trends.lines
    leaf = rng.integers(len(compiled.table), size=table.n_rows)
    expected = [reference.centre(lines, leaf[r], x[:, r]) for r in range(table.n_rows)]
    np.testing.assert_allclose(predicted(lines, leaf, x), expected, atol=EXACT)


def test_a_line_is_level_beyond_the_rows_of_its_leaf():
    """By hand: slope 2, intercept 1, scores −3, 0, 5 of which the leaf has seen −1 to 4."""
    lines = walking.Lines(
        np.array([1], INDEX), np.array([[-3.0, 0.0, 5.0]]), np.array([[2.0, 1.0]]), np.ones(1),
        np.array([[-1.0]]), np.array([[4.0]]),
    )  # fmt: skip
    x = np.array([[0, 0, 0, 0], [0, 1, 2, UNKNOWN]], CODE)
    assert predicted(lines, [0, 0, 0, 0], x).tolist() == [-1.0, 1.0, 9.0, 1.0]


@quick
@given(seeds, st.floats(-2 * REACH, 2 * REACH) | st.sampled_from([-REACH, REACH, 0.0]), bends)
def test_the_share_of_residuals_below_runs_straight_inside_each_bin(seed, r, bend):
    """Codes cut the scale at the borders of the bins and at r."""
    shares = np.random.default_rng(seed).dirichlet(np.full(N_RESIDUALS, 0.3))
    cumulative = np.concatenate([[0.0], np.cumsum(shares)[:-1], [1.0]])
    none, empty = np.zeros(0, INDEX), np.zeros((1, 0))
    lines = walking.Lines(none, np.zeros((0, 1)), np.zeros((1, 1)), np.ones(1), empty, empty, bend=bend)
    inner = np.unique(np.append(reference.at_place(reference.BINS[1:-1], bend), r))
    edge = np.concatenate([[-np.inf], inner, [np.inf]])
    apart = np.zeros(len(edge) - 1, np.uint8)
    trends = walking.Trends(lines, np.ones(1), np.ones(1), cumulative[None], edge, apart)
    below = np.cumsum(by_regression(trends, 0, 0.0))
    np.testing.assert_allclose(below, [*reference.below(cumulative, inner, bend), 1.0], atol=1e-9)


@quick
@given(trend_tables(max_rows=50), st.floats(-4, 4))
def test_codes_on_the_scale_share_the_residuals(table, at):
    _, compiled = compiled_lines(table)
    trends = compiled.trends
    on_scale = np.flatnonzero(trends.apart == 0)
    for leaf in range(0, len(compiled.table), 5):
        shares = by_regression(trends, leaf, at)
        expected = [reference.on_line(trends, leaf, at, k) for k in on_scale]
        np.testing.assert_allclose(shares[on_scale], expected, atol=EXACT)
        assert shares.sum() == pytest.approx(1.0, abs=EXACT)
        assert shares.min() >= 0


@quick
@given(trend_tables(max_rows=60))
def test_centres_of_rows_are_on_the_lines_of_their_leaves(table):
    bag, compiled = compiled_lines(table)
    leaf, lines, out = bag.splits.leaves_reached(table.x, 2), compiled.trends.lines, np.full(table.n_rows, np.nan)
    spread = np.full(table.n_rows, np.nan)
    walking.centres_of_rows(lines, leaf, table.x, out, spread)
    np.testing.assert_allclose(out, reference.centres_of_rows(lines, leaf, table.x), rtol=1e-9, atol=EXACT)
    np.testing.assert_allclose(spread, reference.units_of_rows(lines, leaf, table.x), rtol=1e-9)


@quick
@given(trend_tables(max_rows=60), seeds, st.sampled_from([1.0, 1.5, 10.0]))
def test_shares_of_rows_left_out_equal_the_reference(table, seed, inflation):
    """Residuals as a line without the row would leave them may lie anywhere, also beyond the last bin."""
    bag, compiled = compiled_lines(table, 1)
    rows = np.flatnonzero(compiled.trends.apart[table.x[0]] == 0)
    x = np.ascontiguousarray(table.x[:, rows])
    leaf = bag.splits.leaves_reached(x, 0)
    z, residual, spread = along_lines(bag.trends.scale, compiled.trends.lines, leaf, x, 0, places(x))
    alone = bag.trends.residual_shares(bag.splits, left_out=1.0)
    out = np.full(len(rows), np.nan)
    walking.left_out_shares(compiled.trends, alone, leaf, x[0], inflation * residual, z, spread, out)
    expected = reference.left_out_shares(compiled.trends, alone, leaf, x[0], inflation * residual, z, spread)
    np.testing.assert_allclose(out, expected, atol=SINGLE)  # shares left out are 32-bit floats
    assert (out >= 0).all()


# With a column free


@quick
@given(code_tables(max_rows=25) | trend_tables(max_rows=45), seeds, st.sampled_from([0.0, 0.3, 1.0]))
def test_scores_are_multiplied_by_the_tree_at_every_code_of_the_free_column(table, seed, gone):
    """Each parent in turn is free, ordered or not; others are known or averaged."""
    _, compiled = compiled_trees(table)
    rng = np.random.default_rng(seed)
    x = forgotten(table, rng, gone)
    tree = rng.integers(0, compiled.n_trees, table.n_rows).astype(INDEX)
    of = rng.integers(0, compiled.table.shape[1], table.n_rows).astype(CODE)
    for free, codec in enumerate(table.codec.columns.values()):
        score = rng.random((table.n_rows, codec.n_codes)) * (rng.random((table.n_rows, codec.n_codes)) < 0.8)
        expected = reference.multiply_by_free(compiled.trees, compiled.trends, tree, compiled.table, of, x, free, score)
        found, log_scale = multiplied(compiled, x, free, score, ordered=codec.ordered, tree=tree, of=of)
        np.testing.assert_allclose(found * np.exp(log_scale)[:, None], expected, rtol=SINGLE)
        assert ((found == 0) == (expected == 0)).all()


@quick
@given(code_tables(max_rows=25) | trend_tables(), seeds)
def test_an_ordered_column_may_be_walked_as_if_it_were_not(table, seed):
    _, compiled = compiled_trees(table)
    rng = np.random.default_rng(seed)
    x, tree = forgotten(table, rng, 0.3), np.zeros(table.n_rows, INDEX)
    of = table.x[0].copy()
    for free in (i for i, codec in enumerate(table.codec.columns.values()) if codec.ordered):
        score = np.ones((table.n_rows, int(table.codec.n_codes[free])))
        one, other = (multiplied(compiled, x, free, score, ordered=how, tree=tree, of=of)[0] for how in (True, False))
        np.testing.assert_allclose(one, other, rtol=EXACT)


def test_tiny_scores_are_scaled_up_and_the_factor_is_kept():
    """Fifty trees of 1e-12 multiply to 1e-600, far below the smallest float."""
    table = related_codes(np.random.default_rng(1), "ou", 60)
    _, compiled = compiled_trees(table, 1, leaves="histogram")
    tiny = compiled.table * np.float32(1e-12)
    n, width = table.n_rows, int(table.codec.n_codes[1])
    score, log_scale = np.ones((n, width)), np.zeros(n)
    of, tree = table.x[0].copy(), np.zeros(n, INDEX)
    for _ in range(50):
        walking.multiply_by_free(compiled.trees, NO_TRENDS, tree, tiny, of, table.x, 1, False, score, log_scale)
        assert (score.max(axis=1) >= 1e-30).all()
        assert (score.max(axis=1) <= 1.0).all()
    assert compiled.trees.uses[0, 1] == 1
    once = reference.multiply_by_free(compiled.trees, NO_TRENDS, tree, tiny, of, table.x, 1, np.ones((n, width)))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.log(score) + log_scale[:, None], 50 * np.log(once), rtol=1e-12)
    assert (log_scale < -1000).all()


def test_scores_that_are_not_tiny_are_left_as_they_are():
    table = related_codes(np.random.default_rng(2), "ou", 40)
    _, compiled = compiled_trees(table, 1)
    score = np.full((40, int(table.codec.n_codes[1])), 1e-20)
    score[:5] = 0.0
    tree, of = np.zeros(40, INDEX), table.x[0].copy()
    found, log_scale = multiplied(compiled, table.x, 1, score, ordered=False, tree=tree, of=of)
    assert not log_scale.any()
    assert not found[:5].any()  # a row of probability zero stays one
    expected = reference.multiply_by_free(compiled.trees, compiled.trends, tree, compiled.table, of, table.x, 1, score)
    np.testing.assert_allclose(found, expected, rtol=SINGLE)


@quick
@given(code_tables(max_rows=40), seeds, st.sampled_from([0.0, 0.4, 1.0]))
def test_values_are_averaged_over_unknown_columns(table, seed, gone):
    _, compiled = compiled_trees(table, 1)
    rng = np.random.default_rng(seed)
    x = forgotten(table, rng, gone)
    values = rng.random((len(compiled.table), 1)).astype(np.float32)
    out = np.full(table.n_rows, np.nan)
    walking.values_of_rows(compiled.trees, values, x, out)
    np.testing.assert_allclose(out, reference.values_of_rows(compiled.trees, NO_TRENDS, values, x), rtol=SINGLE)
    assert (out >= values.min() * (1 - SINGLE)).all()
    assert (out <= values.max() * (1 + SINGLE)).all()


@quick
@given(code_tables(), seeds)
def test_the_mean_over_the_training_rows_is_the_value_when_nothing_is_known(table, seed):
    """Shares to the left are those of the rows the tree was counted on."""
    bag, compiled = compiled_trees(table, 1)
    values = np.random.default_rng(seed).random((len(compiled.table), 1)).astype(np.float32)
    rows = np.asarray(bag.leaves.forward.sum(axis=1)).ravel()
    out = np.empty(1)
    walking.values_of_rows(compiled.trees, values, np.full((len(table.x), 1), UNKNOWN, CODE), out)
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
@given(code_tables() | trend_tables(), st.sampled_from([1, 3]))
def test_trees_list_the_columns_they_use(table, n_trees):
    _, compiled = compiled_trees(table, n_trees)
    trees, columns = compiled.trees, range(len(table.x))
    asked = [[reference.asks_for(trees, compiled.trends, root, column) for column in columns] for root in trees.roots]
    np.testing.assert_array_equal(trees.uses == 1, asked)


@quick
@given(code_tables(), seeds)
def test_any_codes_go_to_the_side_of_the_reference(table, seed):
    """Also combinations of codes that no training row has."""
    _, compiled = compiled_trees(table)
    rng = np.random.default_rng(seed)
    x = np.array([rng.integers(0, n, 20) for n in table.codec.n_codes], CODE)
    np.testing.assert_array_equal(compiled.leaves(x), reference.leaves_of_rows(compiled.trees, x))


def kept_from_writing(values):
    """The same arrays, read-only, in tuples of the same kind."""
    if isinstance(values, float):
        return values
    if not isinstance(values, tuple):
        values = values.copy()
        values.flags.writeable = False
        return values
    return type(values)(*map(kept_from_writing, values))


@quick
@given(trend_tables(), st.booleans(), st.sampled_from([0, 1, 7]))
def test_inputs_may_be_read_only_and_rows_few_or_none(table, with_trends, n):
    bag, compiled = compiled_lines(table) if with_trends else compiled_trees(table, leaves="histogram")
    assume(len(compiled.columns_of_first_tree()))
    trees, trends, shares = map(kept_from_writing, (compiled.trees, compiled.trends, compiled.table))
    x = kept_from_writing(np.ascontiguousarray(table.x[:, :n]))
    leaves = np.full((n, 3), -1, INDEX)
    walking.leaves_of_rows(trees, x, leaves)
    np.testing.assert_array_equal(leaves, compiled.leaves(table.x[:, :n].copy()))
    leaves = kept_from_writing(leaves)
    score, own = np.full((n, shares.shape[1]), np.nan), np.full((n, 3), np.nan)
    walking.mean_shares(trends, shares, leaves, x, score)
    walking.shares_of_codes(trends, shares, leaves, x, x[0], own)
    np.testing.assert_allclose(score[np.arange(n), x[0]], own.mean(axis=1), atol=EXACT)
    free, tree = int(compiled.columns_of_first_tree()[0]), kept_from_writing(np.zeros(n, INDEX))
    score, log_scale = np.ones((n, int(table.codec.n_codes[free]))), np.zeros(n)
    walking.multiply_by_free(trees, trends, tree, shares, x[0], x, free, False, score, log_scale)
    np.testing.assert_allclose(score[np.arange(n), x[free]], own[:, 0], rtol=SINGLE)
    values = np.full(n, np.nan)
    walking.values_of_rows(trees, np.ascontiguousarray(shares[:, :1]), x, values)
    np.testing.assert_allclose(values, shares[leaves[:, 0], 0], rtol=SINGLE)
    if with_trends:
        alone = kept_from_writing(bag.trends.residual_shares(bag.splits, left_out=1.0))
        zeros, out = kept_from_writing(np.zeros(n)), np.full(n, np.nan)
        walking.left_out_shares(trends, alone, leaves[:, 0], x[0], zeros, zeros, np.ones(n), out)
        assert not np.isnan(out).any()
