"""Plain dicts from JSON in, rules out: the inverse of ``Rule.to_json``.

Every field is checked for its type, so that a damaged model file is a ``RuleError`` and not a rule that fails later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from janus_synth.errors import RuleError
from janus_synth.rules.language.dates import Calendar
from janus_synth.rules.language.keys import Unique
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.monomials import Product
from janus_synth.rules.language.nodes import (
    And,
    FixedCombinations,
    Iff,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Not,
    Or,
    Rule,
)
from janus_synth.rules.language.pieces import Call, Pieces, Sum, compare
from janus_synth.rules.language.texts import TextIs

MAX_DEPTH = 100
"""Deepest nesting that is read; text allows the same."""


def from_json(values: Mapping[str, Any]) -> Rule:
    """Rebuild a rule from what ``Rule.to_json`` returned; raise ``RuleError`` if it is malformed.

    Examples
    --------
    >>> print(from_json({"node": "null", "column": "city", "negated": True}))
    city is not null
    """
    try:
        return _read_rule(values, MAX_DEPTH)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, RuleError):
            raise
        raise RuleError(f"this is not a rule as to_json writes it: {type(error).__name__} {error}.") from error


def _read_rule(values: Mapping[str, Any], depth: int) -> Rule:
    if depth < 0:
        raise RuleError(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.")
    match values["node"]:
        case "compare":
            return compare(_read_sum(values["left"], depth), values["op"], _read_sum(values["right"], depth))
        case "in":
            return IsIn(_read_text(values["column"]), tuple(values["values"]), _read_bool(values.get("negated", False)))
        case "null":
            return IsNull(_read_text(values["column"]), _read_bool(values.get("negated", False)))
        case "increments":
            return Increments(_read_text(values["column"]), _read_number(values["step"]))
        case "fixed_combinations":
            rows = values.get("rows")
            return FixedCombinations(
                tuple(map(_read_text, values["columns"])), None if rows is None else tuple(map(tuple, rows))
            )
        case "and":
            return And(tuple(_read_rule(part, depth - 1) for part in values["parts"]))
        case "or":
            return Or(tuple(_read_rule(part, depth - 1) for part in values["parts"]))
        case "not":
            return Not(_read_rule(values["part"], depth - 1))
        case "implies":
            return Implies(_read_rule(values["premise"], depth - 1), _read_rule(values["conclusion"], depth - 1))
        case "iff":
            return Iff(_read_rule(values["first"], depth - 1), _read_rule(values["second"], depth - 1))
        case "unique":
            return Unique(tuple(map(_read_text, values["columns"])))
        case "calendar":
            numbers = tuple(map(_read_number, values["values"]))
            return Calendar(_read_text(values["column"]), _read_text(values["part"]), values["op"], numbers)
        case "text":
            return TextIs(_read_text(values["column"]), _read_text(values["way"]), _read_text(values["text"]))
    raise RuleError(f"there is no rule node {values['node']!r}. Write rules with to_json.")


def _read_sum(values: Mapping[str, Any], depth: int) -> Sum:
    linear = _read_linear(values)
    if "calls" not in values:
        return linear
    if depth < 0:
        raise RuleError(f"the rule is nested deeper than {MAX_DEPTH} levels. Split it into several rules.")
    calls = tuple(
        Call(_read_text(name), tuple(_read_sum(part, depth - 1) for part in given), _read_number(size))
        for name, size, given in values["calls"]
    )
    return Pieces(linear, calls)


def _read_linear(values: Mapping[str, Any]) -> Linear:
    terms = tuple(
        Term(_read_text(t[0]), _read_number(t[1]), _read_bool(t[2] if len(t) > 2 else False))
        for t in values.get("terms", ())
    )
    text = values.get("text")
    return Linear(
        terms,
        _read_number(values.get("constant", 0)),
        _read_number(values.get("span", 0)),
        None if text is None else _read_text(text),
        values.get("sign", 1),
        tuple(_read_product(size, factors) for size, factors in values.get("products", ())),
    )


def _read_product(size: Any, factors: Any) -> Product:
    return Product(tuple((_read_text(name), _read_whole(power)) for name, power in factors), _read_number(size))


def _read_whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _read_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return value


def _read_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is not true or false")
    return value
