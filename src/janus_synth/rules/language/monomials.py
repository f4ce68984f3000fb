"""Products of powers of columns, such as ``price * quantity`` or ``weight / height ** 2``: factors in, text out.

A ``Product`` is a coefficient times columns with whole powers other than 0. Sums of them are part of ``Linear``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from janus_synth.errors import RuleError
from janus_synth.rules.language.notation import format_name, plain_number

MAX_POWER = 4
"""Largest power of one column; the solver's polynomials then have a degree of at most twice that."""
MAX_PRODUCTS = 32
"""Most products in one sum."""


class Product(NamedTuple):
    """A coefficient times powers of columns, each column once."""

    factors: tuple[tuple[str, int], ...]
    coefficient: int | float = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(name for name, _ in self.factors)

    @property
    def divisors(self) -> tuple[str, ...]:
        """Columns that are divided by, and must not be 0."""
        return tuple(name for name, power in self.factors if power < 0)

    @property
    def is_linear(self) -> bool:
        """Whether it is a single column to the power 1."""
        return len(self.factors) == 1 and self.factors[0][1] == 1

    def __str__(self) -> str:
        return ("-" if self.coefficient < 0 else "") + format_product(self)


def multiply_factors(one: Iterable[tuple[str, int]], other: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Add the powers of each column; ``RuleError`` for one that is both multiplied and divided by, as in ``a / a``.

    Examples
    --------
    >>> multiply_factors((("a", 1), ("b", -1)), (("b", -1), ("c", 2)))
    (('a', 1), ('b', -2), ('c', 2))
    """
    powers: dict[str, int] = {}
    for name, power in (*one, *other):
        if powers.get(name, 0) * power < 0:
            raise RuleError(f"column {name!r} is both multiplied and divided by. Shorten the fraction.")
        powers[name] = powers.get(name, 0) + power
    if any(abs(power) > MAX_POWER for power in powers.values()):
        raise RuleError(f"a power is at most {MAX_POWER}, and at least -{MAX_POWER}.")
    return tuple((name, power) for name, power in powers.items() if power)


def merge_products(products: Iterable[Product]) -> tuple[Product, ...]:
    """Add up products of the same powers, and drop those that cancel.

    Examples
    --------
    >>> [str(p) for p in merge_products([Product((("a", 1), ("b", 1)), 2), Product((("b", 1), ("a", 1)))])]
    ['3 * a * b']
    """
    sums: dict[frozenset[tuple[str, int]], Product] = {}
    for product in map(Product._make, products):
        factors = multiply_factors((), map(tuple, product.factors))  # type: ignore[arg-type]
        if len(factors) < len(product.factors) or not factors:
            raise RuleError("a product names each of its columns once, with a power other than 0.")
        key = frozenset(factors)
        first, total = sums.get(key, Product(factors, 0))
        sums[key] = Product(first, total + product.coefficient)
    kept = tuple(Product(each.factors, plain_number(each.coefficient)) for each in sums.values() if each.coefficient)
    if len(kept) > MAX_PRODUCTS:
        raise RuleError(f"a sum has at most {MAX_PRODUCTS} products of columns. Split the rule.")
    return kept


def format_product(product: Product) -> str:
    """Format a product without its sign.

    Examples
    --------
    >>> format_product(Product((("weight", 1), ("height", -2)), -2))
    '2 * weight / height ** 2'
    """
    above = [_format_power(name, power) for name, power in product.factors if power > 0]
    below = [_format_power(name, -power) for name, power in product.factors if power < 0]
    size = abs(product.coefficient)
    head = " * ".join(([str(size)] if size != 1 or not above else []) + above)
    return " / ".join([head, *below])


def _format_power(name: str, power: int) -> str:
    return format_name(name) if power == 1 else f"{format_name(name)} ** {power}"
