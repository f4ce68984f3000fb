"""Conditions on parts of a moment, such as ``month(start) in [6, 7, 8]``: a node as written, and one bound to a column.

``Calendar`` is what a user writes. ``InCalendar`` is the bound form: the numbers as ranges, and the time zone of the
column. ``janus_synth.table.calendar`` turns both ways between moments and parts of the calendar.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from janus_synth.errors import RuleError
from janus_synth.rules.language.nodes import NEGATED, OPS, SWAPPED, Leaf, Rule, all_of
from janus_synth.rules.language.notation import format_name, plain_number
from janus_synth.table.calendar import LIMITS, Ranges, as_ranges, other_ranges

PARTS = tuple(LIMITS)
"""Functions of a moment: year, quarter, month, day, weekday, hour."""
_NEGATED = {**NEGATED, "in": "not in", "not in": "in"}


@dataclass(frozen=True, slots=True)
class Calendar(Leaf):
    """A part of a column's moments compares with numbers.

    Examples
    --------
    >>> print(Calendar("start", "month", "in", (6, 7, 8)), Calendar("start", "weekday", "<", (5,)), sep="; ")
    month(start) in [6, 7, 8]; weekday(start) < 5
    """

    column: str
    part: str
    op: str
    values: tuple[int | float, ...]

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            raise RuleError(f"there is no part {self.part!r} of a date. There are {', '.join(PARTS)}.")
        if self.op not in _NEGATED or (self.op in OPS and len(self.values) != 1):
            raise RuleError(f"{self.part}(...) compares with one number, or with a list by in.")
        for value in self.values:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise RuleError(f"{self.part}(...) is a number, and {value!r} is not. {_range_text(self.part)}")
        object.__setattr__(self, "values", tuple(map(plain_number, self.values)))

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def own_dict(self) -> dict[str, Any]:
        """Return the condition as a plain dict."""
        values = list(self.values)
        return {"node": "calendar", "column": self.column, "part": self.part, "op": self.op, "values": values}

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.values))
        value = shown if self.op in OPS else f"[{shown}]"
        return f"{self.part}({format_name(self.column)}) {self.op} {value}"

    def ranges(self, *, negated: bool = False) -> Ranges:
        """Return the numbers that satisfy the condition, or its negation.

        Examples
        --------
        >>> Calendar("start", "month", ">=", (6,)).ranges()
        ((6, 12),)
        """
        op = _NEGATED[self.op] if negated else self.op
        low, high = LIMITS[self.part]
        listed = as_ranges([int(value) for value in self.values if value == int(value)], self.part)
        first = self.values[0] if self.values else 0
        match op:
            case "in" | "==":
                return listed
            case "not in" | "!=":
                return other_ranges(listed, self.part)
            case "<" | "<=":
                high = min(high, -int(-first // 1) - 1 if op == "<" else int(first // 1))
            case _:
                low = max(low, int(first // 1) + 1 if op == ">" else -int(-first // 1))
        return ((low, high),) if low <= high else ()


@dataclass(frozen=True, slots=True)
class InCalendar(Leaf):
    """A part of a column's moments lies in some ranges, by the clocks of the column's time zone; null does not."""

    column: str
    part: str
    ranges: Ranges
    zone: str | None

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    @property
    def opposite(self) -> InCalendar:
        """The part lies in none of the ranges, and is not null."""
        return InCalendar(self.column, self.part, other_ranges(self.ranges, self.part), self.zone)

    def __str__(self) -> str:
        numbers = ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in self.ranges)
        return f"{self.part}({format_name(self.column)}) in {numbers or 'nothing'}"


class DatePart:
    """A part of a datetime column, made by ``col("start").month()``; comparing it gives a rule."""

    __slots__ = ("column", "part")
    __hash__ = None  # type: ignore[assignment]  # == builds a rule

    def __init__(self, column: str, part: str) -> None:
        self.column, self.part = column, part

    def compare(self, op: str, value: Any) -> Rule:
        """Compare with a number."""
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, bool) or not isinstance(plain, int | float):
            raise RuleError(f"'{self}' compares with numbers only. {_range_text(self.part)}")
        return Calendar(self.column, self.part, op, (plain,))

    def __lt__(self, other: object) -> Rule:
        return self.compare("<", other)

    def __le__(self, other: object) -> Rule:
        return self.compare("<=", other)

    def __gt__(self, other: object) -> Rule:
        return self.compare(">", other)

    def __ge__(self, other: object) -> Rule:
        return self.compare(">=", other)

    def __eq__(self, other: object) -> Rule:  # type: ignore[override]
        return self.compare("==", other)

    def __ne__(self, other: object) -> Rule:  # type: ignore[override]
        return self.compare("!=", other)

    def isin(self, values: Iterable[Any]) -> Rule:
        """Rows whose part of the calendar is in the list."""
        listed = tuple(value.item() if hasattr(value, "item") else value for value in values)
        if not listed:
            raise RuleError("the list of isin is empty, so no row could satisfy the rule. Put numbers into it.")
        return Calendar(self.column, self.part, "in", listed)

    def between(self, low: object, high: object) -> Rule:
        """Rows with ``low <= part <= high``."""
        return all_of((self.compare(">=", low), self.compare("<=", high)))

    def __bool__(self) -> NoReturn:
        raise TypeError(f"'{self}' has no truth value before there are rows. Compare it, and join rules with & and |.")

    def __str__(self) -> str:
        return f"{self.part}({format_name(self.column)})"


def compare_part(part: DatePart, op: str, value: float, *, swapped: bool = False) -> Calendar:
    """Compare a part with a number that stands on its right, or if ``swapped`` on its left."""
    return Calendar(part.column, part.part, SWAPPED[op] if swapped else op, (value,))


def check_possible(rule: Calendar) -> None:
    """Raise ``RuleError`` if no moment can satisfy an equation because the part never has the number."""
    low, high = LIMITS[rule.part]
    if rule.op in ("==", "in") and not any(low <= value <= high and value == int(value) for value in rule.values):
        raise RuleError(f"no date has {rule}. {_range_text(rule.part)}")


def _range_text(part: str) -> str:
    if part == "weekday":
        return "Write 0 for Monday up to 6 for Sunday."
    if part == "year":
        return "Write a number such as 2024."
    low, high = LIMITS[part]
    return f"Write a number from {low} to {high}."
