"""A table in; columns that are close to the product of two others out.

A bill is roughly the monthly charge times the months. Learnt apart, the three columns give quotients that no row has.
With a link the product is computed, and the gap between it and the column is learnt.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.relations.view import unit_of
from janus_synth.table import Table
from janus_synth.table.cells import as_floats

CLOSE = 0.1
"""Most spread of the gap, relative to that of the column,"""
EXPLAINED = 0.25
"""and to what either factor alone leaves open: with the other one held at its median, or by rank correlation."""
MOST_ROWS = 1_000
"""Rows that products are sought in, evenly spaced."""
FIRST_STEP, FIRST_CLOSE = 8, 0.4
"""Every eighth of these rows rejects most candidates: their distance is a larger part of the column's spread."""
FEWEST_ROWS = 100
MOST_COMBINED = 64
"""Most columns of numbers of a table whose pairs and triples are searched: the time grows with their cube."""
FEWEST_VALUES = 20
"""Distinct values of each of the three columns."""
LEAST_NONZERO = 0.8
"""Share of rows in which the column is not 0: what is mostly 0 has no spread to compare with."""


class Approximation(NamedTuple):
    """A column, two others whose product is close to it, and the spread of the gap relative to the column's."""

    column: str
    factors: tuple[str, str]
    gap: float


def find_approximate_products(table: Table) -> list[Approximation]:
    """Columns that are close to the product of two others, the closest first.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.table import read_table
    >>> rng = np.random.default_rng(0)
    >>> months, fee = rng.integers(1, 72, 500), rng.integers(20, 120, 500)
    >>> bills = pd.DataFrame({"months": months, "fee": fee, "paid": months * fee + rng.integers(-20, 20, 500)})
    >>> [(found.column, found.factors) for found in find_approximate_products(read_table(bills))]
    [('paid', ('months', 'fee'))]
    """
    numbers = _numbers(table)
    spreads = {name: _spread(values) for name, values in numbers.items()}
    targets = [name for name in numbers if spreads[name] > 0 and (numbers[name] != 0).mean() >= LEAST_NONZERO]
    if not targets or len(numbers) > MOST_COMBINED:
        return []
    all_targets = _Targets.of(np.column_stack([numbers[name] for name in targets]))
    found = []
    for one, other in combinations(numbers, 2):
        for place in np.flatnonzero(all_targets.near(numbers[one] * numbers[other])):
            column = targets[place]
            if column in (one, other):
                continue
            gap = _spread(numbers[column] - numbers[one] * numbers[other])
            if 0 < gap <= CLOSE * spreads[column] and gap <= EXPLAINED * _left_open(numbers, column, one, other):
                found.append(Approximation(column, (one, other), gap / spreads[column]))
    return sorted(found, key=lambda each: each.gap)


def _numbers(table: Table) -> dict[str, Floats]:
    """Plain numbers of many values in some of the rows; those with nulls have them in the same places."""
    step = max(1, table.n_rows // MOST_ROWS)
    columns = [c for c in table.schema.learnt if c.kind == "numeric" and unit_of(c) == "number"]
    numbers = {column.name: as_floats(table[column.name])[::step] for column in columns}
    present = {name: ~np.isnan(values) for name, values in numbers.items()}
    return {
        name: values
        for name, values in numbers.items()
        if present[name].sum() >= FEWEST_ROWS and len(np.unique(values[present[name]])) >= FEWEST_VALUES
    }


class _Targets(NamedTuple):
    """A few rows of columns, and how far each value lies from its column's median; NaN where there is none."""

    matrix: Floats
    away: Floats

    @classmethod
    def of(cls, matrix: Floats) -> _Targets:
        rows = matrix[::FIRST_STEP]
        return cls(rows, np.abs(rows - np.nanmedian(rows, axis=0)))

    def near(self, product: Floats) -> Bools:
        """Columns that are on average much closer to the product than to their median."""
        distance = np.abs(self.matrix - product[::FIRST_STEP, None])  # NaN where either is
        present = ~np.isnan(distance)
        spread = np.where(present, self.away, 0.0)
        distance = np.where(present, np.minimum(distance, spread), 0.0)
        return np.asarray(distance.sum(axis=0) <= FIRST_CLOSE * spread.sum(axis=0))


def _left_open(numbers: dict[str, Floats], column: str, one: str, other: str) -> float:
    """Spread of a column that the better one of two factors leaves open by itself."""
    y = numbers[column]
    left = []
    for kept, held in ((one, other), (other, one)):
        x = numbers[kept]
        both = ~np.isnan(y) & ~np.isnan(x)
        ranks = [np.argsort(np.argsort(values[both], kind="stable")) for values in (y, x)]
        r = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
        left += [_spread(y - x * np.nanmedian(numbers[held])), _spread(y) * float(np.sqrt(max(0.0, 1 - r * r)))]
    return min(left)


def _spread(values: Floats) -> float:
    return spread_of(values, fewest=FEWEST_ROWS)


def spread_of(values: Floats, *, fewest: int = 1) -> float:
    """Distance between the first and the last decile of the values that are not null; 0 if they are too few."""
    present = values[~np.isnan(values)]
    return float(np.subtract(*np.quantile(present, [0.9, 0.1]))) if len(present) >= fewest else 0.0
