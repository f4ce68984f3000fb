"""What columns are set to: texts such as ``age=30..40`` in, values in the columns' own kinds out.

    name=value      a number, a level, true or false, or a date in ISO text
    name=null       no value
    name=low..high  a range, both ends in it
    name=a|b|c      one of some values
    name:=sum       a sum of columns, such as 0.1 * salary

What is a level of the column is that level, whatever marks are in it; a text in quotes is never more than one value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from janus_synth.errors import RuleError, SchemaError, UnknownColumnError

if TYPE_CHECKING:
    from janus_synth.table import Column, Schema

GRAMMAR = "Write name=value, name=null, name=low..high, name=a|b|c, or name:=sum, such as 'bonus := 0.1 * salary'."
FORMS = "a value, null, a range low..high, or one of some values a|b|c"


def settings_in(texts: Sequence[str], schema: Schema) -> dict[str, Any]:
    """What each ``--set`` sets, ready for ``Janus.do``.

    Examples
    --------
    >>> from janus_synth.table import Column, Schema
    >>> city = Column("city", "categorical", "str", levels=("Oslo", "Rome"))
    >>> schema = Schema((Column("age", "numeric", "int64"), city))
    >>> settings_in(["age=30..40", "city=Rome"], schema)
    {'age': (30, 40), 'city': 'Rome'}
    """
    settings: dict[str, Any] = {}
    written: dict[str, str] = {}
    for text in texts:
        column, is_sum, rest = _parts(text, schema)
        if column.name in settings:
            raise RuleError(
                f"column {column.name!r} is set twice, by {written[column.name]!r} and {text!r}. Keep one of them; for "
                f"one of several values write {column.name}=a|b."
            )
        settings[column.name] = sum_in(rest, column, text) if is_sum else _set_value(rest, column, schema)
        written[column.name] = text
    return settings


def _set_value(text: str, column: Column, schema: Schema) -> Any:
    """A value; what looks like a sum instead is told how to be one."""
    try:
        return value_in(text, column)
    except SchemaError as error:
        if column.is_discrete or not any(name in text for name in schema.names):
            raise
        hint = f"For a sum of columns write '{column.name} := {text.strip()}'."
        raise SchemaError(f"{error} {hint}", column=column.name) from error


def values_in(texts: Sequence[str], column: Column) -> list[Any]:
    """Values to set one column to, one after the other, parted by commas."""
    found = []
    for text in texts:
        whole = _levels(text.strip(), column) or _is_quoted(text.strip())
        found += [value_in(part, column) for part in ([text] if whole else text.split(","))]
    return found


def value_in(text: str, column: Column) -> Any:
    """A value, a range as a tuple, some values as a list, or None for null."""
    text = text.strip()
    if not text:
        raise RuleError(f"nothing is given for column {column.name!r}. Write {FORMS}.")
    if levels := _levels(text, column):
        return levels[0]
    if _is_quoted(text):
        return _one(text, column)
    if text.lower() == "null":
        return _null(column)
    if "|" in text:
        return [_one(part.strip(), column, of=text) for part in text.split("|")]
    if ".." in text:
        return _range(text, column)
    return _one(text, column)


def sum_in(text: str, column: Column, setting: str) -> Any:
    """A sum of columns as text, or the value that is all of it."""
    from janus_synth.rules import parse_rule

    text = text.strip()
    if not text:
        raise RuleError(f"nothing is given for column {column.name!r}. Write a sum of columns, such as 2 * price + 10.")
    if column.is_discrete:
        raise RuleError(
            f"column {column.name!r} is {column.kind}, and only numbers and times can be set to a sum. Write "
            f"{column.name}={_example(column)}."
        )
    try:
        return _one(text, column)
    except SchemaError:
        pass  # as it should be
    try:
        parse_rule(f"{text} == 0")
    except RuleError as error:
        at = None if error.position is None else min(error.position + setting.rindex(text), len(setting))
        raise RuleError(
            "this sets a column to no sum of columns. Write one such as 2 * price + 10.", rule=setting, position=at
        ) from error
    return text


def _parts(text: str, schema: Schema) -> tuple[Column, bool, str]:
    """The column that a text sets, whether by a sum, and what follows; the longest name that fits is meant."""
    text = text.strip()
    for name in sorted(schema.names, key=len, reverse=True):
        for spelt in (name, f"`{name}`"):
            found = re.match(r"\s*(:?=)(?!=)", text[len(spelt) :]) if text.startswith(spelt) else None
            if found:
                return learnt_column(name, schema), found[1] == ":=", text[len(spelt) + found.end() :]
    name, sign, _ = text.partition("=")
    if sign and re.fullmatch(r"[\w .-]+:?", name) and not text.startswith(f"{name}=="):
        raise UnknownColumnError(name.rstrip(": "), _learnt(schema), where="the model")
    raise RuleError(f"{text!r} sets no column. {GRAMMAR}")


def learnt_column(name: str, schema: Schema) -> Column:
    """A column that can be set."""
    if name not in schema:
        raise UnknownColumnError(name, _learnt(schema), where="the model")
    if not schema[name].is_learnt:
        raise SchemaError(
            f"column {name!r} is an identifier: its values are made afresh, and nothing depends on them. Choose "
            "another column.",
            column=name,
        )
    return schema[name]


def _learnt(schema: Schema) -> list[str]:
    return [column.name for column in schema.learnt]


def _levels(text: str, column: Column) -> list[Any]:
    """The level that a text spells, if it does."""
    plain = _unquoted(text)
    if column.kind == "boolean":
        return [level for level in column.levels if str(level).lower() == plain.lower()]
    exact = [level for level in column.levels if str(level) == plain]
    return exact or [level for level in column.levels if not isinstance(level, str | bool) and level == _number(plain)]


def _one(text: str, column: Column, *, of: str | None = None) -> Any:
    """One value in the column's kind."""
    from janus_synth.table import physical_value

    if not text:
        raise RuleError(f"{of!r} lacks a value of column {column.name!r}. Write {FORMS}.")
    if of is not None and text.lower() == "null" and not _levels(text, column):
        raise RuleError(f"null stands in {of!r} among values. Set column {column.name!r} to null alone, or to values.")
    if column.is_discrete:
        return _level(text, column)
    plain = _unquoted(text)
    if column.kind == "datetime":
        physical_value(column, plain)  # says what is wrong
        return plain
    value = _duration(plain) if has_durations(column) else _number(plain)
    if value is None:
        kind = "durations, such as '3 days'" if has_durations(column) else "numbers"
        raise SchemaError(
            f"column {column.name!r} holds {kind}, and {plain!r} is none. Write {FORMS}.", column=column.name
        )
    return value


def _level(text: str, column: Column) -> Any:
    from janus_synth.table import physical_value

    if levels := _levels(text, column):
        return levels[0]
    if column.kind == "boolean":
        raise SchemaError(f"column {column.name!r} is boolean, and {text!r} is neither true nor false.")
    physical_value(column, _unquoted(text))  # says which levels there are
    raise AssertionError("a level that the column has is found before")


def _range(text: str, column: Column) -> tuple[Any, Any]:
    if not column.is_ordered:
        raise RuleError(
            f"column {column.name!r} is {column.kind} and has no order, so {text!r} is no range of it, nor a level. "
            f"Write {column.name}={_example(column)}."
        )
    low, _, high = text.partition("..")
    ends = _one(low.strip(), column, of=text), _one(high.strip(), column, of=text)
    if _place(ends[0], column) > _place(ends[1], column):
        raise RuleError(f"the range {text!r} of column {column.name!r} ends before it begins. Swap its ends.")
    return ends


def _place(value: Any, column: Column) -> float:
    from janus_synth.table import physical_value

    return physical_value(column, value)


def _null(column: Column) -> None:
    if not column.nullable:
        raise RuleError(
            f"column {column.name!r} is never missing, so it cannot be set to null. Set it to a value, or fit with a "
            "schema that makes it nullable."
        )


def _number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            number = read(text)
            return number if math.isfinite(number) else None
        except (ValueError, OverflowError):
            continue
    return None


def has_durations(column: Column) -> bool:
    """Whether a column's numbers are durations, in microseconds."""
    return column.kind == "numeric" and re.search("timedelta|duration", column.dtype) is not None


def _duration(text: str) -> Any:
    import pandas as pd

    if _number(text) is not None:
        return None  # of what?
    try:
        span: Any = pd.Timedelta(text)
    except ValueError:
        return None
    return None if pd.isna(span) else span.to_pytimedelta()


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]


def _unquoted(text: str) -> str:
    return text[1:-1] if _is_quoted(text) else text


def _example(column: Column) -> str:
    """What one may set a column with levels to."""
    if column.kind == "boolean":
        return "true"
    return "|".join(str(level) for level in column.levels[:2]) or "null"
