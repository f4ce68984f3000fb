"""Lattices: the coarsest grid that holds the values, exact in decimals, and none for continuous columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.encoding.lattice import Lattice, find_lattice
from strategies import CONTINUOUS, DAY, quick, seeds

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (RNG.integers(0, 1_000, 500), 1.0),
        (RNG.integers(-1_000, 0, 500), 1.0),
        (RNG.integers(0, 10_000, 500) / 100, 0.01),
        (RNG.integers(0, 10**6, 500) / 10**6, 1e-6),
        (500.0 * RNG.integers(-20, 200, 500), 500.0),
        (0.25 * RNG.integers(0, 99, 500), 0.25),
        (0.5 + 3.0 * RNG.integers(0, 99, 500), 3.0),
        (DAY * RNG.integers(-3_000, 20_000, 500), DAY),
        (1.7e15 + 1e6 * RNG.integers(0, 10**8, 500), 1e6),
        (10_000.0 * RNG.integers(1, 10**8, 500), 10_000.0),
    ],
    ids=[
        "integers",
        "negative",
        "cents",
        "millionths",
        "multiples of 500",
        "quarters",
        "off zero",
        "days",
        "seconds of this century",
        "large",
    ],
)
def test_the_coarsest_lattice_is_found(values, step):
    lattice = find_lattice(np.asarray(values, float))
    assert lattice is not None
    assert lattice.step == step
    np.testing.assert_array_equal(lattice.snap(np.asarray(values, float)), values)


@pytest.mark.parametrize("shape", CONTINUOUS)
def test_continuous_columns_have_no_lattice(shape):
    values = CONTINUOUS[shape](np.random.default_rng(1), 2_000)
    assert find_lattice(values) is None


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e5, 1e8, 1e11, 1e14])
def test_continuous_columns_have_no_lattice_at_any_scale(scale):
    assert find_lattice(scale * np.random.default_rng(2).normal(size=2_000)) is None


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e3])
def test_continuous_single_precision_has_no_lattice(scale):
    values = (scale * np.random.default_rng(3).normal(size=2_000)).astype(np.float32).astype(float)
    assert find_lattice(values, single_precision=True) is None


def test_a_large_value_does_not_hide_small_fractions():
    """Half a unit is not a rounding error, however large the other values are."""
    lattice = find_lattice(np.array([0.5, 3.0, 1e12]))
    assert lattice is None or lattice.step == 0.5


@quick
@given(seeds, st.integers(0, 4), st.sampled_from([10, 1_000]))
def test_single_precision_decimals_come_out_as_decimals(seed, decimals, most):
    """A 32-bit float carries 7 digits: 0.1 is stored as 0.10000000149 and means 0.1."""
    digits = min(decimals, 6 - len(str(most)) + 1)
    whole = np.random.default_rng(seed).integers(0, most * 10**digits, 300)
    decimal = whole / 10**digits
    stored = decimal.astype(np.float32).astype(float)
    lattice = find_lattice(stored, single_precision=True)
    assert lattice is not None
    np.testing.assert_array_equal(lattice.snap(stored), decimal)


@quick
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30),
    st.integers(0, 6),
    st.sampled_from([1, 5, 500]),
)
def test_decimals_are_exact_on_their_lattice(whole, decimals, factor):
    """Bit for bit the values a reader of the decimals gets."""
    values = np.array([float(f"{factor * w}e-{decimals}") for w in whole])
    lattice = find_lattice(values)
    assert lattice is not None
    np.testing.assert_array_equal(lattice.snap(values), values)


def test_sums_of_decimals_fall_back_onto_the_lattice():
    noisy = np.array([0.1 + 0.2, 0.1 * 3, 1.1 + 2.2, 0.7])
    lattice = find_lattice(noisy)
    assert lattice is not None
    assert lattice.snap(noisy).tolist() == [0.3, 0.3, 3.3, 0.7]


@pytest.mark.parametrize("value", [0.0, 7.0, -3.25, 1e12, DAY])
def test_a_constant_column_lies_on_its_own_lattice(value):
    lattice = find_lattice(np.full(5, value))
    assert lattice is not None
    assert lattice.snap(np.array([value])).tolist() == [value]


@pytest.mark.parametrize(
    ("value", "floor", "ceil"),
    [(0.3, 0.3, 0.3), (0.34, 0.3, 0.4), (-0.34, -0.4, -0.3), (0.1 + 0.2, 0.3, 0.3)],
)
def test_bounds_are_rounded_onto_the_lattice(value, floor, ceil):
    tenths = Lattice(base=0, gap=1, scale=10)
    assert (tenths.floor(value), tenths.ceil(value)) == (floor, ceil)


def test_a_lattice_is_rebuilt_from_plain_numbers():
    lattice = find_lattice(np.array([0.25, 0.75, 2.0]))
    assert lattice is not None
    assert Lattice(*lattice.to_list()) == lattice
    assert all(type(part) is int for part in lattice.to_list())
