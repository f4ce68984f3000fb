"""Rules to plain dicts and back, for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from janus_synth.errors import RuleError
from janus_synth.rules.language.nodes import (
    And,
    Compare,
    FixedCombinations,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Linear,
    Not,
    Or,
    Rule,
    Term,
)

MAX_DEPTH = 100


def to_json(rule: Rule) -> dict[str, Any]:
    """Plain dict of a rule."""
    match rule:
        case Compare(left, op, right):
            return {"node": "compare", "left": _linear_dict(left), "op": op, "right": _linear_dict(right)}
        case IsIn(column, values, negated):
            return {"node": "in", "column": column, "values": list(values), "negated": negated}
        case IsNull(column, negated):
            return {"node": "null", "column": column, "negated": negated}
        case Increments(column, step):
            return {"node": "increments", "column": column, "step": step}
        case FixedCombinations(combined, rows):
            shown = None if rows is None else [list(row) for row in rows]
            return {"node": "fixed_combinations", "columns": list(combined), "rows": shown}
        case And(parts):
            return {"node": "and", "parts": [to_json(part) for part in parts]}
        case Or(parts):
            return {"node": "or", "parts": [to_json(part) for part in parts]}
        case Not(part):
            return {"node": "not", "part": to_json(part)}
        case Implies(premise, conclusion):
            return {"node": "implies", "premise": to_json(premise), "conclusion": to_json(conclusion)}
    raise TypeError(f"{rule!r} is no rule.")


def from_json(values: Mapping[str, Any]) -> Rule:
    """Rebuild a rule from ``to_json``; what is malformed is a RuleError.

    Examples
    --------
    >>> print(from_json({"node": "null", "column": "city", "negated": True}))
    city is not null
    """
    try:
        return _rule(values, MAX_DEPTH)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, RuleError):
            raise
        raise RuleError(f"this is no rule as to_json writes it: {type(error).__name__} {error}.") from error


def _rule(values: Mapping[str, Any], depth: int) -> Rule:
    if depth < 0:
        raise RuleError(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.")
    match values["node"]:
        case "compare":
            return Compare(_linear(values["left"]), values["op"], _linear(values["right"]))
        case "in":
            return IsIn(_name(values["column"]), tuple(values["values"]), _flag(values.get("negated", False)))
        case "null":
            return IsNull(_name(values["column"]), _flag(values.get("negated", False)))
        case "increments":
            return Increments(_name(values["column"]), _number(values["step"]))
        case "fixed_combinations":
            rows = values.get("rows")
            return FixedCombinations(
                tuple(map(_name, values["columns"])), None if rows is None else tuple(map(tuple, rows))
            )
        case "and":
            return And(tuple(_rule(part, depth - 1) for part in values["parts"]))
        case "or":
            return Or(tuple(_rule(part, depth - 1) for part in values["parts"]))
        case "not":
            return Not(_rule(values["part"], depth - 1))
        case "implies":
            return Implies(_rule(values["premise"], depth - 1), _rule(values["conclusion"], depth - 1))
    raise RuleError(f"there is no rule node {values['node']!r}. Write rules with to_json.")


def _linear_dict(linear: Linear) -> dict[str, Any]:
    """Leave out what is zero or absent."""
    values: dict[str, Any] = {}
    if linear.terms:
        values["terms"] = [[t.column, t.coefficient, *([True] if t.span else [])] for t in linear.terms]
    if linear.constant or linear == Linear():
        values["constant"] = linear.constant
    if linear.span:
        values["span"] = linear.span
    if linear.text is not None:
        values["text"] = linear.text
        if linear.sign < 0:
            values["sign"] = -1
    return values


def _linear(values: Mapping[str, Any]) -> Linear:
    terms = tuple(
        Term(_name(t[0]), _number(t[1]), _flag(t[2] if len(t) > 2 else False)) for t in values.get("terms", ())
    )
    text = values.get("text")
    return Linear(
        terms,
        _number(values.get("constant", 0)),
        _number(values.get("span", 0)),
        None if text is None else _name(text),
        values.get("sign", 1),
    )


def _term(column: Any, coefficient: Any, span: Any = False) -> Term:
    return Term(_name(column), _number(coefficient), _flag(span))


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value
