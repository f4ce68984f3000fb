"""Checks of the parts of links: what is accepted, what is refused."""

from __future__ import annotations

import pytest

from janus_synth.coordinates.checks import require_ascending, require_decimals, require_names, require_numbers
from janus_synth.errors import SchemaError


@pytest.mark.parametrize("numbers", [(), (1, 2.5), [-1e300]])
def test_finite_numbers_are_accepted(numbers):
    require_numbers(numbers)


@pytest.mark.parametrize("numbers", ["12", 3, None, [True], ["1"], [float("inf")], [float("nan")], [None], [[1.0]]])
def test_anything_else_is_refused(numbers):
    with pytest.raises(SchemaError, match="malformed"):
        require_numbers(numbers)


def test_missing_numbers_are_accepted_where_allowed():
    require_numbers([1.0, None], allow_none=True)


@pytest.mark.parametrize("numbers", [(1.0, 1.0), (2.0, 1.0), (0.0, 2.0, 1.0)])
def test_numbers_that_do_not_increase_are_refused(numbers):
    with pytest.raises(SchemaError, match="does not increase"):
        require_ascending(numbers)


@pytest.mark.parametrize("decimals", [1.0, True, "2", 16, -16])
def test_decimals_are_few_and_whole(decimals):
    with pytest.raises(SchemaError, match="decimals"):
        require_decimals(decimals)
    require_decimals(None)
    require_decimals(-3)


def test_names_are_text():
    require_names("a", "")
    with pytest.raises(SchemaError, match="no name of a column"):
        require_names("a", 3)
