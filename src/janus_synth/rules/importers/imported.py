"""What an importer returns, and the rules that all importers write: ranges, lists and texts in which nulls pass."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from janus_synth.errors import RuleError
from janus_synth.rules.language.expressions import Expression, col
from janus_synth.rules.language.keys import unique
from janus_synth.rules.language.nodes import IsNull, Rule, all_of, any_of
from janus_synth.rules.language.texts import TextIs

ANYTHING = "(.|\n)*"
"""Pattern that every text matches."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A rule of another tool that could not be taken: its text, and why."""

    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.text}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Imported:
    """Rules of another tool, and what could not be taken.

    Examples
    --------
    >>> found = Imported((col("age") >= 0,), (Skipped("MyOwn(age)", "it is written in Python."),))
    >>> [str(rule) for rule in found.rules], [str(skipped) for skipped in found.skipped]
    (['age >= 0'], ['MyOwn(age): it is written in Python.'])
    """

    rules: tuple[Rule, ...]
    skipped: tuple[Skipped, ...] = ()


class NotTakenError(Exception):
    """A rule of another tool cannot be taken; the message says why."""


ACROSS_ROWS = "it is about a column as a whole, and rules are about single rows or keys."
OTHER_TABLE = "it is about another table."
"""Reasons for what is skipped."""


def collect(parts: Iterable[tuple[str, Callable[[], Rule | None]]]) -> Imported:
    """Read parts one by one: a text that names it, and a function that returns its rule (None for none)."""
    rules, skipped = [], []
    for text, read in parts:
        try:
            rule = read()
        except (NotTakenError, RuleError) as error:
            skipped.append(Skipped(text, error.problem if isinstance(error, RuleError) else str(error)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            skipped.append(Skipped(text, f"it is not written as expected ({type(error).__name__}: {error})."))
        else:
            rules += [] if rule is None else [rule]
    return Imported(tuple(dict.fromkeys(rules)), tuple(skipped))


def key(columns: str | Iterable[str]) -> Rule:
    """Rule that no two rows share the cells of one column, or of several together.

    Examples
    --------
    >>> print(key("id"), key(["order", "line"]), sep="; ")
    unique(id); unique(order, line)
    """
    return unique(*([columns] if isinstance(columns, str) else columns))


def unless_null(rule: Rule, present: Collection[str] = ()) -> Rule:
    """Let rows pass in which a column of a rule is missing; columns that are always ``present`` need no mention."""
    nulls = [IsNull(name) for name in rule.columns if name not in present]
    return any_of([*nulls, rule])


def in_range(column: str, low: Any, high: Any, *, strict_low: bool = False, strict_high: bool = False) -> Rule:
    """Range of a column; either end may be None."""
    x, parts = col(column), []
    if not (low is None or high is None or strict_low or strict_high):
        return x.between(constant(low), constant(high))
    if low is not None:
        parts.append(compare(x, ">" if strict_low else ">=", constant(low)))
    if high is not None:
        parts.append(compare(x, "<" if strict_high else "<=", constant(high)))
    if not parts:
        raise NotTakenError("it has no bounds.")
    return all_of(parts)


def compare(left: Expression, op: str, right: object) -> Rule:
    """Compare an expression with another one or a constant."""
    match op:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left == right
        case "!=":
            return left != right
    raise NotTakenError(f"{op!r} is not a comparison.")


def constant(value: Any) -> Any:
    """Turn a value of JSON or Python into a constant of a rule; a date without a time becomes ISO text."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return value


def listed(column: str, values: Iterable[Any], *, negated: bool = False) -> Rule:
    """One of some values, or none of them."""
    rule = col(column).isin([constant(value) for value in values if value is not None])
    return ~rule if negated else rule


def matches_somewhere(column: str, pattern: str, *, at_start: bool = False) -> Rule:
    """A regular expression of Python that is found somewhere in the text, or ``at_start``."""
    begins, ends = pattern.startswith("^") or at_start, pattern.endswith("$") and not pattern.endswith("\\$")
    inner = pattern.removeprefix("^")[: -1 if ends else None]
    if _has_alternatives(inner) and (pattern.startswith("^") or ends):
        raise NotTakenError(f"in {pattern!r} ^ and $ belong to alternatives. Put them into a group.")
    return TextIs(column, "matches", f"{'' if begins else ANYTHING}(?:{inner}){'' if ends else ANYTHING}")


def _has_alternatives(pattern: str) -> bool:
    """Whether a | stands outside of all groups and classes."""
    plain = re.sub(r"\\.|\[[^\]]*\]", "", pattern)
    depths = accumulate((sign == "(") - (sign == ")") for sign in plain)
    return any(sign == "|" and depth == 0 for sign, depth in zip(plain, depths, strict=True))


def has_length(column: str, low: int | None, high: int | None) -> Rule:
    """A number of characters."""
    return TextIs(column, "matches", f"(?:.|\n){{{low or 0},{'' if high is None else high}}}")
