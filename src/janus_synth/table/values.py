"""One value as a user writes it, in a column's physical units, and back."""

from __future__ import annotations

import difflib
import math
from typing import Any

from janus_synth.errors import SchemaError
from janus_synth.table.columns import Column, Level, as_level, level_key
from janus_synth.table.moments import bound_of, moment_text, zone_of


def physical_value(column: Column, value: Any) -> float:
    """Physical value of what a user wrote: a number, microseconds, or the index of a level.

    Parameters
    ----------
    column : Column
        Any learnt column.
    value : number, text, date, datetime, timedelta or level
        Datetimes may be ISO text; what names no time zone is in the column's own.

    Raises
    ------
    SchemaError
        If the column cannot hold the value.

    Examples
    --------
    >>> physical_value(Column("start", "datetime", "datetime64[us]"), "1970-01-02")
    86400000000.0
    >>> physical_value(Column("city", "categorical", "str", levels=("Oslo", "Rome")), "Rome")
    1.0
    """
    if column.is_discrete:
        return float(_place(column, as_level(value)))
    if not column.is_learnt:
        raise SchemaError(f"column {column.name!r} is an identifier and is not learnt.", column=column.name)
    number = as_level(bound_of(column.name, column.kind, column.dtype, value))
    try:
        physical = math.nan if isinstance(number, str | bool) else float(number)
    except (TypeError, ValueError, OverflowError):
        physical = math.nan
    if math.isnan(physical):
        raise SchemaError(f"column {column.name!r} is {column.kind}; {value!r} is not.", column=column.name)
    return physical


def _place(column: Column, level: Any) -> int:
    keys = [level_key(known) for known in column.levels]
    if level_key(level) in keys:
        return keys.index(level_key(level))
    shown = [str(known) for known in column.levels]
    close = difflib.get_close_matches(str(level), shown, n=3) or shown[:8]
    raise SchemaError(
        f"column {column.name!r} has no level {level!r}. Levels are such as {', '.join(map(repr, close))}.",
        column=column.name,
    )


def shown_value(column: Column, value: float) -> Level | None:
    """Physical value as a user would write it; None for missing.

    Examples
    --------
    >>> shown_value(Column("start", "datetime", "datetime64[us]"), 86_400_000_000)
    '1970-01-02'
    """
    if math.isnan(value) or (column.is_discrete and value < 0):
        return None
    if column.is_discrete:
        return column.levels[int(value)]
    if column.kind == "datetime":
        return moment_text(value, utc=zone_of(column.dtype) is not None)
    return int(value) if value == round(value) and abs(value) < 2**53 else float(value)
