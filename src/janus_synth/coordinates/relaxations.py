"""Bounds on rounded columns: a comparison of a product or a multiple in, what it says about the inputs out.

What it says is necessary, not sufficient, because rounding is allowed for. With it, samplers can aim at rare values of
the column; the comparison itself is evaluated once the column is computed.
"""

from __future__ import annotations

from janus_synth.coordinates.formulas import HALF, Product
from janus_synth.coordinates.links import Link
from janus_synth.coordinates.scaled import Scaled
from janus_synth.rules.language import Compare, IsIn, Linear, Rule, Term, all_of, any_of
from janus_synth.rules.language.monomials import Product as RuleProduct
from janus_synth.rules.language.products import CompareProducts

RELATIVE = 1e-9
"""Slack for errors of floating point where nothing is rounded."""


def necessary_test(link: Link, op: str, bound: float) -> Rule | None:
    """What ``column op bound`` says about the inputs of a link; None if nothing.

    Examples
    --------
    >>> print(necessary_test(Link("amount", Product("price", "quantity", decimals=0)), ">=", 100.0))
    price * quantity >= 99.4999999
    """
    formula = link.formula
    if link.gap is not None or link.source is not None or op == "!=" or not isinstance(formula, Product | Scaled):
        return None
    slack = RELATIVE * abs(bound) if formula.decimals is None else HALF * 10.0**-formula.decimals
    sides: list[tuple[str, float]] = []
    if op in (">=", ">", "=="):
        sides.append((">=", bound - slack))
    if op in ("<=", "<", "=="):
        sides.append(("<=", bound + slack))
    return _of_product(formula, sides) if isinstance(formula, Product) else _of_multiple(formula, sides)


def _of_product(formula: Product, sides: list[tuple[str, float]]) -> Rule:
    term = RuleProduct(((formula.first, 1), (formula.second, formula.power)))
    return all_of([CompareProducts((term,), op, bound) for op, bound in sides])


def _of_multiple(formula: Scaled, sides: list[tuple[str, float]]) -> Rule | None:
    """For each factor, bounds of the column that is multiplied."""
    branches = []
    for index, factor in enumerate(formula.factors):
        chosen = IsIn(formula.factor, (index,))
        if factor:
            tests = [Compare(Linear((Term(formula.source, factor),)), op, Linear(constant=b)) for op, b in sides]
            branches.append(all_of([chosen, *map(_divided, tests)]))
        elif all(bound <= 0 if op == ">=" else bound >= 0 for op, bound in sides):
            branches.append(chosen)
    return any_of(branches) if branches else IsIn(formula.factor, ())


def _divided(test: Compare) -> Compare:
    """The same comparison with a coefficient of 1."""
    (term,) = test.left.terms
    flips = {">=": "<=", "<=": ">="} if term.coefficient < 0 else {}
    bound = float(test.right.constant) / float(term.coefficient)
    return Compare(Linear((Term(term.column),)), flips.get(test.op, test.op), Linear(constant=bound))
