"""Rules about linked columns in, equivalent rules about the columns they are computed from out.

A linked column that equals a weighted sum is replaced by it in comparisons, so that samplers can solve for the inputs.
Tests that no substitution reaches stay as they are: samplers evaluate them once the column is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from janus_synth.coordinates.clock import Clock
from janus_synth.coordinates.formulas import Lookup, Product, Sum
from janus_synth.coordinates.links import Link
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.product_rules import one_sided
from janus_synth.coordinates.relaxations import by_source, necessary_test
from janus_synth.coordinates.scaled import Scaled
from janus_synth.rules import BoundRule
from janus_synth.rules.feasibility import Definition
from janus_synth.rules.language import And, Compare, IsIn, IsNull, Linear, Or, Rule, Term, all_of, any_of
from janus_synth.rules.language.bind import PYTHON_OPS
from janus_synth.rules.language.nodes import SWAPPED
from janus_synth.rules.language.notation import format_name
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table import Schema

RELATIVE = 1e-9
"""Slack for errors of floating point, relative to what is added up."""


def substitute(rule: BoundRule, links: Sequence[Link], schema: Schema) -> tuple[BoundRule, ...]:
    """Rewrite a bound rule in terms of the inputs of linked columns; none if every row keeps it by construction.

    Where a column of the rule can be null, or is clipped to its domain, the rule itself stays beside its rewritten
    form, because a sum forgets which of its terms was null, and a clipped value is no longer the sum.
    """
    by_column = {link.column: link for link in links}
    if not any(name in by_column for name in rule.columns):
        return (rule,)
    test = _rewrite(rule.test, by_column, schema)
    inexact = _nullable(rule, schema) or any(name in by_column and _clipped(name, by_column) for name in rule.columns)
    if test is None:
        return (rule,) if inexact else ()
    rewritten = BoundRule(rule.source, test)
    return (rewritten, rule) if inexact and test != rule.test else (rewritten,)


def _clipped(name: str, links: dict[str, Link]) -> bool:
    """Whether a linked column, or one that it is computed from, is clipped to its domain."""
    link = links[name]
    return link.within is not None or any(_clipped(other, links) for other in link.inputs if other in links)


def rules_of_links(links: Sequence[Link], schema: Schema, *, present: bool = False) -> tuple[BoundRule, ...]:
    """Definitions of the linked columns, as far as the rule language can express them.

    Of a column that is computed on the clock they say that it holds times of day. A definition also holds where an
    input is null and so is the column. With ``present``, rows are meant in which none of them is.
    """
    rules: list[BoundRule] = []
    for link in links:
        test = link.rule_without_nulls() if present else link.rule()
        if test is None and not present:
            test = _times_of_day(link)
        if test is None:
            continue
        nulls_apart = isinstance(link.formula, Sum | Scaled)
        whole = test if present or not nulls_apart else any_of([test, *_null_rows(link, schema)])
        rules.append(BoundRule(_definition(link.with_units(schema), test), whole))
    return tuple(rules)


def _times_of_day(link: Link) -> Rule | None:
    """What a computation on the clock says of its column alone; None for other links."""
    if not isinstance(link.formula, Clock) or link.source is not None:
        return None
    times = np.union1d(link.formula.times(), link.within or ())
    hours = np.split(times, np.flatnonzero(np.diff(times) > 1) + 1)  # ranges are judged faster than 1,440 numbers
    return any_of([IsNull(link.column), *(_between(link.column, *hour[[0, -1]].tolist()) for hour in hours)])


def _between(column: str, low: float, high: float) -> Rule:
    term = Linear((Term(column),))
    return all_of([Compare(term, ">=", Linear(constant=low)), Compare(term, "<=", Linear(constant=high))])


def _definition(link: Link, test: Rule) -> Definition:
    """The link in words, for messages about rules that contradict it."""
    if isinstance(link.formula, Clock):
        formula = f"a time of day such as 1405 ({link.formula})"
        return Definition(test, link.column, str(link), formula, others="other numbers")
    if isinstance(link.formula, Lookup):
        formula = f"determined by {format_name(link.formula.key)}"
        return Definition(test, link.column, str(link), formula, others="other combinations")
    if isinstance(link.formula, PairLookup):
        formula = f"determined by {' and '.join(map(format_name, link.formula.keys))}"
        return Definition(test, link.column, str(link), formula, others="other combinations")
    if isinstance(link.formula, Scaled):
        return Definition(test, link.column, str(link), str(link.formula), parts=link.parts, others="other factors")
    others = "other dates or times" if link.is_clock else "other sums" if link.gap is None else "other gaps"
    return Definition(test, link.column, str(link), link.formula_text, link.gap, link.parts, others)


def _null_rows(link: Link, schema: Schema) -> list[Rule]:
    """Tests that a column is null because an input of its link is."""
    if not schema[link.column].nullable:
        return []
    empty = [IsNull(name) for name in link.inputs if schema[name].nullable]
    return [all_of([IsNull(link.column), any_of(empty)])] if empty else []


def states_definition(rule: BoundRule, link: Link, schema: Schema) -> bool:
    """Whether a rule says no more than how a linked column is computed, apart from nulls and domains."""
    if link.column not in rule.columns:
        return False
    unbounded = Schema(tuple(replace(column, low=None, high=None) for column in schema.columns), schema.frame)
    return _rewrite(rule.test, {link.column: link}, unbounded) is None


def _nullable(rule: BoundRule, schema: Schema) -> bool:
    return any(schema[name].nullable for name in rule.columns)


def _rewrite(test: Rule, links: dict[str, Link], schema: Schema) -> Rule | None:
    """The test about inputs instead of linked columns; None if it holds in every row."""
    match test:
        case And(parts):
            found = [_rewrite(part, links, schema) for part in parts]
            kept = [part for part in found if part is not None]
            return all_of(kept) if kept else None
        case Or(parts):
            found = [_rewrite(part, links, schema) for part in parts]
            return None if any(part is None for part in found) else any_of([p for p in found if p is not None])
        case Compare(left, op, right):
            return _rewrite_comparison(test, left, op, right, links, schema)
        case CompareProducts() if _is_implied(test, links):
            return None
        case IsIn(column, values, negated) if column in links:
            return _rewrite_membership(test, column, values, negated, links, schema)
    return test


def _is_implied(test: CompareProducts, links: dict[str, Link]) -> bool:
    """Whether a comparison of a linked column with its own product holds in every row, up to its rounding."""
    found = one_sided(test)
    if found is None or found[1].column not in links:
        return False
    op, defined = found
    link = links[defined.column]
    formula = link.formula
    if link.hidden or not isinstance(formula, Product) or replace(formula, decimals=None) != defined.formula:
        return False
    rounding = 0.0 if formula.decimals is None else 0.5 * 10.0**-formula.decimals
    return rounding == 0.0 == defined.half if op == "==" else defined.half >= rounding * (1 - 1e-9)


def _rewrite_comparison(
    test: Rule, left: Linear, op: str, right: Linear, links: dict[str, Link], schema: Schema
) -> Rule | None:
    if _is_rounding(left, op, right, links):
        return None
    terms, constant = _expand(left, links)
    total = Linear(tuple(Term(name, coefficient) for name, coefficient in terms.items()))
    bound = right.constant - constant
    if not total.terms:
        holds = PYTHON_OPS[op](0, bound) if abs(bound) > 1e-9 else op in ("<=", ">=", "==")
        return None if holds else IsIn(left.terms[0].column, ())
    if _always_holds(total, op, bound, schema):
        return None
    if len(total.terms) == 1:
        coefficient = total.terms[0].coefficient
        bound, op = bound / coefficient, SWAPPED[op] if coefficient < 0 else op
        total = Linear((Term(total.terms[0].column),))
    found = Compare(total, op, Linear(constant=bound))
    linked = [links[term.column] for term in total.terms if term.column in links]
    needed = necessary_test(linked[0], op, float(bound)) if linked and len(total.terms) == 1 else None
    if needed is None and len(linked) == 1:
        needed = by_source(linked[0], total, op, float(bound), schema)
    needed = None if needed is None else _rewrite(needed, links, schema)
    return found if needed is None else all_of([needed, found])


def _is_rounding(left: Linear, op: str, right: Linear, links: dict[str, Link]) -> bool:
    """Whether a comparison is a bound that rounding leaves between a linked column and its own sum."""
    weights = {term.column: float(term.coefficient) for term in left.terms}
    for name, own in weights.items():
        formula = links[name].formula if name in links and links[name].is_exact else None
        if not isinstance(formula, Sum) or not formula.rounds or formula.decimals is None:
            continue
        wanted = {other: -own * weight for other, weight in formula.terms} | {name: own}
        if weights.keys() != wanted.keys() or any(
            abs(weights[other] - weight) > RELATIVE * abs(weight) for other, weight in wanted.items()
        ):
            continue
        half = 0.5 * 10.0**-formula.decimals * abs(own) * (1 - RELATIVE)
        away = float(right.constant) - float(left.constant) - own * formula.constant
        return (op == "<=" and away >= half) or (op == ">=" and away <= -half)
    return False


def _expand(left: Linear, links: dict[str, Link]) -> tuple[dict[str, float], float]:
    """Coefficients of a sum after linked columns are replaced by their equations, repeatedly."""
    terms: dict[str, float] = {}
    sizes: dict[str, float] = {}
    constant = 0.0
    waiting = [(term.column, float(term.coefficient)) for term in left.terms]
    while waiting:
        name, coefficient = waiting.pop()
        equation = links[name].equation if name in links else None
        if equation is None:
            terms[name] = terms.get(name, 0.0) + coefficient
            sizes[name] = sizes.get(name, 0.0) + abs(coefficient)
            continue
        constant += coefficient * equation.constant
        waiting += [(other, coefficient * own) for other, own in equation.terms]
    return {name: value for name, value in terms.items() if abs(value) > RELATIVE * sizes[name]}, constant


def _always_holds(total: Linear, op: str, bound: float, schema: Schema) -> bool:
    """Whether the domains of the columns alone guarantee a comparison."""
    low = high = 0.0
    for term in total.terms:
        column = schema[term.column]
        ends = (0.0, 1.0) if column.kind == "boolean" else (column.low, column.high)
        if column.nullable or ends[0] is None or ends[1] is None:
            return False
        both = sorted((term.coefficient * ends[0], term.coefficient * ends[1]))
        low, high = low + both[0], high + both[1]
    match op:
        case ">=":
            return low >= bound
        case ">":
            return low > bound
        case "<=":
            return high <= bound
        case "<":
            return high < bound
    return False


def _rewrite_membership(
    test: Rule, column: str, values: tuple[object, ...], negated: bool, links: dict[str, Link], schema: Schema
) -> Rule:
    """A looked-up value as a set of keys; a sum as equations."""
    formula, link = links[column].formula, links[column]
    if link.hidden:
        return test
    if isinstance(formula, Lookup) and schema[formula.key].is_discrete:
        keys = [
            int(k)
            for k, v in zip(formula.known, formula.values, strict=True)
            if v is not None and (v in values) != negated
        ]
        found: Rule = IsIn(formula.key, tuple(keys))
        absent = formula.missing is not None and (formula.missing in values) != negated
        return any_of((found, IsNull(formula.key))) if absent and schema[formula.key].nullable else found
    if isinstance(formula, Sum) and not formula.rounds and not negated and values:
        tests = [Compare(Linear((Term(column),)), "==", Linear(constant=v)) for v in values]  # type: ignore[arg-type]
        rewritten = [_rewrite(part, links, schema) for part in tests]
        return any_of([part for part in rewritten if part is not None])
    return test
