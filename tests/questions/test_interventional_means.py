"""Simulated means: common random numbers, units of choice, and mediators that are held."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.questions.interventional_means import InterventionalMeans, mediating_columns, read_outcome
from janus_synth.sampling.forward import sample_rows
from questions.test_mediation import model, rows  # noqa: F401


@pytest.fixture
def question(model):  # noqa: F811
    inner = model.model_
    units = sample_rows(inner, 3_000, seed=1)
    settings = [np.full(3_000, level, np.int32) for level in (0, 1)]
    changing = mediating_columns(inner, "t", ("y",))
    return InterventionalMeans(inner, "t", read_outcome(inner, "y"), settings, changing), units, inner


def test_nested_means_hold_the_mediators(question):
    """Y(0, M(0)), Y(1, M(0)), Y(1, M(1)): the first and the last are the means under the settings."""
    asked, units, inner = question
    first, crossed, last = asked.nested_means(inner.bags, units, np.random.default_rng(0), ("m",))
    means = asked.means(inner.bags, units, np.random.default_rng(0))
    assert (first, last) == tuple(means)
    assert first < crossed < last
    assert asked.nested_means(inner.bags, units, np.random.default_rng(0), ())[1] == last


def test_equal_settings_have_equal_means(question):
    asked, units, inner = question
    same = InterventionalMeans(inner, "t", asked.outcome, [asked.settings[0]] * 2, asked.changing)
    first, second = same.means(inner.bags, units, np.random.default_rng(0))
    assert first == second
    some = same.means(inner.bags, units, np.random.default_rng(0), np.arange(50))
    assert some[0] != first


def test_mediating_columns_lie_on_directed_paths(question):
    _, _, inner = question
    names = inner.codec.names
    assert {names[i] for i in mediating_columns(inner, "t", ("y",))} == {"m", "y"}
