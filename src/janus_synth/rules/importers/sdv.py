"""Constraints of the Synthetic Data Vault in, rules out: dicts or JSON of both generations, or constraint objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from janus_synth.rules.importers.imported import (
    OTHER_TABLE,
    Imported,
    NotTakenError,
    collect,
    compare,
    constant,
    in_range,
    key,
    unless_null,
)
from janus_synth.rules.language.expressions import col, fixed_combinations, increments, one_hot
from janus_synth.rules.language.nodes import Rule, all_of


def from_sdv(constraints: Any) -> Imported:
    """Read constraints of SDV.

    Parameters
    ----------
    constraints : list, or mapping with a list of them
        Each a dict with ``constraint_class`` and ``constraint_parameters``, or an object of ``sdv.cag``.

    Returns
    -------
    Imported
        Rules, and the constraints that are about several tables or written in Python.

    Examples
    --------
    >>> inequality = {"low_column_name": "checkin", "high_column_name": "checkout"}
    >>> found = from_sdv([{"constraint_class": "Inequality", "constraint_parameters": inequality}])
    >>> print(found.rules[0])
    checkin is null or checkout is null or checkin < checkout
    """
    if isinstance(constraints, Mapping):
        held = constraints.get("constraints", constraints.get("patterns"))
        constraints = [constraints] if held is None else held
    return collect(_entries(constraints))


def _entries(constraints: Iterable[Any]) -> Iterable[tuple[str, Callable[[], Rule | None]]]:
    for entry in constraints:
        name, values = _name_and_parameters(entry)
        shown = ", ".join(f"{key}={value!r}" for key, value in values.items() if key != "table_name")
        yield f"{name}({shown})", lambda name=name, values=values: _rule(name, values)  # type: ignore[misc]


def _name_and_parameters(entry: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(entry, Mapping):
        keys = ("constraint_class", "class_name", "class", "constraint_name", "name", "type")
        name = str(next((entry[key] for key in keys if key in entry), "constraint")).rsplit(".", 1)[-1]
        held = ("constraint_parameters", "parameters", "params", "kwargs")
        values = next((entry[key] for key in held if key in entry), None)
        rest = {key: value for key, value in entry.items() if key not in keys}
        return name, dict(rest if values is None else values)
    return type(entry).__name__, {key.lstrip("_"): value for key, value in vars(entry).items()}


def _rule(name: str, values: Mapping[str, Any]) -> Rule:
    strict = bool(values.get("strict_boundaries", True))
    op = "<" if strict else "<="
    match name:
        case "Inequality" | "GreaterThan":
            return unless_null(compare(col(values["low_column_name"]), op, col(values["high_column_name"])))
        case "ScalarInequality":
            return unless_null(compare(col(values["column_name"]), values["relation"], constant(values["value"])))
        case "Range":
            low, middle, high = (col(values[f"{part}_column_name"]) for part in ("low", "middle", "high"))
            return unless_null(all_of((compare(low, op, middle), compare(middle, op, high))))
        case "ScalarRange":
            ends = values["low_value"], values["high_value"]
            return unless_null(in_range(values["column_name"], *ends, strict_low=strict, strict_high=strict))
        case "Positive" | "Negative":
            return unless_null(_sign(name, values["column_name"], strict=bool(values.get("strict_boundaries", False))))
        case "FixedIncrements":
            step = values.get("increment_value", values.get("increment"))
            return unless_null(increments(values["column_name"], step))
        case "FixedCombinations" | "UniqueCombinations":  # the second is the first one's name in early releases
            return fixed_combinations(*values.get("column_names", values.get("columns", ())))
        case "OneHotEncoding":
            return one_hot(*values["column_names"])
        case "Unique":
            return key(values["column_names"])
        case "CompositeKeys" if len(values["primary_keys"]) == 1:
            return key(values["primary_keys"][0]["primary_key"])
        case "CompositeKeys" | "PrimaryToPrimaryKeySubset" | "ForeignToForeignKey" | "ForeignToPrimaryKeySubset":
            raise NotTakenError(OTHER_TABLE)
    raise NotTakenError(f"there is no rule that means {name!r}. Write it as a rule by hand.")


def _sign(name: str, column: str, *, strict: bool) -> Rule:
    x = col(column)
    if name == "Positive":
        return x > 0 if strict else x >= 0
    return x < 0 if strict else x <= 0
