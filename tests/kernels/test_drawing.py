"""Drawing kernels against inverse distribution functions, row by row, with stated false-alarm rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from janus_synth.kernels.drawing import draw_codes, fill_guide, scramble
from janus_synth.kernels.dtypes import CODE, INDEX, REAL
from janus_synth.trees.compiled import make_guides
from janus_synth.trees.trend import no_trends
from reference import drawing as reference
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

BELOW_ONE = float(np.nextafter(1.0, 0.0))


def draw(bag, x, u):
    """Codes and the uniforms for the places inside their bins, arguments untouched."""
    x, u = x.copy(), np.array(u, REAL)
    bag.draw(x, u)
    return x[bag.target], u


def mean_shares(bag, row):
    """Distribution of the target given one row's parents, over the whole bag."""
    trees = bag.compiled(len(row))
    x = np.ascontiguousarray(row[:, None])
    return trees.shares(trees.leaves(x), x)[0]


def lined_bag(table, **rules):
    """A bag with trends in most of its leaves, none of them with a mixture weight of one."""
    bag = bag_for(table, **rules)
    assert bag.trends is not None
    return reweighted(bag, np.random.default_rng(0))


@quick
@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any), min_size=1, max_size=5))
def test_a_guide_counts_the_shares_that_are_not_above_its_cells(counts):
    shares = np.array([np.cumsum(row) / sum(row) for row in counts], np.float32)
    guide = np.full((len(shares), 16), 999, CODE)
    fill_guide(shares, guide)
    np.testing.assert_array_equal(guide, reference.fill_guide(shares, 16))


def draw_in_leaf(cdf, share):
    """Codes of rows in a single leaf without a trend."""
    n, cdf = len(share), np.asarray(cdf, np.float32)[None]
    x, rows = np.full((2, n), 99, CODE), np.random.default_rng(0).permutation(n).astype(INDEX)
    share = np.asarray(share, np.float32)
    draw_codes(x, 1, rows, np.zeros(n, INDEX), share, cdf, no_trends(), make_guides(cdf, no_trends()))
    assert (x[0] == 99).all()
    return x[1]


@quick
@given(st.lists(st.integers(0, 5), min_size=1, max_size=400).filter(any), seeds)
def test_draws_in_a_leaf_equal_the_reference(counts, seed):
    """Many codes without a share side by side, too: from the guide it is then far to the code."""
    cdf = (np.cumsum(counts) / sum(counts)).astype(np.float32)
    cdf[np.flatnonzero(counts)[-1] :] = 1.0
    share = np.append(np.random.default_rng(seed).random(30, np.float32), [0.0, 0.5, 0.25])
    codes = draw_in_leaf(cdf, share)
    assert codes.tolist() == [reference.draw_in_leaf(cdf, each) for each in share]
    assert (np.array(counts)[codes] > 0).all()


@quick
@given(seeds)
def test_scrambled_uniforms_equal_the_reference(seed):
    u = np.append(np.random.default_rng(seed).random(50), [0.0, 5e-324, 0.5, BELOW_ONE, 1.0])
    out = u.copy()
    scramble(out)
    np.testing.assert_array_equal(out, reference.scramble(u))
    assert ((out >= 0) & (out < 1)).all()


@pytest.mark.statistical
def test_scrambled_uniforms_tell_nothing_of_the_uniforms():
    """Pairs fall evenly into 64 × 64 cells, also where the uniforms differ in their last bits only."""
    n, false_alarm = 400_000, 1e-6
    near = 0.7 + np.arange(n) * 2.0**-53
    for u, place in ((np.random.default_rng(4).random(n), None), (near, np.arange(n) / n)):
        out = u.copy()
        scramble(out)
        cells = np.bincount((np.floor(64 * (u if place is None else place)) * 64 + np.floor(64 * out)).astype(int))
        statistic = ((cells - n / 4096) ** 2 / (n / 4096)).sum()
        # Chi-squared with about 4,095 degrees of freedom; cells that are all 6 % off the mean would be caught.
        assert len(cells) == 4096
        assert statistic <= chi2.isf(false_alarm, 4095)


def test_a_code_without_a_share_is_not_drawn_at_the_very_end_of_the_uniforms():
    """Rounding must not turn the largest uniform into 1: the last code has no share here."""
    assert draw_in_leaf([0.5, 1.0, 1.0], [np.nextafter(np.float32(1), np.float32(0))]).tolist() == [1]
    table = related_codes(np.random.default_rng(1), "oo", 200)
    bag = bag_for(table, n_trees=7, min_samples_leaf=2)
    for weight in (1.0, BELOW_ONE, *(0.25 + np.arange(1, 9) * 2.0**-54)):
        trends = replace(bag.trends, weight=np.full(bag.splits.n_leaves, weight))
        codes, rest = draw(replace(bag, trends=trends), table.x, np.full(table.n_rows, BELOW_ONE))
        leaves = bag.splits.leaves_reached(table.x, 6)
        assert (bag.shares[leaves, codes] > 0).all(), weight
        assert ((rest >= 0) & (rest <= 1)).all()


@quick
@given(code_tables() | trend_tables(), st.sampled_from([1, 3]), seeds)
def test_draws_equal_the_reference(table, n_trees, seed):
    bag, rng = bag_for(table, n_trees=n_trees, min_samples_leaf=2), np.random.default_rng(seed)
    bag = bag if bag.trends is None else reweighted(bag, rng)
    u = rng.random(table.n_rows)
    u[0] = 0.0
    codes, left_over = draw(bag, table.x, u)
    expected, of_trend = reference.draw_codes(table.x, bag.splits, bag.cdf, in_single(bag), u)
    assert bag.trends is not None or not of_trend.any()
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(left_over, reference.scramble(u))


def in_single(bag):
    """Trends of a bag with the residual shares that draws use, which are 32-bit floats."""
    trends = bag.trend_arrays()
    return trends._replace(cumulative=trends.cumulative.astype(np.float32).astype(float))


@quick
@given(trend_tables(), seeds)
def test_draws_on_lines_equal_the_reference(table, seed):
    """Where every leaf follows its trend alone."""
    bag = trended_bag(table, n_trees=3, min_samples_leaf=2)
    bag = replace(bag, trends=replace(bag.trends, weight=np.ones(bag.splits.n_leaves)))
    u = np.random.default_rng(seed).random(table.n_rows)
    codes, _ = draw(bag, table.x, u)
    expected, of_trend = reference.draw_codes(table.x, bag.splits, bag.cdf, in_single(bag), u)
    assert of_trend.all()
    np.testing.assert_array_equal(codes, expected)


@quick
@given(trend_tables())
def test_draws_on_lines_at_the_ends_of_the_uniforms_are_codes_with_a_share(table):
    bag = trended_bag(table, n_trees=2, min_samples_leaf=2)
    bag = replace(bag, trends=replace(bag.trends, weight=np.ones(bag.splits.n_leaves)))
    for end in (0.0, 5e-324, 0.5, float(np.nextafter(0.5, 0.0)), BELOW_ONE):
        codes, left_over = draw(bag, table.x, np.full(table.n_rows, end))
        leaves = bag.splits.leaves_reached(table.x, int(end >= 0.5))
        assert (bag.shares[leaves, codes] > 0).all()
        assert ((left_over >= 0) & (left_over <= 1)).all()


def test_draws_write_the_target_and_nothing_else():
    table = related_codes(np.random.default_rng(1), "oou", 100)
    x = table.x.copy()
    bag_for(table).draw(x, np.random.default_rng(2).random(100))
    np.testing.assert_array_equal(x[1:], table.x[1:])
    assert (x[0] != table.x[0]).any()


@pytest.mark.parametrize("make", [bag_for, lined_bag])
def test_an_even_grid_of_uniforms_gives_every_code_its_share(make):
    """No chance here: n evenly spread uniforms give each code of each tree its share to within one or two.

    With trends a tree deals codes out twice, by its table and by its line.
    """
    table = related_codes(np.random.default_rng(3), "ouo", 400, n_values=9)
    bag = make(table)
    n, n_trees = 30_000, bag.splits.n_trees
    for row in table.x[:, :5].T:
        codes, _ = draw(bag, np.repeat(row[:, None], n, axis=1), (np.arange(n) + 0.5) / n)
        counts = np.bincount(codes, minlength=bag.leaves.tree.n_codes)
        np.testing.assert_allclose(counts / n, mean_shares(bag, row), atol=4 * n_trees / n + 1e-6)


@quick
@given(code_tables(min_rows=20) | trend_tables(), st.sampled_from([1, 3, 7]))
def test_codes_without_a_share_are_never_drawn(table, n_trees):
    """Missing has no share in a column that is not nullable; the ends of the unit interval are hard."""
    bag = bag_for(table, n_trees=n_trees, min_samples_leaf=2)
    possible = bag.leaves.shares(bag.splits) > 0
    ends = np.arange(n_trees) / n_trees
    below_ends = np.nextafter(np.append(ends[1:], 1.0), 0.0)
    for u in (*ends, *below_ends, BELOW_ONE, 0.5):
        codes, left_over = draw(bag, table.x, np.full(table.n_rows, u))
        tree = min(int(u * n_trees), n_trees - 1)
        leaves = bag.splits.leaves_reached(table.x, tree)
        assert possible[leaves, codes].all()
        assert ((left_over >= 0) & (left_over <= 1)).all()


@pytest.mark.statistical
@pytest.mark.parametrize("make", [bag_for, lined_bag])
def test_draws_follow_the_distribution_of_the_bag(make):
    n, false_alarm = 20_000, 1e-6
    table = related_codes(np.random.default_rng(5), "ouo", 500, n_values=8)
    bag = make(table, n_trees=4)
    row = table.x[:, 7]
    u = np.random.default_rng(6).random(n)
    codes, _ = draw(bag, np.repeat(row[:, None], n, axis=1), u)
    drawn = np.cumsum(np.bincount(codes, minlength=bag.leaves.tree.n_codes)) / n
    gap = np.abs(drawn - np.cumsum(mean_shares(bag, row))).max()
    assert gap <= np.sqrt(np.log(2 / false_alarm) / (2 * n))  # DKW: 0.019; a true gap of 0.04 is caught


@pytest.mark.statistical
@pytest.mark.parametrize("make", [bag_for, lined_bag])
def test_the_uniforms_for_the_places_inside_bins_are_uniform_given_the_code(make):
    n, false_alarm = 40_000, 1e-6
    table = related_codes(np.random.default_rng(8), "ou", 500, n_values=8)
    bag = make(table, n_trees=4)
    x = np.repeat(table.x[:, 3:4], n, axis=1)
    codes, left_over = draw(bag, x, np.random.default_rng(9).random(n))
    common = np.flatnonzero(np.bincount(codes) > 500)
    assert len(common) > 1
    for group in (np.ones(n, bool), *(codes == code for code in common)):
        part = np.sort(left_over[group])
        gap = np.abs(part - (np.arange(len(part)) + 0.5) / len(part)).max() - 0.5 / len(part)
        # DKW per group: 0.014 for all rows, 0.12 for the smallest; a constant or reused uniform gives 0.5
        assert gap <= np.sqrt(np.log(2 * (1 + len(common)) / false_alarm) / (2 * len(part)))
