"""B-splines against scipy, and what their penalties leave open."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from janus_synth.trees.splines import roughness, roughness_values, spline_values, tensor_roughness, tilt


@pytest.mark.parametrize("n_intervals", [1, 4, 12])
def test_values_are_those_of_uniform_cubic_splines(n_intervals):
    at = np.linspace(0.0, 1.0, 101)
    knots = np.arange(-3, n_intervals + 4) / n_intervals
    inside = np.minimum(at, 1 - 1e-12)
    expected = BSpline.design_matrix(inside, knots, 3).toarray()
    np.testing.assert_allclose(spline_values(at, n_intervals), expected, atol=1e-9)
    np.testing.assert_allclose(spline_values(at, n_intervals).sum(axis=1), 1.0)


def test_places_beyond_the_ends_have_the_values_of_the_ends():
    np.testing.assert_array_equal(spline_values(np.array([-1.0, 2.0]), 5), spline_values(np.array([0.0, 1.0]), 5))


def test_roughness_leaves_straight_lines_open_and_tilt_their_slope():
    line = 2.0 + 3.0 * np.arange(9)
    assert line @ roughness(9) @ line == pytest.approx(0.0, abs=1e-9)
    assert np.ones(9) @ tilt(9) @ np.ones(9) == pytest.approx(0.0, abs=1e-12)
    assert line @ tilt(9) @ line > 1
    np.testing.assert_allclose(roughness_values(9), np.linalg.eigvalsh(roughness(9)), atol=1e-9)


def test_the_roughness_of_a_product_is_that_of_its_rows_and_columns():
    coef = np.random.default_rng(0).normal(size=(5, 5))
    first, second = (coef.ravel() @ part @ coef.ravel() for part in tensor_roughness(5))
    assert first == pytest.approx((np.diff(coef, 2, axis=0) ** 2).sum())
    assert second == pytest.approx((np.diff(coef, 2, axis=1) ** 2).sum())
