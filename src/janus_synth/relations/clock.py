"""A table in; times of day such as 1405 that are others plus a column of minutes, past midnight as well, out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.relations.chance import MIN_ROWS, chance_share, is_credible, log_tail
from janus_synth.relations.details import Clock
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true
from janus_synth.relations.view import View, numbers_of
from janus_synth.rules.language.notation import format_name
from janus_synth.table.datetimes import MINUTES_OF_DAY, minutes_of_day

MIN_TIMES = 20
"""Times of day that a column has at least."""
FIRST_ROWS = 100
"""Rows that reject most candidates."""


def find_clocks(view: View) -> list[Relation]:
    """Times of day that are another one plus some minutes; the first pair that fits counts."""
    times = clock_columns(view.numbers)
    minutes = [name for name, numbers in view.numbers.items() if _is_whole(numbers) and view.unit(name) == "number"]
    tried = 3 * math.log(max(len(view.numbers), 2))
    found: dict[str, Relation] = {}
    for column, start in permutations(times, 2):
        for name in minutes:
            if column in found or name in (column, start) or start in _columns(found, name):
                continue
            if _is_more_than_chance(view, column, start, name, tried):
                found.update((column, relation) for relation in _verified(view, column, start, name))
    return list(found.values())


def _columns(found: Mapping[str, Relation], name: str) -> set[str]:
    """Times of day that follow from others by these minutes."""
    return {column for column, relation in found.items() if name in relation.columns}


def clock_columns(numbers: Mapping[str, Floats]) -> list[str]:
    """Columns whose values are all times of day, as hours times 100 plus minutes."""
    return [name for name, values in numbers.items() if _are_times(values)]


def _are_times(values: Floats) -> bool:
    present = values[~np.isnan(values)]
    if not len(present) or present.min() < 0 or not MINUTES_OF_DAY / 2 < present.max() <= 2400:
        return False
    return bool((np.mod(present, 100) < 60).all()) and _is_whole(present) and len(np.unique(present)) >= MIN_TIMES


def _is_whole(values: Floats) -> bool:
    return bool((np.isnan(values) | (values == np.rint(values))).all())


def _agree(column: Floats, start: Floats, minutes: Floats) -> Bools:
    return np.asarray(np.mod(minutes_of_day(column) - minutes_of_day(start) - minutes, MINUTES_OF_DAY) == 0)


def _is_more_than_chance(view: View, column: str, start: str, name: str, tried: float) -> bool:
    arrays = {each: view.numbers[each] for each in (column, start, name)}
    present = ~np.isnan(np.column_stack(list(arrays.values()))).any(axis=1)
    arrays = {each: array[present] for each, array in arrays.items()}

    def keeps(cells: Mapping[str, Array]) -> Bools:
        return _agree(cells[column], cells[start], cells[name])

    n_rows = int(present.sum())
    first = {each: array[:FIRST_ROWS] for each, array in arrays.items()}
    if n_rows < MIN_ROWS or not keeps(first).all() or not keeps(arrays).all():
        return False
    return is_credible(log_tail(n_rows, 0, chance_share(keeps, arrays, view.random())), tried)


def _verified(view: View, column: str, start: str, name: str) -> Iterator[Relation]:
    """The relation, if all complete rows keep it."""
    names = (column, start, name)
    complete = view.complete(names)
    cells = [numbers_of(view.table, each)[complete] for each in names]
    if not _agree(*cells).all():
        return
    midnight = 2400 if cells[0].max() == 2400 else 0
    shown, first, minutes = (format_name(each) for each in names)
    text = f"{shown} is {first} plus {minutes} minutes on the clock"
    example = view.row_values(first_true(complete), names)
    yield Relation("clock", names, "", int(complete.sum()), 0, example, Clock(column, start, name, midnight), text)
