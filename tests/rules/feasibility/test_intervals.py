"""Interval arithmetic: ranges hold the result of every pair of numbers in their arguments."""

from __future__ import annotations

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from janus_synth.rules.feasibility import intervals

NUMBERS = st.floats(-50, 50, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-6 else 0.0)
POWERS = st.sampled_from([-4, -3, -2, -1, 1, 2, 3, 4])


def between(ends, share):
    return min(max(ends[0] * (1 - share) + ends[1] * share, ends[0]), ends[1])


@st.composite
def points(draw):
    """A range and a number in it."""
    ends = tuple(sorted((draw(NUMBERS), draw(NUMBERS))))
    return ends, between(ends, draw(st.floats(0, 1)))


@settings(deadline=None)
@given(points(), points())
def test_products_lie_in_the_product(one, other):
    low, high = intervals.multiply(one[0], other[0])
    assert low <= one[1] * other[1] <= high


@settings(deadline=None)
@given(points(), POWERS)
def test_powers_lie_in_the_power(one, power):
    assume(abs(one[1]) > 1e-60 or power > 0)
    low, high = intervals.raise_to(one[0], power)
    assert low <= one[1] ** power <= high


@settings(deadline=None)
@given(points(), points(), st.floats(0, 3))
def test_solving_for_a_factor_loses_none(one, other, around):
    y, z = one[1], other[1]
    product = (y * z - around, y * z + around)
    low, high = intervals.solve_factor(product, other[0]) or (math.inf, -math.inf)
    assert low <= y <= high


@settings(deadline=None)
@given(points(), POWERS, st.floats(0, 3))
def test_solving_a_power_loses_no_root(one, power, around):
    x = one[1]
    assume(abs(x) > 1e-3)
    value = x**power
    assert any(low <= x <= high for low, high in intervals.solve_power((value - around, value + around), power))


def test_nothing_can_be_divided_by_zero():
    assert intervals.raise_to((0.0, 0.0), -1) is None
    assert intervals.solve_factor((1.0, 2.0), (0.0, 0.0)) is None
    assert intervals.solve_power((-4.0, -1.0), 2) == []
