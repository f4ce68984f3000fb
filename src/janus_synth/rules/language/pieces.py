"""``abs``, ``max``, ``min`` and quotients of sums: sums in, values out that print as written.

``cases`` rewrites comparisons with them into comparisons without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from janus_synth.errors import RuleError
from janus_synth.rules.language.linear import Linear, add_all, distinct
from janus_synth.rules.language.nodes import OPS, Compare, Leaf, Rule
from janus_synth.rules.language.notation import plain_number

CALLS = ("abs", "max", "min")
"""Functions of linear expressions."""
OVER = "over"
"""Name of a quotient of two sums, which is written with ``/``."""


class Call(NamedTuple):
    """A coefficient times ``abs``, ``max`` or ``min`` of some sums, or times one sum over another."""

    name: str
    arguments: tuple[Sum, ...]
    coefficient: int | float = 1


@dataclass(frozen=True, slots=True)
class Pieces:
    """Sum of a linear expression, calls of ``abs``, ``max`` and ``min``, and quotients.

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
        object.__setattr__(self, "calls", tuple(_as_written(call) for call in calls if call.coefficient))
        for name, arguments, _ in self.calls:
            if name == OVER:
                _check_quotient(arguments)
                continue
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
        for call in self.calls:
            part = _format_call(call)
            if not text:
                text = part
            else:
                text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
        if self.linear == Linear():
            return text or "0"
        rest = str(self.linear)
        return f"{text} - {rest[1:]}" if rest.startswith("-") else f"{text} + {rest}"


Sum = Linear | Pieces
"""One side of a comparison."""


def _as_written(call: Call) -> Call:
    """A quotient with its coefficient in the numerator, where text has it."""
    if call.name != OVER or call.coefficient == 1:
        return call
    above, below = call.arguments
    return Call(OVER, (above.times(call.coefficient), below))


def _check_quotient(arguments: tuple[Sum, ...]) -> None:
    if len(arguments) != 2:
        raise RuleError("a quotient has two parts.")
    below = arguments[1]
    if not isinstance(below, Linear):
        raise RuleError(f"nothing can be divided by '{below}', which is no sum of products. Multiply both sides by it.")
    if below.text is not None or below.span or any(term.span for term in below.terms):
        raise RuleError("dates, durations and texts cannot be multiplied or divided by columns.")


def _format_call(call: Call) -> str:
    name, arguments, coefficient = call
    if name == OVER:
        above, below = arguments
        return f"{above if _is_single(above) else f'({above})'} / ({below})"
    size = "" if abs(coefficient) == 1 else f"{abs(coefficient)} * "
    return f"{'-' if coefficient < 0 else ''}{size}{name}({', '.join(map(str, arguments))})"


def _is_single(side: Sum) -> bool:
    """Whether a sum has one part, which needs no brackets above a line."""
    if isinstance(side, Pieces):
        return len(side.calls) == 1 and side.linear == Linear() and side.calls[0].name != OVER
    return len(side.terms) + len(side.products) + bool(side.constant) + bool(side.span) + (side.text is not None) <= 1


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
