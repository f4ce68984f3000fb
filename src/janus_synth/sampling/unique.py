"""Keys that no two rows share: columns and rows in; which rows bring a new key, and how many keys there can be, out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Bools
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import InfeasibleError, UnknownColumnError
from janus_synth.model import Model
from janus_synth.rules import Rule
from janus_synth.rules.holds import SINGLE, precision_of
from janus_synth.rules.language import FixedCombinations, IsIn, IsNull, Not, all_of
from janus_synth.table import Table
from janus_synth.table.datetimes import format_datetime, zone_of


class Keys:
    """Keys seen so far: the cells of some columns, as the table stores them."""

    def __init__(self, model: Model, names: Sequence[str]) -> None:
        self.model, self.names = model, tuple(names)
        self.seen: set[bytes] = set()
        self._cells: list[Any] = []
        self._single = {name for name in names if precision_of(model.schema[name]) == SINGLE}

    @property
    def n(self) -> int:
        """Number of keys seen."""
        return len(self.seen)

    def is_new(self, table: Table) -> Bools:
        """Mask of the rows whose key neither an earlier row nor an earlier call of ``add`` had."""
        new = np.zeros(table.n_rows, bool)
        here: set[bytes] = set()
        for i, key in enumerate(self._keys(table)):
            if key not in self.seen and key not in here:
                here.add(key)
                new[i] = True
        return new

    def add(self, table: Table) -> None:
        """Remember the keys of some rows."""
        self.seen.update(self._keys(table))
        self._cells.append({name: table[name] for name in self.names})

    def _keys(self, table: Table) -> list[bytes]:
        """Each row's key as bytes."""
        cells = np.empty((table.n_rows, len(self.names)))
        for place, name in enumerate(self.names):
            values = table[name]
            cells[:, place] = values.astype(np.float32) if name in self._single else values
        cells += 0.0  # −0 and 0 are one value
        return [row.tobytes() for row in cells]

    def others(self) -> Rule:
        """Condition that the key is none of those seen."""
        schema = self.model.schema
        columns = [
            [_as_constant(schema[name], value) for part in self._cells for value in part[name]] for name in self.names
        ]
        if len(self.names) > 1:
            return Not(FixedCombinations(self.names, tuple(dict.fromkeys(zip(*columns, strict=True)))))
        values = tuple(dict.fromkeys(value for value in columns[0] if value is not None))
        other: Rule = IsIn(self.names[0], values, negated=True)
        if schema[self.names[0]].nullable and None not in columns[0]:
            return other | IsNull(self.names[0])
        return all_of([other])


def read_keys(unique: Any, model: Model) -> Keys | None:
    """Keys of the columns that rows must not share; None if there are none, or an identifier is among them.

    Identifiers are made anew for every row, so that a key with one is never repeated.
    """
    if unique is None:
        return None
    names = (unique,) if isinstance(unique, str) else tuple(unique)
    if not names:
        raise ValueError("unique is empty; name the columns of a key.")
    visible = model.visible_schema
    for name in names:
        if name not in visible:
            raise UnknownColumnError(name, visible.names, where="the schema")
    if any(not visible[name].is_learnt for name in names):
        return None
    return Keys(model, tuple(dict.fromkeys(names)))


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


def check_enough_keys(model: Model, names: Sequence[str], n: int) -> None:
    """Raise ``InfeasibleError`` if there are fewer different keys than rows, by the columns' values alone."""
    most = most_keys(model, names)
    if n > most:
        raise too_few_keys(names, n, int(most), exact=False)


def too_few_keys(names: Sequence[str], n: int, most: int, *, exact: bool) -> InfeasibleError:
    """Error that says how many rows with different keys there can be."""
    bound = "there are" if exact else "there are at most"
    return InfeasibleError(
        f"{n:,} rows cannot all differ in {', '.join(map(repr, names))}: {bound} {most:,} different keys. Ask for at "
        f"most {most:,} rows, or add a column to the key.",
        conflict=tuple(names),
    )


def _as_constant(column: Any, value: Any) -> Any:
    """A cell as a constant of a rule, None for null."""
    if column.is_discrete:
        return None if value < 0 else column.levels[int(value)]
    if np.isnan(value):
        return None
    if column.kind == "datetime":
        return format_datetime(float(value), utc=zone_of(column.dtype) is not None)
    return float(value)
