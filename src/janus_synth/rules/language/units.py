"""Constants and linear expressions as the user wrote them in, numbers in physical units out.

Physical units are those of ``Table``: numbers, microseconds since 1970, microseconds for durations, and indices of
levels. A constant that does not fit a column's kind raises a ``RuleError`` that says what to write instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from janus_synth.errors import RuleError, SchemaError
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.nodes import Compare, Rule, leaves
from janus_synth.rules.language.notation import format_name
from janus_synth.table import Column, physical_value
from janus_synth.table.columns import Level, read_formatted

Columns = Mapping[str, Column]


def fail(rule: Rule, problem: str) -> NoReturn:
    """Raise ``RuleError`` for a rule that does not fit the schema."""
    raise RuleError(problem, rule=str(rule))


def has_level(column: Column, level: object) -> bool:
    """Whether a column has a level; True is not the level 1."""
    return any(level == known and isinstance(level, bool) == isinstance(known, bool) for known in column.levels)


def physical_constant(rule: Rule, column: Column, value: Level | None, *, strict: bool) -> Level | None:
    """Convert a constant that a column is compared with; None for an unknown level unless ``strict``."""
    if column.kind == "boolean" and not isinstance(value, bool) and value in (0, 1):
        value = bool(value)
    if column.kind == "boolean" and isinstance(value, str) and (word := read_formatted(column, value)) is not None:
        value = bool(word)
    if not strict and column.is_discrete and not has_level(column, value):
        return None
    if column.kind == "datetime" and not isinstance(value, str):
        fail(rule, f"column {column.name!r} is datetime and {value!r} is not. {suggest_constant(column)}")
    if column.kind == "numeric" and isinstance(value, str | bool):
        what = "text" if isinstance(value, str) else "true or false"
        fail(rule, f"column {column.name!r} is numeric and {value!r} is {what}. {suggest_constant(column)}")
    try:
        physical = physical_value(column, value)
    except SchemaError as error:
        fail(rule, str(error))
    return int(physical) if column.is_discrete else physical


def subtract_sides(rule: Rule, left: Linear, right: Linear, columns: Columns) -> Linear:
    """Return left minus right in physical units: terms and one number."""
    check_units(rule, left, right, columns)
    names = left.columns + right.columns
    return _to_physical(rule, left, names, columns).plus(_to_physical(rule, right, names, columns).times(-1))


def _to_physical(rule: Rule, side: Linear, names: tuple[str, ...], columns: Columns) -> Linear:
    """Turn the text and the durations of one side into numbers."""
    moment = 0.0
    if side.text is not None:
        column = next(columns[name] for name in names if columns[name].kind == "datetime")
        moment = side.sign * float(physical_constant(rule, column, side.text, strict=True) or 0.0)
    terms = tuple(Term(term.column, term.coefficient) for term in side.terms)
    return Linear(terms, side.constant + side.span + moment)


def check_units(rule: Rule, left: Linear, right: Linear, columns: Columns) -> None:
    """Raise ``RuleError`` if a sum mixes moments, durations and plain numbers."""
    terms = [*left.terms, *right.times(-1).terms]
    moments = [term for term in terms if columns[term.column].kind == "datetime"]
    plain = [term for term in terms if term not in moments and not term.span and not is_span(columns[term.column])]
    texts = [side.text for side in (left, right) if side.text is not None]
    spans = bool(
        left.span or right.span or any(t.span or is_span(columns[t.column]) for t in terms if t not in moments)
    )
    number = left.constant or right.constant
    for term in terms:
        if term.span and (term in moments or is_span(columns[term.column])):
            fail(rule, f"a duration counts plain numbers, and column {term.column!r} already is a time.")
    if texts and not moments:
        column = columns[terms[0].column]
        fail(rule, f"column {column.name!r} is {column.kind} and {texts[0]!r} is text. {suggest_constant(column)}")
    if moments:
        weight = sum(t.coefficient for t in moments) + left.sign * (left.text is not None)
        weight -= right.sign * (right.text is not None)
        if abs(weight) > 1e-9:
            column = columns[moments[0].column]
            fail(rule, f"column {column.name!r} is datetime; compare it with a moment. {suggest_constant(column)}")
    if (moments or spans) and plain:
        name = plain[0].column
        fail(
            rule,
            f"column {name!r} is a plain number, but the other parts are times. Write days({name}) or hours({name}).",
        )
    if (moments or spans) and number:
        fail(
            rule, f"{number} is a plain number, but the other parts are times. Write days({number}) or hours({number})."
        )


def is_span(column: Column) -> bool:
    """Whether a numeric column holds durations or times of day, which are in microseconds."""
    return column.kind == "numeric" and any(mark in column.dtype.lower() for mark in ("time", "duration"))


def suggest_quotes(rule: Rule, name: str, columns: Columns) -> str | None:
    """Say how to write an unknown name that is compared with a category or a boolean, and may be meant as a value."""
    for leaf in leaves(rule):
        if not isinstance(leaf, Compare):
            continue
        sides = leaf.left.only_column, leaf.right.only_column
        other = next((columns[side] for side in sides if side is not None and side in columns), None)
        if other is None or name not in sides:
            continue
        if other.kind == "boolean" and name.lower() in ("yes", "no", "y", "n", "t", "f"):
            value = name.lower()[0] in "yt"
            return f"Column {other.name!r} is boolean: write {format_name(other.name)} {leaf.op} {value}."
        if other.kind == "categorical" and leaf.op in ("==", "!="):
            return f"Text stands in quotes: write {format_name(other.name)} {leaf.op} {name!r}."
    return None


def suggest_constant(column: Column) -> str:
    """Say what a column can be compared with."""
    match column.kind:
        case "datetime":
            return f"Write ISO text, such as {column.name} >= '2024-01-31'."
        case "numeric":
            return f"Compare it with a number, such as {column.name} >= 1."
        case "boolean":
            return "Use it alone, or compare it with True or False."
    levels = ", ".join(map(repr, column.levels[:3]))
    return f"Compare it with its levels{', such as ' + levels if levels else ''}."
