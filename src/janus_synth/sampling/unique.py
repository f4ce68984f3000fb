"""Keys that no two rows share: columns and rows in; which rows bring a new key, and how many keys there can be, out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, LongInts
from janus_synth.deadlines import check_time
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import InfeasibleError, RuleError
from janus_synth.model import Model
from janus_synth.rules import Rule, bind
from janus_synth.rules.holds import SINGLE, precision_of
from janus_synth.rules.language import FixedCombinations, IsIn, IsNull, Not, Unique, all_of, split_keys
from janus_synth.table import Table
from janus_synth.table.datetimes import format_datetime, zone_of

MOST_IDLE = 20
"""Rounds without any new key after which redrawing ends."""


class Keys:
    """Keys seen so far: for each key the cells of some columns, as the table stores them."""

    def __init__(self, model: Model, *keys: Sequence[str]) -> None:
        self.model, self.keys = model, tuple(map(tuple, keys))
        self.names = tuple(dict.fromkeys(name for key in self.keys for name in key))
        self.seen: list[set[bytes]] = [set() for _ in self.keys]
        self._cells: list[Any] = []
        self._single = {name for name in self.names if precision_of(model.schema[name]) == SINGLE}

    @property
    def n(self) -> int:
        """Number of keys seen; of the first one, where there are several, which rows do not share either."""
        return len(self.seen[0])

    def copy(self) -> Keys:
        """The same keys, none of them seen."""
        return Keys(self.model, *self.keys)

    def is_new(self, table: Table) -> Bools:
        """Mask of the rows none of whose keys an earlier row of the mask or an earlier call of ``add`` had."""
        new = np.zeros(table.n_rows, bool)
        here: list[set[bytes]] = [set() for _ in self.keys]
        columns = [self._as_bytes(table, key) for key in self.keys]
        for i in range(table.n_rows):
            cells = [column[i] for column in columns]
            if not any(cell in seen or cell in now for cell, seen, now in zip(cells, self.seen, here, strict=True)):
                new[i] = True
                for cell, now in zip(cells, here, strict=True):
                    now.add(cell)
        return new

    def add(self, table: Table) -> None:
        """Remember the keys of some rows."""
        for key, seen in zip(self.keys, self.seen, strict=True):
            seen.update(self._as_bytes(table, key))
        self._cells.append({name: table[name] for name in self.names})

    def _as_bytes(self, table: Table, key: Sequence[str]) -> list[bytes]:
        """Each row's key as bytes."""
        cells = np.empty((table.n_rows, len(key)))
        for place, name in enumerate(key):
            values = table[name]
            cells[:, place] = values.astype(np.float32) if name in self._single else values
        cells += 0.0  # −0 and 0 are one value
        return [row.tobytes() for row in cells]

    def others(self) -> Rule:
        """Condition that no key is one of those seen."""
        return all_of([self._other(key) for key in self.keys])

    def _other(self, key: Sequence[str]) -> Rule:
        schema = self.model.schema
        columns = [[_as_constant(schema[name], value) for part in self._cells for value in part[name]] for name in key]
        if len(key) > 1:
            return Not(FixedCombinations(tuple(key), tuple(dict.fromkeys(zip(*columns, strict=True)))))
        values = tuple(dict.fromkeys(value for value in columns[0] if value is not None))
        other: Rule = IsIn(key[0], values, negated=True)
        return other | IsNull(key[0]) if schema[key[0]].nullable and None not in columns[0] else other

    def __str__(self) -> str:
        return " and in ".join(", ".join(map(repr, key)) for key in self.keys)


def read_keys(wanted: Any, model: Model, rules: Sequence[Rule] = ()) -> Keys | None:
    """Keys that rows must not share: those of an argument, of rules, and of the model; None if there are none.

    Identifiers are made anew for every row, so that a key with one is never repeated. Personal values are made up and
    may repeat: the other columns of their key then differ.
    """
    listed = [] if wanted is None else [(wanted,) if isinstance(wanted, str) else tuple(wanted)]
    if () in listed:
        raise ValueError("unique is empty; name the columns of a key.")
    listed += [key.names for key in split_keys((*model.all_rules, *rules))[1]]
    visible = model.visible_schema
    found = []
    for names in dict.fromkeys(tuple(dict.fromkeys(names)) for names in listed):
        bind(Unique(names), visible)  # raises for unknown columns, and for keys of made-up values alone
        if not any(visible[name].kind == "identifier" and not visible[name].nullable for name in names):
            learnt = tuple(name for name in names if visible[name].is_learnt)
            if not learnt:
                raise RuleError(f"{Unique(names)}: identifiers with nulls are no key. Add a learnt column.")
            found.append(learnt)
    return Keys(model, *found) if found else None


def most_keys(model: Model, names: Sequence[str]) -> float:
    """Upper bound of the number of different keys; infinite if a column is continuous.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(n_trees=1, random_state=0).fit(datasets.hiring(200, random_state=0)).model_
    >>> most_keys(model, ["sex", "hired"])
    4.0
    """
    total = 1.0
    for name in names:
        codec = model.codec.columns[name]
        if isinstance(codec, LevelCodec):
            n_values = float((codec.weight > 0).sum())
        else:
            assert isinstance(codec, OrderedCodec)
            n_values = float(len(codec.atoms)) if len(codec.atoms) == codec.n_bins else np.inf
            if codec.lattice is not None and len(codec.atoms) < codec.n_bins:
                ends = codec.smallest(0), codec.largest(codec.n_bins - 1)
                n_values = round((ends[1] - ends[0]) / codec.lattice.step) + 1.0
        total *= n_values + codec.nullable
    return total


def check_enough_keys(keys: Keys, n: int) -> None:
    """Raise ``InfeasibleError`` if there are fewer different keys than rows, by the columns' values alone."""
    for key in keys.keys:
        most = most_keys(keys.model, key)
        if n > most:
            raise too_few_keys(Keys(keys.model, key), n, int(most), exact=False)


def too_few_keys(keys: Keys, n: int, most: int, *, exact: bool, proven: bool = True) -> InfeasibleError:
    """Error that says how many rows with different keys there can be.

    With several keys, another choice of rows might leave room for more, so that the number is not ``proven``.
    """
    if len(keys.keys) > 1 or not proven:
        bound = f"after {most:,} rows, no other one was found"
    else:
        bound = f"there are {'' if exact else 'at most '}{most:,} different keys"
    return InfeasibleError(
        f"{n:,} rows cannot all differ in {keys}: {bound}. Ask for at most {most:,} rows, or add a column to the key.",
        conflict=keys.names,
    )


def redraw_repeated(keys: Keys, table: Table, draw: Callable[[LongInts, int], Table]) -> Table:
    """Redraw rows until no two share a key; ``draw`` returns new rows for some positions, by the number of the round.

    Each row follows its distribution given that its keys are new. Raise ``InfeasibleError`` if none is found in many
    rounds.
    """
    rows = table.copy_columns()
    is_settled = keys.is_new(table)
    keys.add(table.take(np.flatnonzero(is_settled)))
    idle = 0
    for number in count(1):
        waiting = np.flatnonzero(~is_settled)
        if not len(waiting):
            return table.with_columns(rows)
        if idle == MOST_IDLE:
            raise too_few_keys(keys, table.n_rows, keys.n, exact=False, proven=False)
        check_time()
        drawn = draw(waiting, number)
        new = keys.is_new(drawn)
        keys.add(drawn.take(np.flatnonzero(new)))
        for name, cells in drawn.columns.items():
            rows[name][waiting[new]] = cells[new]
        is_settled[waiting[new]] = True
        idle = 0 if new.any() else idle + 1
    raise AssertionError


def _as_constant(column: Any, value: Any) -> Any:
    """A cell as a constant of a rule, None for null."""
    if column.is_discrete:
        return None if value < 0 else column.levels[int(value)]
    if np.isnan(value):
        return None
    if column.kind == "datetime":
        return format_datetime(float(value), utc=zone_of(column.dtype) is not None)
    return float(value)
