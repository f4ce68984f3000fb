"""A table in; columns that are the product or the ratio of two others out, after rounding to the column's decimals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import Product, Ratio
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, rounding_text
from janus_synth.relations.view import View, numbers_of
from janus_synth.rules.language.notation import format_name

FIRST_ROWS = 60
"""Rows that almost all candidates are rejected by."""
FACTORS = (1.0, 100.0)
"""Ratios are plain or in percent."""
ROUNDING = 16.0
"""Units in the last place that a product of stored numbers may be off."""

Formula = Callable[[Floats, Floats], Floats]


def find_products(view: View) -> list[Relation]:
    """Products, then ratios among columns that no product relates."""
    names = [n for n in view.numeric if view.unit(n) == "number" and int(view.codes[n].max()) > 1]
    if len(names) < 3:
        return []
    found: dict[frozenset[str], Relation] = {}
    tried = 3 * math.log(len(names)) + math.log(1 + 2 * len(FACTORS))
    for column, one, other in _proposed(view, names, np.multiply):
        relation = _verify(view, column, (one, other), np.multiply, tried)
        if relation is not None:
            found.setdefault(frozenset((column, one, other)), relation)
    for factor in FACTORS:
        for column, above, below in _proposed(view, names, _ratio(factor)):
            product = found.get(frozenset((column, above, below)))
            if product is None or _is_ratio_read_backwards(view, product, column):
                relation = _verify(view, column, (above, below), _ratio(factor), tried, factor)
                if relation is not None:
                    found[frozenset((column, above, below))] = relation
    return list(found.values())


def _is_ratio_read_backwards(view: View, product: Relation, ratio: str) -> bool:
    """Whether a product is rounded, and one of its factors has more decimals than the rest, as results of divisions."""
    decimals = {name: view.decimals[name] for name in product.columns}
    others = [places for name, places in decimals.items() if name != ratio and places is not None]
    own = decimals[ratio]
    finest = own is not None and len(others) == 2 and own > max(others)
    return product.kind == "product" and not _is_exact(view, product.columns) and finest


def _ratio(factor: float) -> Formula:
    def ratio(above: Floats, below: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.where(below == 0, np.nan, factor * above / np.where(below == 0, 1.0, below))
        return found

    return ratio


def _proposed(view: View, names: list[str], formula: Formula) -> Iterator[tuple[str, str, str]]:
    """Triples (column, one, other) that the first rows of the sample keep."""
    matrix = np.column_stack([view.numbers[name][:FIRST_ROWS] for name in names])
    slack = np.column_stack([_slack(view, name, view.numbers[name][:FIRST_ROWS]) for name in names])
    symmetric = formula is np.multiply
    pairs = combinations(range(len(names)), 2) if symmetric else _ordered_pairs(len(names))
    for i, j in pairs:
        value = formula(matrix[:, i], matrix[:, j])[:, None]
        gap = np.abs(matrix - value)
        broken = (gap > slack + ROUNDING * 2.0**-52 * np.abs(value)).any(axis=0)
        for k in np.flatnonzero(~broken):
            if k not in (i, j):
                yield names[k], names[i], names[j]


def _ordered_pairs(n: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n) for j in range(n) if i != j)


def _slack(view: View, name: str, values: Floats) -> Floats:
    """Half a unit of the last decimal, or the rounding of stored numbers."""
    decimals = view.decimals[name]
    half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    return half + ROUNDING * view.precision(name) * np.abs(values)


def _verify(
    view: View, column: str, inputs: tuple[str, str], formula: Formula, tried: float, factor: float | None = None
) -> Relation | None:
    names = (column, *inputs)

    def keeps(cells: Mapping[str, Array]) -> Bools:
        value = formula(cells[inputs[0]], cells[inputs[1]])
        slack = _slack(view, column, cells[column]) + max(map(view.precision, inputs)) * ROUNDING * np.abs(value)
        found: Bools = np.abs(cells[column] - value) <= slack
        return found

    arrays = {name: view.numbers[name] for name in names}
    present = ~np.isnan(formula(arrays[inputs[0]], arrays[inputs[1]]) + arrays[column])
    arrays = {name: array[present] for name, array in arrays.items()}
    if present.sum() < MIN_ROWS or not keeps(arrays).all():
        return None
    if not is_credible(log_tail(int(present.sum()), 0, chance_share(keeps, arrays, view.random())), tried):
        return None
    everything = {name: numbers_of(view.table, name) for name in names}
    complete = ~np.isnan(formula(everything[inputs[0]], everything[inputs[1]]) + everything[column])
    if not keeps({name: array[complete] for name, array in everything.items()}).all():
        return None
    return _relation(view, names, complete, factor)


def _relation(view: View, names: tuple[str, ...], complete: Bools, factor: float | None) -> Relation:
    column, one, other = names
    decimals = view.decimals[column]
    spelt = [format_name(name) for name in names]
    example = view.row_values(first_true(complete), names)
    rounded = "" if decimals is None else f", {rounding_text(decimals)}"
    support = int(complete.sum())
    if factor is None:
        text = f"{spelt[0]} == {spelt[1]} * {spelt[2]}{'' if _is_exact(view, names) else rounded}"
        return Relation("product", names, "", support, 0, example, Product(column, (one, other), decimals), text)
    times = "" if factor == 1 else f"{factor:g} * "
    text = f"{spelt[0]} == {times}{spelt[1]} / {spelt[2]}{rounded}"
    return Relation("ratio", names, "", support, 0, example, Ratio(column, one, other, decimals, factor), text)


def _is_exact(view: View, names: tuple[str, ...]) -> bool:
    """Whether a product has no more decimals than the column, so that nothing is rounded."""
    column, one, other = (view.decimals[name] for name in names)
    return column is None or (one is not None and other is not None and one + other <= column)
