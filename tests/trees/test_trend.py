"""Trends: distributions over all codes, draws that follow them, counts that add up, and lines where there are some."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import CODE, INDEX, N_RESIDUALS, REACH
from janus_synth.kernels.walking import left_out_shares
from janus_synth.trees import GrowthSettings, axes_for, grow_tree, join_bags, prepare_growth, resample
from janus_synth.trees.fit_trend import HANDICAP, RIDGE, SPREAD_ROWS, WEIGHT_ROWS
from janus_synth.trees.scale import places
from janus_synth.trees.trend import along_lines, count_residuals, no_trends
from reference import trending, walking
from strategies import CodeTable, bag_for, quick, related_codes, reweighted, seeds, trend_tables, trended_bag

LEAVES = st.sampled_from(["auto", "trend"])
SINGLE = 1e-6
"""Shares are stored as 32-bit floats."""


def table_of(**columns) -> CodeTable:
    """Codes of columns of values: floats are numbers (NaN is missing), integers unordered levels."""
    codecs = {}
    for name, values in columns.items():
        if values.dtype.kind == "f":
            codecs[name] = fit_ordered(values, n_bins=254, nullable=bool(np.isnan(values).any()))
        else:
            codecs[name] = fit_levels(values, n_levels=int(values.max()) + 1, ordered=False, nullable=False)
    x = np.stack([codec.encode(columns[name]) for name, codec in codecs.items()])
    return CodeTable(Codec(codecs), x)


def line_table(rng, n_rows, noise=0.6):
    """A standard normal column on a line over another."""
    x = rng.normal(size=n_rows)
    return x, sqrt(1 - noise**2) * x + noise * rng.normal(size=n_rows)


def heaped_table(rng, n_rows):
    """Twelve categories with ten values each, which lie in no order; and a column that tells nothing."""
    own = rng.permutation(120).reshape(12, 10).astype(float)
    category = rng.integers(0, 12, n_rows).astype(np.int32)
    return {"y": own[category, rng.integers(0, 10, n_rows)], "category": category, "noise": rng.normal(size=n_rows)}


def spiked_table(rng, n_rows):
    """A line with a heavy atom in it, and missing values."""
    x, y = line_table(rng, n_rows)
    y = np.where(rng.random(n_rows) < 0.3, 0.5, y)
    return table_of(y=np.where(rng.random(n_rows) < 0.2, np.nan, y), x=x)


def all_shares(bag, x):
    """(trees, rows, codes) what every tree says of every row."""
    walker = bag.compiled(len(x))
    leaves = walker.leaves(x)
    return np.array([walker.shares(leaves[:, [t]], x) for t in range(walker.n_trees)])


def log_likelihood(bag, x, weight=None):
    """Mean log probability of rows' own codes in a tree picked at random; with other weights of the trends if given."""
    if weight is not None:
        bag = replace(bag, trends=replace(bag.trends, weight=weight))
    walker = bag.compiled(len(x))
    return float(np.log(walker.shares_of(x[0], walker.leaves(x), x)).mean())


def mean_weight(bag):
    """Weight of the trends where the rows are."""
    return float(np.average(bag.trends.weight, weights=bag.leaves.forward.sum(axis=1)))


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
def test_parents_never_seen_together_leave_a_distribution(table, seed):
    """Rows that no leaf has seen the like of, also beyond the range of its line."""
    bag = trended_bag(table, min_samples_leaf=2, leaves="trend")
    rng = np.random.default_rng(seed)
    strange = np.stack([rng.integers(0, n, 50) for n in table.codec.n_codes]).astype(CODE)
    shares = all_shares(bag, strange)
    np.testing.assert_allclose(shares.sum(axis=2), 1.0, atol=SINGLE)
    assert (shares >= 0).all()


@quick
@given(trend_tables(), LEAVES)
def test_codes_apart_keep_the_share_of_the_histogram(table, leaves):
    bag = trended_bag(table, min_samples_leaf=2, leaves=leaves)
    apart, table_of_leaves = bag.trends.scale.apart, bag.shares
    assert apart[-1]
    for tree, shares in enumerate(all_shares(bag, table.x)):
        leaf = bag.splits.leaves_reached(table.x, tree)
        np.testing.assert_allclose(shares[:, apart], table_of_leaves[leaf][:, apart].astype(float), rtol=1e-12)


def test_heavy_atoms_and_missing_stay_apart_and_are_drawn_as_often_as_they_are():
    """The even grid of uniforms leaves nothing to chance."""
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
    """(1 − ω) of the one and ω of the other, code by code."""
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
    rows = np.argsort(table.x[1])[[0, 750, -1]]  # at both ends of the line and in the middle
    for row, u in zip(table.x[:, rows].T, np.random.default_rng(2).random((3, n)), strict=True):
        x = np.repeat(row[:, None], n, axis=1)
        bag.draw(x, u)
        drawn = np.cumsum(np.bincount(x[0], minlength=bag.leaves.tree.n_codes)) / n
        gap = np.abs(drawn - np.cumsum(all_shares(bag, row[:, None].copy()).mean(axis=(0, 1)))).max()
        assert gap <= sqrt(log(2 * 3 / false_alarm) / (2 * n))  # DKW for three rows: 0.020; 0.04 is caught


@pytest.mark.statistical
def test_draws_of_all_rows_have_the_expected_number_of_every_code():
    false_alarm, times = 1e-6, 20
    table = spiked_table(np.random.default_rng(3), 1_500)
    bag = bag_for(table, n_trees=3, leaves="trend")
    expected = times * all_shares(bag, table.x).mean(axis=0).sum(axis=0)
    x = np.tile(table.x, times)
    bag.draw(x, np.random.default_rng(4).random(x.shape[1]))
    counts = np.bincount(x[0], minlength=len(expected))
    # Hoeffding for every cumulative count: 0.018 of all rows; codes drawn one too high would move an atom's 0.3.
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
def test_every_row_on_the_scale_counts_once_in_every_tree_and_no_other_does(table, n_trees):
    bag = trended_bag(table, n_trees=n_trees, min_samples_leaf=2)
    residuals, apart = bag.trends.residuals.toarray(), bag.trends.scale.apart
    of_leaf = bag.leaves.forward.toarray()[:, ~apart].sum(axis=1)
    np.testing.assert_array_equal(residuals.sum(axis=1), of_leaf)
    only_apart = np.ascontiguousarray(table.x[:, apart[table.x[0]]])
    assert bag.trends.counted(bag.splits, only_apart, 0).sum() == 0


@quick
@given(trend_tables(max_rows=60))
def test_residuals_are_counted_where_they_lie(table):
    """Bin by bin, row by row; what lies beyond the outer bins counts there."""
    bag = trended_bag(table, n_trees=1, min_samples_leaf=5)
    trends = bag.trends
    x = np.ascontiguousarray(table.x[:, ~trends.scale.apart[table.x[0]]])
    leaf = bag.splits.leaves_reached(x, 0)
    expected = np.zeros((bag.splits.n_leaves, N_RESIDUALS), int)
    z = trends.scale.scores(x[0], places(x), walking.centres_of_rows(trends.lines, leaf, x), trends.spread[leaf])
    residuals = (z - walking.centres_of_rows(trends.lines, leaf, x)) / trends.spread[leaf]
    for residual, own in zip(residuals, leaf, strict=True):
        borders = np.linspace(-REACH, REACH, N_RESIDUALS + 1)[1:-1]
        expected[own, np.searchsorted(borders, residual, side="right")] += 1
    np.testing.assert_array_equal(trends.residuals.toarray(), expected)


def test_residuals_beyond_reach_count_at_the_ends():
    residuals = np.array([-1e9, -REACH - 1e-9, -REACH, 0.0, REACH - 1e-9, REACH, 1e9])
    counts = count_residuals(residuals, np.array([0, 0, 0, 1, 1, 1, 1], INDEX), 3).toarray()
    assert counts.sum(axis=1).tolist() == [3, 4, 0]
    assert (counts[0, 0], counts[1, N_RESIDUALS // 2], counts[1, -1]) == (3, 1, 3)


@pytest.mark.parametrize("leaves", ["auto", "trend"])
@pytest.mark.parametrize("max_rows", [200, 300, 449, 898, 899, 900])
def test_lines_may_come_from_fewer_rows_but_residuals_count_all(max_rows, leaves):
    table = related_codes(np.random.default_rng(5), "oo", 900, n_values=12, missing=0.0)
    bag = bag_for(table, n_trees=2, max_rows=max_rows, leaves=leaves)
    assert bag.trends.residuals.sum() == 2 * 900
    recounted = bag.counted(table.x, table.codec.n_codes)
    np.testing.assert_array_equal(recounted.trends.residuals.toarray(), bag.trends.residuals.toarray())


@quick
@given(trend_tables(), seeds)
def test_joined_bags_keep_the_mean_over_trees(table, seed):
    rng = np.random.default_rng(seed)
    parts = [reweighted(trended_bag(table, n_trees=n, seed=n, min_samples_leaf=2), rng) for n in (1, 2)]
    joined = join_bags(parts)
    expected = np.concatenate([all_shares(part, table.x) for part in parts])
    np.testing.assert_array_equal(all_shares(joined, table.x), expected)
    recounted = joined.counted(table.x, table.codec.n_codes)
    np.testing.assert_array_equal(recounted.trends.residuals.toarray(), joined.trends.residuals.toarray())


# Rows left out


def without(bag, table, row):
    """The same trees and lines, counted without one of the rows."""
    return bag.counted(np.delete(table.x, row, axis=1), table.codec.n_codes)


def small_case():
    """One tree of a few leaves over a table in which every code is allowed."""
    table = related_codes(np.random.default_rng(6), "oou", 90, n_values=9, missing=0.1)
    bag = bag_for(table, n_trees=1, min_samples_leaf=8)
    assert bag.splits.n_leaves > 2
    assert bag.leaves.allowed.all()
    return table, bag


def test_histograms_left_out_are_those_without_the_row():
    table, bag = small_case()
    found, leaf = bag.leaves.left_out(bag.splits), bag.splits.leaves_reached(table.x, 0)
    for row, code in enumerate(table.x[0]):
        literal = without(bag, table, row).leaves.shares(bag.splits)[leaf[row], code]
        assert found[leaf[row], code] == pytest.approx(literal, abs=SINGLE)


def test_residuals_left_out_are_those_without_the_row():
    table, bag = small_case()
    trends, found = bag.trends, bag.trends.residual_shares(bag.splits, left_out=1.0)
    leaf, place = bag.splits.leaves_reached(table.x, 0), places(table.x)
    on_scale = np.flatnonzero(~trends.scale.apart[table.x[0]])
    assert len(on_scale) > 60
    for row in on_scale:
        alone = np.ascontiguousarray(table.x[:, [row]])
        _, residual = along_lines(trends.scale, trends.lines, leaf[[row]], alone, 0, place[[row]])
        (own,) = count_residuals(residual, np.zeros(1, INDEX), 1).indices
        literal = without(bag, table, row).trends.residual_shares(bag.splits)
        assert found[leaf[row], own] == pytest.approx(literal[leaf[row], own], abs=SINGLE)


def test_trends_left_out_are_those_without_the_row_for_codes_inside_a_bin_of_residuals():
    """The line is kept; wider codes also hold bins in which the row's absence is not noticed."""
    rng = np.random.default_rng(7)
    x, y = line_table(rng, 1_500)
    table = table_of(y=y, x=x)
    bag = bag_for(table, n_trees=1, min_samples_leaf=300)
    trends, arrays = bag.trends, bag.trend_arrays()
    leaf, found = bag.splits.leaves_reached(table.x, 0), np.empty(1_500)
    z, residual = along_lines(trends.scale, trends.lines, leaf, table.x, 0, places(table.x))
    alone = trends.residual_shares(bag.splits, left_out=1.0)
    left_out_shares(arrays, alone, leaf, table.x[0], residual, z, found)
    spread, edge = trends.spread[leaf], trends.scale.edge
    ends = [residual + (edge[table.x[0] + side] - z) / spread for side in (0, 1)]
    bins = [np.floor((end + REACH) * (N_RESIDUALS / (2 * REACH))) for end in ends]
    inside = np.flatnonzero(bins[0] == bins[1])[::20]
    assert len(inside) > 20
    for row in inside:
        cumulative = without(bag, table, row).trends.cumulative(bag.splits)[leaf[row]]
        low, high = (np.interp(end[row], np.linspace(-REACH, REACH, N_RESIDUALS + 1), cumulative) for end in ends)
        assert found[row] == pytest.approx(high - low, abs=SINGLE)


# Lines and their weights


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.6, 0.95])
def test_a_noisy_straight_line_is_recovered(noise):
    """In one leaf, against least squares between the columns' normal scores by rank.

    Codes hold 20 rows each, most are 0.01 wide and the outer two 1: what rows of one code have in common moves the
    slope by less than 0.015 (a standard error of the slope at a noise of 1) and adds less than 0.02 to the spread.
    """
    n = 5_000
    x, y = line_table(np.random.default_rng(8), n, noise)
    table = table_of(y=y, x=x)
    bag = bag_for(table, n_trees=1, min_samples_leaf=n)
    assert bag.splits.n_leaves == 1
    of_x, of_y = (ndtri((rankdata(values) - 0.5) / n) for values in (x, y))
    slope, intercept = np.polyfit(of_x, of_y, 1)
    np.testing.assert_allclose(bag.trends.coef[0], [slope, intercept], atol=0.015)
    assert bag.trends.spread[0] == pytest.approx((of_y - slope * of_x - intercept).std(), abs=0.02)
    for found, code in ((bag.trends.low, table.x[1].min()), (bag.trends.high, table.x[1].max())):
        assert found[0, 0] == pytest.approx(of_x[table.x[1] == code].mean(), abs=0.1)


@pytest.mark.statistical
@pytest.mark.parametrize("cuts", [[0.0], [1.2], [-0.5, 0.3, 1.0]])
def test_a_line_through_grades_is_as_steep_as_the_one_that_made_them(cuts):
    """Grades of a hidden score that correlates with x by 0.6: placed in their grades by chance, rows would give less.

    Of two halves 0.64 of it (the variance of a normal's half means), 0.38; of a tenth and the rest a third. Standard
    errors by 8,192 rows: below 0.02 for an ordered probit's slope, which placing rows by chance doubles at most.
    """
    rng, n = np.random.default_rng(15), 20_000
    x, other = rng.normal(size=(2, n))
    hidden = 0.6 * x + 0.8 * rng.normal(size=n)
    table = table_of(y=np.searchsorted(cuts, hidden).astype(float), x=x, other=other)
    bag = bag_for(table, n_trees=1, min_samples_leaf=n)
    np.testing.assert_allclose(bag.trends.coef[0, :2], [0.6, 0.0], atol=0.08)
    assert bag.trends.spread[0] == pytest.approx(0.8, abs=0.06)


def test_a_line_over_several_parents_has_a_slope_for_each():
    rng, n = np.random.default_rng(9), 5_000
    points = rng.normal(size=(3, n))
    y = 0.7 * points[0] - 0.5 * points[1] + 0.51 * rng.normal(size=n)
    table = table_of(y=y, a=points[0], b=points[1], c=points[2])
    coef = bag_for(table, n_trees=1, min_samples_leaf=n).trends.coef[0]
    # The columns' standard deviations are 1 but for chance: 0.01 each, as are the errors of the slopes (0.5 / √n).
    np.testing.assert_allclose(coef, [0.7, -0.5, 0.0, 0.0], atol=0.04)


def test_a_shift_between_categories_is_a_slope_over_their_scores():
    rng, n = np.random.default_rng(10), 4_000
    category = rng.integers(0, 3, n).astype(np.int32)
    y = np.array([0.0, 4.0, -4.0])[category] + rng.normal(size=n)
    bag = bag_for(table_of(y=y, category=category), n_trees=1, min_samples_leaf=n)
    score = bag.trends.score[0, :3]
    assert np.argsort(score).tolist() == [2, 0, 1]
    assert bag.trends.coef[0, 0] == pytest.approx(1.0, abs=0.02)  # scores are the target's means


def test_the_trend_has_nearly_all_the_say_in_a_leaf_with_a_line():
    for seed in range(3):
        x, y = line_table(np.random.default_rng(seed), 2_000)
        bag = bag_for(table_of(y=y, x=x), n_trees=1, min_samples_leaf=2_000)
        assert bag.splits.n_leaves == 1
        assert bag.trends.weight[0] > 0.9


@pytest.mark.parametrize("n_trees", [1, 4])
def test_the_trend_has_hardly_a_say_where_values_are_heaped_in_no_order(n_trees):
    for seed in range(3):
        bag = bag_for(table_of(**heaped_table(np.random.default_rng(seed), 2_000)), n_trees=n_trees)
        assert bag.trends is not None
        assert mean_weight(bag) < 0.01


@pytest.mark.parametrize("n_trees", [1, 4])
def test_fresh_rows_are_likelier_with_trends_where_there_is_a_line(n_trees):
    x, y = line_table(np.random.default_rng(11), 4_000)
    table = table_of(y=y[:2_000], x=x[:2_000])
    fresh = np.stack([codec.encode(v[2_000:]) for codec, v in zip(table.codec.columns.values(), (y, x), strict=True)])
    bag = bag_for(table, n_trees=n_trees)
    assert log_likelihood(bag, fresh) > log_likelihood(bag, fresh, np.zeros_like(bag.trends.weight)) + 0.05


@pytest.mark.parametrize("n_trees", [1, 4])
def test_fresh_rows_lose_next_to_nothing_by_trends_where_there_is_no_line(n_trees):
    columns = heaped_table(np.random.default_rng(12), 4_000)
    table = table_of(**{name: values[:2_000] for name, values in columns.items()})
    fresh = np.stack([table.codec.columns[name].encode(values[2_000:]) for name, values in columns.items()])
    bag = bag_for(table, n_trees=n_trees)
    without_trends = log_likelihood(bag, fresh, np.zeros_like(bag.trends.weight))
    assert log_likelihood(bag, fresh) > without_trends - 0.01
    rows = bag.trends.residuals.sum(axis=1)
    assert log_likelihood(bag, fresh, rows / (rows + 1.0)) < without_trends - 1  # trends alone would lose a lot


@quick
@given(trend_tables(), st.sampled_from([1, 3]))
def test_trends_alone_leave_the_histogram_one_row_in_each_leaf(table, n_trees):
    bag = trended_bag(table, n_trees=n_trees, min_samples_leaf=2, leaves="trend")
    rows = bag.trends.residuals.sum(axis=1)
    np.testing.assert_array_equal(bag.trends.weight, rows / (rows + 1.0))
    auto = trended_bag(table, n_trees=n_trees, min_samples_leaf=2)
    assert (auto.trends.weight <= bag.trends.weight).all()
    assert (auto.trends.weight[rows > 0] > 0).all()


def judged_weights(table, bag, axes, judged, lines_by):
    """Weights by the twins of the kernels, of the given rows on the scale: each left out of the counts and the line.

    A line without the row leaves it a larger residual, by 1 / (1 − parameters / rows) on average.
    """
    trends, s = bag.trends, bag.splits
    rows = np.flatnonzero(~axes.scale.apart[table.x[0]])
    x = np.ascontiguousarray(table.x[:, rows])
    leaf = s.leaves_reached(x, 0)
    tree, points = (s.left, s.right, s.leaf_of_node, leaf), (x, axes.parents, axes.score, axes.z)
    lines = trending.fit_lines(*tree, *points, RIDGE, SPREAD_ROWS)
    line = trending.choose_lines(*tree, *points, np.isin(rows, lines_by), lines)[s.left < 0]
    np.testing.assert_allclose(trends.coef, lines[0][line], atol=1e-6)
    n = np.bincount(leaf, minlength=s.n_leaves)
    of_line = np.array([len(trending.rows_of(*tree, node)) for node in line])
    inflation = 1 / (1 - np.minimum(lines[2][line] / np.maximum(of_line, 1), 0.9))
    centres = walking.centres_of_rows(trends.lines, leaf, x)
    z = axes.scale.scores(x[0], places(x), centres, trends.spread[leaf])
    residual = (z - centres) / trends.spread[leaf] * inflation[leaf]
    arrays, alone = bag.trend_arrays(), trends.residual_shares(s, left_out=1.0)
    apart = bag.leaves.shares(s)[:, axes.scale.apart].sum(axis=1, dtype=float)
    all_rows = bag.leaves.forward.sum(axis=1)  # of a prior of strength 1: (n + 1) shares without the row are n
    of_scale = (1 - apart * (all_rows + 1) / all_rows)[leaf]
    second = of_scale * walking.left_out_shares(arrays, alone, leaf, x[0], residual, z)
    first = np.exp(-HANDICAP) * bag.leaves.left_out(s)[leaf, x[0]].astype(float)
    use = np.isin(rows, judged)
    weight = trending.weigh_predictions(
        s.left, s.right, s.leaf_of_node, leaf[use], first[use], second[use], WEIGHT_ROWS
    )
    return weight * n / (n + 1)


@pytest.mark.parametrize("n_trees", [1, 2])
def test_weights_come_from_rows_left_out_that_did_not_choose_the_splits(n_trees):
    """A single tree grows on all rows, and has to judge by them."""
    table = related_codes(np.random.default_rng(13), "oou", 300, n_values=12)
    rules = GrowthSettings(n_trees=n_trees)
    ground = prepare_growth(table.codec, table.x, rules)
    axes, rng = axes_for(ground, 0, (1, 2), rules), np.random.default_rng(0)
    grown_on = resample(300, rules, np.random.default_rng(0))
    bag = grow_tree(ground, 0, (1, 2), rules, rng, axes)
    assert bag.splits.n_leaves > 2
    judged = np.arange(300) if n_trees == 1 else np.setdiff1d(np.arange(300), grown_on)
    np.testing.assert_allclose(bag.trends.weight, judged_weights(table, bag, axes, judged, judged), atol=1e-5)
    if n_trees > 1:
        assert np.abs(bag.trends.weight - judged_weights(table, bag, axes, np.arange(300), judged)).max() > 0.01


# Residuals of leaves


@quick
@given(trend_tables())
def test_residuals_are_distributed_as_counted_and_as_the_normal_where_nothing_is(table):
    bag = trended_bag(table, min_samples_leaf=2)
    cumulative = bag.trends.cumulative(bag.splits)
    assert cumulative.shape == (bag.splits.n_leaves, N_RESIDUALS + 1)
    assert (np.diff(cumulative, axis=1) > 0).all()  # every residual is possible
    assert (cumulative[:, 0] == 0).all()
    assert (cumulative[:, -1] == 1).all()
    nothing = bag.counted(table.x[:, :0].copy(), table.codec.n_codes).trends.cumulative(bag.splits)
    normal = ndtr(np.linspace(-REACH, REACH, N_RESIDUALS + 1))
    np.testing.assert_allclose(nothing, np.tile(normal, (len(nothing), 1)), atol=1e-5)


def test_many_residuals_outweigh_the_normal():
    rng, n = np.random.default_rng(14), 20_000
    x = rng.normal(size=n)
    y = 0.5 * x + rng.choice([-1.0, 1.0], n) + 0.1 * rng.normal(size=n)  # two lines, one above the other
    bag = bag_for(table_of(y=y, x=x), n_trees=1, min_samples_leaf=n)
    shares = bag.trends.residual_shares(bag.splits)[0]
    counts = bag.trends.residuals.toarray()[0] / n
    np.testing.assert_allclose(shares, counts, atol=2e-3)
    middle = slice(N_RESIDUALS // 2 - 2, N_RESIDUALS // 2 + 2)
    assert shares[middle].sum() < 0.02  # where a normal has a quarter
    assert (np.diff(ndtr(np.linspace(-REACH, REACH, N_RESIDUALS + 1)))[middle]).sum() > 0.2


# Where there are none


def test_a_bag_without_trends_hands_kernels_empty_ones():
    bag = bag_for(related_codes(np.random.default_rng(15), "oo", 200, n_values=9), leaves="histogram")
    assert bag.trends is None
    for found, empty in zip(bag.trend_arrays()[1:], no_trends()[1:], strict=True):
        assert found.size == empty.size == 0
        assert found.dtype == empty.dtype
    with_trends = bag_for(related_codes(np.random.default_rng(15), "oo", 200, n_values=9)).trend_arrays()
    for one, other in pairwise((with_trends, no_trends())):  # kernels compile once
        assert [part.dtype for part in one[1:]] == [part.dtype for part in other[1:]]
        assert [part.ndim for part in one.lines] == [part.ndim for part in other.lines]
