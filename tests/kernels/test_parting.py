"""Sorting and parting rows against the reference."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels import parting
from janus_synth.kernels.dtypes import CODE, INDEX
from reference import parting as reference
from strategies import quick, seeds


@quick
@given(seeds, st.integers(1, 40), st.integers(1, 9), st.integers(-1, 9), st.booleans())
def test_rows_and_levels_go_to_the_side_of_the_cut(seed, n, n_levels, cut, ordered):
    rng = np.random.default_rng(seed)
    codes, rank = rng.integers(0, n_levels, n), rng.permutation(n_levels)
    levels = np.full(0 if ordered else n_levels, 7, np.uint8)
    if not ordered:
        parting.choose_left_levels(codes.astype(CODE), rank.astype(INDEX), cut, levels)
        np.testing.assert_array_equal(levels, reference.choose_left_levels(codes, rank, cut, n_levels))
    rows = rng.permutation(n).astype(INDEX)
    expected, n_expected = reference.part_rows(rows, codes, cut, levels)
    n_left = parting.part_rows(rows, codes.astype(CODE), cut, levels, np.empty(n, INDEX))
    assert n_left == n_expected
    np.testing.assert_array_equal(rows, expected)


@quick
@given(seeds, st.integers(1, 50), st.sampled_from([1, 3, 9, 300]))
def test_sort_by_rank_is_a_stable_sort(seed, n, n_ranks):
    rank_of_row = np.random.default_rng(seed).integers(0, n_ranks, n)
    order, ends, ranks = np.empty(n, INDEX), np.empty(n_ranks, INDEX), np.empty(n_ranks, INDEX)
    start, stop, seen = np.zeros(n_ranks, INDEX), np.zeros(n_ranks, INDEX), np.zeros(-(-n_ranks // 64), np.uint64)
    n_groups = parting.sort_by_rank(rank_of_row.astype(CODE), n_ranks, order, ends, ranks, start, stop, seen)
    expected_order, expected_ends = reference.sort_by_rank(rank_of_row, n_ranks)
    np.testing.assert_array_equal(order, expected_order)
    np.testing.assert_array_equal(ends[:n_groups], expected_ends)
    np.testing.assert_array_equal(ranks[:n_groups], np.unique(rank_of_row))
    assert not start.any()
    assert not stop.any()
    assert not seen.any()
