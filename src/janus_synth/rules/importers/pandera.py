"""Pandera schemas in, rules out: a ``DataFrameSchema``, or the dict that its YAML or JSON holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from janus_synth.rules.importers.imported import (
    ACROSS_ROWS,
    Imported,
    NotTakenError,
    collect,
    compare,
    constant,
    has_length,
    in_range,
    key,
    listed,
    matches_somewhere,
    unless_null,
)
from janus_synth.rules.language.expressions import col
from janus_synth.rules.language.nodes import Rule

Part = tuple[str, Callable[[], Rule | None]]
_NAMES = {
    "eq": "equal_to",
    "ne": "not_equal_to",
    "gt": "greater_than",
    "ge": "greater_than_or_equal_to",
    "lt": "less_than",
    "le": "less_than_or_equal_to",
    "between": "in_range",
}


_FIELDS = {
    "title", "description", "dtype", "nullable", "unique", "coerce", "required", "regex", "checks", "default",
    "report_duplicates", "drop_invalid_rows", "metadata", "parsers", "name",
}  # fmt: skip
"""What files say about a column beside its checks."""


def from_pandera(schema: Any) -> Imported:
    """Read a schema of pandera.

    Parameters
    ----------
    schema : DataFrameSchema, model class, or mapping
        A mapping is what ``to_yaml`` or ``to_json`` writes, parsed.

    Returns
    -------
    Imported
        Rules, keys among them; checks written in Python, and checks of a column as a whole, are skipped.

    Examples
    --------
    >>> column = {"nullable": False, "checks": {"in_range": {"min_value": 0, "max_value": 120}}}
    >>> [str(rule) for rule in from_pandera({"columns": {"age": column}}).rules]
    ['age is not null', '0 <= age <= 120']
    """
    if isinstance(schema, type) and hasattr(schema, "to_schema"):
        schema = schema.to_schema()
    return collect(_of_mapping(schema) if isinstance(schema, Mapping) else _of_object(schema))


def _of_object(schema: Any) -> Iterable[Part]:
    for name, column in schema.columns.items():
        checks = [(check.name, dict(check.statistics or {})) for check in column.checks]
        yield from _column(str(name), checks, nullable=bool(column.nullable), unique=bool(column.unique))
    yield from _whole(schema.checks, getattr(schema, "unique", None))


def _of_mapping(schema: Mapping[str, Any]) -> Iterable[Part]:
    for name, column in (schema.get("columns") or {}).items():
        beside = {key: value for key, value in column.items() if key not in _FIELDS}  # newer files list checks so
        checks = [*_checks_of(column.get("checks")), *_checks_of(beside)]
        nullable, unique = bool(column.get("nullable", False)), bool(column.get("unique", False))
        yield from _column(str(name), checks, nullable=nullable, unique=unique)
    yield from _whole(schema.get("checks") or (), schema.get("unique"))


def _checks_of(checks: Any) -> Iterable[tuple[str, dict[str, Any]]]:
    """Names and parameters of the checks of a column, in any of the forms that files have."""
    if isinstance(checks, Mapping):
        entries = list(checks.items())
    else:
        entries = [(entry.get("options", {}).get("check_name", ""), entry) for entry in checks or ()]
    for name, given in entries:
        values = given
        if isinstance(given, Mapping):
            held = {key: value for key, value in given.items() if key != "options"}
            values = held["value"] if set(held) == {"value"} else held
        yield str(name), values if isinstance(values, dict) else {"value": values}


def _column(name: str, checks: Iterable[tuple[Any, dict[str, Any]]], *, nullable: bool, unique: bool) -> Iterable[Part]:
    if not nullable:
        yield f"{name}: nullable=False", lambda: col(name).not_null()
    if unique:
        yield f"{name}: unique", lambda: key(name)
    for check, values in checks:
        yield f"{name}: {check or 'a check in Python'}", lambda c=check, v=values: _rule(name, c, v, nullable)  # type: ignore[misc]


def _whole(checks: Any, unique: Any) -> Iterable[Part]:
    names = list(checks) if isinstance(checks, Mapping) else [getattr(check, "name", None) for check in checks]
    for name in names:
        yield f"{name or 'a check'} of the whole table", _not_readable
    if unique:
        yield f"unique {unique}", lambda: key(unique)


def _not_readable() -> Rule:
    raise NotTakenError("it is written in Python, and rules are not run. Write it as a rule by hand.")


def _rule(column: str, check: Any, values: Mapping[str, Any], nullable: bool) -> Rule:
    rule = _single(column, _NAMES.get(str(check), str(check)), values)
    return unless_null(rule) if nullable else rule


def _single(column: str, check: str, values: Mapping[str, Any]) -> Rule:
    x = col(column)

    def value(*keys: str) -> Any:
        return constant(next(values[key] for key in (*keys, "value") if key in values))

    match check:
        case "equal_to":
            return compare(x, "==", value())
        case "not_equal_to":
            return compare(x, "!=", value())
        case "greater_than":
            return compare(x, ">", value("min_value"))
        case "greater_than_or_equal_to":
            return compare(x, ">=", value("min_value"))
        case "less_than":
            return compare(x, "<", value("max_value"))
        case "less_than_or_equal_to":
            return compare(x, "<=", value("max_value"))
        case "in_range":
            strict_low, strict_high = not values.get("include_min", True), not values.get("include_max", True)
            ends = values["min_value"], values["max_value"]
            return in_range(column, *ends, strict_low=strict_low, strict_high=strict_high)
        case "isin":
            return listed(column, value("allowed_values"))
        case "notin":
            return listed(column, value("forbidden_values"), negated=True)
        case "str_matches":
            return matches_somewhere(column, _pattern(value("pattern")), at_start=True)
        case "str_contains":
            return matches_somewhere(column, _pattern(value("pattern")))
        case "str_startswith":
            return x.starts_with(value("string"))
        case "str_endswith":
            return x.ends_with(value("string"))
        case "str_length":
            exact = values.get("exact_value")
            low, high = (values.get(end) if exact is None else exact for end in ("min_value", "max_value"))
            return has_length(column, low, high)
        case "unique_values_eq":
            raise NotTakenError(ACROSS_ROWS)
    return _not_readable()


def _pattern(pattern: Any) -> str:
    return str(getattr(pattern, "pattern", pattern))
