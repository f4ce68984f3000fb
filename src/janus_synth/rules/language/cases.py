"""Comparisons with ``abs``, ``max``, ``min`` or quotients in; ``and`` and ``or`` of comparisons without them out.

``c · max(x, y) + z <= 0`` holds where it holds for both x and y in place of the maximum, ``>=`` where it holds for one
of them. So each call is replaced by its arguments, joined with ``and`` or ``or``. A quotient ``x / y <= z`` becomes
``x <= z · y`` where y > 0, and ``x >= z · y`` where y < 0; where y is 0, neither the comparison nor its negation holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from janus_synth.errors import RuleError
from janus_synth.rules.language.linear import Linear, Term, distinct
from janus_synth.rules.language.nodes import SWAPPED, Compare, Rule, all_of, any_of
from janus_synth.rules.language.pieces import OVER, ComparePieces, Pieces, Sum, add_sums
from janus_synth.rules.language.products import multiply
from janus_synth.table.datetimes import parse_datetimes

MAX_COMPARISONS = 256
"""Most comparisons that one rule is rewritten into."""


def linear_cases(rule: ComparePieces, op: str) -> Rule | bool:
    """Rewrite a comparison, with ``op`` in place of its own, into ``And`` and ``Or`` of comparisons of sums.

    True or False if it holds for all values of the columns, or for none. Nulls are left to the caller.

    Examples
    --------
    >>> from janus_synth.rules.language.parse import parse_rule
    >>> print(linear_cases(parse_rule("abs(a) > 5"), ">"))
    a > 5 or -a > 5
    >>> print(linear_cases(parse_rule("max(a, b) == c"), "=="))
    a == c and a >= b or b == c and b >= a
    >>> print(linear_cases(parse_rule("a / (b + c) < 2"), "<"))
    b + c > 0 and a - 2 * b - 2 * c < 0 or b + c < 0 and a - 2 * b - 2 * c > 0
    """
    return _Rewriter(rule).expand(rule.left, op, rule.right)


def denominators(rule: ComparePieces) -> tuple[Linear, ...]:
    """Sums that must not be 0 because ``abs``, ``max`` or ``min`` of something divided by them is compared.

    One of several cases may hold without the others being defined. Elsewhere the cases say it themselves.

    Examples
    --------
    >>> from janus_synth.rules.language.parse import parse_rule
    >>> [str(each) for each in denominators(parse_rule("max(a / (b + c), d / e) < 1"))]
    ['b + c', 'e']
    """
    return distinct(_denominators(rule.left, False) + _denominators(rule.right, False))


def _denominators(side: Sum, inside: bool) -> tuple[Linear, ...]:
    if isinstance(side, Linear):
        names = distinct(name for product in side.products for name in product.divisors) if inside else ()
        return tuple(Linear((Term(name),)) for name in names)
    found = _denominators(side.linear, inside)
    for name, arguments, _ in side.calls:
        below = arguments[1:] if name == OVER and inside else ()
        found += tuple(each for each in below if isinstance(each, Linear))
        found += tuple(each for part in arguments for each in _denominators(part, inside or name != OVER))
    return found


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
        at = next((i for i, call in enumerate(left.calls) if call.name != OVER), None)
        if at is None:
            if isinstance(right, Pieces) and any(call.name != OVER for call in right.calls):
                return self.expand(right, SWAPPED[op], left)
            return self.quotient(add_sums((left, right.times(-1))), op)
        (name, given, size), rest = left.calls[at], Pieces(left.linear, left.calls[:at] + left.calls[at + 1 :])
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

    def quotient(self, left: Sum, op: str) -> Rule | bool:
        """Compare a sum of quotients with 0: multiply it by the first denominator, in two cases of its sign."""
        if isinstance(left, Linear) or not left.calls:
            return self.expand(left if isinstance(left, Linear) else left.linear, op, Linear())
        (above, below), others = left.calls[0].arguments, left.calls[1:]
        rest = Pieces(left.linear, others) if others else left.linear
        total = add_sums((above, multiply(rest, below)))
        if op in ("==", "!="):
            return _all([self.expand(below, "!=", Linear()), self.expand(total, op, Linear())])
        return _any(
            [
                _all([self.expand(below, ">", Linear()), self.expand(total, op, Linear())]),
                _all([self.expand(below, "<", Linear()), self.expand(total, SWAPPED[op], Linear())]),
            ]
        )

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
