"""Singling out: predicates learnt from synthetic rows in; how many of them match exactly one real row out.

A predicate is a condition on some columns, such as *age between 71 and 74 and city = Rome*. It singles a person out
if exactly one row of the real table satisfies it. Training rows are compared with as many unseen rows, because how
easily a predicate matches exactly one row depends on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.disclosure.points import Scene
from janus_synth.metrics.disclosure.rates import Outcome, Tally
from janus_synth.metrics.rows import Rows, equal_rows

WINDOW = 0.05
"""Share of the synthetic values in the interval that a predicate of several columns asks of a number.

The published attack uses half-lines (*age ≥ 71*), which single out only rows at the edge of a table."""
MOST_ROWS = 20_000
LOWEST = -np.finfo(np.float64).max
"""Below all numbers, and above −∞, which stands for a missing one."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """Bounds on some columns, both included."""

    columns: LongInts
    low: Floats
    high: Floats

    def matches(self, table: Floats) -> LongInts:
        """Rows of a table that satisfy all bounds; few are left after the first columns."""
        found = np.arange(len(table))
        for column, low, high in zip(self.columns, self.low, self.high, strict=True):
            values = table[found, column]
            found = found[(values >= low) & (values <= high)]
        return found


@dataclass(frozen=True, slots=True)
class Tables:
    """Values and level codes as numbers: distinct synthetic rows, and training and unseen rows in equal numbers."""

    synthetic: Floats
    seen: Floats
    unseen: Floats
    is_ordered: tuple[bool, ...]


def singling_out(scene: Scene, n_attacks: int) -> Outcome:
    """Attack with predicates of several columns, each made to fit one synthetic row.

    Columns are added in random order until the predicate matches no other synthetic row, and a random number of
    further columns after that.
    """
    tables = _tables(scene)
    rows = scene.rng.permutation(len(tables.synthetic))[:n_attacks]
    low, high = _windows(tables, rows)
    made = (_grow(tables.synthetic, low[i], high[i], scene.rng) for i in range(len(rows)))
    predicates = [predicate for predicate in made if predicate is not None]
    return _outcome(tables, predicates, [_mix(one, low, high, scene.rng) for one in predicates])


def singling_out_univariate(scene: Scene, n_attacks: int) -> Outcome:
    """Attack with predicates of one column: from its largest or up to its smallest value, or a value that occurs once.

    Synthetic rows choose the predicates; a guess takes a number between the extremes, or any level.
    """
    tables = _tables(scene)
    found = [one for column in range(len(tables.is_ordered)) for one in _rare_values(tables, column)]
    predicates = [found[i] for i in np.sort(scene.rng.permutation(len(found))[:n_attacks])]
    return _outcome(tables, predicates, [_any_value(one, tables, scene.rng) for one in predicates])


def _tables(scene: Scene) -> Tables:
    seen, unseen = equal_rows(scene.train, scene.test, seed=scene.rng, most=MOST_ROWS)
    is_ordered = tuple(not column.discrete for column in scene.synthetic.columns)
    return Tables(_numbers(scene.synthetic), _numbers(seen), _numbers(unseen), is_ordered)


def _numbers(rows: Rows) -> Floats:
    """Values and level codes side by side; a missing number is −∞, which no interval of numbers contains."""
    columns = (np.asarray(rows[name], dtype=np.float64) for name in rows.names)
    return np.column_stack([np.where(np.isnan(values), -np.inf, values) for values in columns])


def _windows(tables: Tables, rows: LongInts) -> tuple[Floats, Floats]:
    """Bounds of every column around the values of some synthetic rows; levels and missing values match themselves."""
    low, high = tables.synthetic[rows], tables.synthetic[rows]  # copies, since rows are picked by index
    for j in np.flatnonzero(tables.is_ordered):
        column = tables.synthetic[:, j]
        values = np.sort(column[np.isfinite(column)])
        there = np.isfinite(low[:, j])
        reach = int(np.ceil(WINDOW / 2 * len(values)))
        first = np.searchsorted(values, low[there, j], side="left") - reach
        last = np.searchsorted(values, high[there, j], side="right") - 1 + reach
        low[there, j] = values[np.maximum(first, 0)]
        high[there, j] = values[np.minimum(last, len(values) - 1)]
    return low, high


def _grow(table: Floats, low: Floats, high: Floats, rng: np.random.Generator) -> Predicate | None:
    """Add columns until one row of the table is left, then some more; None if all columns are not enough."""
    order = rng.permutation(len(low))
    found = np.arange(len(table))
    for n_columns, j in enumerate(order, start=1):
        values = table[found, j]
        found = found[(values >= low[j]) & (values <= high[j])]
        if len(found) == 1:
            chosen = order[: rng.integers(n_columns, len(order) + 1)]
            return Predicate(chosen, low[chosen], high[chosen])
    return None


def _mix(predicate: Predicate, low: Floats, high: Floats, rng: np.random.Generator) -> Predicate:
    """Take the bounds of every column from another synthetic row: marginals are known, rows are not."""
    rows, columns = rng.integers(len(low), size=len(predicate.columns)), predicate.columns
    return Predicate(columns, low[rows, columns], high[rows, columns])


def _rare_values(tables: Tables, column: int) -> Iterator[Predicate]:
    """Extremes of an ordered column, and values that occur once in any column."""
    values, counts = np.unique(tables.synthetic[:, column], return_counts=True)
    finite = values[np.isfinite(values)]
    if tables.is_ordered[column] and len(finite):
        yield _bounds(column, finite[-1], np.inf)
        yield _bounds(column, LOWEST, finite[0])
    for value in values[counts == 1]:
        yield _bounds(column, value, value)


def _any_value(predicate: Predicate, tables: Tables, rng: np.random.Generator) -> Predicate:
    """A predicate of the same form and column that does not know which values are rare."""
    column, low, high = int(predicate.columns[0]), predicate.low[0], predicate.high[0]
    values = np.unique(tables.synthetic[:, column])
    finite = values[np.isfinite(values)]
    if not tables.is_ordered[column] or not len(finite):
        value = rng.choice(values)
    else:
        value = rng.uniform(finite[0], finite[-1])
        value = np.round(value) if np.all(finite == np.round(finite)) else value
    return _bounds(column, LOWEST if low == LOWEST else value, np.inf if high == np.inf else value)


def _bounds(column: int, low: float, high: float) -> Predicate:
    return Predicate(np.array([column]), np.array([low]), np.array([high]))


def _outcome(tables: Tables, predicates: Sequence[Predicate], guesses: Sequence[Predicate]) -> Outcome:
    seen, unseen = _count(predicates, tables.seen), _count(predicates, tables.unseen)
    return Outcome(seen, unseen, _count(guesses, tables.seen).rate)


def _count(predicates: Sequence[Predicate], table: Floats) -> Tally:
    """Predicates that match exactly one row.

    Several may match the same row and are then not independent: S = Σ nᵣ successes over rows r have a variance of about
    Σ nᵣ² instead of S, which is the design effect.
    """
    matched = [predicate.matches(table) for predicate in predicates]
    alone = np.array([rows[0] for rows in matched if len(rows) == 1], dtype=np.int64)
    per_row = np.bincount(alone) if len(alone) else np.ones(1)
    return Tally(len(alone), len(predicates), float((per_row**2).sum() / per_row.sum()))
