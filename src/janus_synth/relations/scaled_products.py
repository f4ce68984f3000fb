"""A table in; columns that are a constant times a product, a ratio or a power of two others out, after rounding.

A percentage of an amount, a wage with a factor of 1.5, watts over volts in milliamperes, weight over the square of
height: the constant is not known. Rounding leaves each row an interval of constants, and these must have a simple
number in common. The first factor may be the sum that goes with the column into a total: a tax on a price and its
shipping.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.constants import (
    FIRST_ROWS,
    LOG_CONSTANTS,
    MIN_DISTINCT,
    MIN_SPREAD,
    factor_range,
    simplest_constant,
)
from janus_synth.relations.details import Factor, ScaledProduct, Sum
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, rounding_text
from janus_synth.relations.view import View, numbers_of
from janus_synth.rules.language.notation import constant_text, format_name

POWERS = (1, -1, -2, 2)
ROUNDING = 16.0
"""Units in the last place that a product of stored numbers may be off."""
COARSER = 0.999
"""A relation that is known already is said better by a column with finer steps than this times those of its own."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Sum of some columns, times a power of another one."""

    sources: tuple[str, ...]
    second: str
    power: int

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.sources, self.second)

    def of(self, arrays: Mapping[str, Array]) -> Floats:
        base = sum(arrays[name] for name in self.sources)
        other = arrays[self.second]
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.where((other == 0) & (self.power < 0), np.nan, base * other ** float(self.power))
        return found


def find_scaled_products(view: View, known: Sequence[Relation]) -> list[Relation]:
    """Scaled products of columns that no equation determines; one of a known product's columns may be said better.

    Of the columns of a relation, the one with the finest steps relative to its spread is the result: a discount follows
    from its percentage, which as a ratio of cents would hardly ever be a whole number.
    """
    names = [n for n in view.numeric if view.unit(n) == "number" and int(view.codes[n].max()) > 1]
    steps = {name: view.relative_step(name) for name in names}
    targets = [n for n in names if steps[n] <= 1 / MIN_SPREAD and int(view.codes[n].max()) >= MIN_DISTINCT]
    computed = {relation.columns[0] for relation in known if isinstance(relation.detail, Sum | Factor)}
    said = {frozenset(relation.columns): steps.get(relation.columns[0], 0.0) for relation in known}
    found: dict[str, Relation] = {}
    targets = sorted((name for name in targets if name not in computed), key=lambda name: steps[name])
    for column, form in _proposed(view, names, targets, known):
        members = frozenset((column, *form.names))
        if column in found or any(members == frozenset(relation.columns) for relation in found.values()):
            continue
        if steps[column] >= COARSER * said.get(members, math.inf):
            continue
        if _is_circular(column, form, [*known, *found.values()]):
            continue
        relation = _verify(view, column, form)
        if relation is not None:
            found[column] = relation
    return list(found.values())


def _is_circular(column: str, form: _Form, known: Sequence[Relation]) -> bool:
    """Whether a column would follow from one that is a product of it and of other columns."""
    members = {column, *form.names}
    products = [each for each in known if not isinstance(each.detail, Sum | Factor) and set(each.columns) != members]
    return any(each.columns[0] in form.names and column in each.columns[1:] for each in products)


def without_ratios_said_better(products: Sequence[Relation], scaled: Sequence[Relation]) -> list[Relation]:
    """Products and ratios, without those of the same columns as a scaled product."""
    better = {frozenset(relation.columns) for relation in scaled}
    return [relation for relation in products if frozenset(relation.columns) not in better]


def _proposed(
    view: View, names: Sequence[str], targets: Sequence[str], known: Sequence[Relation]
) -> Iterator[tuple[str, _Form]]:
    """Columns and forms that the first rows keep with some constant, columns of finer steps first."""
    found: dict[str, list[_Form]] = {name: [] for name in targets}
    first = {name: cells[:FIRST_ROWS] for name, cells in view.numbers.items()}
    if targets:
        matrix = np.column_stack([first[name] for name in targets])
        slack = np.column_stack([_slack(view, name, first[name]) for name in targets])
        for form in _forms(names):
            for place in np.flatnonzero(_have_a_constant(matrix, slack, form.of(first))).tolist():
                if targets[place] not in form.names:
                    found[targets[place]].append(form)
        for column, form in _forms_of_totals(names, known):
            k = targets.index(column) if column in found else -1
            if k >= 0 and _have_a_constant(matrix[:, [k]], slack[:, [k]], form.of(first))[0]:
                found[column].append(form)
    for column in targets:
        yield from ((column, form) for form in found[column])


def _forms(names: Sequence[str]) -> Iterator[_Form]:
    for power in POWERS:
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                if i < j or (i != j and power != 1):
                    yield _Form((one,), other, power)


def _forms_of_totals(names: Sequence[str], known: Sequence[Relation]) -> Iterator[tuple[str, _Form]]:
    """A term of a total, and the sum of the other terms times another column."""
    for relation in known:
        detail = relation.detail
        if not isinstance(detail, Sum) or detail.decimals is not None or detail.constant:
            continue
        terms = dict(detail.terms)
        if len(terms) < 3 or any(weight != 1 for weight in terms.values()):
            continue
        for column in terms:
            others = tuple(name for name in terms if name != column)
            for name in names:
                if name not in terms and name != detail.column:
                    yield from ((column, _Form(others, name, power)) for power in (1, -1))


def _have_a_constant(matrix: Floats, slack: Floats, values: Floats) -> Bools:
    """Which columns are a constant times some values in all rows, within their slack."""
    zero, unknown = values == 0, np.isnan(values)
    fits = ~(np.abs(matrix[zero]) > slack[zero]).any(axis=0)
    used = ~zero & ~unknown
    if not used.any():
        return np.asarray(fits)
    ends = np.stack([matrix[used] - slack[used], matrix[used] + slack[used]]) / values[used, None]
    low = np.fmax.reduce(ends.min(axis=0), axis=0)
    high = np.fmin.reduce(ends.max(axis=0), axis=0)
    return np.asarray(fits & ~(low > high))


def _slack(view: View, name: str, values: Floats) -> Floats:
    """Half a unit of the last decimal, or the rounding of stored numbers."""
    decimals = view.decimals[name]
    half = 0.0 if decimals is None else 0.5 * 10.0**-decimals * (1 + 1e-9)
    return half + ROUNDING * view.precision(name) * np.abs(values)


def _verify(view: View, column: str, form: _Form) -> Relation | None:
    """The relation, if all rows keep it with a simple constant and chance is excluded."""
    everything = {name: numbers_of(view.table, name) for name in (column, *form.names)}
    values = form.of(everything)
    complete = ~np.isnan(values + everything[column])
    if complete.sum() < MIN_ROWS:
        return None
    there = {name: cells[complete] for name, cells in everything.items()}
    slack = _slack(view, column, there[column])
    slack += ROUNDING * max(map(view.precision, form.names)) * np.abs(there[column])
    ends = factor_range(there[column], values[complete], slack)
    factor = None if ends is None else simplest_constant(*ends)
    if factor is None or not _is_credible(view, column, form, factor):
        return None
    decimals = view.decimals[column]
    detail = ScaledProduct(column, form.sources, form.second, form.power, factor, decimals)
    example = view.row_values(first_true(complete), (column, *form.names))
    kind = "product" if form.power > 0 else "ratio"
    text = _text(detail)
    return Relation(kind, (column, *form.names), "", int(complete.sum()), 0, example, detail, text)


def _is_credible(view: View, column: str, form: _Form, factor: float) -> bool:
    """Whether rows would hardly all keep the relation if one of its columns had nothing to do with the others."""
    arrays = {name: view.numbers[name] for name in (column, *form.names)}
    present = ~np.isnan(form.of(arrays) + arrays[column])
    arrays = {name: array[present] for name, array in arrays.items()}

    def keeps(cells: Mapping[str, Array]) -> Bools:
        found: Bools = np.abs(cells[column] - factor * form.of(cells)) <= _slack(view, column, cells[column])
        return found

    n_names = len(view.numeric)
    tried = 3 * math.log(max(n_names, 2)) + math.log(len(POWERS)) + LOG_CONSTANTS
    return is_credible(log_tail(int(present.sum()), 0, chance_share(keeps, arrays, view.random())), tried)


def _text(detail: ScaledProduct) -> str:
    base = " + ".join(map(format_name, detail.sources))
    base = f"({base})" if len(detail.sources) > 1 else base
    power = "" if abs(detail.power) == 1 else f" ** {abs(detail.power)}"
    before, after = constant_text(detail.factor)
    text = f"{format_name(detail.column)} == {before}{base} {'*' if detail.power > 0 else '/'} "
    text += f"{format_name(detail.second)}{power}{after}"
    if detail.decimals is None:
        return text
    return f"{text}, {rounding_text(detail.decimals)}"
