"""Monotone cubic curves against SciPy's, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from janus_synth.encoding.monotone_cubic import monotone_cubic
from strategies import quick, seeds


def random_points(rng, n, *, rising):
    points = np.cumsum(rng.exponential(size=n))
    heights = np.cumsum(rng.exponential(size=n) * (rng.random(n) < 0.8)) if rising else rng.normal(size=n)
    return points, heights


@quick
@given(seeds, st.integers(3, 30), st.booleans())
def test_curve_and_slope_are_those_of_scipy(seed, n, rising):
    rng = np.random.default_rng(seed)
    points, heights = random_points(rng, n, rising=rising)
    found, expected = monotone_cubic(points, heights), PchipInterpolator(points, heights)
    at = np.concatenate([points, rng.uniform(points[0] - 1, points[-1] + 1, 50)])
    np.testing.assert_array_equal(found(at), expected(at))
    np.testing.assert_array_equal(found.derivative()(at), expected.derivative()(at))


def test_ascending_heights_give_an_ascending_curve_through_the_points():
    rng = np.random.default_rng(3)
    points, heights = random_points(rng, 20, rising=True)
    curve = monotone_cubic(points, heights)
    np.testing.assert_allclose(curve(points), heights, atol=1e-12)
    assert (np.diff(curve(np.linspace(points[0], points[-1], 5_000))) >= -1e-12).all()


@pytest.mark.parametrize("heights", [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], ids=["flat", "step", "turn"])
def test_flat_pieces_stay_flat(heights):
    curve = monotone_cubic(np.array([0.0, 1.0, 2.0]), np.array(heights))
    within = curve(np.linspace(0, 2, 101))
    assert within.min() >= min(heights)
    assert within.max() <= max(heights)
