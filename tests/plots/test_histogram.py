from __future__ import annotations

import numpy as np
import pytest

from janus_synth.plots.histogram import bins_of, share_beyond, shares_of


def test_bins_hold_every_row_once():
    rng = np.random.default_rng(0)
    for values in (rng.normal(size=500), rng.integers(0, 30, 500) * 1.0, rng.lognormal(sigma=3, size=500)):
        bins = bins_of(values, values[:200], moments=False)
        assert len(bins.edges) <= 60
        assert shares_of(values, bins, 500).sum() + share_beyond(values, bins, 500) == pytest.approx(1.0)


def test_bins_of_moments_follow_the_calendar():
    days = np.arange("2016-01-01", "2026-01-01", dtype="M8[D]").astype("M8[us]").astype(np.int64).astype(float)
    edges = bins_of(days, days, moments=True).edges.astype(np.int64).astype("M8[us]")
    assert set(edges.astype("M8[M]").astype(int) % 3) == {0}  # quarters
    assert np.all(edges == edges.astype("M8[M]"))


@pytest.mark.parametrize(
    "values", [[0.0, 1e-300, 2e-300] * 5, [-1e308, 0.0, 1e308] * 5, [1e15, 1e15 + 1, 1e15 + 2] * 5]
)
def test_extreme_numbers_have_bins(values):
    numbers = np.array(values)
    bins = bins_of(numbers, numbers, moments=False)
    assert np.all(np.diff(bins.edges) > 0)
