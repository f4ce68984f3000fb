"""Values and interventions as users write them in; Python values out.

Interventions, as ``--set`` takes them:

    name=value      a number, a level, true or false, or a date in ISO format
    name=null       no value
    name=low..high  a range that includes both ends
    name=a|b|c      one of several values
    name:=sum       a sum of columns, such as 0.1 * salary

A text that equals a level of the column is that level, even if it contains such signs. A quoted text is one value.
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
FORMS = "a value, null, a range low..high, or one of several values a|b|c"


def parse_interventions(texts: Sequence[str], schema: Schema) -> dict[str, Any]:
    """Read the texts of ``--set`` as values, ready for ``Janus.do``.

    Examples
    --------
    >>> from janus_synth.table import Column, Schema
    >>> city = Column("city", "categorical", "str", levels=("Oslo", "Rome"))
    >>> schema = Schema((Column("age", "numeric", "int64"), city))
    >>> parse_interventions(["age=30..40", "city=Rome"], schema)
    {'age': (30, 40), 'city': 'Rome'}
    """
    settings: dict[str, Any] = {}
    written: dict[str, str] = {}
    for text in texts:
        column, is_sum, rest = _split_setting(text, schema)
        if column.name in settings:
            raise RuleError(
                f"column {column.name!r} is set twice, by {written[column.name]!r} and {text!r}. Keep one of them; for "
                f"one of several values write {column.name}=a|b."
            )
        settings[column.name] = _parse_sum(rest, column, text) if is_sum else _parse_set_value(rest, column, schema)
        written[column.name] = text
    return settings


def _parse_set_value(text: str, column: Column, schema: Schema) -> Any:
    """Read a value; the error for a text that looks like a sum explains how to write one."""
    try:
        return parse_value(text, column)
    except SchemaError as error:
        if column.is_discrete or not any(name in text for name in schema.names):
            raise
        hint = f"For a sum of columns write '{column.name} := {text.strip()}'."
        raise SchemaError(f"{error} {hint}", column=column.name) from error


def parse_values(texts: Sequence[str], column: Column) -> list[Any]:
    """Read values of one column, separated by commas."""
    found = []
    for text in texts:
        whole = _matching_levels(text.strip(), column) or _is_quoted(text.strip())
        found += [parse_value(part, column) for part in ([text] if whole else text.split(","))]
    return found


def parse_value(text: str, column: Column) -> Any:
    """Read a value, a range as a tuple, several values as a list, or None for null."""
    text = text.strip()
    if not text:
        raise RuleError(f"no value is given for column {column.name!r}. Write {FORMS}.")
    if levels := _matching_levels(text, column):
        return levels[0]
    if _is_quoted(text):
        return _parse_one(text, column)
    if text.lower() == "null":
        return _parse_null(column)
    if "|" in text:
        return [_parse_one(part.strip(), column, of=text) for part in text.split("|")]
    if ".." in text:
        return _parse_range(text, column)
    return _parse_one(text, column)


def _parse_sum(text: str, column: Column, setting: str) -> Any:
    """Check a sum of columns and return its text, or the value if it is a single one."""
    from janus_synth.rules import parse_rule

    text = text.strip()
    if not text:
        raise RuleError(f"no sum is given for column {column.name!r}. Write a sum of columns, such as 2 * price + 10.")
    if column.is_discrete:
        raise RuleError(
            f"column {column.name!r} is {column.kind}, and only numbers and times can be set to a sum. Write "
            f"{column.name}={_example_value(column)}."
        )
    try:
        return _parse_one(text, column)
    except SchemaError:
        pass  # not a single value, so a sum
    try:
        parse_rule(f"{text} == 0")
    except RuleError as error:
        at = None if error.position is None else min(error.position + setting.rindex(text), len(setting))
        raise RuleError(
            "what follows := is not a sum of columns. Write one such as 2 * price + 10.", rule=setting, position=at
        ) from error
    return text


def _split_setting(text: str, schema: Schema) -> tuple[Column, bool, str]:
    """Split a text into its column, whether a sum follows, and the rest; of several names the longest is meant."""
    text = text.strip()
    for name in sorted(schema.names, key=len, reverse=True):
        for spelt in (name, f"`{name}`"):
            found = re.match(r"\s*(:?=)(?!=)", text[len(spelt) :]) if text.startswith(spelt) else None
            if found:
                return find_column(name, schema), found[1] == ":=", text[len(spelt) + found.end() :]
    name, sign, _ = text.partition("=")
    if sign and re.fullmatch(r"[\w .-]+:?", name) and not text.startswith(f"{name}=="):
        raise UnknownColumnError(name.rstrip(": "), _learnt_names(schema), where="the model")
    raise RuleError(f"{text!r} does not set a column. {GRAMMAR}")


def find_column(name: str, schema: Schema) -> Column:
    """Find a column that the model has learnt."""
    if name not in schema:
        raise UnknownColumnError(name, _learnt_names(schema), where="the model")
    if not schema[name].is_learnt:
        raise SchemaError(
            f"column {name!r} is {schema[name].what}: its values are generated anew, and nothing depends on them. "
            "Choose another column.",
            column=name,
        )
    return schema[name]


def _learnt_names(schema: Schema) -> list[str]:
    return [column.name for column in schema.learnt]


def _matching_levels(text: str, column: Column) -> list[Any]:
    """Levels that a text names: one, or none."""
    plain = _unquote(text)
    if column.kind == "boolean":
        return [level for level in column.levels if str(level).lower() == plain.lower()]
    exact = [level for level in column.levels if str(level) == plain]
    return exact or [
        level for level in column.levels if not isinstance(level, str | bool) and level == _parse_number(plain)
    ]


def _parse_one(text: str, column: Column, *, of: str | None = None) -> Any:
    """Read one value in the column's kind."""
    from janus_synth.table import physical_value

    if not text:
        raise RuleError(f"a value of column {column.name!r} is missing in {of!r}. Write {FORMS}.")
    if of is not None and text.lower() == "null" and not _matching_levels(text, column):
        raise RuleError(f"{of!r} mixes null and values. Set column {column.name!r} either to null or to values.")
    if column.is_discrete:
        return _parse_level(text, column)
    plain = _unquote(text)
    if column.kind == "datetime":
        physical_value(column, plain)  # raises an error that says what is wrong
        return plain
    value = _parse_duration(plain) if has_durations(column) else _parse_number(plain)
    if value is None:
        kind = "durations, such as '3 days'" if has_durations(column) else "numbers"
        raise SchemaError(
            f"column {column.name!r} holds {kind}, and {plain!r} is not one. Write {FORMS}.", column=column.name
        )
    return value


def _parse_level(text: str, column: Column) -> Any:
    from janus_synth.table import physical_value

    if levels := _matching_levels(text, column):
        return levels[0]
    if column.kind == "boolean":
        raise SchemaError(f"column {column.name!r} is boolean, and {text!r} is neither true nor false.")
    physical_value(column, _unquote(text))  # raises an error that lists the levels
    raise AssertionError("a level of the column is found above")


def _parse_range(text: str, column: Column) -> tuple[Any, Any]:
    if not column.is_ordered:
        raise RuleError(
            f"column {column.name!r} is {column.kind} and has no order, so {text!r} is neither a range nor a level of "
            f"it. Write {column.name}={_example_value(column)}."
        )
    low, _, high = text.partition("..")
    ends = _parse_one(low.strip(), column, of=text), _parse_one(high.strip(), column, of=text)
    if _physical(ends[0], column) > _physical(ends[1], column):
        raise RuleError(f"the range {text!r} of column {column.name!r} ends before it begins. Swap its ends.")
    return ends


def _physical(value: Any, column: Column) -> float:
    from janus_synth.table import physical_value

    return physical_value(column, value)


def _parse_null(column: Column) -> None:
    if not column.nullable:
        raise RuleError(
            f"column {column.name!r} is never missing, so it cannot be set to null. Set it to a value, or fit with a "
            "schema that makes it nullable."
        )


def _parse_number(text: str) -> int | float | None:
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


def _parse_duration(text: str) -> Any:
    import pandas as pd

    if _parse_number(text) is not None:
        return None  # a number without a unit
    try:
        span: Any = pd.Timedelta(text)
    except ValueError:
        return None
    return None if pd.isna(span) else span.to_pytimedelta()


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]


def _unquote(text: str) -> str:
    return text[1:-1] if _is_quoted(text) else text


def _example_value(column: Column) -> str:
    """Example of a setting of a column with levels."""
    if column.kind == "boolean":
        return "true"
    return "|".join(str(level) for level in column.levels[:2]) or "null"
