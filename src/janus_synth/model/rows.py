"""Rows of a user in, a table of the model's columns out, hidden ones included; and the way back to a frame.

Rows that are only partly there are checked: their cells must be values that the model's rows can have.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from janus_synth.coordinates import measure_hidden
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.model.model import Model
from janus_synth.table import Column, Table, read_partial, read_table, write_table
from janus_synth.table.datetimes import format_datetime, zone_of
from janus_synth.table.frames import column_names_of
from janus_synth.table.nulls import null_masks, read_null_columns

KEEP = "Correct the cell, or pass unknown='keep' to complete."
CLOSE_NAME = 0.8
"""Similarity from which a column's name counts as a misspelling of one that is absent."""


def read_rows(model: Model, frame: Any, *, columns: Sequence[str] | None = None) -> Table:
    """Read a frame with all columns of a model, or with some; hidden columns are computed from the others."""
    wanted = model.codec.names if columns is None else tuple(columns)
    table = read_table(frame, model.schema, columns=visible_columns(model, wanted))
    if model.hidden:
        table = read_null_columns(table, frame, model.schema, wanted)
        table = measure_hidden(table, model.schema, model.links)
        table = table.select([name for name in table.schema.names if name in wanted])
    return table


def visible_columns(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """Columns of the user that some columns are measured from, in the order of the model."""
    needed = set(names)
    for link in model.links:
        if needed & set(link.hidden):
            needed |= {link.column, *link.visible_inputs}
    return tuple(name for name in model.codec.names if name in needed and name not in model.hidden)


class PartialRows(NamedTuple):
    """Rows that may lack cells and columns."""

    table: Table
    """Absent columns are missing in every row, and so is what depends on them."""
    absent: tuple[str, ...]
    """Columns that the frame does not have."""


def read_partial_rows(model: Model, frame: Any, *, check: bool = True) -> PartialRows:
    """Read a frame that may lack columns; further columns are ignored.

    With ``check``, raise ``UnknownColumnError`` for a column whose name is close to one that the frame lacks, and
    ``DataError`` for a cell that no row of the model can have.
    """
    names = column_names_of(frame)
    visible = model.visible_schema
    absent = tuple(column.name for column in visible.learnt if column.name not in names)
    for name in names if check else ():
        if name not in visible and difflib.get_close_matches(str(name), absent, n=1, cutoff=CLOSE_NAME):
            raise UnknownColumnError(name, absent, where="the model")
    table = read_partial(frame, visible)
    for column in visible.learnt if check else ():
        if column.name not in absent and column.name not in model.interventions:
            _check_cells(column, table)
    if model.hidden:
        table = read_null_columns(table, frame, model.schema, model.codec.names)
        table = measure_hidden(table, model.schema, model.links, complete=False)
    return PartialRows(table, absent)


def _check_cells(column: Column, table: Table) -> None:
    """Raise ``DataError`` for the first cell that lies far outside the column's domain, or is none of its levels.

    New rows may lie somewhat beyond the training rows, and these beyond the model's domain, which leaves extremes of
    few rows out; a cell that is farther away than the domain is wide is an error.
    """
    cells = table[column.name]
    if column.is_discrete:
        bad = np.flatnonzero(cells >= len(column.levels))
        if len(bad):
            level, known = table.schema[column.name].levels[int(cells[bad[0]])], ", ".join(map(repr, column.levels[:6]))
            more = ", …" if len(column.levels) > 6 else ""
            raise DataError(
                f"row {bad[0]}: column {column.name!r} has no level {level!r}; it has {known}{more}. {KEEP}"
            )
        return
    if "int" in column.dtype.lower() and len(bad := np.flatnonzero(cells % 1 > 0)):  # null is not above 0
        raise DataError(
            f"row {bad[0]}: column {column.name!r} is {cells[bad[0]]:g}, and it holds whole numbers. {KEEP}"
        )
    low, high = (-np.inf if column.low is None else column.low), (np.inf if column.high is None else column.high)
    slack = high - low if np.isfinite(high - low) else 0.0
    bad = np.flatnonzero((cells < low - slack) | (cells > high + slack))
    if len(bad):
        shown = [_as_text(column, value) for value in (float(cells[bad[0]]), low, high)]
        raise DataError(
            f"row {bad[0]}: column {column.name!r} is {shown[0]}, outside its domain from {shown[1]} to {shown[2]}. "
            f"{KEEP}"
        )


def _as_text(column: Column, value: float) -> str:
    if column.kind == "datetime" and np.isfinite(value):
        return format_datetime(value, utc=zone_of(column.dtype) is not None)
    return f"{value:g}"


def visible_table(model: Model, table: Table) -> Table:
    """Only the columns that the user knows."""
    if not model.hidden:
        return table
    return table.select([name for name in table.schema.names if name not in model.hidden])


def write_rows(model: Model, table: Table, *, rng: np.random.Generator | None = None, first_identifier: int = 0) -> Any:
    """Build a frame of the user's columns, with fresh identifiers."""
    visible = visible_table(model, table)
    return write_table(visible, rng=rng, first_identifier=first_identifier, nulls=null_masks(table))
