"""Products and ratios of columns in rules: sums in, their product, quotient or power out; and the bound comparison.

A comparison holds only where all its columns are present and none that it divides by is 0; the same goes for its
negation. ``x == round(y, 2)`` means that the two differ by at most half a unit of the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from janus_synth.errors import RuleError
from janus_synth.rules.language.linear import Linear, Term, add_all, distinct
from janus_synth.rules.language.monomials import MAX_POWER, Product, merge_products, multiply_factors
from janus_synth.rules.language.nodes import NEGATED, OPS, Leaf, Rule, all_of, any_of
from janus_synth.rules.language.notation import plain_number
from janus_synth.rules.language.pieces import OVER, Pieces, Sum, add_sums, call, compare

MAX_DIGITS = 12
"""Most digits of ``round``."""


def multiply(left: Sum, right: Sum) -> Sum:
    """Multiply two sums; one that holds ``abs``, ``max`` or ``min`` only by a number, and a quotient only by a sum.

    Examples
    --------
    >>> a, b = Linear((Term("a"),)), Linear((Term("b"),), 2)
    >>> print(multiply(a, b))
    2 * a + a * b
    """
    if isinstance(right, Linear) and right.is_number:
        return left.times(right.constant)
    if isinstance(left, Linear) and left.is_number:
        return right.times(left.constant)
    if isinstance(left, Pieces) and isinstance(right, Linear):
        return _multiply_quotients(left, right)
    if isinstance(right, Pieces) and isinstance(left, Linear):
        return _multiply_quotients(right, left)
    if not isinstance(left, Linear) or not isinstance(right, Linear):
        raise RuleError("abs, max, min and quotients of sums cannot be multiplied by one another.")
    pairs = [(one, other) for one in _monomials(left) for other in _monomials(right)]
    return add_all(
        [
            _as_linear(Product(multiply_factors(one.factors, other.factors), one.coefficient * other.coefficient))
            for one, other in pairs
        ]
    )


def divide(left: Sum, right: Sum) -> Sum:
    """Divide by a number other than 0, by a product of columns, or by a sum of them.

    Examples
    --------
    >>> print(divide(Linear((Term("weight"),)), power(Linear((Term("height"),)), 2)))
    weight / height ** 2
    >>> print(divide(Linear((Term("a"),)), Linear((Term("b"), Term("c")))))
    a / (b + c)
    """
    if isinstance(right, Linear) and right.is_number:
        if right.constant == 0:
            raise RuleError("this divides by zero.")
        return left.times(1 / right.constant)
    if isinstance(left, Linear) and isinstance(right, Linear) and len(_monomials(right)) == 1:
        return multiply(left, _inverse(right))
    if isinstance(left, Linear):
        _monomials(left)  # raises for dates and durations
    return call(OVER, left, right)


def power(base: Sum, exponent: Sum | float) -> Sum:
    """Raise a sum to a small whole power.

    Examples
    --------
    >>> print(power(Linear((Term("a"),), 1), 2))
    2 * a + a ** 2 + 1
    """
    times = exponent.constant if isinstance(exponent, Linear) and exponent.is_number else exponent
    if not isinstance(times, int | float) or isinstance(times, bool) or not float(times).is_integer():
        raise RuleError("a power is a whole number, such as height ** 2.")
    if isinstance(base, Linear) and base.is_number and (times >= 0 or base.constant):
        try:
            return Linear(constant=plain_number(float(base.constant) ** int(times)))
        except OverflowError:
            raise RuleError("a number is not finite. Use numbers below 1e308.") from None
    if not 1 <= abs(times) <= MAX_POWER:
        raise RuleError(f"a power is from -{MAX_POWER} to {MAX_POWER}, and not 0.")
    if times < 0:
        return divide(Linear(constant=1), power(base, -int(times)))
    found = factor = base
    for _ in range(int(abs(times)) - 1):
        found = multiply(found, factor)
    return found


def compare_rounded(column: Sum, value: Sum, digits: Sum | float, *, equal: bool) -> Rule:
    """Return the rule that a sum equals another one after rounding, or differs from it.

    Examples
    --------
    >>> print(compare_rounded(Linear((Term("a"),)), Linear((Term("b"),)), 1, equal=True))
    b - 0.05 <= a and a <= b + 0.05
    """
    places = digits.constant if isinstance(digits, Linear) and digits.is_number else digits
    if not isinstance(places, int) or isinstance(places, bool) or not 0 <= places <= MAX_DIGITS:
        raise RuleError(f"the digits of round are a whole number from 0 to {MAX_DIGITS}: round(x, 2).")
    half = float(f"5e-{places + 1}")
    low, high = (add_sums((value, Linear(constant=side))) for side in (-half, half))
    if equal:
        return all_of((compare(low, "<=", column), compare(column, "<=", high)))
    return any_of((compare(column, "<", low), compare(high, "<", column)))


def _monomials(side: Linear) -> list[Product]:
    """Products whose sum a linear expression is; times and texts cannot be multiplied."""
    if side.text is not None or side.span or any(term.span for term in side.terms):
        raise RuleError("dates, durations and texts cannot be multiplied or divided by columns.")
    found = [Product(((term.column, 1),), term.coefficient) for term in side.terms]
    found += side.products
    return [*found, Product((), side.constant)] if side.constant else found


def _as_linear(product: Product) -> Linear:
    if not product.factors:
        return Linear(constant=product.coefficient)
    if product.is_linear:
        return Linear((Term(product.factors[0][0], product.coefficient),))
    return Linear(products=(product,))


def _multiply_quotients(side: Pieces, factor: Linear) -> Sum:
    """Multiply a sum with quotients by another sum, above each line."""
    if any(each.name != OVER for each in side.calls):
        raise RuleError("abs, max and min can be multiplied by numbers only.")
    parts = [multiply(side.linear, factor)] if side.linear != Linear() else []
    parts += [call(OVER, multiply(each.arguments[0], factor), each.arguments[1]) for each in side.calls]
    return add_sums(parts)


def _inverse(side: Linear) -> Linear:
    """One over a product of columns."""
    (part,) = _monomials(side)
    return _as_linear(Product(tuple((name, -own) for name, own in part.factors), 1 / part.coefficient))


@dataclass(frozen=True, slots=True)
class CompareProducts(Leaf):
    """Bound form: a sum of products of powers of columns, compared with a number.

    Examples
    --------
    >>> rule = CompareProducts((Product((("price", 1), ("quantity", 1))), Product((("budget", 1),), -1)), "<=", 0)
    >>> print(rule, "|", rule.opposite)
    -budget + price * quantity <= 0 | -budget + price * quantity > 0
    """

    terms: tuple[Product, ...]
    op: str
    bound: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", merge_products(self.terms))
        if self.op not in OPS:
            raise RuleError(f"{self.op!r} is not a comparison. Use one of {', '.join(OPS)}.")
        if not self.terms:
            raise RuleError("a comparison of products names no column.")

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Columns of the products."""
        return distinct(name for term in self.terms for name in term.columns)

    @property
    def divisors(self) -> tuple[str, ...]:
        """Columns that are divided by; where one is 0, neither the comparison nor its opposite holds."""
        return distinct(name for term in self.terms for name in term.divisors)

    @property
    def opposite(self) -> CompareProducts:
        """The comparison that holds on the other rows without nulls and divisions by zero."""
        return CompareProducts(self.terms, NEGATED[self.op], self.bound)

    def own_dict(self) -> dict[str, Any]:
        """Return the comparison as a plain dict, that of ``Compare``."""
        left = add_all([_as_linear(term) for term in self.terms])
        return {"node": "compare", "left": left.to_json(), "op": self.op, "right": {"constant": self.bound}}

    def __str__(self) -> str:
        return f"{add_all([_as_linear(term) for term in self.terms])} {self.op} {plain_number(self.bound)}"


def product_terms(side: Linear) -> Iterator[Product]:
    """Iterate over the columns and products of a sum, without its number.

    Examples
    --------
    >>> [str(each) for each in product_terms(Linear((Term("a", 2),), 5))]
    ['2 * a']
    """
    return (each for each in _monomials(side) if each.factors)
