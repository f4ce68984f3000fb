"""Checks of the parts of formulas and links, which may come from a file; they raise SchemaError."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from janus_synth.errors import SchemaError

MOST_DECIMALS = 15
"""Decimals, on either side of the point, that a double can hold."""


def require(condition: bool, problem: str) -> None:
    """Raise SchemaError unless a condition holds."""
    if not condition:
        raise SchemaError(f"a link is malformed: {problem}.")


def require_names(*names: object) -> None:
    """Raise SchemaError unless all are names of columns."""
    for name in names:
        require(isinstance(name, str), f"{name!r} is no name of a column")


def require_numbers(numbers: object, *, allow_none: bool = False) -> None:
    """Raise SchemaError unless all are finite numbers, or with ``allow_none`` missing."""
    require(isinstance(numbers, Sequence) and not isinstance(numbers, str), f"{numbers!r} is no list of numbers")
    for number in numbers:  # type: ignore[attr-defined]
        if not (allow_none and number is None):
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            require(is_number and math.isfinite(number), f"{number!r} is no finite number")


def require_ascending(numbers: Sequence[float]) -> None:
    """Raise SchemaError unless finite numbers increase strictly."""
    require_numbers(numbers)
    require(all(a < b for a, b in pairwise(numbers)), f"{numbers!r} does not increase")


def require_decimals(decimals: object) -> None:
    """Raise SchemaError unless this is a number of decimals, or None."""
    if decimals is not None:
        whole = isinstance(decimals, int) and not isinstance(decimals, bool)
        require(whole and abs(decimals) <= MOST_DECIMALS, f"{decimals!r} is no number of decimals")  # type: ignore[arg-type]
