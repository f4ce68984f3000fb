"""Names, numbers, texts and durations as they are written in a rule."""

from __future__ import annotations

import keyword
import math

from janus_synth.errors import RuleError

SPANS = {
    "weeks": 604_800_000_000,
    "days": 86_400_000_000,
    "hours": 3_600_000_000,
    "minutes": 60_000_000,
    "seconds": 1_000_000,
    "milliseconds": 1000,
    "microseconds": 1,
}
"""Durations a rule can write, in microseconds."""

NULLS = ("null", "NULL", "None")
EXACT = 2**53  # whole numbers below it are floats without rounding


def name_text(name: str) -> str:
    """Column name as a rule writes it: in back-quotes unless Python would take it for a name.

    Examples
    --------
    >>> name_text("age"), name_text("annual income (k$)"), name_text("class")
    ('age', '`annual income (k$)`', '`class`')
    """
    plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name not in NULLS
    return name if plain else f"`{name.replace('`', '``')}`"


def plain_number(value: float) -> int | float:
    """Finite number in its shortest form: whole ones are int as far as floats are exact.

    Examples
    --------
    >>> plain_number(3.0), plain_number(0.5)
    (3, 0.5)
    """
    if type(value) is int and -EXACT < value < EXACT:
        return value
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RuleError("a number is not finite. Use numbers below 1e308.")
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def value_text(value: object) -> str:
    """Constant as a rule writes it."""
    return repr(value)


def span_text(microseconds: float, of: str | None = None) -> str:
    """Duration in the largest unit that keeps it whole, or that many times a column.

    Examples
    --------
    >>> span_text(86_400_000_000 * 30), span_text(86_400_000_000 * 14, "fortnights")
    ('days(30)', 'days(14 * fortnights)')
    """
    units = [(name, size) for name, size in SPANS.items() if name != "weeks" and microseconds % size == 0]
    unit, size = units[0] if units else ("microseconds", 1)
    amount = plain_number(microseconds / size)
    if of is None:
        return f"{unit}({amount})"
    return f"{unit}({of})" if amount == 1 else f"{unit}({amount} * {of})"
