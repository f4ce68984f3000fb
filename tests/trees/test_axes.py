"""Axes of ordered columns: edges, places, and positions between them."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.encoding.ordered import fit_ordered
from janus_synth.trees.axes import (
    along_axis,
    bin_means,
    code_places,
    edges_inside,
    places_inside,
    places_of_values,
    scores_of_values,
    value_edges,
)
from janus_synth.trees.scale import mean_scores


@pytest.fixture
def column():
    """A skewed positive column, its codec, and the shares of its codes."""
    values = np.exp(np.random.default_rng(0).normal(size=3_000))
    codec = fit_ordered(values, n_bins=50)
    shares = np.bincount(codec.encode(values), minlength=codec.n_codes) / len(values)
    return values, codec, shares


def test_edges_are_bounds_on_a_standardised_scale(column):
    values, codec, shares = column
    plain, log = value_edges(codec, shares)
    for edges, bounds in ((plain, codec.upper), (log, np.log(codec.upper))):
        assert (edges[0], *edges[-2:]) == (-np.inf, np.inf, np.inf)
        assert np.corrcoef(edges[1:-2], bounds)[0, 1] == pytest.approx(1.0)
    assert np.mean(scores_of_values(codec, log, values)) == pytest.approx(0.0, abs=0.1)
    assert np.std(scores_of_values(codec, log, values)) == pytest.approx(1.0, abs=0.1)


def test_columns_with_few_bins_or_negative_values_have_fewer_scales():
    assert value_edges(fit_ordered(np.array([0.0, 1.0, 1.0]), n_bins=9), np.array([0.3, 0.7, 0.0])) == ()
    codec = fit_ordered(np.linspace(-1, 1, 400), n_bins=20)
    assert len(value_edges(codec, np.append(np.full(codec.n_bins, 1 / codec.n_bins), 0.0))) == 1


def test_places_run_from_the_smallest_value_to_the_largest(column):
    values, codec, shares = column
    place = code_places(codec, mean_scores(shares))
    assert np.isnan(place[-1])
    assert (np.diff(place[:-1]) > 0).all()
    ends = places_of_values(codec, place, np.array([values.min(), values.max(), np.nan]))
    np.testing.assert_allclose(ends, [0.0, 1.0, np.nan], atol=0.02)


def test_a_position_has_the_place_of_its_value(column):
    values, codec, shares = column
    place, some = code_places(codec, mean_scores(shares)), values[:200]
    codes = codec.encode(some)
    inside = places_inside(codec, place, codes, codec.share_below(codes, some))
    np.testing.assert_allclose(inside, places_of_values(codec, place, some), atol=1e-6)
    assert (np.diff(inside[np.argsort(some)]) >= 0).all()


def test_scores_inside_codes_ascend_from_edge_to_edge(column):
    _, codec, shares = column
    edges = value_edges(codec, shares)[0]
    steps = edges_inside(codec, edges, np.linspace(0, 1, 9))
    assert (np.diff(steps[:-1].ravel()) >= 0).all()
    np.testing.assert_allclose(steps[1:-2, 0], edges[1:-3], atol=0.02)


def test_lines_continue_beyond_what_is_known():
    known, place = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(along_axis(np.array([-2.0, 0.5, 4.0]), known, place), [-3.0, 0.5, 6.0])


def test_means_of_bins_lie_inside_them(column):
    _, codec, _ = column
    means = bin_means(codec)
    assert ((codec.knot[:, 0] <= means) & (means <= codec.knot[:, -1])).all()


@pytest.mark.parametrize("power", [-1000, 1015])
def test_tiny_and_huge_values_have_the_axes_of_ordinary_ones(power):
    """A power of two changes no digit of a float; only the slopes between places of huge values are rounded."""
    values = np.random.default_rng(0).uniform(-1, 1, 500) * 2.0**8
    shares, found = np.append(np.full(20, 0.05), 0.0), []
    for scaled in (values, np.ldexp(values, power)):
        codec = fit_ordered(scaled, n_bins=20, within="knots")
        place, (edges,) = code_places(codec, mean_scores(shares)), value_edges(codec, shares)
        found.append((edges, place, places_of_values(codec, place, scaled), scores_of_values(codec, edges, scaled)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
