"""Solutions of polynomial comparisons against exact fractions, value by value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from janus_synth.kernels import powers
from janus_synth.kernels.solving import EQ, GE, GT, LE, LT, NE
from reference import powers as reference

OPS = (LT, LE, GT, GE, EQ, NE)
DOUBLE = 2.0**-52


def solve(size, op, *, lattice=(0.0, 1.0, 1.0)):
    size = np.array(size, float)
    slack = DOUBLE * np.abs(size) * (1 + np.abs(np.arange(9) - 4))
    divides = bool(size[:4].any())
    out = np.full((50, 2), np.nan)
    n = powers.solve_powers(size, slack, divides, op, *lattice, out, 3)
    assert n <= powers.MAX_SETS
    found = out[3 : 3 + n]
    assert (found[:, 0] <= found[:, 1]).all()
    assert (found[1:, 0] > found[:-1, 1]).all()
    return found


def inside(intervals, x):
    return any(low <= x <= high for low, high in intervals)


def sizes(*, least=-4, most=4):
    slots = st.lists(st.integers(-6, 6), min_size=most - least + 1, max_size=most - least + 1)
    return slots.map(lambda values: [0] * (least + 4) + values + [0] * (4 - most))


@given(size=sizes(least=0), op=st.sampled_from(OPS))
@settings(deadline=None, max_examples=400)
def test_polynomials_over_whole_numbers_are_solved_value_by_value(size, op):
    found = solve(size, op)
    for x in range(-12, 13):
        assert inside(found, x) == reference.holds(size, op, x, False), (size, op, x)


@given(size=sizes(), op=st.sampled_from([LT, LE, GT, GE, NE]))
@settings(deadline=None, max_examples=400)
def test_negative_powers_are_solved_and_exclude_zero(size, op):
    found, divides = solve(size, op), any(size[:4])
    for x in (x for x in range(-8, 9) if x):
        exact = float(sum(c * x ** (k - 4) for k, c in enumerate(size)))
        if abs(exact) > 1e-9:  # fractions may meet 0 up to rounding only
            assert inside(found, x) == reference.holds(size, op, x, divides), (size, op, x)
    if divides:
        assert not inside(found, 0)


@given(
    size=sizes(least=-2, most=3),
    op=st.sampled_from([LT, LE, GT, GE]),
    x=st.floats(1e-6, 20) | st.floats(-20, -1e-6),  # a strict solution begins 2 ** -126 from 0, not closer
)
@settings(deadline=None, max_examples=400)
def test_continuous_solutions_agree_away_from_the_roots(size, op, x):
    found = solve(size, op, lattice=(0.0, 0.0, 0.0))
    terms = [c * x ** (k - 4) for k, c in enumerate(size) if c]
    if terms and abs(sum(terms)) > 1e-9 * sum(map(abs, terms)):
        assert inside(found, x) == reference.holds(size, op, x, any(size[:4])), (size, op, x)


@settings(deadline=None)
@given(roots=st.lists(st.integers(-9, 9), min_size=1, max_size=4, unique=True))
def test_an_equation_has_the_roots_it_was_made_of(roots):
    size = [0] * 4 + [float(c) for c in np.poly(roots)[::-1]] + [0] * (4 - len(roots))
    assert [low for low, high in solve(size, EQ) if low == high] == sorted(roots)
    continuous = solve(size, EQ, lattice=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(continuous[:, 0], sorted(roots), atol=1e-9)


@pytest.mark.parametrize("op", [LT, GT, NE])
def test_ends_of_strict_solutions_hold(op):
    for low, high in solve([0, 0, 0, -1.0, 0.3, 0, 0.7, 0, 0], op, lattice=(0.0, 0.0, 0.0)):
        for x in (low, high):
            if np.isfinite(x):
                assert reference.holds([0, 0, 0, -1.0, 0.3, 0, 0.7, 0, 0], op, x, True)


@given(
    p=st.sampled_from([-4, -3, -2, -1, 1, 2, 3, 4]),
    a=st.tuples(st.integers(-5, 5), st.integers(0, 4)),
    r=st.tuples(st.integers(-9, 9), st.integers(0, 9)),
    share=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    op=st.sampled_from(OPS),
)
@settings(deadline=None, max_examples=400)
def test_a_range_of_coefficients_keeps_what_any_of_them_allows(p, a, r, share, op):
    low, high = np.zeros(9), np.zeros(9)
    low[4 + p], high[4 + p] = a[0], a[0] + a[1]
    low[4], high[4] = r[0], r[0] + r[1]
    out = np.full((50, 2), np.nan)
    found = out[: powers.solve_power_range(low, high, np.zeros(9), op, 0.0, 1.0, 1.0, out, 0)]
    size = low + np.where(np.arange(9) == 4, share[0], share[1]) * (high - low)
    for x in (x for x in range(-9, 10) if x):
        if reference.holds(size, op, x, p < 0):
            assert inside(found, x), (size, op, x, found)


def test_ranges_of_powers_hold_all_their_values():
    rng, out = np.random.default_rng(0), np.zeros(2)
    for _ in range(300):
        low, high = sorted(rng.normal(scale=3, size=2))
        p = int(rng.choice([-3, -2, -1, 1, 2, 3]))
        powers.range_of_power(low, high, p, out)
        values = rng.uniform(low, high, 50) ** float(p)
        assert (values >= out[0] - 1e-9 * abs(values)).all()
        assert (values <= out[1] + 1e-9 * abs(values)).all()
