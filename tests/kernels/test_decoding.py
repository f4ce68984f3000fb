"""The decoding kernel against inverse distribution functions, row by row."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.decoding import bins_of_values, count_between_knots, values_in_bins
from janus_synth.kernels.dtypes import CODE, REAL
from reference import decoding as reference
from strategies import ordered_columns, quick, seeds


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
@given(st.lists(st.integers(0, 9), min_size=1, max_size=16), seeds)
def test_uneven_levels_are_searched(widths, seed):
    """Where levels are not evenly spaced, the first guess is wrong."""
    level = np.append(np.cumsum([0, *widths]) / max(sum(widths), 1), 1.0)[None]
    knot = np.arange(level.shape[1], dtype=float)[None] ** 2
    u = np.random.default_rng(seed).random(50)
    out = np.empty(len(u), REAL)
    values_in_bins(np.zeros(len(u), CODE), u, level, knot, np.empty(0), 0.0, 1.0, 0.0, out)
    np.testing.assert_allclose(out, reference.values_in_bins(np.zeros(len(u), int), u, level, knot), rtol=1e-12)


@quick
@given(ordered_columns(), seeds)
def test_bins_are_those_of_a_plain_search(column, seed):
    codec = column.fit()
    rng = np.random.default_rng(seed)
    values = np.concatenate([column.values, codec.upper, np.nextafter(codec.upper, np.inf), [np.nan, -1e300, 1e300]])
    values = rng.permutation(values)
    out = np.empty(len(values), CODE)
    bins_of_values(values, codec.upper, codec.n_bins, 0.0, 1.0, 0.0, out)  # scale 0: no lattice
    assert out.tolist() == reference.bins_of_values(values, codec.upper, codec.n_bins)


def test_values_are_rounded_onto_the_lattice_before_their_bin_is_searched():
    out = np.empty(4, CODE)
    upper = np.array([0.1, 0.4])
    bins_of_values(np.array([0.24, 0.26, 0.54, np.nan]), upper, 3, 1.0, 3.0, 10.0, out)  # 0.1, 0.4, 0.7, …
    assert out.tolist() == [0, 1, 1, 3]


@quick
@given(seeds, st.integers(1, 4), st.integers(2, 9), st.integers(0, 60))
def test_values_are_counted_between_the_knots_of_their_bins(seed, n_bins, n_knots, n):
    rng = np.random.default_rng(seed)
    knot = np.sort(rng.integers(0, 20, (n_bins, n_knots)), axis=1).astype(REAL)
    values, codes = rng.integers(-3, 23, n).astype(REAL), rng.integers(0, n_bins + 1, n).astype(CODE)
    counts = np.zeros((n_bins, n_knots - 1), np.int64)
    count_between_knots(values, codes, knot, counts)
    np.testing.assert_array_equal(counts, reference.count_between_knots(values, codes, knot))
