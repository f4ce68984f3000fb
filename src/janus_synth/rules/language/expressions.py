"""Rules in Python: ``col("age") >= 18`` in, the same node out that the text ``age >= 18`` is read into."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from janus_synth.errors import RuleError
from janus_synth.rules.language.dates import DatePart
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.nodes import (
    And,
    Compare,
    FixedCombinations,
    Iff,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Not,
    Rule,
    all_of,
    condition_of,
    raise_no_truth_value,
)
from janus_synth.rules.language.pieces import Sum, add_sums, call, compare
from janus_synth.rules.language.products import compare_rounded, divide, multiply, power
from janus_synth.rules.language.texts import TextIs
from janus_synth.table.columns import Level, as_level

_MICROSECOND = dt.timedelta(microseconds=1)


class Expression:
    """A column or a sum of columns, made by ``col``; comparing it gives a rule."""

    __slots__ = ("linear",)
    __hash__ = None  # type: ignore[assignment]  # == builds a rule

    def __init__(self, linear: Sum) -> None:
        self.linear = linear

    def __add__(self, other: object) -> Expression:
        return Expression(add_sums((self.linear, _as_linear(other))))

    def __radd__(self, other: object) -> Expression:
        return Expression(add_sums((_as_linear(other), self.linear)))

    def __sub__(self, other: object) -> Expression:
        return Expression(add_sums((self.linear, _as_linear(other).times(-1))))

    def __rsub__(self, other: object) -> Expression:
        return Expression(add_sums((_as_linear(other), self.linear.times(-1))))

    def __abs__(self) -> Expression:
        return Expression(call("abs", self.linear))

    def __neg__(self) -> Expression:
        return Expression(self.linear.times(-1))

    def __mul__(self, other: object) -> Expression:
        return Expression(multiply(self.linear, _as_linear(other)))

    def __rmul__(self, other: object) -> Expression:
        return Expression(multiply(_as_linear(other), self.linear))

    def __truediv__(self, other: object) -> Expression:
        return Expression(divide(self.linear, _as_linear(other)))

    def __rtruediv__(self, other: object) -> Expression:
        return Expression(divide(_as_linear(other), self.linear))

    def __pow__(self, exponent: object) -> Expression:
        return Expression(power(self.linear, _as_linear(exponent)))

    def __round__(self, digits: int = 0) -> Rounded:
        return Rounded(self.linear, digits)

    def __lt__(self, other: object) -> Rule:
        return _compare(self, "<", other)

    def __le__(self, other: object) -> Rule:
        return _compare(self, "<=", other)

    def __gt__(self, other: object) -> Rule:
        return _compare(self, ">", other)

    def __ge__(self, other: object) -> Rule:
        return _compare(self, ">=", other)

    def __eq__(self, other: object) -> Rule:  # type: ignore[override]
        return _compare(self, "==", other)

    def __ne__(self, other: object) -> Rule:  # type: ignore[override]
        return _compare(self, "!=", other)

    def between(self, low: object, high: object) -> Rule:
        """Rows with ``low <= x <= high``."""
        return between(self.linear, _as_linear(low), _as_linear(high))

    def isin(self, values: Iterable[object]) -> Rule:
        """Rows whose value is in the list."""
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise RuleError(f"isin needs a list of values, not {values!r}. Write isin([{values!r}]).")
        listed = tuple(map(_as_constant, values))
        if not listed:
            raise RuleError("the list of isin is empty, so no row could satisfy the rule. Put values into it.")
        return IsIn(self._column("isin"), listed)

    def is_null(self) -> Rule:
        """Rows where the column is missing."""
        return IsNull(self._column("is_null"))

    def not_null(self) -> Rule:
        """Rows where the column is not missing."""
        return IsNull(self._column("not_null"), negated=True)

    def matches(self, pattern: str) -> Rule:
        """Rows whose text matches a pattern as a whole (docs/conditions.md lists what patterns know)."""
        return TextIs(self._column("matches"), "matches", pattern)

    def starts_with(self, text: str) -> Rule:
        """Rows whose text starts with another one."""
        return TextIs(self._column("starts_with"), "starts_with", text)

    def ends_with(self, text: str) -> Rule:
        """Rows whose text ends with another one."""
        return TextIs(self._column("ends_with"), "ends_with", text)

    def contains(self, text: str) -> Rule:
        """Rows whose text contains another one."""
        return TextIs(self._column("contains"), "contains", text)

    def year(self) -> DatePart:
        """Year of a moment."""
        return DatePart(self._column("year"), "year")

    def quarter(self) -> DatePart:
        """Quarter of a moment, 1 to 4."""
        return DatePart(self._column("quarter"), "quarter")

    def month(self) -> DatePart:
        """Month of a moment, 1 to 12."""
        return DatePart(self._column("month"), "month")

    def day(self) -> DatePart:
        """Day of the month of a moment, 1 to 31."""
        return DatePart(self._column("day"), "day")

    def weekday(self) -> DatePart:
        """Day of the week of a moment, 0 for Monday to 6 for Sunday."""
        return DatePart(self._column("weekday"), "weekday")

    def hour(self) -> DatePart:
        """Hour of a moment, 0 to 23."""
        return DatePart(self._column("hour"), "hour")

    def as_condition(self) -> Rule:
        """Return the rule that the boolean column is true."""
        return is_true(self._column("a condition"))

    def __and__(self, other: object) -> Rule:
        return self.as_condition() & other

    def __or__(self, other: object) -> Rule:
        return self.as_condition() | other

    def __invert__(self) -> Rule:
        return Not(self.as_condition())

    def __bool__(self) -> NoReturn:
        raise_no_truth_value(self)

    def __str__(self) -> str:
        return str(self.linear)

    def __repr__(self) -> str:
        return f"<expression {self.linear}>"

    def _column(self, use: str) -> str:
        if self.linear.only_column is None:
            raise RuleError(f"{use} needs one column, not '{self}'.")
        return self.linear.only_column


class Rounded:
    """An expression after rounding, made by ``round``; it can only be equal or unequal to another one."""

    __slots__ = ("digits", "linear")
    __hash__ = None  # type: ignore[assignment]  # == builds a rule

    def __init__(self, linear: Sum, digits: int) -> None:
        self.linear, self.digits = linear, digits

    def __eq__(self, other: object) -> Rule:  # type: ignore[override]
        return compare_rounded(_as_linear(other), self.linear, self.digits, equal=True)

    def __ne__(self, other: object) -> Rule:  # type: ignore[override]
        return compare_rounded(_as_linear(other), self.linear, self.digits, equal=False)


def col(name: str) -> Expression:
    """Name a column in a rule.

    Parameters
    ----------
    name : str
        Any name; names with spaces or signs need no back-quotes here.

    Returns
    -------
    Expression
        ``+ - * / **`` with numbers, durations and other columns, and ``abs``, give expressions, which compare with
        one another and with ``round`` of one; comparisons, ``between``, ``isin``, ``is_null``, ``not_null``,
        ``matches``, ``starts_with``, ``ends_with`` and ``contains`` give rules, which join with ``&``, ``|``, ``~``,
        ``implies`` and ``iff``. ``year``, ``quarter``, ``month``, ``day``, ``weekday`` and ``hour`` compare with
        numbers.

    Examples
    --------
    >>> print(col("age").between(18, 65) & (col("city") != "Rome"))
    18 <= age <= 65 and city != 'Rome'
    >>> print(col("annual income") <= 2 * col("age") + 3)
    `annual income` <= 2 * age + 3
    >>> print(col("bmi") == round(col("weight") / col("height") ** 2, 1))
    weight / height ** 2 - 0.05 <= bmi and bmi <= weight / height ** 2 + 0.05
    >>> print(col("start").month().isin([6, 7, 8]) & (abs(col("a") - col("b")) <= 5) & col("code").starts_with("A"))
    month(start) in [6, 7, 8] and abs(a - b) <= 5 and code starts_with 'A'
    """
    if not isinstance(name, str):
        raise RuleError(f"a column's name is text, not {name!r}.")
    return Expression(Linear((Term(name),)))


def implies(premise: object, conclusion: object) -> Rule:
    """Return the rule that the conclusion holds where the premise does.

    Examples
    --------
    >>> print(implies(col("married"), col("age") >= 16))
    implies(married, age >= 16)
    """
    return Implies(_as_condition(premise), _as_condition(conclusion))


def iff(first: object, second: object) -> Rule:
    """Return the rule that each of two rules implies the other: both hold, or neither does.

    Examples
    --------
    >>> print(iff(col("end").is_null(), col("active")))
    iff(end is null, active)
    """
    return Iff(_as_condition(first), _as_condition(second))


def maximum(*values: object) -> Expression:
    """Return the largest of some columns, sums, numbers or dates, for a comparison.

    Examples
    --------
    >>> print(maximum(col("a"), col("b")) < col("c"))
    max(a, b) < c
    """
    return Expression(call("max", *map(_as_linear, values)))


def minimum(*values: object) -> Expression:
    """Return the smallest of some columns, sums, numbers or dates, for a comparison.

    Examples
    --------
    >>> print(minimum(col("a"), 0) >= -5)
    min(a, 0) >= -5
    """
    return Expression(call("min", *map(_as_linear, values)))


def fixed_combinations(*columns: str) -> Rule:
    """Return the rule that columns come only in the combinations seen in the training rows.

    Examples
    --------
    >>> print(fixed_combinations("city", "country"))
    fixed_combinations(city, country)
    """
    return FixedCombinations(columns)


def one_hot(*columns: str) -> Rule:
    """Return the rule that exactly one of some 0/1 or boolean columns is 1.

    Examples
    --------
    >>> print(one_hot("a", "b"))
    a in [0, 1] and b in [0, 1] and a + b == 1
    """
    if len(set(columns)) < max(2, len(columns)):
        raise RuleError("one_hot needs two or more different columns.")
    total = Compare(Linear(tuple(map(Term, columns))), "==", Linear(constant=1))
    return And((*(IsIn(column, (0, 1)) for column in columns), total))


def increments(column: str, step: float) -> Rule:
    """Return the rule that a numeric column is a whole multiple of a step.

    Examples
    --------
    >>> print(increments("price", 0.5))
    increments(price, 0.5)
    """
    return Increments(column, step)


def is_true(column: str) -> Rule:
    """Return the rule that a boolean column is true."""
    return IsIn(column, (True,))


def between(x: Sum, low: Sum, high: Sum) -> Rule:
    """Return the rule ``low <= x <= high``."""
    return all_of((compare(low, "<=", x), compare(x, "<=", high)))


def _compare(left: Expression, op: str, value: object) -> Rule:
    if isinstance(value, Rounded) and op in ("==", "!="):
        return compare_rounded(left.linear, value.linear, value.digits, equal=op == "==")
    plain = as_level(value)
    if op in ("==", "!=") and value is None:
        return IsNull(left._column("is_null"), negated=op == "!=")
    if op in ("==", "!=") and isinstance(plain, bool):
        return IsIn(left._column("== True"), (plain,), negated=op == "!=")
    condition = condition_of(value) if isinstance(value, Rule) else None
    if op in ("==", "!=") and condition is not None:
        same = Iff(left.as_condition(), condition)
        return same if op == "==" else Not(same)
    return compare(left.linear, op, _as_linear(value))


def _as_linear(value: Any) -> Sum:
    """Turn a column, number, text, date or duration into a linear expression."""
    if isinstance(value, Expression):
        return value.linear
    if isinstance(value, dt.timedelta):
        return Linear(span=value // _MICROSECOND)
    if isinstance(value, np.timedelta64):
        return Linear(span=int(value.astype("timedelta64[us]").astype(np.int64)))
    plain = _as_constant(value)
    if isinstance(plain, bool):
        raise RuleError("True and False have no order and cannot be added. Use == or !=.")
    return Linear(text=plain) if isinstance(plain, str) else Linear(constant=plain)


def _as_constant(value: Any) -> Level:
    """Turn a value into a plain Python constant; dates become ISO text."""
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[us]"))
    if isinstance(value, dt.date):
        return value.isoformat()
    plain = as_level(value)
    if isinstance(plain, bool | str | int | float):
        return plain
    raise RuleError(
        f"{value!r} cannot be a constant in a rule. Use text, numbers, True, False, dates, durations or col(...)."
    )


def _as_condition(value: object) -> Rule:
    rule = condition_of(value)
    if rule is None:
        raise RuleError(
            f"implies and iff join rules built with col(...), not {type(value).__name__}. Write the whole rule as "
            "text, or all of it with col(...)."
        )
    return rule
