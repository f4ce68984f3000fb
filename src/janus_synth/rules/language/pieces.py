"""``abs``, ``max`` and ``min`` of linear expressions: nodes that print as written, and a rewriting into linear rules.

``c · max(x, y) + z <= 0`` holds where it holds for both x and y in place of the maximum, ``>=`` where it holds for one
of them. So each call is replaced by its arguments, joined with ``and`` or ``or``, until only linear comparisons remain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from janus_synth.errors import RuleError
from janus_synth.rules.language.linear import Linear, add_all, distinct
from janus_synth.rules.language.nodes import OPS, SWAPPED, Compare, Leaf, Rule, all_of, any_of
from janus_synth.rules.language.notation import plain_number
from janus_synth.table.datetimes import parse_datetimes

CALLS = ("abs", "max", "min")
"""Functions of linear expressions."""
MAX_COMPARISONS = 256
"""Most linear comparisons that one rule is rewritten into."""


class Call(NamedTuple):
    """A coefficient times ``abs``, ``max`` or ``min`` of some sums."""

    name: str
    arguments: tuple[Sum, ...]
    coefficient: int | float = 1


@dataclass(frozen=True, slots=True)
class Pieces:
    """Sum of a linear expression and calls of ``abs``, ``max`` and ``min``.

    Examples
    --------
    >>> from janus_synth.rules.language.linear import Term
    >>> a, b = Linear((Term("a"),)), Linear((Term("b"),))
    >>> print(Pieces(Linear(constant=3), (Call("max", (a, b), 2),)))
    2 * max(a, b) + 3
    """

    linear: Linear
    calls: tuple[Call, ...]

    def __post_init__(self) -> None:
        calls = tuple(Call(c.name, tuple(c.arguments), plain_number(c.coefficient)) for c in self.calls)
        object.__setattr__(self, "calls", tuple(call for call in calls if call.coefficient))
        for name, arguments, _ in self.calls:
            if name not in CALLS:
                raise RuleError(f"there is no function {name!r} of sums. There are {', '.join(CALLS)}.")
            if name == "abs" and len(arguments) != 1:
                raise RuleError(f"abs(...) takes 1 argument, not {len(arguments)}.")
            if name != "abs" and len(arguments) < 2:
                raise RuleError(f"{name}(...) takes two or more arguments.")

    is_number = False
    only_column = None
    is_constant = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order of appearance."""
        inner = (name for call in self.calls for part in call.arguments for name in part.columns)
        return distinct((*inner, *self.linear.columns))

    def plus(self, other: Sum) -> Sum:
        """Add two expressions."""
        return add_sums((self, other))

    def times(self, factor: float) -> Pieces:
        """Multiply by a number."""
        calls = tuple(Call(c.name, c.arguments, c.coefficient * factor) for c in self.calls)
        return Pieces(self.linear.times(factor), calls)

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict."""
        calls = [[c.name, c.coefficient, [part.to_json() for part in c.arguments]] for c in self.calls]
        return {**({} if self.linear == Linear() else self.linear.to_json()), "calls": calls}

    def __str__(self) -> str:
        text = ""
        for name, arguments, coefficient in self.calls:
            sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
            size = "" if abs(coefficient) == 1 else f"{abs(coefficient)} * "
            text += f"{sign}{size}{name}({', '.join(map(str, arguments))})"
        if self.linear == Linear():
            return text or "0"
        rest = str(self.linear)
        return f"{text} - {rest[1:]}" if rest.startswith("-") else f"{text} + {rest}"


Sum = Linear | Pieces
"""One side of a comparison."""


def call(name: str, *arguments: Sum) -> Pieces:
    """Return ``abs``, ``max`` or ``min`` of some sums."""
    return Pieces(Linear(), (Call(name, arguments),))


def add_sums(parts: Sequence[Sum]) -> Sum:
    """Add sums, of which at most one holds a text."""
    linear = add_all([part.linear if isinstance(part, Pieces) else part for part in parts])
    calls = tuple(each for part in parts if isinstance(part, Pieces) for each in part.calls)
    return Pieces(linear, calls) if calls else linear


@dataclass(frozen=True, slots=True)
class ComparePieces(Leaf):
    """Comparison of two sums, at least one of which holds ``abs``, ``max`` or ``min``.

    Examples
    --------
    >>> from janus_synth.rules.language.linear import Term
    >>> a, b = Linear((Term("a"),)), Linear((Term("b"),))
    >>> print(ComparePieces(call("abs", a.plus(b.times(-1))), "<=", Linear(constant=5)))
    abs(a - b) <= 5
    """

    left: Sum
    op: str
    right: Sum

    def __post_init__(self) -> None:
        if self.op not in OPS:
            raise RuleError(f"{self.op!r} is not a comparison. Use one of {', '.join(OPS)}.")
        if not self.own_columns:
            raise RuleError(f"'{self}' names no column, so it says nothing about rows. Compare a column.")

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns of both sides."""
        return distinct(self.left.columns + self.right.columns)

    def own_dict(self) -> dict[str, Any]:
        """Return the comparison as a plain dict."""
        return {"node": "compare", "left": self.left.to_json(), "op": self.op, "right": self.right.to_json()}

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


def compare(left: Sum, op: str, right: Sum) -> Rule:
    """Compare two sums of either kind."""
    if isinstance(left, Linear) and isinstance(right, Linear):
        return Compare(left, op, right)
    return ComparePieces(left, op, right)


def linear_cases(rule: ComparePieces, op: str) -> Rule | bool:
    """Rewrite a comparison, with ``op`` in place of its own, into ``And`` and ``Or`` of linear comparisons.

    True or False if it holds for all values of the columns, or for none. Nulls are left to the caller.

    Examples
    --------
    >>> from janus_synth.rules.language.parse import parse_rule
    >>> print(linear_cases(parse_rule("abs(a) > 5"), ">"))
    a > 5 or -a > 5
    >>> print(linear_cases(parse_rule("max(a, b) == c"), "=="))
    a == c and a >= b or b == c and b >= a
    """
    return _Rewriter(rule).expand(rule.left, op, rule.right)


class _Rewriter:
    """Rewrites one rule and counts the comparisons it becomes."""

    def __init__(self, rule: Rule) -> None:
        self.rule, self.count = rule, 0

    def expand(self, left: Sum, op: str, right: Sum) -> Rule | bool:
        if isinstance(left, Linear) and isinstance(right, Linear):
            return self.linear(left, op, right)
        if isinstance(left, Linear):
            left, op, right = right, SWAPPED[op], left
        assert isinstance(left, Pieces)
        (name, given, size), rest = left.calls[0], Pieces(left.linear, left.calls[1:])
        values = (given[0], given[0].times(-1)) if name == "abs" else given
        sums = [add_sums((value.times(size), rest)) for value in values]
        if op == "!=":
            return _any([self.expand(left, side, right) for side in ("<", ">")])
        if op == "==":
            towards = "<=" if name == "min" else ">="
            return _any([self.equal(i, values, sums[i], towards, right) for i in range(len(values))])
        grows = (name == "min") == (size < 0)  # whether the call is the largest of the sums
        every = (op[0] == "<") == grows
        return (_all if every else _any)([self.expand(total, op, right) for total in sums])

    def equal(self, i: int, values: Sequence[Sum], total: Sum, towards: str, right: Sum) -> Rule | bool:
        """The i-th argument is the extreme one, and the equation holds with it."""
        others = [self.expand(values[i], towards, value) for j, value in enumerate(values) if j != i]
        return _all([self.expand(total, "==", right), *others])

    def linear(self, left: Linear, op: str, right: Linear) -> Rule | bool:
        self.count += 1
        if self.count > MAX_COMPARISONS:
            raise RuleError(
                f"abs, max and min make more than {MAX_COMPARISONS} cases. Use fewer of them, or split the rule.",
                rule=str(self.rule),
            )
        if left.columns or right.columns:
            return Compare(left, op, right)
        gap = _constant(left) - _constant(right)
        return {"<": gap < 0, "<=": gap <= 0, ">": gap > 0, ">=": gap >= 0, "==": gap == 0, "!=": gap != 0}[op]


def _constant(side: Linear) -> float:
    """Number, duration or moment without columns."""
    moment = 0.0
    if side.text is not None:
        try:
            moment = side.sign * float(parse_datetimes([side.text])[0])
        except ValueError:
            raise RuleError(f"{side.text!r} is not a date. Write ISO text such as '2024-01-31'.") from None
    return float(side.constant + side.span + moment)


def _all(parts: Sequence[Rule | bool]) -> Rule | bool:
    if any(part is False for part in parts):
        return False
    kept = distinct(part for part in parts if isinstance(part, Rule))
    return all_of(kept) if kept else True


def _any(parts: Sequence[Rule | bool]) -> Rule | bool:
    if any(part is True for part in parts):
        return True
    kept = distinct(part for part in parts if isinstance(part, Rule))
    return any_of(kept) if kept else False
