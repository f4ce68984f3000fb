"""Edges of gaps: sharp ones are no chance, those of smooth gaps are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from janus_synth.relations.gap_edges import log_gap_by_chance, log_numbers_by_chance, log_offset_by_chance

SURE = math.log(1e-8)
N = 3_000


@pytest.fixture
def random():
    return np.random.default_rng(3)


def test_an_exponential_gap_ends_at_zero_and_a_normal_one_does_not(random):
    assert log_gap_by_chance(random.exponential(3, N), 0.0) < SURE
    normal = random.normal(4, 1, N)
    assert log_gap_by_chance(normal[normal > 0], 0.0) > SURE


def test_an_offset_is_an_edge_of_the_gap_and_of_its_logarithm(random):
    assert log_offset_by_chance(18 + np.floor(random.exponential(12, N)), 1.0) < SURE
    assert log_offset_by_chance(np.round(random.normal(60, 10, N)), 1.0) > SURE
    assert log_offset_by_chance(np.maximum(np.round(random.lognormal(3, 0.8, N)), 1.0), 1.0) > SURE


def test_numbers_are_compared_within_each_lower_number(random):
    """By hand: 40 rows at zero, 50 one step above, spread 1; half of exp(-1) times 40 / 50 of them lie below."""
    high = np.repeat([7.0, 8.0, 9.0], [40, 50, 10])
    bend = (max(1.0, (high.mean() + 1) / 8) / high.std()) ** 2
    expected = -40 * math.log1p(0.5 * 40 / 50 * math.exp(-bend))
    assert log_numbers_by_chance(high, np.full(100, 7.0)) == pytest.approx(expected)
    taken = random.poisson(5, N).astype(float)
    assert log_numbers_by_chance(taken, random.binomial(taken.astype(int), 0.6).astype(float)) < SURE


def test_continuous_numbers_are_not_compared_one_by_one(random):
    low = random.random(N)
    assert log_numbers_by_chance(low + random.random(N), low) == 0.0
