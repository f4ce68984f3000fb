"""Sums, the two sides of a comparison: columns, products, numbers, durations and text in, one frozen sum out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from janus_synth.errors import RuleError
from janus_synth.rules.language.monomials import Product, format_product, merge_products
from janus_synth.rules.language.notation import format_name, format_span, format_value, plain_number

_T = TypeVar("_T")


def distinct(values: Iterable[_T]) -> tuple[_T, ...]:
    """Return each value once, in order of appearance."""
    return tuple(dict.fromkeys(values))


class Term(NamedTuple):
    """A coefficient times a column; ``span`` says that the coefficient is in microseconds, as in ``days(nights)``."""

    column: str
    coefficient: int | float = 1
    span: bool = False


@dataclass(frozen=True, slots=True)
class Linear:
    """Sum of coefficients times columns, a number, a duration and at most one text.

    Parameters
    ----------
    terms : tuple of Term
        Columns with their coefficients. Terms of one column are merged, and zeros dropped.
    constant : int or float
        A plain number.
    span : int or float
        A duration in microseconds.
    text : str, optional
        A date as ISO text, or the level of a category. The schema decides which of the two it is.
    sign : {1, -1}
        Whether the text is added or subtracted.
    products : tuple of Product
        Products and ratios of columns; a sum with any of them is not linear.

    Examples
    --------
    >>> print(Linear((Term("a", 2), Term("b", -1)), 3))
    2 * a - b + 3
    """

    terms: tuple[Term, ...] = ()
    constant: int | float = 0
    span: int | float = 0
    text: str | None = None
    sign: int = 1
    products: tuple[Product, ...] = ()

    def __post_init__(self) -> None:
        sums: dict[tuple[str, bool], float] = {}
        for term in map(Term._make, self.terms):
            key = (term.column, bool(term.span))
            sums[key] = sums.get(key, 0) + term.coefficient
        kept = ((column, plain_number(total), span) for (column, span), total in sums.items())
        object.__setattr__(self, "terms", tuple(Term(*parts) for parts in kept if parts[1] != 0))
        object.__setattr__(self, "constant", plain_number(self.constant))
        object.__setattr__(self, "span", plain_number(self.span))
        if self.products:
            object.__setattr__(self, "products", merge_products(self.products))
        if self.sign not in (1, -1) or (self.text is None and self.sign != 1):
            raise RuleError("a date cannot be multiplied. Add or subtract it once.")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order of appearance."""
        if not self.products and len(self.terms) == 1:  # most sums, and asked for very often
            return (self.terms[0].column,)
        found = [term.column for term in self.terms]
        return distinct((*found, *(name for product in self.products for name in product.columns)))

    @property
    def is_constant(self) -> bool:
        """Whether there is no column."""
        return not self.terms and not self.products

    @property
    def is_number(self) -> bool:
        """Whether it is a plain number and nothing else."""
        return self.is_constant and not self.span and self.text is None

    @property
    def only_column(self) -> str | None:
        """The column, if it is one column and nothing else."""
        if len(self.terms) == 1 and self == Linear((Term(self.terms[0].column),)):
            return self.terms[0].column
        return None

    @property
    def only_text(self) -> str | None:
        """The text, if it is one text and nothing else."""
        return self.text if self == Linear(text=self.text) else None

    def plus(self, other: Linear) -> Linear:
        """Add two expressions."""
        return add_all((self, other))

    def times(self, factor: float) -> Linear:
        """Multiply by a number."""
        if self.text is not None and factor not in (1, -1):
            raise RuleError(f"{self.text!r} is text and cannot be multiplied.")
        terms = tuple(Term(t.column, t.coefficient * factor, t.span) for t in self.terms)
        sign = self.sign if factor > 0 or self.text is None else -self.sign
        products = tuple(Product(p.factors, p.coefficient * factor) for p in self.products)
        return Linear(terms, self.constant * factor, self.span * factor, self.text, sign, products)

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict, without what is zero or absent."""
        values: dict[str, Any] = {}
        if self.terms:
            values["terms"] = [[t.column, t.coefficient, *([True] if t.span else [])] for t in self.terms]
        if self.products:
            values["products"] = [[p.coefficient, [list(factor) for factor in p.factors]] for p in self.products]
        if self.constant or self == Linear():
            values["constant"] = self.constant
        if self.span:
            values["span"] = self.span
        if self.text is not None:
            values["text"] = self.text
            if self.sign < 0:
                values["sign"] = -1
        return values

    def __str__(self) -> str:
        parts = [_split_sign(term.coefficient, _format_term(term)) for term in self.terms]
        parts += [_split_sign(product.coefficient, format_product(product)) for product in self.products]
        if self.constant:
            parts.append(_split_sign(self.constant, str(abs(self.constant))))
        if self.span:
            parts.append(_split_sign(self.span, format_span(abs(self.span))))
        if self.text is not None:
            parts.append(_split_sign(self.sign, format_value(self.text)))
        if not parts:
            return "0"
        (sign, first), rest = parts[0], parts[1:]
        return ("-" if sign == "-" else "") + first + "".join(f" {sign} {part}" for sign, part in rest)


def add_all(parts: Sequence[Linear]) -> Linear:
    """Add linear expressions, of which at most one holds a text."""
    texts = [(part.text, part.sign) for part in parts if part.text is not None]
    if len(texts) > 1:
        raise RuleError("two texts cannot be added or subtracted. Write the difference with days(...).")
    terms = tuple(term for part in parts for term in part.terms)
    text, sign = texts[0] if texts else (None, 1)
    products = tuple(product for part in parts for product in part.products)
    return Linear(terms, sum(part.constant for part in parts), sum(part.span for part in parts), text, sign, products)


def _format_term(term: Term) -> str:
    """Format a term without its sign."""
    name, size = format_name(term.column), abs(term.coefficient)
    if term.span:
        return format_span(size, name)
    return name if size == 1 else f"{size} * {name}"


def _split_sign(value: float, text: str) -> tuple[str, str]:
    return ("-" if value < 0 else "+"), text
