"""Columns and coefficients in; texts in the rule language out, and how many rows of a table break them.

A rule about several columns lets rows with nulls pass: ``a is null or b is null or a >= b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from janus_synth.arrays import Bools
from janus_synth.errors import JanusError
from janus_synth.rules import bind, judge
from janus_synth.rules.language.notation import SPANS, format_name, format_value, plain_number
from janus_synth.table import Level, Schema, Table

MICROSECOND = 1_000_000
MAX_DIGITS = 6
"""Characters of a coefficient that is written as a decimal rather than as a fraction, at most."""


def or_null(text: str, names: Iterable[str], schema: Schema) -> str:
    """Add to a rule that rows with nulls in these columns pass.

    Examples
    --------
    >>> from janus_synth.table import Column
    >>> schema = Schema((Column("a", "numeric", "float64", nullable=True), Column("b", "numeric", "int64")))
    >>> or_null("a >= b", ["a", "b"], schema)
    'a is null or a >= b'
    """
    nullable = [name for name in names if schema[name].nullable]
    return " or ".join([*(f"{format_name(name)} is null" for name in nullable), text])


def sum_text(terms: Sequence[tuple[str, float, bool]], constant: float, span: bool) -> str:
    """Text of a sum; a term or the constant is a duration in seconds where its flag is set.

    Examples
    --------
    >>> sum_text([("a", 1, False), ("b", -1 / 3, False)], 3, False)
    'a - b / 3 + 3'
    >>> sum_text([("minutes", 0.085, False)], 0, False)
    '0.085 * minutes'
    >>> sum_text([("start", 1, False), ("h", 3600, True)], 0, False)
    'start + hours(h)'
    """
    parts = [(coefficient < 0, _term(name, abs(coefficient), flag)) for name, coefficient, flag in terms]
    if constant or not parts:
        size = abs(constant)
        parts.append((constant < 0, _span(size, None) if span else str(plain_number(size))))
    (minus, first), rest = parts[0], parts[1:]
    return ("-" if minus else "") + first + "".join(f" {'-' if minus else '+'} {text}" for minus, text in rest)


def _term(name: str, size: float, span: bool) -> str:
    shown = format_name(name)
    if span:
        return _span(size, shown)
    fraction = Fraction(size).limit_denominator(1000)
    over = f" / {fraction.denominator}" if fraction.denominator > 1 else ""
    longest = MAX_DIGITS if fraction.numerator > 1 else MAX_DIGITS - 2  # 0.085 rather than 17 / 200, but 1 / 8
    if float(fraction) != size or (over and len(str(size)) <= longest):
        return f"{plain_number(size)} * {shown}"
    return (shown if fraction.numerator == 1 else f"{fraction.numerator} * {shown}") + over


def _span(seconds: float, shown: str | None) -> str:
    """Write a duration in the largest unit that keeps it whole, times a column if one is given."""
    microseconds = round(seconds * MICROSECOND)
    unit, size = next((unit, size) for unit, size in SPANS.items() if unit != "weeks" and microseconds % size == 0)
    amount = microseconds // size
    if shown is None:
        return f"{unit}({amount})"
    return f"{unit}({shown})" if amount == 1 else f"{unit}({amount} * {shown})"


def value_text(name: str, value: Level | None) -> str:
    """Text of the condition that a column has a value."""
    shown = format_name(name)
    if value is None:
        return f"{shown} is null"
    if isinstance(value, bool):
        return shown if value else f"not {shown}"
    return f"{shown} == {format_value(value)}"


def values_text(name: str, values: Sequence[Level | None]) -> str:
    """Text of the condition that a column has one of some values."""
    present = [value for value in values if value is not None]
    parts = [value_text(name, None)] if len(present) < len(values) else []
    if len(present) == 1 or any(isinstance(value, bool) for value in present):
        parts += [value_text(name, value) for value in present]
    elif present:
        parts.append(f"{format_name(name)} in [{', '.join(map(format_value, present))}]")
    return " or ".join(parts)


def rows_that_hold(text: str, table: Table) -> Bools | None:
    """Evaluate a rule on all rows; None if the language cannot say it about these columns."""
    try:
        return judge(bind(text, table.schema), table)
    except JanusError:
        return None


def first_true(rows: Bools) -> int:
    """Number of the first row that is true."""
    return int(np.argmax(rows))
