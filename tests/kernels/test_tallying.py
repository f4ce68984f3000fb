"""Tallies against rows that are walked one by one, and bins of residuals against exact quantiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from janus_synth.kernels import tallying
from janus_synth.kernels.dtypes import CODE, COUNT, INDEX, N_RESIDUALS, REACH
from janus_synth.kernels.tallying import (
    NO_BIN,
    UNSURE,
    group_rows,
    load_scores,
    sparse_rows,
    sure_bins,
    tally_bins,
    tally_residuals,
    tally_tree,
)
from janus_synth.kernels.walking import Lines
from janus_synth.trees.residual_grid import borders
from janus_synth.trees.splits import leaves_of_tree
from janus_synth.trees.trend import sketch_lines
from reference import tallying as reference
from strategies import bag_for, code_tables, quick, seeds


@quick
@given(code_tables(), st.sampled_from([1, 3]), st.sampled_from([1, 7, 10_000]), seeds)
def test_tables_are_those_of_rows_walked_one_by_one(table, n_trees, block, seed):
    s = bag_for(table, n_trees=n_trees, min_samples_leaf=1).splits
    n_columns = len(table.x)
    columns = np.random.default_rng(seed).permutation(n_columns)[: 1 + seed % n_columns].astype(INDEX)
    ends = np.cumsum(table.codec.n_codes[columns])
    offsets, width = (ends - table.codec.n_codes[columns]).astype(INDEX), int(ends[-1])
    kept, tallying.BLOCK = tallying.BLOCK, block
    try:
        for t, root in enumerate(s.roots):
            own = leaves_of_tree(s, t)
            found, leaf = np.zeros((len(own), width), COUNT), np.full(table.n_rows, -7, INDEX)
            tally_tree(
                table.x, root, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node,
                own.start, columns, offsets, found, leaf, np.empty(0, COUNT),
            )  # fmt: skip
            expected_leaf, expected = reference.tally_tree(table.x, root, s, columns, offsets, width)
            np.testing.assert_array_equal(leaf, expected_leaf)
            np.testing.assert_array_equal(found, expected[own.start : own.stop])
            tally_tree(
                table.x, root, s.feature, s.cut, s.left, s.right, s.set_start, s.left_levels, s.leaf_of_node,
                own.start, columns, offsets, found, leaf, np.full(table.n_rows, 3, COUNT),
            )  # fmt: skip
            np.testing.assert_array_equal(found, 4 * expected[own.start : own.stop])  # added to what was there
    finally:
        tallying.BLOCK = kept


@quick
@given(seeds, st.integers(1, 300), st.integers(1, 4), st.integers(1, 9))
def test_groups_are_the_different_rows_in_the_order_of_their_first(seed, n_rows, n_columns, n_codes):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, n_codes, (5, n_rows)).astype(CODE)
    columns = rng.permutation(5)[:n_columns].astype(INDEX)
    group, first, weight = np.empty(n_rows, INDEX), np.empty(n_rows, INDEX), np.empty(n_rows, COUNT)
    found = group_rows(x, columns, np.full(n_columns, n_codes, INDEX), group, first, weight)
    expected, counts = reference.group_rows(x, columns)
    if 10 * len(counts) > 9 * n_rows:
        assert found == -1
        return
    assert found == len(counts)
    assert (group.tolist(), weight[:found].tolist()) == (expected, counts)
    np.testing.assert_array_equal(x[columns][:, first[:found]][:, group], x[columns])


def test_too_many_different_rows_are_given_up():
    x = np.arange(40, dtype=CODE)[None] % 20
    parts = np.empty(40, INDEX), np.empty(19, INDEX), np.empty(19, COUNT)
    assert group_rows(x, np.zeros(1, INDEX), np.full(1, 20, INDEX), *parts) == -1
    parts = np.empty(40, INDEX), np.empty(20, INDEX), np.empty(20, COUNT)
    assert group_rows(x, np.zeros(1, INDEX), np.full(1, 20, INDEX), *parts) == 20


@quick
@given(seeds, st.integers(1, 9), st.integers(0, 5), st.integers(0, 5))
def test_sparse_rows_hold_the_cells_of_some_columns(seed, n_leaves, begin, width):
    rng = np.random.default_rng(seed)
    table = rng.poisson(0.5, (n_leaves, begin + width + 2)).astype(COUNT)
    key_of = np.cumsum(rng.integers(1, 4, table.shape[1])).astype(INDEX)
    start, key, count = sparse_rows(table, begin, begin + width, key_of)
    expected = np.zeros((n_leaves, key_of[-1] + 1), int)
    expected[:, key_of[begin : begin + width]] = table[:, begin : begin + width]
    np.testing.assert_array_equal(csr_array((count, key, start), shape=expected.shape).toarray(), expected)
    assert len(key) == np.count_nonzero(expected)
    assert (start.dtype, key.dtype, count.dtype) == (INDEX, INDEX, COUNT)


def exact_bins(low, high, place, bend):
    """Bins of residuals that are further from a border of bins than the reference may err; −1 for others."""
    found, edges = reference.residual(low, high, place), borders(bend)
    bins = np.clip(np.searchsorted(edges, found, side="right") - 1, 0, N_RESIDUALS - 1)
    nearest = np.minimum(np.abs(found - edges[bins]), np.abs(found - edges[bins + 1]))
    return np.where(nearest < 1e-6 * 2 * REACH / N_RESIDUALS, -1, bins)


def bins_by_bounds(codes, place, edge, apart, bend, lines, start, scores, about):
    """Bin of each row, −1 where it is not counted and −2 where bounds do not decide; each row has a leaf of its own."""
    n = len(codes)
    table, unsure, leaf = np.zeros((n, N_RESIDUALS), COUNT), np.empty(n, INDEX), np.arange(n, dtype=INDEX) + 9
    lines, start = (
        np.concatenate([np.full((9, *part.shape[1:]), np.nan, part.dtype), part]) for part in (lines, start)
    )
    m = tally_residuals(scores, codes, place, leaf, lines, start, about, edge, apart, bend, 9, table, unsure)
    bins = np.where(table.any(axis=1), table.argmax(axis=1), -1)
    assert table.sum() == (bins >= 0).sum()
    assert (bins[unsure[:m]] == -1).all()
    bins[unsure[:m]] = -2
    return bins


def rows_on_a_scale(rng, n):
    edge = np.concatenate([[-np.inf], np.sort(rng.normal(size=40)), [np.inf]])
    apart = np.zeros(41, np.uint8)
    apart[3] = 1
    return rng.integers(0, 41, n).astype(CODE), rng.uniform(1e-3, 1 - 1e-3, n), edge, apart


def without_lines(centre, spread):
    n = len(centre)
    start = np.column_stack([centre, spread, np.zeros(n)])
    return np.empty((n, 3, 0), np.float32), start, np.empty((n, 0), np.float32), np.empty((0, 2))


@pytest.mark.parametrize("bend", [0.0, 3.0])
def test_bins_that_bounds_decide_are_those_of_exact_quantiles(bend):
    rng, n = np.random.default_rng(0), 20_000
    codes, place, edge, apart = rows_on_a_scale(rng, n)
    centre, spread = rng.normal(size=n), np.exp(rng.normal(-1, 1, n))
    bins = bins_by_bounds(codes, place, edge, apart, bend, *without_lines(centre, spread))
    assert ((bins == -1) == (codes == 3)).all()
    sure = bins >= 0
    assert sure.mean() > 0.8
    low, high = (edge[codes] - centre) / spread, (edge[codes + 1] - centre) / spread
    near = sure & (np.maximum(np.abs(low), np.abs(high)) < 8)  # where the reference is exact
    expected = exact_bins(low[near], high[near], place[near], bend)
    known = expected >= 0
    assert near.sum() > 5_000
    np.testing.assert_array_equal(bins[near][known], expected[known])
    assert (bins[np.isinf(low + high) & (codes != 3)] == -2).all()


@pytest.mark.parametrize("p", [1, 8, 11])
@pytest.mark.parametrize("with_surface", [False, True])
def test_bins_along_regressions_are_those_of_double_precision(p, with_surface):
    rng, n = np.random.default_rng(p), 20_000
    codes, place, edge, apart = rows_on_a_scale(rng, n)
    coef, low, score = rng.normal(size=(n, p)), rng.normal(-1, 1, (n, p)), rng.normal(0, 2, (n, p))
    high = low + rng.exponential(size=(n, p))
    spread = np.exp(rng.normal(-1, 0.3, n))
    about = np.column_stack([rng.normal(size=n), np.exp(rng.normal(0, 0.3, n))]) if with_surface else np.empty((0, 2))
    mean, unit = about.T if with_surface else (np.zeros(n), np.ones(n))
    centre = mean + unit * (coef * np.clip(score, low, high)).sum(axis=1)
    intercept = (edge[np.clip(codes, 1, 39)] - centre) / unit  # so that codes are near what is predicted
    centre = centre + unit * intercept
    no_intercept = Lines(
        np.arange(p, dtype=INDEX), np.zeros((p, 1)), np.column_stack([coef, intercept]), spread, low, high
    )
    sketch = sketch_lines(no_intercept)
    scores = np.zeros((n, sketch.lines.shape[2]), np.float32)
    scores[:, :p] = score
    bins = bins_by_bounds(codes, place, edge, apart, 0.0, sketch.lines, sketch.start, scores, about)
    sure = bins >= 0
    assert sure.mean() > 0.7
    expected = bins_by_bounds(codes, place, edge, apart, 0.0, *without_lines(centre, spread * unit))
    both = sure & (expected >= 0)
    assert both.sum() > 0.99 * sure.sum()
    np.testing.assert_array_equal(bins[both], expected[both])


def test_a_bound_on_a_border_of_bins_is_not_sure():
    border = REACH * 2 / N_RESIDUALS
    edge, place, apart = np.array([-border, border]), np.array([0.5]), np.zeros(1, np.uint8)
    codes = np.zeros(1, CODE)
    assert bins_by_bounds(codes, place, edge, apart, 0.0, *without_lines(np.zeros(1), np.ones(1)))[0] == -2
    moved = bins_by_bounds(codes, place, edge + border / 2, apart, 0.0, *without_lines(np.zeros(1), np.ones(1)))
    assert moved[0] == N_RESIDUALS // 2


def test_a_leaf_without_a_finite_regression_is_never_sure():
    codes, place, edge = np.zeros(1, CODE), np.array([0.5]), np.array([0.0, 0.01])
    lines, start, scores, about = without_lines(np.zeros(1), np.ones(1))
    for wrong in (np.inf, np.nan):
        start[0, 2] = wrong
        assert bins_by_bounds(codes, place, edge, np.zeros(1, np.uint8), 0.0, lines, start, scores, about)[0] == -2


def test_scores_are_looked_up_by_code():
    x = np.array([[0, 1, 2], [9, 9, 9], [1, 0, 1]], CODE)
    score, out = np.array([[0.5, 1.5, 2.5], [-1.0, -2.0, 0.0]]), np.zeros((3, 8), np.float32)
    load_scores(x, np.array([0, 2], INDEX), score, out)
    np.testing.assert_array_equal(out[:, :2], [[0.5, -2.0], [1.5, -1.0], [2.5, -2.0]])
    assert not out[:, 2:].any()


@pytest.mark.parametrize("bend", [0.0, 3.0])
def test_bins_of_sure_residuals_are_those_of_exact_quantiles(bend):
    rng, n = np.random.default_rng(0), 20_000
    edge = np.concatenate([[-np.inf], np.sort(rng.normal(size=40)), [np.inf]])
    codes, place = rng.integers(0, 41, n).astype(CODE), rng.uniform(1e-3, 1 - 1e-3, n)
    centre, spread = rng.normal(size=n), np.exp(rng.normal(-1, 1, n))
    apart, bins = np.zeros(41, np.uint8), np.empty(n, CODE)
    apart[3] = 1
    sure_bins(codes, place, centre, spread, edge, apart, bend, bins)
    assert ((bins == NO_BIN) == (codes == 3)).all()
    sure = bins < N_RESIDUALS
    assert sure.mean() > 0.5
    low, high = (edge[codes] - centre) / spread, (edge[codes + 1] - centre) / spread
    near = sure & (np.maximum(np.abs(low), np.abs(high)) < 8)  # where the reference is exact
    expected = exact_bins(low[near], high[near], place[near], bend)
    known = expected >= 0
    assert near.sum() > 5_000
    np.testing.assert_array_equal(bins[near][known], expected[known])
    assert (bins[np.isinf(low + high) & (codes != 3)] == UNSURE).all()


def test_a_residual_on_a_border_of_bins_is_not_sure():
    """The middle of a code around 0, a border, is 0; a little further on a bound tells the bin."""
    width = REACH * 2 / N_RESIDUALS
    codes, edge, bins = np.zeros(2, CODE), np.array([-width, width]), np.empty(2, CODE)
    sure_bins(codes, np.array([0.5, 0.51]), np.zeros(2), np.ones(2), edge, np.zeros(1, np.uint8), 0.0, bins)
    assert bins.tolist() == [UNSURE, N_RESIDUALS // 2]


def test_rows_without_a_bin_are_not_tallied():
    table = np.zeros((2, N_RESIDUALS), COUNT)
    tally_bins(np.array([0, 0, NO_BIN, 5], CODE), np.array([7, 7, 7, 8], INDEX), 7, table)
    assert (table[0, 0], table[1, 5], table.sum()) == (2, 1, 3)
