"""Columns and coefficients in; texts in the rule language out, and how many rows of a table break them.

A rule about several columns lets rows with nulls pass: ``a is null or b is null or a >= b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from janus_synth.arrays import Bools
from janus_synth.errors import JanusError
from janus_synth.rules import bind, judge
from janus_synth.rules.language.notation import format_name, format_value
from janus_synth.table import Level, Schema, Table


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


def rounding_text(decimals: int) -> str:
    """How a result is rounded.

    Examples
    --------
    >>> rounding_text(1), rounding_text(2)
    ('rounded to 1 decimal', 'rounded to 2 decimals')
    """
    return f"rounded to {decimals} decimal{'' if decimals == 1 else 's'}"


def first_true(rows: Bools) -> int:
    """Number of the first row that is true."""
    return int(np.argmax(rows))
