"""Counts with given margins: exact, near the expected ones, and odds ratios unchanged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.errors import InfeasibleError
from janus_synth.sampling.margins import fit_margins, largest_remainder, margin_errors, round_counts
from strategies import quick, seeds


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9).filter(lambda parts: sum(parts) > 1e-6), st.integers(0, 999))
def test_counts_add_up_and_lie_within_one_of_their_shares(parts, n):
    shares = np.array(parts) / sum(parts)
    counts = largest_remainder(shares, n)
    assert counts.sum() == n
    assert (np.abs(counts - shares * n) < 1 + 1e-6).all()


def grid(*sizes):
    """Category of each cell of a full table, axis by axis."""
    return [np.asarray(part).ravel() for part in np.indices(sizes)]


@quick
@given(seeds)
def test_fitted_margins_are_exact_and_odds_ratios_stay(seed):
    rng = np.random.default_rng(seed)
    joint, members = rng.random(12) + 0.05, grid(3, 4)
    margins = [rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4))]
    fitted = fit_margins(joint, members, margins)
    assert max(np.abs(error).max() for error in margin_errors(fitted, members, margins)) < 1e-8
    before, after = joint.reshape(3, 4), fitted.reshape(3, 4)
    for table in (before, after):
        table /= table.sum()
    ratio = [t[:-1, :-1] * t[1:, 1:] / (t[1:, :-1] * t[:-1, 1:]) for t in (before, after)]
    np.testing.assert_allclose(ratio[0], ratio[1], rtol=1e-6)


@quick
@given(seeds, st.sampled_from([(2, 3), (4, 5), (3, 2, 4)]), st.integers(1, 200))
def test_rounded_margins_are_exact(seed, sizes, n):
    rng = np.random.default_rng(seed)
    members = grid(*sizes)
    expected = rng.dirichlet(np.full(len(members[0]), 0.4)) * n
    counts = [
        largest_remainder(np.bincount(part, expected, minlength=size) / n, n)
        for part, size in zip(members, sizes, strict=True)
    ]
    made = round_counts(expected, members, counts, rng)
    assert (made >= 0).all()
    for part, size, wanted in zip(members, sizes, counts, strict=True):
        assert np.bincount(part, made, minlength=size).tolist() == wanted.tolist()
    if len(sizes) == 2:  # a transport problem: every cell is rounded up or down
        assert (np.abs(made - expected) < 2).all()


@pytest.mark.statistical
def test_small_cells_are_rounded_up_about_as_often_as_they_should():
    """100 cells of 0.3 rows each: over 400 seeds, each cell has 0.3 rows on average; 0.12 is 5 standard errors."""
    members = grid(10, 10)
    counts = [np.full(10, 3)] * 2
    total = sum(round_counts(np.full(100, 0.3), members, counts, np.random.default_rng(s)) for s in range(400))
    assert np.abs(total / 400 - 0.3).max() < 0.12


def test_margins_that_no_whole_numbers_have_are_an_error():
    members = [np.array([0, 1]), np.array([0, 1])]  # two cells on the diagonal only
    with pytest.raises(InfeasibleError, match="never occur together"):
        round_counts(np.array([2.5, 2.5]), members, [np.array([3, 2]), np.array([1, 4])], np.random.default_rng(0))


def test_a_table_without_any_rounding_within_one_row_moves_further():
    """Three axes of two categories whose cells are tied in a cycle: no 0/1 rounding has these margins, others do."""
    members = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])]
    counts = [np.array([1, 1]), np.array([1, 1]), np.array([1, 1])]
    expected = np.array([0.5, 0.5, 0.5, 0.5])
    with pytest.raises(InfeasibleError):  # x00 + x11 = 1, x00 + x01 = 1 and x00 + x10 = 1 need halves
        round_counts(expected, members, counts, np.random.default_rng(0))
    wider = [*(np.append(part, 0) for part in members[:2]), np.append(members[2], 1)]
    made = round_counts(np.append(expected, 0.0), wider, counts, np.random.default_rng(0))
    assert [np.bincount(part, made, minlength=2).tolist() for part in wider] == [[1, 1]] * 3
