"""Null cells of personal columns: a table and its frame in, the table with a hidden column for each out; and back.

Personal values are not learnt, but whether they are there is: e-mail and telephone may be missing together, or in the
same branch. A hidden boolean column says so, and masks the made-up values when rows are written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools
from janus_synth.table.columns import Column
from janus_synth.table.frames import column_names, read_column, unwrap
from janus_synth.table.raw_columns import mark_missing
from janus_synth.table.schema import Schema
from janus_synth.table.table import Table


def with_null_columns(table: Table, frame: Any, *, least: int = 1) -> Table:
    """Training rows with a hidden column for each personal column that is null in some rows and present in others.

    Parameters
    ----------
    table : Table
        Rows of the frame.
    frame : DataFrame or Table
        pandas, polars or pyarrow.
    least : int
        Fewest rows with and without a value; otherwise nulls stay independent of other columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.table import read_table
    >>> frame = pd.DataFrame({"mail": ["ada@lovelace.org", None] * 3, "age": range(6)})
    >>> with_null_columns(read_table(frame), frame)["mail is missing"].tolist()
    [0, 1, 0, 1, 0, 1]
    """
    columns, arrays = list(table.schema), dict(table.columns)
    for column in table.schema:
        if column.kind == "personal" and column.nullable:
            gone = _missing_cells(frame, column)
            if least <= gone.sum() <= len(gone) - least:
                name = _unused(f"{column.name} is missing", table.schema)
                columns.append(Column(name, "boolean", "bool", nulls_of=column.name))
                arrays[name] = gone.astype(np.int32)
    return Table(Schema(tuple(columns), table.schema.frame), arrays, table.n_rows)


def without_null_columns(table: Table) -> Table:
    """The same rows without hidden columns of nulls."""
    names = [column.name for column in table.schema if column.nulls_of is None]
    return table if len(names) == len(table.schema) else table.select(names)


def read_null_columns(table: Table, frame: Any, schema: Schema, wanted: Collection[str]) -> Table:
    """Rows for a fitted model, with hidden columns of nulls as ``wanted``; unknown if the personal column is absent."""
    found: dict[str, tuple[Column, Array]] = {}
    for column in schema:
        if column.nulls_of is None or column.name not in wanted:
            continue
        kind, native = unwrap(frame)
        if column.nulls_of in column_names(kind, native):
            found[column.name] = column, _missing_cells(frame, schema[column.nulls_of]).astype(np.int32)
        else:
            found[column.name] = replace(column, nullable=True), np.full(table.n_rows, -1, np.int32)
    if not found:
        return table
    known = {column.name: column for column in table.schema} | {name: column for name, (column, _) in found.items()}
    columns = tuple(known[name] for name in schema.names if name in known)
    return Table(
        Schema(columns, table.schema.frame), {**table.columns, **{n: a for n, (_, a) in found.items()}}, table.n_rows
    )


def null_masks(table: Table) -> dict[str, Array]:
    """1 where a personal column is null, 0 where it is not and −1 where that is unknown, by the column's name."""
    return {column.nulls_of: table[column.name] for column in table.schema if column.nulls_of is not None}


def _missing_cells(frame: Any, column: Column) -> Bools:
    kind, native = unwrap(frame)
    return mark_missing(read_column(kind, native, column.name), column.missing, column.format).missing


def _unused(name: str, schema: Schema) -> str:
    while name in schema:
        name += "?"
    return name
