"""A schema and one physical array per learnt column: what every other layer works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Bools
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.table.columns import Column
from janus_synth.table.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns in physical units.

    Numeric columns are float64, datetimes float64 microseconds since the epoch in UTC, durations
    float64 microseconds, all with NaN for missing; booleans and categories are int32 indices into
    the column's levels with −1 for missing. Identifiers have no array. Arrays are read-only.

    Parameters
    ----------
    schema : Schema
        Columns of the table.
    columns : mapping of str to array
        One array per learnt column.
    n_rows : int
        Length of every array.

    Examples
    --------
    >>> age, city = Column("age", "numeric", "int64"), Column("city", "categorical", "str", levels=("Rome",))
    >>> schema = Schema((age, city))
    >>> table = Table(schema, {"age": np.array([31.0, 45.0]), "city": np.array([0, -1])}, n_rows=2)
    >>> table["age"], table.missing("city")
    (array([31., 45.]), array([False,  True]))
    """

    schema: Schema
    columns: Mapping[str, Array]
    n_rows: int

    def __post_init__(self) -> None:
        columns = {column.name: self._frozen(column) for column in self.schema.learnt}
        if unknown := [name for name in self.columns if name not in columns]:
            raise UnknownColumnError(unknown[0], columns, where="the schema's learnt columns")
        object.__setattr__(self, "columns", columns)

    def _frozen(self, column: Column) -> Array:
        if column.name not in self.columns:
            raise DataError(f"column {column.name!r} has no array.")
        dtype = np.int32 if column.is_discrete else np.float64
        array = np.asarray(self.columns[column.name], dtype=dtype).view()
        if array.shape != (self.n_rows,):
            raise DataError(f"column {column.name!r} has shape {array.shape}; it must be ({self.n_rows},).")
        if column.is_discrete and array.size and not -1 <= array.min() <= array.max() < len(column.levels):
            raise DataError(f"column {column.name!r} has codes outside its {len(column.levels)} levels.")
        array.flags.writeable = False
        return array

    def __getitem__(self, name: str) -> Array:
        try:
            return self.columns[name]
        except KeyError:
            raise UnknownColumnError(name, self.columns, where="the table") from None

    def __len__(self) -> int:
        return self.n_rows

    def missing(self, name: str) -> Bools:
        """Which cells of a column are missing."""
        array = self[name]
        return array < 0 if array.dtype.kind == "i" else np.isnan(array)

    def select(self, names: Sequence[str]) -> Table:
        """Only these columns, in this order."""
        schema = self.schema.select(tuple(names))
        return Table(schema, {column.name: self[column.name] for column in schema.learnt}, self.n_rows)

    def take(self, rows: Array | Sequence[int] | slice) -> Table:
        """Only these rows, in this order: indices, a mask or a slice."""
        chosen = rows if isinstance(rows, slice) else np.asarray(rows, dtype=None if len(rows) else np.int64)
        n_rows = len(np.empty(self.n_rows, dtype=bool)[chosen])
        return Table(self.schema, {name: array[chosen] for name, array in self.columns.items()}, n_rows)
