"""Bins of residuals against the documented formula, solved by bisection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from janus_synth.kernels.dtypes import N_RESIDUALS, REACH
from janus_synth.trees.residual_grid import (
    MOST_BEND,
    borders,
    choose_bend,
    place_among_bins,
    residual_bins,
    residual_prior,
)
from reference import walking as reference
from strategies import quick, seeds

bends = st.just(0.0) | st.floats(1e-9, MOST_BEND)


@quick
@given(bends)
def test_borders_lie_at_whole_places(bend):
    found = borders(bend)
    np.testing.assert_allclose(found, reference.at_place(reference.BINS, bend), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(place_among_bins(found, bend), reference.BINS, atol=1e-8)
    assert (found[0], found[N_RESIDUALS // 2], found[-1]) == pytest.approx((-REACH, 0.0, REACH))


@quick
@given(bends, seeds)
def test_residuals_fall_between_the_borders_of_their_bin(bend, seed):
    rng = np.random.default_rng(seed)
    residuals = np.concatenate([rng.normal(size=50) * 10.0 ** rng.integers(-6, 3, 50), [-np.inf, np.inf]])
    bins, edges = residual_bins(residuals, bend).astype(int), borders(bend)
    inside = np.clip(residuals, -REACH, REACH)
    assert (edges[bins] <= inside + 1e-9).all()
    assert (inside <= edges[bins + 1] + 1e-9).all()


def test_bins_without_a_bend_are_equally_wide():
    np.testing.assert_allclose(borders(0.0), np.linspace(-REACH, REACH, N_RESIDUALS + 1), atol=1e-15)


@pytest.mark.parametrize("bend", [0.5, 5.0, 50.0, MOST_BEND])
def test_bent_bins_are_finer_at_0_and_at_most_twice_as_wide_at_the_ends(bend):
    width, even = np.diff(borders(bend)), 2 * REACH / N_RESIDUALS
    assert (np.diff(width[N_RESIDUALS // 2 :]) > 0).all()
    assert even < width[-1] <= 2 * even
    assert width[N_RESIDUALS // 2] < even / (1 + bend * REACH / 2) * 2


def test_residuals_without_heavy_tails_have_equal_bins():
    rng = np.random.default_rng(0)
    assert choose_bend(rng.normal(size=1_000)) == choose_bend(rng.uniform(-1, 1, 1_000)) == 0.0
    assert choose_bend(rng.laplace(size=1_000)) == 0.0
    assert choose_bend(np.zeros(5)) == choose_bend(np.zeros(0)) == 0.0


def test_bins_resolve_the_rows_close_to_the_regression():
    """Nine rows of ten deviate by 1/100: equal bins put all of them into two, bent ones spread them out."""
    rng = np.random.default_rng(1)
    residuals = rng.normal(size=20_000) * np.where(rng.random(20_000) < 0.9, 0.01, 1.0)
    residuals /= residuals.std()
    shares = {bend: np.bincount(residual_bins(residuals, bend)) / 20_000 for bend in (0.0, choose_bend(residuals))}
    assert [round(share.max(), 1) for share in shares.values()] == [0.5, 0.1]
    assert choose_bend(1e9 * residuals) == pytest.approx(choose_bend(residuals))


@quick
@given(bends)
def test_the_prior_is_the_normal_distribution(bend):
    tree, share = residual_prior(bend)
    edges = reference.at_place(reference.BINS, bend)
    expected = np.diff(ndtr(edges))
    for k in (0, 7, N_RESIDUALS // 2, N_RESIDUALS - 1):
        path = tree.path_slot[tree.path_start[k] : tree.path_start[k + 1]]
        assert np.prod(share[path]) == pytest.approx(expected[k] / expected.sum(), rel=1e-6)
