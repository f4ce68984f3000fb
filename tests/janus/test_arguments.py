"""Checks of arguments: what fits comes back, what does not is named."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.janus.arguments import check_choice, check_integer, check_number, make_seed


def test_a_seed_is_itself_and_a_generator_gives_its_next_number():
    assert make_seed(5) == 5
    assert make_seed(np.int64(5)) == 5
    assert make_seed(np.random.default_rng(1)) == int(np.random.default_rng(1).integers(2**63))
    one = np.random.default_rng(1)
    assert make_seed(one) != make_seed(one)
    assert make_seed(None) != make_seed(None)


@pytest.mark.parametrize("wrong", [-1, True, 1.0, "1", [1]])
def test_what_is_no_seed_is_refused(wrong):
    with pytest.raises(ValueError, match="random_state is"):
        make_seed(wrong)


@pytest.mark.parametrize(("value", "fits"), [(1, True), (5, True), (np.int8(3), True), (0, False), (6, False),
                                             (True, False), (2.0, False), ("2", False), (None, False)])  # fmt: skip
def test_integers_have_both_bounds(value, fits):
    if fits:
        found = check_integer("n", value, low=1, high=5)
        assert type(found) is int
        assert found == value
    else:
        with pytest.raises(ValueError, match=r"n is .*; give an integer from 1 to 5\."):
            check_integer("n", value, low=1, high=5)


@pytest.mark.parametrize(("value", "fits"), [(0, True), (1, True), (0.5, True), (np.float32(0.5), True), (1.01, False),
                                             (-1e-9, False), (np.nan, False), (False, False)])  # fmt: skip
def test_numbers_have_both_bounds_and_are_numbers(value, fits):
    if fits:
        check_number("level", value, low=0, high=1)
    else:
        with pytest.raises(ValueError, match="level is .*; give a number from 0 to 1"):
            check_number("level", value, low=0, high=1)


def test_without_an_upper_bound_only_the_lower_one_is_named():
    check_number("strength", 1e300, low=0)
    with pytest.raises(ValueError, match="of at least 0"):
        check_number("strength", -1, low=0)


def test_choices_are_listed():
    check_choice("leaves", "auto", ("auto", "trend"))
    with pytest.raises(ValueError, match="leaves is 'none'; choose one of 'auto', 'trend'"):
        check_choice("leaves", "none", ("auto", "trend"))
