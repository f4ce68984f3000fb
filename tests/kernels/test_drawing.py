"""Drawing kernels against inverse distribution functions, row by row, with stated false-alarm rates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.drawing import draw_codes, draw_in_leaf, values_in_bins
from janus_synth.kernels.dtypes import CODE, INDEX, REAL
from reference import drawing as reference
from reference.walking import draw_on_lines
from strategies import (
    bag_for,
    code_tables,
    ordered_columns,
    quick,
    related_codes,
    reweighted,
    seeds,
    trend_tables,
    trended_bag,
)

BELOW_ONE = float(np.nextafter(1.0, 0.0))


def draw(bag, x, u):
    """Codes and left-over uniforms, arguments untouched."""
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
@given(ordered_columns(), seeds)
def test_values_are_the_quantile_function_at_u(column, seed):
    codec = column.fit()
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, codec.n_codes, 60).astype(CODE)
    u = rng.random(60)
    u[:2] = 0.0, 1.0
    out = np.empty(60, REAL)
    values_in_bins(codes, u, codec.level, codec.knot, codec.upper, 0.0, 1.0, 0.0, out)  # scale 0: no lattice
    expected = reference.values_in_bins(codes, u, codec.level, codec.knot, codec.upper)
    np.testing.assert_allclose(out, expected, rtol=1e-12)


def test_values_are_rounded_onto_the_lattice():
    level, knot = np.array([[0.0, 0.5, 1.0]]), np.array([[-0.5, 1.5, 9.5]])
    u = np.array([0.1, 0.2, 0.3, 0.9, 0.99])
    out = np.empty(5, REAL)
    values_in_bins(np.zeros(5, CODE), u, level, knot, np.empty(0), 1.0, 3.0, 10.0, out)  # 0.1, 0.4, 0.7, …
    free = reference.values_in_bins(np.zeros(5, int), u, level, knot)
    assert out.tolist() == [(1 + 3 * round((10 * value - 1) / 3)) / 10 for value in free]


@quick
@given(st.lists(st.integers(0, 5), min_size=1, max_size=9).filter(any), seeds, st.sampled_from([0.0, 0.3, 0.95]))
def test_draws_in_a_leaf_equal_the_reference(counts, seed, weight):
    cdf = (np.cumsum(counts) / sum(counts)).astype(np.float32)
    cdf[np.flatnonzero(counts)[-1] :] = 1.0
    u = np.random.default_rng(seed).random(30)
    x, rest, leaf = np.full((2, 30), 99, CODE), u.copy(), np.full(30, -1, INDEX)
    rows = np.arange(0, 30, 3, dtype=INDEX)
    draw_in_leaf(x, 1, rows, cdf, 1, 7, weight, rest, leaf)
    for i in range(30):
        if i in rows:
            code, left_over = reference.draw_in_leaf(cdf, u[i], weight)
            assert (x[1, i], leaf[i]) == ((99, 7) if code is None else (code, -1))
            assert rest[i] == pytest.approx(left_over, abs=1e-6 / (1 - weight))  # shares are 32-bit floats
            assert code is None or counts[code] > 0
        else:
            assert (x[1, i], rest[i], leaf[i]) == (99, u[i], -1)
    assert (x[0] == 99).all()


def test_a_code_without_a_share_is_not_drawn_at_the_very_end_of_the_uniforms():
    """Rounding must not turn the largest uniform into 1: the last code has no share here."""
    cdf = np.array([0.5, 1.0, 1.0], np.float32)
    for weight in 0.25 + np.arange(1, 9) * 2.0**-54:
        x, leaf = np.full((1, 1), 99, CODE), np.full(1, -1, INDEX)
        draw_in_leaf(x, 0, np.zeros(1, INDEX), cdf, 1, 0, weight, np.array([BELOW_ONE]), leaf)
        assert x[0, 0] == 1, weight


@quick
@given(code_tables() | trend_tables(), st.sampled_from([1, 3]), seeds)
def test_draws_equal_the_reference(table, n_trees, seed):
    bag, rng = bag_for(table, n_trees=n_trees, min_samples_leaf=2), np.random.default_rng(seed)
    bag = bag if bag.trends is None else reweighted(bag, rng)
    u = rng.random(table.n_rows)
    u[0] = 0.0
    codes, left_over = draw(bag, table.x, u)
    cdf, trends = bag.leaves.cdf(bag.splits), bag.trend_arrays()
    expected, rest, leaf = reference.draw_codes(table.x, bag.splits, cdf, trends.weight, u)
    assert bag.trends is not None or (leaf < 0).all()
    by_line, rest = draw_on_lines(trends, cdf, leaf, table.x, rest)
    np.testing.assert_array_equal(codes, np.where(leaf >= 0, by_line, expected))
    np.testing.assert_allclose(left_over, rest, atol=1e-5)  # shares are 32-bit floats


@quick
@given(trend_tables(), st.sampled_from([1, 3]), seeds)
def test_rows_that_follow_a_trend_get_its_leaf_and_no_code(table, n_trees, seed):
    rng = np.random.default_rng(seed)
    bag = reweighted(trended_bag(table, n_trees=n_trees, min_samples_leaf=2), rng)
    s, weight = bag.splits, bag.trend_arrays().weight
    x, u, leaf = table.x.copy(), rng.random(table.n_rows), np.full(table.n_rows, -1, INDEX)
    before = u.copy()
    x[0] = 999
    draw_codes(
        x, 0, s.roots, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node,
        bag.leaves.cdf(s), weight, u, leaf,
    )  # fmt: skip
    expected, rest, of_trend = reference.draw_codes(table.x, s, bag.leaves.cdf(s), weight, before)
    np.testing.assert_array_equal(leaf, of_trend)
    np.testing.assert_array_equal(x[0], np.where(of_trend >= 0, 999, expected))
    np.testing.assert_allclose(u[of_trend >= 0], rest[of_trend >= 0], atol=1e-12)


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
def test_the_remainder_of_the_uniform_is_uniform_given_the_code(make):
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
