"""Surfaces at codes and between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.trees.splines import spline_values
from janus_synth.trees.surface import Surface, code_splines


def some_surface(rng):
    """Three parents of six codes, the last one without a place, and one pair."""
    place = np.column_stack([np.sort(rng.random((3, 5)), axis=1), np.full(3, np.nan)])
    pairs = np.array([[0, 2]], INDEX)
    return Surface(place, rng.normal(size=2), rng.normal(size=(2, 3, 9)), pairs, rng.normal(size=(2, 1, 6, 6)))


def test_a_code_has_the_mean_and_spread_of_its_place():
    rng = np.random.default_rng(0)
    surface, codes = some_surface(rng), rng.integers(0, 6, (3, 200)).astype(CODE)
    at_codes = surface.at_codes(codes)
    at_places = surface.at_places(np.stack([place[own] for place, own in zip(surface.place, codes, strict=True)]))
    np.testing.assert_allclose(at_codes, at_places, atol=1e-9)


def test_mean_and_spread_are_sums_of_splines():
    surface = some_surface(np.random.default_rng(1))
    place = np.array([[0.2], [0.4], [0.9]])
    mean, spread = surface.at_places(place)
    for i, found in ((0, mean[0]), (1, np.log(spread[0]))):
        narrow = [float((spline_values(one, 6) @ coef)[0]) for one, coef in zip(place, surface.single[i], strict=True)]
        a, b = (spline_values(place[j], 3)[0] for j in (0, 2))
        np.testing.assert_allclose(found, surface.constant[i] + sum(narrow) + a @ surface.joint[i, 0] @ b)


def test_a_code_without_a_place_has_no_effect():
    surface = some_surface(np.random.default_rng(2))
    mean, spread = surface.at_codes(np.full((3, 1), 5, CODE))
    assert (mean[0], spread[0]) == (surface.constant[0], np.exp(surface.constant[1]))
    assert not code_splines(np.array([np.nan]), 9).any()


def uncertain_surface(rng) -> Surface:
    """The same with five directions."""
    surface = some_surface(rng)
    n = 1 + 3 * surface.single.shape[2] + surface.joint.shape[2] ** 2
    return replace(surface, factor=0.1 * rng.normal(size=(2, 5, n)))


@pytest.mark.statistical
def test_draws_have_the_variance_of_the_formula():
    """2,000 draws: ratios of variances within 5 standard errors of 1, for 40 rows: false alarm below 1 in 10,000."""
    rng = np.random.default_rng(9)
    surface, codes = uncertain_surface(rng), rng.integers(0, 6, (3, 20)).astype(CODE)
    draws = np.array([one.at_codes(codes) for one in (surface.drawn(rng) for _ in range(2_000))])
    found = surface.variances(codes)
    np.testing.assert_allclose(draws[:, 0].var(axis=0) / found[0], 1.0, atol=5 * np.sqrt(2 / 2_000))
    np.testing.assert_allclose(np.log(draws[:, 1]).var(axis=0) / found[1], 1.0, atol=5 * np.sqrt(2 / 2_000))
    assert not surface.drawn(rng).factor.size
    assert np.array_equal(
        surface.drawn(np.random.default_rng(1)).single, surface.drawn(np.random.default_rng(1)).single
    )
