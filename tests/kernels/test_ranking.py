"""Conditional ranks against explicit distribution functions, and their inverse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.dtypes import CODE, INDEX, N_RESIDUALS
from janus_synth.kernels.ranking import N_STEPS, at_ranks, ranks_of
from janus_synth.kernels.walking import Lines
from reference import ranking as reference
from strategies import quick, seeds


def some_column(rng, n_codes, n_rows, *, lined):
    """Arguments of the kernels for a column of random leaves, lines and rows."""
    n_leaves, n_trees, p = 6, 3, 2
    shares = rng.dirichlet(np.full(n_codes, 0.7), n_leaves).astype(np.float32)
    cdf = np.cumsum(shares, axis=1).astype(np.float32)
    apart = np.sort(rng.choice(n_codes - 1, rng.integers(0, 3), replace=False)).astype(np.int64)
    width = np.where(np.isin(np.arange(n_codes), [*apart, n_codes - 1]), 0.0, 1.0)
    place = np.concatenate([[0.0], np.cumsum(width)]) / width.sum() * 6 - 3
    steps = place[:-1, None] + np.diff(place)[:, None] * np.linspace(0, 1, N_STEPS + 1)
    lines = Lines(
        np.arange(p, dtype=INDEX), np.zeros((p, 1)), rng.normal(size=(n_leaves, p + 1)), rng.random(n_leaves) + 0.5,
        -rng.random((n_leaves, p)), rng.random((n_leaves, p)), bend=float(rng.choice([0.0, 0.4, 7.0, 300.0])),
    )  # fmt: skip
    cumulative = np.column_stack([np.zeros(n_leaves), np.cumsum(rng.dirichlet(np.ones(N_RESIDUALS), n_leaves), axis=1)])
    leaves = rng.integers(0, n_leaves, (n_rows, n_trees)).astype(INDEX)
    scores = rng.normal(size=(p, n_rows))
    surface = np.stack([rng.normal(size=n_rows), np.exp(0.5 * rng.normal(size=n_rows))])
    return lines, cumulative, apart, cdf, steps, leaves, scores, surface, np.full(n_rows, lined)


@quick
@given(seeds, st.integers(4, 9), st.booleans())
def test_ranks_are_the_probability_of_smaller_values(seed, n_codes, lined):
    rng = np.random.default_rng(seed)
    column = some_column(rng, n_codes, 20, lined=lined)
    codes, shares, out = rng.integers(0, n_codes - 1, 20).astype(CODE), rng.random(20), np.empty(20)
    codes[:2], shares[:2] = (0, n_codes - 2), (0.0, 1.0)
    ranks_of(*column, codes, shares, out)
    expected = [reference.rank_of(*column, codes, shares, r) for r in range(20)]
    np.testing.assert_allclose(out, expected, atol=2e-6)


@quick
@given(seeds, st.integers(4, 9), st.booleans())
def test_a_position_has_the_rank_that_it_was_sought_by(seed, n_codes, lined):
    rng = np.random.default_rng(seed)
    column = some_column(rng, n_codes, 30, lined=lined)
    ranks, back = rng.random(30), np.empty(30)
    codes, shares = np.zeros(30, CODE), np.empty(30)
    at_ranks(*column, ranks, codes, shares)
    assert (codes < n_codes - 1).all()  # null has no rank
    ranks_of(*column, codes, shares, back)
    _, _, apart, cdf, _, leaves, _, _, along = column
    ends = [reference.below_all(*column, r)[[0, -1]] / reference.total(cdf, leaves, along, apart, r) for r in range(30)]
    lowest, highest = np.transpose(ends)
    inside = (ranks > lowest) & (ranks < highest)
    np.testing.assert_allclose(back[inside], ranks[inside], atol=2e-6)
    np.testing.assert_array_equal(shares[~inside], (ranks > lowest)[~inside])


@pytest.mark.parametrize(("centre", "code"), [(1e6, 4), (-1e6, 0)])
def test_a_regression_beyond_the_values_has_its_ranks_at_the_end(centre, code):
    """No value has a probability under it; ranks are numbers, and every rank is the end that is nearest."""
    *column, surface, lined = some_column(np.random.default_rng(3), 6, 5, lined=True)
    column[2] = np.zeros(0, np.int64)
    surface[0] = centre
    ranks, codes, shares = np.linspace(0, 1, 5), np.zeros(5, CODE), np.empty(5)
    ranks_of(*column, surface, lined, np.full(5, 2, CODE), np.full(5, 0.5), ranks)
    np.testing.assert_allclose(ranks, float(centre < 0))
    at_ranks(*column, surface, lined, np.linspace(0.1, 0.9, 5), codes, shares)
    np.testing.assert_array_equal(codes, code)


def test_the_last_rank_is_the_upper_end():
    column = some_column(np.random.default_rng(0), 6, 1, lined=False)
    codes, shares = np.zeros(1, CODE), np.empty(1)
    at_ranks(*column, np.ones(1), codes, shares)
    assert (int(codes[0]), float(shares[0])) == (4, pytest.approx(1.0))


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("lined", [True, False])
def test_inputs_may_be_read_only_and_rows_few_or_none(n, lined):
    lines, *arrays = some_column(np.random.default_rng(0), 6, n, lined=lined)
    for array in (*lines[:6], *arrays):
        array.flags.writeable = False
    codes, shares, out = np.zeros(n, CODE), np.empty(n), np.empty(n)
    ranks = np.full(n, 0.5)
    ranks.flags.writeable = False
    at_ranks(lines, *arrays, ranks, codes, shares)
    codes.flags.writeable = shares.flags.writeable = False
    ranks_of(lines, *arrays, codes, shares, out)
    np.testing.assert_allclose(out, ranks, atol=2e-6)
