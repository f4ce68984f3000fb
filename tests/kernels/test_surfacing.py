"""Surfaces at rows of codes against one effect at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.kernels.surfacing import surface_of_rows
from janus_synth.kernels.views import NO_SURFACE, Surface
from reference.surfacing import on_surface
from strategies import quick, seeds


@quick
@given(seeds, st.integers(1, 4), st.integers(-1, 3), st.sampled_from([0, 1, 30]))
def test_rows_have_the_sum_of_all_effects_of_known_codes(seed, n_parents, skipped, n_rows):
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in range(n_parents) for b in range(a) if rng.random() < 0.7]
    surface = Surface(
        rng.normal(size=2),
        rng.normal(size=(2, n_parents, 6)),
        np.array(pairs, INDEX).reshape(-1, 2),
        rng.normal(size=(2, len(pairs), 4, 4)),
    )
    x = rng.integers(0, 6, (5, n_rows)).astype(CODE)
    x[rng.random(x.shape) < 0.2] = UNKNOWN
    parents = rng.permutation(5)[:n_parents].astype(INDEX)
    mean, log_spread = np.full(n_rows, np.nan), np.full(n_rows, np.nan)
    surface_of_rows(surface, parents, x, skipped, mean, log_spread)
    expected = [on_surface(surface, parents, row, skipped) for row in x.T]
    np.testing.assert_allclose(np.column_stack([mean, log_spread]), np.reshape(expected, (-1, 2)), atol=1e-12)


def test_no_surface_is_flat():
    mean, log_spread = np.ones(3), np.ones(3)
    surface_of_rows(NO_SURFACE, np.zeros(0, INDEX), np.zeros((2, 3), CODE), -1, mean, log_spread)
    assert not mean.any()
    assert not log_spread.any()
