"""Fitted surfaces against the functions that made the rows."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.kernels.dtypes import CODE
from janus_synth.trees.fit_surface import fit_surface

PLACE = np.linspace(0.0, 1.0, 100)


def rows_of(rng, n, n_parents, mean, spread):
    """Codes of independent parents, and scores with a given mean and spread at their places."""
    codes = rng.integers(0, 100, (n_parents, n)).astype(CODE)
    at = PLACE[codes]
    return np.tile(PLACE, (n_parents, 1)), codes, mean(*at) + spread(*at) * rng.normal(size=n), at


def errors_of(surface, at, mean, spread):
    """Mean squared error of the mean, and of the log spread."""
    found = surface.at_places(at)
    return np.mean((found[0] - mean(*at)) ** 2), np.mean((np.log(found[1]) - np.log(spread(*at))) ** 2)


@pytest.mark.statistical
def test_a_smooth_mean_and_spread_of_a_pair_are_recovered():
    """A saddle with a wave; 60 effective parameters of 4,000 rows have a mean squared error of about 0.004 s²."""
    mean, spread = lambda a, b: 4 * (a - 0.5) * (b - 0.5) + np.sin(6 * a), lambda a, b: 0.3 * np.exp(a - b)
    place, codes, z, at = rows_of(np.random.default_rng(0), 4_000, 2, mean, spread)
    surface = fit_surface(place, codes, z)
    assert surface.pairs.tolist() == [[0, 1]]
    of_mean, of_log_spread = errors_of(surface, at, mean, spread)
    assert of_mean < 0.004  # an additive fit has 0.11
    assert of_log_spread < 0.01  # a constant spread has 0.17


@pytest.mark.statistical
def test_noise_alone_has_a_flat_surface_without_pairs():
    mean, spread = lambda *at: np.zeros(at[0].shape), lambda *at: np.ones(at[0].shape)
    place, codes, z, at = rows_of(np.random.default_rng(1), 3_000, 4, mean, spread)
    surface = fit_surface(place, codes, z)
    assert not len(surface.pairs)
    of_mean, of_log_spread = errors_of(surface, at, mean, spread)
    assert of_mean < 0.01  # straight lines of all four parents would have 5 / 3,000 = 0.002
    assert of_log_spread < 0.01


def test_parents_without_places_have_no_effect():
    rng = np.random.default_rng(2)
    place, codes, z, _ = rows_of(rng, 500, 2, lambda a, b: 2 * a, lambda a, b: 0.2 + 0 * a)
    place[1] = np.nan
    surface = fit_surface(place, codes, z)
    assert surface.single.shape[1] == 2
    assert not surface.single[:, 1].any()
    assert abs(np.diff(surface.at_places(np.array([[0.1, 0.9], [0.5, 0.5]]))[0])[0] - 1.6) < 0.1


def test_missing_codes_do_not_move_the_others():
    """A third of the rows lack the parent and lie elsewhere: the effect of the others is that of the others alone."""
    rng = np.random.default_rng(3)
    place, codes, z, _ = rows_of(rng, 3_000, 1, lambda a: np.sin(5 * a), lambda a: 0.1 + 0 * a)
    place = np.column_stack([place, [np.nan]])
    missing = rng.random(3_000) < 0.3
    codes[0, missing] = 100
    z[missing] = rng.normal(size=missing.sum()) * 0.1
    mean, _ = fit_surface(place, codes, z).at_places(PLACE[None])
    assert np.abs(mean - np.sin(5 * PLACE)).max() < 0.1


def test_a_parent_missing_in_all_rows_has_no_effect():
    rng = np.random.default_rng(4)
    place, codes, z, _ = rows_of(rng, 500, 2, lambda a, b: 2 * a, lambda a, b: 0.2 + 0 * a)
    place = np.column_stack([place, [np.nan, np.nan]])
    codes[1] = 100
    surface = fit_surface(place, codes, z)
    assert not surface.single[:, 1].any()
    assert abs(np.diff(surface.at_places(np.array([[0.1, 0.9], [0.5, 0.5]]))[0])[0] - 1.6) < 0.1


def test_without_any_known_parent_the_surface_is_flat():
    rng = np.random.default_rng(5)
    z = 3 + 0.5 * rng.normal(size=400)
    surface = fit_surface(np.full((2, 101), np.nan), np.full((2, 400), 100, CODE), z)
    mean, spread = surface.at_codes(np.full((2, 3), 100, CODE))
    np.testing.assert_allclose(mean, z.mean())
    np.testing.assert_allclose(spread, z.std())


@pytest.mark.parametrize("n", [120, 20_000])
@pytest.mark.parametrize("of", [lambda a, b: 0 * a, lambda a, b: 2 * a - 1, lambda a, b: np.sin(5 * a) * b])
def test_scores_without_noise_have_a_surface(n, of):
    """Residuals are 0, or what splines of so many knots leave of the function."""
    place, codes, z, at = rows_of(np.random.default_rng(6), n, 2, of, lambda a, b: 0 * a)
    mean, spread = fit_surface(place, codes, z).at_places(at)
    assert np.isfinite(spread).all()
    assert (spread > 0).all()
    assert np.sqrt(np.mean((mean - z) ** 2)) < 0.02


def test_equal_parents_that_determine_the_scores_share_the_effect():
    """Three equal parents of five codes: the Gram matrix has a fifteenth of full rank."""
    codes = np.tile(np.random.default_rng(7).integers(0, 5, 120), (3, 1)).astype(CODE)
    place = np.tile(np.linspace(0.0, 1.0, 5), (3, 1))
    z = np.array([-1.7, -0.7, -0.1, 0.5, 1.1])[codes[0]]
    mean, _ = fit_surface(place, codes, z).at_codes(codes)
    np.testing.assert_allclose(mean, z, atol=0.01)


@pytest.mark.parametrize("n", [60, 50_000])
def test_a_function_without_noise_has_a_surface(n):
    place, codes, z, at = rows_of(np.random.default_rng(4), n, 2, lambda a, b: a + b, lambda a, b: 0 * a)
    mean, spread = fit_surface(place, codes, z).at_places(at)
    np.testing.assert_allclose(mean, z, atol=1e-2)
    assert (spread < 1e-2).all()


def test_scores_that_are_all_equal_have_a_flat_surface():
    codes = np.random.default_rng(5).integers(0, 100, (1, 200)).astype(CODE)
    mean, spread = fit_surface(PLACE[None], codes, np.full(200, 0.7)).at_codes(codes)
    np.testing.assert_allclose(mean, 0.7, atol=1e-3)
    assert (spread < 1e-2).all()
