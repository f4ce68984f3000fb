"""Rules that define a column as a product or a ratio: bound tests in, the column and its formula out.

``amount == price * quantity`` defines a column, and so do the two sides of ``bmi == round(weight / height ** 2, 1)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from janus_synth.coordinates.formulas import Product
from janus_synth.rules.language import And, Rule
from janus_synth.rules.language.products import CompareProducts


class Defined(NamedTuple):
    """A column, the product it is compared with, and how far it may be from it."""

    column: str
    formula: Product
    half: float
    """Half a unit of the last digit, 0 for an equation."""


def defined_column(test: Rule) -> Defined | None:
    """Return what a test defines, or None if it is no such definition.

    Examples
    --------
    >>> from janus_synth.rules import bind
    >>> from janus_synth.table import Column, Schema
    >>> schema = Schema(tuple(Column(name, "numeric", "float64") for name in ("bmi", "weight", "height")))
    >>> found = defined_column(bind("bmi == round(weight / height ** 2, 1)", schema).test)
    >>> found.column, str(found.formula), found.half
    ('bmi', 'weight / height ** 2', 0.05)
    """
    parts = test.parts if isinstance(test, And) else (test,)
    sides = [side for part in parts if (side := one_sided(part)) is not None]
    if len(sides) != len(parts):
        return None
    if len(parts) == 1:
        op, found = sides[0]
        return found if op == "==" and not found.half else None
    if len(parts) != 2 or {op for op, _ in sides} != {"<=", ">="}:
        return None
    (_, one), (_, other) = sides
    same = one.column == other.column and one.formula == other.formula
    return one if same and one.half > 0 and math.isclose(one.half, other.half) else None


def one_sided(test: Rule) -> tuple[str, Defined] | None:
    """Return the comparison of a column with a product of two others; ``half`` is its distance from the bound.

    ``column - product <= h`` and ``column - product >= -h`` both have the half h.
    """
    if not isinstance(test, CompareProducts) or len(test.terms) != 2 or test.op not in ("<=", ">=", "=="):
        return None
    plain = [term for term in test.terms if term.is_linear]
    curved = [term for term in test.terms if not term.is_linear]
    if len(plain) != 1 or plain[0].coefficient != -curved[0].coefficient or len(curved[0].factors) != 2:
        return None
    first = next((name for name, power in curved[0].factors if power == 1), None)
    column, size = plain[0].factors[0][0], plain[0].coefficient
    if first is None or column in curved[0].columns:
        return None
    second, power = next(factor for factor in curved[0].factors if factor[0] != first)
    op = test.op if size > 0 or test.op == "==" else {"<=": ">=", ">=": "<="}[test.op]
    bound = test.bound / size
    return op, Defined(column, Product(first, second, power), -bound if op == ">=" else bound)


def decimals_of_half(half: float) -> int | None:
    """Digits of which a number is half a unit, or None.

    Examples
    --------
    >>> decimals_of_half(0.05), decimals_of_half(0.07)
    (1, None)
    """
    digits = round(-math.log10(2 * half))
    return digits if 0 <= digits <= 12 and math.isclose(half, 0.5 * 10.0**-digits, rel_tol=1e-9) else None
