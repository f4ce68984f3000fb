"""Code trees against the reference: slots, levels, sums from below and products from above."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels import halving
from janus_synth.kernels.dtypes import INDEX
from reference import halving as reference
from strategies import quick, seeds


def random_slots(rng, n):
    """Slots that each come after the one above them."""
    return np.array([0, *(rng.integers(slot) for slot in range(1, n))], INDEX)


@quick
@given(seeds, st.integers(1, 20), st.booleans(), st.integers(0, 6))
def test_splits_halve_the_mass(seed, n, last_alone, most_levels):
    mass = np.random.default_rng(seed).integers(0, 5, n) + 0.25  # with ties
    below = np.concatenate([[0.0], np.cumsum(mass)])
    slot_up, end = np.full(2 * n + 1, -1, INDEX), np.full(n, -1, INDEX)
    n_slots = halving.halve(below, last_alone, most_levels, slot_up, end)
    expected_up, expected_end = reference.halve(below, last_alone, most_levels)
    np.testing.assert_array_equal(slot_up[:n_slots], expected_up)
    np.testing.assert_array_equal(end, expected_end)


@quick
@given(seeds, st.integers(1, 30))
def test_levels_sums_and_products_follow_the_way_to_the_root(seed, n):
    rng = np.random.default_rng(seed)
    slot_up = random_slots(rng, n)
    levels, rows, share = np.full(n, -1, INDEX), rng.integers(9, size=n).astype(float), rng.random(n)
    expected = reference.find_levels(slot_up), reference.add_up(slot_up, rows), reference.multiply_down(slot_up, share)
    halving.find_levels(slot_up, levels)
    halving.add_up(slot_up, rows)
    halving.multiply_down(slot_up, share)
    np.testing.assert_array_equal(levels, expected[0])
    np.testing.assert_array_equal(rows, expected[1])
    np.testing.assert_allclose(share, expected[2], rtol=1e-12)
