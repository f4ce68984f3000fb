"""How rules write names, numbers, texts and durations: a Python value in, its text in a rule out.

``plain_number`` also fixes the numbers themselves, so that equal rules have equal texts.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence
from fractions import Fraction

from janus_synth.errors import RuleError

SHORT = 6
"""Signs of a factor up to which it is written as it is, not as a divisor."""
DOWN = -0.4999995
"""Added to a number that is rounded down by rounding it to the nearest: a whole number stays what it is."""
SPANS = {
    "weeks": 604_800_000_000,
    "days": 86_400_000_000,
    "hours": 3_600_000_000,
    "minutes": 60_000_000,
    "seconds": 1_000_000,
    "milliseconds": 1000,
    "microseconds": 1,
}
"""Functions that write durations in a rule, with their units in microseconds."""

NULLS = ("null", "NULL", "None")
"""Words that mean null in a rule."""
BOOLEANS = {"true": "True", "TRUE": "True", "false": "False", "FALSE": "False"}
"""Words that mean True and False in a rule, beside those two."""
EXACT = 2**53
"""Integers below it are floats without rounding."""
MAX_DIGITS = 6
"""Characters of a coefficient that is written as a decimal rather than as a fraction, at most."""


def format_name(name: str) -> str:
    """Format a column name: in back-quotes unless it is a plain Python name.

    Examples
    --------
    >>> format_name("age"), format_name("annual income (k$)"), format_name("class")
    ('age', '`annual income (k$)`', '`class`')
    """
    plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
    plain = plain and name not in NULLS and name not in BOOLEANS
    return name if plain else f"`{name.replace('`', '``')}`"


def plain_number(value: float) -> int | float:
    """Return a finite number in its shortest form: an ``int`` if it is whole and floats are exact there.

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


def format_value(value: object) -> str:
    """Format a constant."""
    return repr(value)


def format_span(microseconds: float, of: str | None = None) -> str:
    """Format a duration in the largest unit that keeps it whole; with ``of``, that duration times a column.

    Examples
    --------
    >>> format_span(86_400_000_000 * 30), format_span(86_400_000_000 * 14, "fortnights")
    ('days(30)', 'days(14 * fortnights)')
    """
    units = [(name, size) for name, size in SPANS.items() if name != "weeks" and microseconds % size == 0]
    unit, size = units[0] if units else ("microseconds", 1)
    amount = plain_number(microseconds / size)
    if of is None:
        return f"{unit}({amount})"
    return f"{unit}({of})" if amount == 1 else f"{unit}({amount} * {of})"


def format_sum(terms: Sequence[tuple[str, float, bool]], constant: float, span: bool) -> str:
    """Text of a sum; a term or the constant is a duration in seconds where its flag is set.

    Examples
    --------
    >>> format_sum([("a", 1, False), ("b", -1 / 3, False)], 3, False)
    'a - b / 3 + 3'
    >>> format_sum([("minutes", 0.085, False)], 0, False)
    '0.085 * minutes'
    >>> format_sum([("start", 1, False), ("h", 3600, True)], 0, False)
    'start + hours(h)'
    """
    parts = [(coefficient < 0, _format_term(name, abs(coefficient), flag)) for name, coefficient, flag in terms]
    if constant or not parts:
        size = abs(constant)
        parts.append((constant < 0, format_span(round(size * SPANS["seconds"])) if span else str(plain_number(size))))
    (minus, first), rest = parts[0], parts[1:]
    return ("-" if minus else "") + first + "".join(f" {'-' if minus else '+'} {text}" for minus, text in rest)


def _format_term(name: str, size: float, span: bool) -> str:
    shown = format_name(name)
    if span:
        return format_span(round(size * SPANS["seconds"]), shown)
    fraction = Fraction(size).limit_denominator(1000)
    over = f" / {fraction.denominator}" if fraction.denominator > 1 else ""
    longest = MAX_DIGITS if fraction.numerator > 1 else MAX_DIGITS - 2  # 0.085 rather than 17 / 200, but 1 / 8
    if float(fraction) != size or (over and len(str(size)) <= longest):
        return f"{plain_number(size)} * {shown}"
    return (shown if fraction.numerator == 1 else f"{fraction.numerator} * {shown}") + over


def constant_text(factor: float) -> tuple[str, str]:
    """How a factor is written before a product, or a divisor after it.

    Examples
    --------
    >>> constant_text(0.062), constant_text(1 / 3600), constant_text(1.0)
    (('0.062 * ', ''), ('', ' / 3600'), ('', ''))
    """
    if factor == 1:
        return "", ""
    plain, inverse = f"{factor:.15g}", f"{1 / factor:.15g}"
    is_shorter = len(plain) > SHORT and len(inverse) < len(plain)
    return ("", f" / {inverse}") if is_shorter else (f"{plain} * ", "")
