"""Designs with surfaces: scores, scales and the choice of one."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.encoding import Codec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.trees import GrowthSettings, prepare_design, prepare_growth, prepare_trends
from janus_synth.trees.smooth_design import candidate_scales, exact_scores, finer_codes, parent_places, with_surface


def context_of(columns, *, with_cells=True, settings=None):
    """Growth context of continuous columns."""
    codec = Codec({name: fit_ordered(values, n_bins=254) for name, values in columns.items()})
    x = np.stack([codec.columns[name].encode(values) for name, values in columns.items()])
    return prepare_growth(codec, x, settings or GrowthSettings(), columns if with_cells else None)


def designed(context, settings=None):
    """Design of the first column's trends given the second."""
    settings = settings or GrowthSettings()
    return prepare_design(prepare_trends(context, 0, [1], settings), context, [1], settings)


def wave(rng, n=2_000):
    """A wave with additive noise, target first."""
    x = rng.normal(size=n)
    return {"y": 2 * np.sin(2 * x) + 0.3 * rng.normal(size=n), "x": x}


def test_a_wave_has_a_surface_and_noise_left_over_is_standard():
    columns = wave(np.random.default_rng(0))
    design = designed(context_of(columns))
    assert design.surface is not None
    inner = np.abs(columns["x"]) < 2  # outer codes are wide, and the wave is steep inside them
    assert design.standardised[inner].std() == pytest.approx(1.0, abs=0.05)
    assert abs(np.corrcoef(design.standardised[inner], np.sin(2 * columns["x"][inner]))[0, 1]) < 0.05


def test_a_step_is_left_to_the_trees():
    """A spline that smooths a jump is worse than a tree that finds it."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=3_000)
    y = np.where(x > 0.4, 3.0, 0.0) + 0.05 * rng.normal(size=3_000)
    assert designed(context_of({"y": y, "x": x})).surface is None


def test_without_surfaces_a_design_is_the_plain_one():
    settings = GrowthSettings(most_smooth_parents=0)
    context = context_of(wave(np.random.default_rng(2), 500))
    one, other = designed(context, settings), prepare_trends(context, 0, [1], settings)
    assert one.surface is None
    np.testing.assert_array_equal(one.z, other.z)


def test_values_are_scored_exactly_and_codes_nearly():
    columns = wave(np.random.default_rng(3))
    context = context_of(columns)
    design = prepare_trends(context, 0, [1], GrowthSettings())
    scores, values = candidate_scales(design, context)
    exact = exact_scores(design, context, values)
    assert np.corrcoef(exact, columns["y"])[0, 1] == pytest.approx(1.0, abs=1e-9)
    order = np.argsort(columns["y"])
    assert (np.diff(exact_scores(design, context, scores)[order]) >= -1e-9).all()
    codes_only = context_of(columns, with_cells=False)
    assert exact_scores(design, codes_only, values) is None
    one, other = (with_surface(design, which, values) for which in (context, codes_only))
    assert np.abs(one.mean - other.mean).mean() < 0.05


def test_finer_codes_follow_values():
    columns = wave(np.random.default_rng(4))
    context = context_of(columns)
    design = prepare_trends(context, 0, [1], GrowthSettings())
    place, codes = finer_codes(design, context, parent_places(design, context))
    assert np.corrcoef(place[0, codes[0]], columns["x"])[0, 1] > 0.99
    assert len(np.unique(codes[0][columns["x"] > np.quantile(columns["x"], 0.997)])) > 2  # one code holds them all


def test_few_rows_have_no_surface():
    context = context_of(wave(np.random.default_rng(5), 60))
    assert candidate_scales(prepare_trends(context, 0, [1], GrowthSettings()), context) == []


def test_parents_with_a_single_value_leave_nothing_to_fit_a_surface_to():
    columns = {"y": np.random.default_rng(5).normal(size=500), "x": np.full(500, 3.0)}
    context = context_of(columns)
    design = prepare_trends(context, 0, [1], GrowthSettings())
    assert candidate_scales(design, context) == []
    assert designed(context).surface is None
