"""Linear equations between columns: a candidate in; a verified relation out, with its text in the rule language."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import (
    MIN_ROWS,
    Statement,
    chance_share,
    is_credible,
    log_choices,
    log_tail,
    log_unmoved,
)
from janus_synth.relations.details import OneHot, Sum
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rounding_text, rows_that_hold
from janus_synth.relations.view import ULPS, View
from janus_synth.rules.language.notation import format_name, format_sum

MAX_MEMBERS = 12
MAX_COEFFICIENT, MAX_DENOMINATOR = 1000, 100
SIMPLE = (1440, 3600, 10_000, 86_400, 100_000, 604_800, 1_000_000)
"""Larger coefficients that are simple too: units of time, and powers of ten."""
LOG_COEFFICIENTS = math.log(2_000)
"""Log of the number of coefficients that a column can have: a bound of those likely to be met."""


@dataclass(frozen=True, slots=True)
class Equation:
    """``target == constant + Σ coefficient · column``, rounded to ``decimals`` if they are given."""

    target: str
    terms: tuple[tuple[str, float], ...]
    constant: float
    decimals: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Columns, the target first."""
        return (self.target, *(name for name, _ in self.terms))


def simple_number(value: float, tolerance: float = 1e-7) -> Fraction | None:
    """Return the simple number that a value is, up to a relative tolerance; None if it is none.

    Examples
    --------
    >>> simple_number(0.33333333), simple_number(3600.0), simple_number(3.14159265)
    (Fraction(1, 3), Fraction(3600, 1), None)
    """
    for most in (1, 10, MAX_DENOMINATOR):
        fraction = Fraction(value).limit_denominator(most)
        if fraction != 0 and abs(float(fraction) - value) <= tolerance * abs(value):
            return fraction if abs(fraction.numerator) <= MAX_COEFFICIENT or abs(fraction) in SIMPLE else None
    return None


def constant_of(view: View, target: str, terms: Mapping[str, float], rows: Mapping[str, Floats]) -> float:
    """Return the constant of an equation, with as few decimals as rounding allows."""
    gap = rows[target] - sum(value * rows[name] for name, value in terms.items())
    middle, decimals = float(np.median(gap)), view.decimals[target]
    slack = 1e-7 * float(np.std(rows[target])) if decimals is None else 0.3 * 10.0**-decimals
    found = next((k for k in range(13) if abs(round(middle, k) - middle) <= slack), 13)
    return round(middle, found) + 0.0


def equation_statement(view: View, equation: Equation) -> Statement:
    """Whether rows keep an equation, within the rounding of its terms."""

    def keeps(arrays: Mapping[str, Array]) -> Bools:
        gap = arrays[equation.target] - equation.constant
        slack = view.precision(equation.target) * np.abs(arrays[equation.target])
        for name, coefficient in equation.terms:
            product = coefficient * arrays[name]
            gap = gap - product
            slack = slack + view.precision(name) * np.abs(product)
        rounding = 1e-12 if equation.decimals is None else 0.5 * 10.0**-equation.decimals
        found: Bools = np.abs(gap) <= ULPS * slack + rounding
        return found

    return keeps


def verify(view: View, equation: Equation) -> Relation | None:
    """Return the relation, if chance is excluded and all complete rows keep it."""
    names = equation.names
    if not _is_short(view, equation) or _is_of_two_values(view, equation):
        return None
    arrays = {name: view.numbers[name] for name in names}
    present = ~np.isnan(np.column_stack(list(arrays.values()))).any(axis=1)
    arrays = {name: array[present] for name, array in arrays.items()}
    complete = view.complete(names)
    support = int(complete.sum())
    n_columns, n_members = len(view.numbers), len(names)
    tried = log_choices(n_columns, n_members) + n_members * LOG_COEFFICIENTS
    if support < MIN_ROWS or not is_credible(_log_chance(view, equation, arrays, support), tried):
        return None
    rule = or_null(equation_text(view, equation), names, view.table.schema)
    holding = rows_that_hold(rule, view.table)
    if holding is None or not holding.all():
        return None
    example = view.row_values(first_true(complete), names)
    if _is_one_hot(view, equation):
        listed = tuple(name for name in view.table.schema.names if name in names)
        one_hot = f"one_hot({', '.join(map(format_name, listed))})"
        rule = or_null(one_hot, listed, view.table.schema)
        return Relation("one-hot", listed, rule, support, 0, example, OneHot(listed), one_hot)
    detail = Sum(equation.target, equation.terms, equation.constant, equation.decimals)
    text = equation_text(view, replace(equation, decimals=None))
    if equation.decimals is not None:
        text += f", {rounding_text(equation.decimals)}"
    return Relation("sum", names, rule, support, 0, example, detail, text)


def follows_from_two(columns: Iterable[str], known: Iterable[Relation]) -> bool:
    """Whether two known equations that share one column give one of these columns, by leaving that column out."""
    wanted = set(columns)
    equations = [set(other.columns) for other in known if isinstance(other.detail, Sum)]
    return any(len(one & other) == 1 and one ^ other == wanted for one, other in combinations(equations, 2))


def _log_chance(view: View, equation: Equation, arrays: Mapping[str, Floats], support: int) -> float:
    """Log-probability that all rows keep an equation if one of its columns has nothing to do with the others.

    An exact equation leaves each cell one value. So all rows keep it after a permutation only if that moves no value,
    however rare values other than zero are. A rounded one leaves room, which is measured.
    """
    if equation.decimals is not None:
        return log_tail(support, 0, chance_share(equation_statement(view, equation), arrays, view.random()))
    return log_unmoved_by(view, equation, arrays)


def log_unmoved_by(view: View, equation: Equation, arrays: Mapping[str, Floats]) -> float:
    """Log-probability that permuting one column moves no value, within the rounding of an equation; the largest."""
    sizes = {name: abs(weight) for name, weight in ((equation.target, 1.0), *equation.terms)}
    errors = [view.precision(name) * float(np.abs(arrays[name]).max()) * sizes[name] for name in sizes]
    slack = 1e-12 + 2 * ULPS * sum(errors)
    return max(log_unmoved(arrays[name], slack / sizes[name]) for name in sizes)


def _is_short(view: View, equation: Equation) -> bool:
    return len(equation.names) <= MAX_MEMBERS or _is_one_hot(view, equation)


def _is_of_two_values(view: View, equation: Equation) -> bool:
    """Whether two columns of two values each are related, which any constants can say; a lookup says it better."""
    if len(equation.terms) != 1 or int(view.codes[equation.target].max()) > 1 or _is_one_hot(view, equation):
        return False
    return equation.constant != 0 or equation.terms[0][1] != 1


def _is_one_hot(view: View, equation: Equation) -> bool:
    """Whether an equation says that 0/1 columns sum to one."""
    plain = equation.constant == 1 and all(coefficient == -1 for _, coefficient in equation.terms)
    return plain and all(is_indicator(view.numbers[name]) for name in equation.names)


def is_indicator(numbers: Floats) -> bool:
    """Whether all values are 0, 1 or missing."""
    return bool((np.isnan(numbers) | (numbers == 0) | (numbers == 1)).all())


def equation_text(view: View, equation: Equation) -> str:
    """Text of an equation in the rule language; if it is rounded, of the bounds that rounding leaves."""
    units = {name: view.unit(name) for name in equation.names}
    is_time = any(unit != "number" for unit in units.values())
    terms = [(name, coefficient, is_time and units[name] == "number") for name, coefficient in equation.terms]
    if equation.decimals is None:
        return f"{format_name(equation.target)} == {format_sum(terms, equation.constant, is_time)}"
    negated = [(equation.target, 1.0, False), *((name, -coefficient, flag) for name, coefficient, flag in terms)]
    half = 0.5 * 10.0**-equation.decimals
    return f"{-half} <= {format_sum(negated, -equation.constant, is_time)} <= {half}"
