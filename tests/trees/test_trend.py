"""Trends (regressions in leaves): distributions over codes, draws, additive counts, leave-one-out, residuals."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from janus_synth.kernels.dtypes import CODE, INDEX, N_RESIDUALS, REACH
from janus_synth.kernels.walking import left_out_shares
from janus_synth.trees import join_bags
from janus_synth.trees.scale import places
from janus_synth.trees.trend import along_lines, count_residuals, no_trends
from reference import walking
from strategies import bag_for, quick, related_codes, reweighted, seeds, trend_tables, trended_bag
from trees.trend_data import line_table, spiked_table, table_of

LEAVES = st.sampled_from(["auto", "trend"])
SINGLE = 1e-6
"""Shares are stored as 32-bit floats."""


def all_shares(bag, x):
    """(trees, rows, codes) probability of each code by each tree for each row."""
    walker = bag.compiled(len(x))
    leaves = walker.leaves(x)
    return np.array([walker.shares(leaves[:, [t]], x) for t in range(walker.n_trees)])


# Distributions over codes


@quick
@given(trend_tables(), LEAVES, st.sampled_from([1, 3]))
def test_probabilities_of_all_codes_sum_to_one_and_every_allowed_code_is_possible(table, leaves, n_trees):
    """Missing is allowed only where the column has it."""
    bag = trended_bag(table, n_trees=n_trees, min_samples_leaf=2, leaves=leaves)
    shares = all_shares(bag, table.x)
    np.testing.assert_allclose(shares.sum(axis=2), 1.0, atol=SINGLE)
    allowed = table.codec.columns["o0"].allowed | (np.bincount(table.x[0], minlength=shares.shape[2]) > 0)
    assert ((shares > 0) == allowed).all()


@quick
@given(trend_tables(), seeds)
def test_unseen_combinations_of_parents_give_a_valid_distribution(table, seed):
    """Rows unlike any training row of a leaf, also outside the range of its regression."""
    bag = trended_bag(table, min_samples_leaf=2, leaves="trend")
    rng = np.random.default_rng(seed)
    strange = np.stack([rng.integers(0, n, 50) for n in table.codec.n_codes]).astype(CODE)
    shares = all_shares(bag, strange)
    np.testing.assert_allclose(shares.sum(axis=2), 1.0, atol=SINGLE)
    assert (shares >= 0).all()


@quick
@given(trend_tables(), LEAVES)
def test_codes_kept_apart_have_their_histogram_share(table, leaves):
    bag = trended_bag(table, min_samples_leaf=2, leaves=leaves)
    apart, table_of_leaves = bag.trends.scale.apart, bag.shares
    assert apart[-1]
    for tree, shares in enumerate(all_shares(bag, table.x)):
        leaf = bag.splits.leaves_reached(table.x, tree)
        np.testing.assert_allclose(shares[:, apart], table_of_leaves[leaf][:, apart].astype(float), rtol=1e-12)


def test_heavy_atoms_and_missing_are_kept_apart_and_drawn_by_their_shares():
    """Deterministic: the uniform numbers are an even grid."""
    table = spiked_table(np.random.default_rng(0), 2_000)
    bag = bag_for(table, n_trees=1, min_samples_leaf=2_000, leaves="trend")  # a lone leaf
    codec, n = table.codec.columns["y"], 10_000
    atom = int(codec.encode(np.array([0.5]))[0])
    assert np.flatnonzero(bag.trends.scale.apart).tolist() == [atom, codec.n_codes - 1]
    counts, shares = np.bincount(table.x[0], minlength=codec.n_codes), bag.shares[0]
    for row in table.x[:, :4].T:
        x, u = np.repeat(row[:, None], n, axis=1), (np.arange(n) + 0.5) / n
        bag.draw(x, u)
        drawn = np.bincount(x[0], minlength=codec.n_codes) / n
        for code in (atom, codec.n_codes - 1):
            assert drawn[code] == pytest.approx(shares[code], abs=3 / n)
            assert drawn[code] == pytest.approx(counts[code] / 2_000, abs=0.01)


@quick
@given(trend_tables())
def test_a_mixture_lies_between_the_histogram_and_the_trend(table):
    """(1 − ω) times the histogram plus ω times the trend, code by code."""
    bag = trended_bag(table, n_trees=1, min_samples_leaf=2)
    plain = replace(bag, trends=None)
    ones = np.ones_like(bag.trends.weight)
    alone = replace(bag, trends=replace(bag.trends, weight=ones))
    weight = bag.trends.weight[bag.splits.leaves_reached(table.x, 0), None]
    of_trend, of_table = all_shares(alone, table.x)[0], all_shares(plain, table.x)[0]
    mixture = weight * of_trend + (1 - weight) * of_table
    np.testing.assert_allclose(all_shares(bag, table.x)[0], mixture, atol=SINGLE)


# Draws


@pytest.mark.statistical
@pytest.mark.parametrize("leaves", ["auto", "trend"])
def test_draws_follow_the_shares(leaves):
    n, false_alarm = 20_000, 1e-6
    table = spiked_table(np.random.default_rng(1), 1_500)
    bag = bag_for(table, n_trees=3, leaves=leaves)
    rows = np.argsort(table.x[1])[[0, 750, -1]]  # at both ends of the regression line and in the middle
    for row, u in zip(table.x[:, rows].T, np.random.default_rng(2).random((3, n)), strict=True):
        x = np.repeat(row[:, None], n, axis=1)
        bag.draw(x, u)
        drawn = np.cumsum(np.bincount(x[0], minlength=bag.leaves.tree.n_codes)) / n
        gap = np.abs(drawn - np.cumsum(all_shares(bag, row[:, None].copy()).mean(axis=(0, 1)))).max()
        assert gap <= sqrt(log(2 * 3 / false_alarm) / (2 * n))  # DKW for three rows: 0.020; detects 0.04


@pytest.mark.statistical
def test_draws_of_all_rows_have_the_expected_number_of_every_code():
    false_alarm, times = 1e-6, 20
    table = spiked_table(np.random.default_rng(3), 1_500)
    bag = bag_for(table, n_trees=3, leaves="trend")
    expected = times * all_shares(bag, table.x).mean(axis=0).sum(axis=0)
    x = np.tile(table.x, times)
    bag.draw(x, np.random.default_rng(4).random(x.shape[1]))
    counts = np.bincount(x[0], minlength=len(expected))
    # Hoeffding for every cumulative count: 0.018 of all rows; codes off by one would move an atom of share 0.3.
    bound = sqrt(x.shape[1] * log(2 * len(expected) / false_alarm) / 2)
    assert np.abs(np.cumsum(counts) - np.cumsum(expected)).max() <= bound


# Counts


@quick
@given(trend_tables(), st.sampled_from([1, 3]), seeds)
def test_counting_two_halves_and_adding_equals_counting_all(table, n_trees, seed):
    bag = trended_bag(table, n_trees=n_trees, min_samples_leaf=2)
    order = np.random.default_rng(seed).permutation(table.n_rows)
    halves = [np.ascontiguousarray(part) for part in np.split(table.x[:, order], [table.n_rows // 3], axis=1)]
    one, other = (bag.counted(half, table.codec.n_codes) for half in halves)
    both = one.plus(other)
    np.testing.assert_array_equal(both.trends.residuals.toarray(), bag.trends.residuals.toarray())
    np.testing.assert_array_equal(both.leaves.forward.toarray(), bag.leaves.forward.toarray())
    np.testing.assert_array_equal(all_shares(both, table.x), all_shares(bag, table.x))
    assert one.trends.residuals.sum() < bag.trends.residuals.sum()
    kept = [getattr(both.trends.residuals, part).dtype for part in ("indptr", "indices", "data")]
    assert kept == [np.int32] * 3  # kernels compile once


@quick
@given(trend_tables(), st.sampled_from([1, 3]))
def test_exactly_the_rows_on_the_scale_count_once_in_every_tree(table, n_trees):
    bag = trended_bag(table, n_trees=n_trees, min_samples_leaf=2)
    residuals, apart = bag.trends.residuals.toarray(), bag.trends.scale.apart
    of_leaf = bag.leaves.forward.toarray()[:, ~apart].sum(axis=1)
    np.testing.assert_array_equal(residuals.sum(axis=1), of_leaf)
    only_apart = np.ascontiguousarray(table.x[:, apart[table.x[0]]])
    n_codes = np.array([int(column.max()) + 1 for column in table.x], np.int32)
    assert bag.counts_of(only_apart, n_codes).residuals.sum() == 0


@quick
@given(trend_tables(max_rows=60))
def test_residuals_are_counted_in_their_bins(table):
    """Counted row by row; residuals beyond the outer bins count in the outer bins."""
    bag = trended_bag(table, n_trees=1, min_samples_leaf=5)
    trends = bag.trends
    x = np.ascontiguousarray(table.x[:, ~trends.scale.apart[table.x[0]]])
    leaf = bag.splits.leaves_reached(x, 0)
    expected = np.zeros((bag.splits.n_leaves, N_RESIDUALS), int)
    centres, spread = walking.centres_of_rows(trends.lines, leaf, x), walking.units_of_rows(trends.lines, leaf, x)
    residuals = (trends.scale.scores(x[0], places(x), centres, spread) - centres) / spread
    for residual, own in zip(residuals, leaf, strict=True):
        borders = walking.at_place(walking.BINS[1:-1], trends.bend)
        expected[own, np.searchsorted(borders, residual, side="right")] += 1
    np.testing.assert_array_equal(trends.residuals.toarray(), expected)


def test_residuals_beyond_the_grid_count_in_the_outer_bins():
    residuals = np.array([-1e9, -REACH - 1e-9, -REACH, 0.0, REACH - 1e-9, REACH, 1e9])
    counts = count_residuals(residuals, np.array([0, 0, 0, 1, 1, 1, 1], INDEX), 3).toarray()
    assert counts.sum(axis=1).tolist() == [3, 4, 0]
    assert (counts[0, 0], counts[1, N_RESIDUALS // 2], counts[1, -1]) == (3, 1, 3)


@quick
@given(trend_tables(), seeds)
def test_joined_bags_keep_the_mean_over_trees(table, seed):
    rng = np.random.default_rng(seed)
    bags = [trended_bag(table, n_trees=n, seed=n, min_samples_leaf=2) for n in (2, 3)]  # of one design
    parts = [reweighted(bag, rng, any_surface=False) for bag in bags]
    joined = join_bags(parts)
    expected = np.concatenate([all_shares(part, table.x) for part in parts])
    np.testing.assert_array_equal(all_shares(joined, table.x), expected)
    recounted = joined.counted(table.x, table.codec.n_codes)
    np.testing.assert_array_equal(recounted.trends.residuals.toarray(), joined.trends.residuals.toarray())


# Leave-one-out


def without(bag, table, row):
    """The same trees and regressions, counted without one of the rows."""
    return bag.counted(np.delete(table.x, row, axis=1), table.codec.n_codes)


def small_case():
    """One tree of a few leaves over a table in which every code is allowed."""
    table = related_codes(np.random.default_rng(6), "oou", 90, n_values=9, missing=0.1)
    bag = bag_for(table, n_trees=1, min_samples_leaf=8)
    assert bag.splits.n_leaves > 2
    assert bag.leaves.allowed.all()
    return table, bag


def test_leave_one_out_histograms_equal_counts_without_the_row():
    table, bag = small_case()
    leaf = bag.splits.leaves_reached(table.x, 0)
    found = bag.leaves.shares_at(bag.splits, leaf, table.x[0], left_out=1.0)
    for row, code in enumerate(table.x[0]):
        literal = without(bag, table, row).leaves.shares(bag.splits)[leaf[row], code]
        assert found[row] == pytest.approx(literal, abs=SINGLE)


def test_leave_one_out_residuals_equal_counts_without_the_row():
    table, bag = small_case()
    trends, found = bag.trends, bag.trends.residual_shares(bag.splits, left_out=1.0)
    leaf, place = bag.splits.leaves_reached(table.x, 0), places(table.x)
    on_scale = np.flatnonzero(~trends.scale.apart[table.x[0]])
    assert len(on_scale) > 60
    for row in on_scale:
        alone = np.ascontiguousarray(table.x[:, [row]])
        _, residual, _ = along_lines(trends.scale, trends.lines, leaf[[row]], alone, 0, place[[row]])
        (own,) = count_residuals(residual, np.zeros(1, INDEX), 1, bend=trends.bend).indices
        literal = without(bag, table, row).trends.residual_shares(bag.splits)
        assert found[leaf[row], own] == pytest.approx(literal[leaf[row], own], abs=SINGLE)


def test_leave_one_out_trends_are_exact_for_codes_inside_one_residual_bin():
    """The regression is kept; for wider codes, which span several bins, leave-one-out is an approximation."""
    rng = np.random.default_rng(7)
    x, y = line_table(rng, 1_500)
    table = table_of(y=y, x=x)
    bag = bag_for(table, n_trees=1, min_samples_leaf=300)
    trends, arrays = bag.trends, bag.trend_arrays()
    leaf, found = bag.splits.leaves_reached(table.x, 0), np.empty(1_500)
    z, residual, spread = along_lines(trends.scale, trends.lines, leaf, table.x, 0, places(table.x))
    alone = trends.residual_shares(bag.splits, left_out=1.0)
    left_out_shares(arrays, alone, leaf, table.x[0], residual, z, spread, found)
    edge = trends.scale.edge
    ends = [residual + (edge[table.x[0] + side] - z) / spread for side in (0, 1)]
    bins = [np.floor(walking.place(end, trends.bend)) for end in ends]
    inside = np.flatnonzero(bins[0] == bins[1])[::20]
    assert len(inside) > 20
    for row in inside:
        cumulative = without(bag, table, row).trends.cumulative(bag.splits)[leaf[row]]
        low, high = (walking.below(cumulative, end[row], trends.bend) for end in ends)
        assert found[row] == pytest.approx(high - low, abs=SINGLE)


# Residuals of leaves


@quick
@given(trend_tables())
def test_residuals_follow_the_counts_and_the_normal_where_there_are_none(table):
    bag = trended_bag(table, min_samples_leaf=2)
    cumulative = bag.trends.cumulative(bag.splits)
    assert cumulative.shape == (bag.splits.n_leaves, N_RESIDUALS + 1)
    assert (np.diff(cumulative, axis=1) > 0).all()  # every residual is possible
    assert (cumulative[:, 0] == 0).all()
    assert (cumulative[:, -1] == 1).all()
    nothing = bag.counted(table.x[:, :0].copy(), table.codec.n_codes).trends.cumulative(bag.splits)
    normal = ndtr(walking.at_place(walking.BINS, bag.trends.bend))
    np.testing.assert_allclose(nothing, np.tile(normal, (len(nothing), 1)), atol=1e-5)


def test_few_residuals_do_not_outweigh_the_normal():
    """Among 80 rows in two lines, a residual's share is nearer to the normal than to the rows."""
    rng, n = np.random.default_rng(14), 80
    x = rng.normal(size=n)
    bag = bag_for(table_of(y=0.5 * x + rng.choice([-1.0, 1.0], n), x=x), n_trees=1, min_samples_leaf=n)
    shares, counts = bag.trends.residual_shares(bag.splits)[0], bag.trends.residuals.toarray()[0] / n
    normal = np.diff(ndtr(walking.at_place(walking.BINS, bag.trends.bend)))
    assert np.abs(shares - normal).sum() < np.abs(shares - counts).sum()


def test_many_residuals_outweigh_the_normal():
    rng, n = np.random.default_rng(14), 20_000
    x = rng.normal(size=n)
    y = 0.5 * x + rng.choice([-1.0, 1.0], n) + 0.1 * rng.normal(size=n)  # two lines, one above the other
    bag = bag_for(table_of(y=y, x=x), n_trees=1, min_samples_leaf=n)
    shares = bag.trends.residual_shares(bag.splits)[0]
    counts = bag.trends.residuals.toarray()[0] / n
    np.testing.assert_allclose(shares, counts, atol=2e-3)
    middle = slice(N_RESIDUALS // 2 - 2, N_RESIDUALS // 2 + 2)
    assert shares[middle].sum() < 0.02  # a normal has a quarter there
    assert (np.diff(ndtr(np.linspace(-REACH, REACH, N_RESIDUALS + 1)))[middle]).sum() > 0.2


# Bags without trends


def test_a_bag_without_trends_passes_empty_arrays_to_kernels():
    bag = bag_for(related_codes(np.random.default_rng(15), "oo", 200, n_values=9), leaves="histogram")
    assert bag.trends is None
    for found, empty in zip(bag.trend_arrays()[1:], no_trends()[1:], strict=True):
        assert found.size == empty.size == 0
        assert found.dtype == empty.dtype
    with_trends = bag_for(related_codes(np.random.default_rng(15), "oo", 200, n_values=9)).trend_arrays()
    for one, other in pairwise((with_trends, no_trends())):  # kernels compile once
        assert [part.dtype for part in one[1:]] == [part.dtype for part in other[1:]]
        assert [part.ndim for part in one.lines[:6]] == [part.ndim for part in other.lines[:6]]
