"""A schema and one array per learnt column: the value that every other layer receives and returns.

Build one with ``read_table`` from a frame, with ``Table.from_columns`` from new arrays, or from another table with
``with_columns``, ``select`` and ``take``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Bools
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.table.columns import Column, check_array
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
    >>> table = Table.from_columns(schema, {"age": np.array([31.0, 45.0]), "city": np.array([0, -1])})
    >>> table["age"], table.missing("city")
    (array([31., 45.]), array([False,  True]))
    >>> table.with_columns({"age": np.array([32.0, 46.0])})["age"]
    array([32., 46.])
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
        check_array(column, array, self.n_rows)
        array.flags.writeable = False
        return array

    @classmethod
    def from_columns(cls, schema: Schema, columns: Mapping[str, Array], *, n_rows: int | None = None) -> Table:
        """Table of these arrays; ``n_rows`` is needed only if there are none."""
        if n_rows is None:
            if not columns:
                raise DataError("a table without arrays needs n_rows.")
            n_rows = len(next(iter(columns.values())))
        return cls(schema, columns, n_rows)

    @classmethod
    def concatenate(cls, tables: Sequence[Table]) -> Table:
        """Rows of several tables of one schema, one table after another."""
        first = tables[0]
        if any(table.schema != first.schema for table in tables):
            raise DataError("tables with different schemas cannot be joined.")
        columns = {name: np.concatenate([table[name] for table in tables]) for name in first.columns}
        return cls(first.schema, columns, sum(table.n_rows for table in tables))

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

    def with_columns(self, columns: Mapping[str, Array]) -> Table:
        """Same schema and rows, with the arrays of some columns replaced."""
        return Table(self.schema, {**self.columns, **columns}, self.n_rows)

    def copy_columns(self) -> dict[str, Array]:
        """Writable copies of all arrays, to change and hand to ``with_columns``."""
        return {name: array.copy() for name, array in self.columns.items()}


def same_cells(one: Array, other: Array) -> Bools:
    """Where two arrays of a column agree; missing equals missing."""
    same = one == other
    return np.asarray(same | (np.isnan(one) & np.isnan(other)) if one.dtype.kind == "f" else same)
