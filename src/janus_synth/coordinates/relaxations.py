"""Tests that a comparison of a computed column makes necessary: the comparison in, tests of the column's inputs out.

They are necessary, not sufficient, because rounding is allowed for. With them, samplers can aim at rare values of the
column; the comparison itself is evaluated once the column is computed.
"""

from __future__ import annotations

import numpy as np

from janus_synth.coordinates.formulas import HALF, Product, Sum
from janus_synth.coordinates.links import COMPUTED, OWN, Link
from janus_synth.coordinates.local_time import MOST_SHIFT, LocalTime
from janus_synth.coordinates.scaled import Scaled
from janus_synth.rules.language import Compare, IsIn, IsNull, Linear, Rule, Term, all_of, any_of
from janus_synth.rules.language.bind import PYTHON_OPS
from janus_synth.rules.language.linear import add_all
from janus_synth.rules.language.monomials import Product as RuleProduct
from janus_synth.rules.language.nodes import SWAPPED
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table import Column, Schema

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
    if isinstance(formula, LocalTime) and op != "!=":
        return _on_the_clock(formula, op, bound)
    if link.source is not None or op == "!=" or not isinstance(formula, Product | Scaled):
        return None
    slack = RELATIVE * abs(bound) if formula.decimals is None else HALF * 10.0**-formula.decimals
    sides: list[tuple[str, float]] = []
    if op in (">=", ">", "=="):
        sides.append((">=", bound - slack))
    if op in ("<=", "<", "=="):
        sides.append(("<=", bound + slack))
    return _of_product(formula, link.gap, sides) if isinstance(formula, Product) else _of_multiple(formula, sides)


def _on_the_clock(formula: LocalTime, op: str, bound: float) -> Rule:
    """Bounds of what the clock shows, which is moved by some hours when summer time begins or ends."""
    shown = float(formula.local(np.array([bound]))[0])
    total = Linear((Term(formula.date), Term(formula.time)))
    sides = ([(">=", -MOST_SHIFT)] if op in (">=", ">", "==") else []) + (
        [("<=", MOST_SHIFT)] if op in ("<=", "<", "==") else []
    )
    return all_of([Compare(total, side, Linear(constant=shown + shift)) for side, shift in sides])


def _of_product(formula: Product, gap: str | None, sides: list[tuple[str, float]]) -> Rule:
    terms = [*formula.products]
    terms += [] if gap is None else [RuleProduct(((gap, 1),))]
    return all_of([CompareProducts(tuple(terms), op, bound) for op, bound in sides])


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


def by_source(link: Link, total: Linear, op: str, bound: float, schema: Schema) -> Rule | None:
    """What ``total op bound`` says about a column of ``total`` that has values of its own in part of the rows.

    Without it, samplers would learn where a rare comparison holds from the few pilot rows that meet it.

    Examples
    --------
    >>> from janus_synth.table import Column
    >>> schema = Schema((Column("b (own)", "numeric", "float64"),))
    >>> link = Link("b", Sum((("a", 1.0),)), source="s", own="b (own)")
    >>> print(by_source(link, Linear((Term("b"),)), ">", 9.0, schema))
    s in [1] and `b (own)` > 9 or (s in [0] or s is null or s in [1] and `b (own)` is null) and a > 9
    """
    if link.source is None or (link.own is not None and not _reaches(link.within, schema[link.own])):
        return None
    if link.own is None:
        return IsIn(link.source, (COMPUTED,))
    drawn = _compare(_in_place_of(link.column, Linear((Term(link.own),)), total), op, bound)
    is_own, is_computed = IsIn(link.source, (OWN,)), any_of([IsIn(link.source, (COMPUTED,)), IsNull(link.source)])
    tests = [any_of([is_computed, all_of([is_own, IsNull(link.own)])])]
    formula = link.formula
    if isinstance(formula, Sum) and not formula.rounds and link.gap is None:
        its = Linear(tuple(Term(name, coefficient) for name, coefficient in formula.terms), formula.constant)
        value = _in_place_of(link.column, its, total)
        if value.terms or not PYTHON_OPS[op](value.constant, bound):
            beyond = () if link.within is None else zip("<>", link.within, strict=True)
            possible = [_compare(value, op, bound)] if value.terms else []
            possible += [_compare(its, *side) for side in beyond]
            if not possible:
                return all_of([is_own, drawn])
            tests.append(any_of(possible))
    return any_of([all_of([is_own, drawn]), all_of(tests)])


def _reaches(within: tuple[float, float] | None, column: Column) -> bool:
    """Whether all values of a column lie within some ends, so that none is clipped."""
    if within is None:
        return True
    return column.low is not None and column.high is not None and within[0] <= column.low <= column.high <= within[1]


def _in_place_of(column: str, value: Linear, total: Linear) -> Linear:
    """The sum in which a column is replaced by what it is computed from."""
    terms = ((value if term.column == column else Linear((Term(term.column),)), term) for term in total.terms)
    return add_all([Linear(constant=total.constant), *(part.times(float(term.coefficient)) for part, term in terms)])


def _compare(left: Linear, op: str, bound: float) -> Compare:
    """A comparison in normal form: constants on the right, and no coefficient where there is one column."""
    right = bound - float(left.constant)
    if len(left.terms) != 1:
        return Compare(Linear(left.terms), op, Linear(constant=right))
    (term,) = left.terms
    op = SWAPPED[op] if float(term.coefficient) < 0 else op
    return Compare(Linear((Term(term.column),)), op, Linear(constant=right / float(term.coefficient)))
