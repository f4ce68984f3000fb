"""A table in; pairs of values out of which one implies the other: a husband is male, no earlier contact, no outcome.

Values are levels of categories, booleans, and values that a number often has. That all but k of the n rows with the
first value have the second one is compared with the share of the second value among all rows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Bools, Floats32
from janus_synth.relations.chance import MIN_ROWS, is_credible, log_tail
from janus_synth.relations.details import Implication
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rows_that_hold, value_text
from janus_synth.relations.view import FEW_VALUES, View, special_values
from janus_synth.table import Level, shown_value

MAX_EXCEPTIONS = 0.001
"""Share of rows that may break it."""
MIN_EXPECTED = 20.0
"""Exceptions that there would be by chance, at least."""
NEAR_SHARE = 0.02
"""Share of rows that are beside a value of a number."""
MAX_ITEMS = 600
MAX_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class _Item:
    """A value of a column."""

    column: str
    value: Level

    def __str__(self) -> str:
        return value_text(self.column, self.value)


def find_implications(view: View, known: Collection[frozenset[str]]) -> list[Relation]:
    """Implications between values of columns; pairs of columns in ``known`` are skipped."""
    items = _items(view)
    pairs = [
        (one, other)
        for one, other in _candidates(view, items)
        if frozenset((items[one].column, items[other].column)) not in known
        and _is_sharp(view, items[one], items[other])
    ]
    pairs = _without_contrapositives(view, items, _without_transitive(pairs))
    found = []
    for one, other in pairs:
        both = (other, one) in pairs
        if not both or one < other:
            relation = _verify(view, items[one], items[other], both)
            found += [] if relation is None else [relation]
    return found


def _items(view: View) -> list[_Item]:
    """Frequent values of all columns."""
    items: list[tuple[int, int, _Item]] = []
    for column in view.columns:
        if column.kind == "datetime":
            continue
        cells, missing = view.sample[column.name], view.sample.missing(column.name)
        values, counts = np.unique(cells[~missing], return_counts=True)
        listed = np.ones(len(values), dtype=bool) if column.is_discrete else special_values(values, counts)
        for value, count in zip(values[listed].tolist(), counts[listed].tolist(), strict=True):
            shown = shown_value(column, value)
            if count >= MIN_ROWS and shown is not None:
                items.append((count, len(items), _Item(column.name, shown)))
    kept = sorted(items, key=lambda item: -item[0])[:MAX_ITEMS]
    return [item for _, _, item in sorted(kept, key=lambda item: item[1])]


def _holds(view: View, item: _Item) -> Bools:
    column = view.table.schema[item.column]
    cells = view.sample[item.column][:MAX_ROWS]
    if column.is_discrete:
        found: Bools = cells == column.levels.index(item.value)
        return found
    return np.asarray(cells == item.value)


def _candidates(view: View, items: Sequence[_Item]) -> Iterator[tuple[int, int]]:
    """Pairs of items of which the first implies the second in the sample, up to exceptions, and not by chance."""
    if not items:
        return
    is_true: Floats32 = np.column_stack([_holds(view, item) for item in items]).astype(np.float32)
    columns = sorted({item.column for item in items})
    place = np.array([columns.index(item.column) for item in items])
    present = np.column_stack([~view.sample.missing(name)[:MAX_ROWS] for name in columns]).astype(np.float32)
    together = is_true.T @ is_true
    applies = (is_true.T @ present)[:, place]
    shares = is_true.sum(axis=0) / np.maximum(present.sum(axis=0)[place], 1)
    broken = applies - together
    allowed = np.floor(MAX_EXCEPTIONS * applies)
    fits = (broken <= allowed) & (applies >= MIN_ROWS) & (place[:, None] != place[None, :])
    fits &= applies * (1.0 - shares)[None, :] >= MIN_EXPECTED
    tried = 2 * math.log(len(items))
    for one, other in zip(*np.nonzero(fits), strict=True):
        tail = log_tail(int(applies[one, other]), int(broken[one, other]), float(shares[other]))
        if is_credible(tail, tried):
            yield int(one), int(other)


def _is_sharp(view: View, one: _Item, other: _Item) -> bool:
    """Whether a value of a number says something that the values beside it do not.

    Numbers that depend smoothly on one another, and are rounded, imply values of one another too: few values of
    numbers imply nothing about numbers, and at most half of the rows beside the first value may have the second one.
    """
    kinds = [view.table.schema[item.column].kind for item in (one, other)]
    if kinds[0] != "numeric":
        return True
    if kinds[1] == "numeric" and any(2 <= int(view.codes[item.column].max()) < FEW_VALUES for item in (one, other)):
        return False
    x, result = view.numbers[one.column][:MAX_ROWS], _holds(view, other)
    distance = np.abs(x - float(one.value))
    beside = np.argsort(distance)[int((distance == 0).sum()) :][: max(MIN_ROWS, int(NEAR_SHARE * len(x)))]
    beside = beside[~np.isnan(distance[beside])]
    return bool(len(beside) and result[beside].mean() <= 0.5)


def _without_transitive(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop implications that follow from others: of items that imply one another, the first stands for all."""
    known = set(pairs)
    first: dict[int, int] = {}
    for one, other in sorted(pairs):
        if (other, one) in known and one < other:
            first.setdefault(other, first.get(one, one))
    between = {(one, other) for one, other in pairs if one not in first and other not in first}
    after: dict[int, set[int]] = {}
    for one, other in between:
        after.setdefault(one, set()).add(other)
    direct = {(one, other) for one, other in between if not any((m, other) in between for m in after[one] - {other})}
    same = {pair for other, one in first.items() for pair in ((one, other), (other, one)) if pair in known}
    return sorted(direct | same)


def _without_contrapositives(
    view: View, items: Sequence[_Item], pairs: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Of an implication between columns of two values and its contrapositive, keep the first."""
    opposite: dict[int, int] = {}
    for i, item in enumerate(items):
        others = [j for j, other in enumerate(items) if other.column == item.column and j != i]
        if len(others) == 1 and int(view.codes[item.column].max()) == 1:
            opposite[i] = others[0]
    kept: list[tuple[int, int]] = []
    for one, other in pairs:
        reverse = (opposite.get(other, -1), opposite.get(one, -1))
        if reverse not in kept or reverse == (one, other):
            kept.append((one, other))
    return kept


def _verify(view: View, one: _Item, other: _Item, both: bool) -> Relation | None:
    """Return the implication, if hardly any row breaks it."""
    names = (other.column, one.column)
    table = view.table
    premise, conclusion = rows_that_hold(str(one), table), rows_that_hold(str(other), table)
    if premise is None or conclusion is None:
        return None
    applies = premise & ~table.missing(other.column)
    support, exceptions = int(applies.sum()), int((applies & ~conclusion).sum())
    back = conclusion & ~table.missing(one.column) & ~premise
    both = both and not back.any() and exceptions == 0
    if exceptions > MAX_EXCEPTIONS * support:
        return None
    text = f"implies({one}, {other})"
    rule = text + (f" and implies({other}, {one})" if both else "")
    rule = or_null(rule, names if both else names[:1], table.schema)
    example = view.row_values(first_true(applies & conclusion), names)
    detail = Implication(other.column, other.value, one.column, one.value, both)
    shown = f"{one} exactly where {other}" if both else text
    return Relation("implication", names, rule, support, exceptions, example, detail, shown)
