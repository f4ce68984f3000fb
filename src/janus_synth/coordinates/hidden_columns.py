"""A table and links in, the table with the links' hidden columns out; and the way back to the columns of the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.coordinates.formulas import DAY
from janus_synth.coordinates.links import SOURCES, Link, as_cells
from janus_synth.coordinates.local_time import LocalTime
from janus_synth.coordinates.scaled import Scaled
from janus_synth.table import Column, Schema, Table
from janus_synth.table.cells import as_floats


def with_hidden_columns(table: Table, links: Sequence[Link]) -> Table:
    """A training table with the hidden columns of all links; a linked column's own stand just before it."""
    measured: dict[str, Floats] = {}
    columns: list[Column] = []
    by_column = {link.column: link for link in links}
    for column in table.schema:
        if (link := by_column.get(column.name)) is not None:
            found = link.measure(_values(table, link))
            measured |= found
            columns += [_hidden_column(link, name, column, values) for name, values in found.items()]
        columns.append(column)
    schema = Schema(tuple(columns), table.schema.frame)
    arrays: dict[str, Array] = dict(table.columns)
    arrays |= {name: as_cells(schema[name], values) for name, values in measured.items()}
    return Table(schema, arrays, table.n_rows)


def measure_hidden(table: Table, schema: Schema, links: Sequence[Link], *, complete: bool = True) -> Table:
    """Rows of a fitted model's schema with its hidden columns, as far as their inputs are in the table.

    If rows are not ``complete``, a missing cell is unknown rather than null, and so is what depends on it.
    """
    arrays: dict[str, Array] = dict(table.columns)
    for link in links:
        if all(name in arrays for name in (link.column, *link.visible_inputs)):
            found = link.measure(_values(table, link), complete=complete)
            arrays |= {name: as_cells(schema[name], values) for name, values in found.items()}
    hidden = {name for link in links for name in link.hidden}
    known = {column.name: column for column in table.schema}
    columns = [known.get(column.name, column) for column in schema]
    columns = [_allow_null(c, arrays[c.name]) if c.name in hidden and c.name in arrays else c for c in columns]
    kept = tuple(column for column in columns if not column.is_learnt or column.name in arrays)
    return Table(Schema(kept, schema.frame), arrays, table.n_rows)


def _allow_null(column: Column, cells: Array) -> Column:
    missing = cells < 0 if cells.dtype.kind == "i" else np.isnan(cells)
    return replace(column, nullable=column.nullable or bool(missing.any()))


def _values(table: Table, link: Link) -> dict[str, Floats]:
    return {name: as_floats(table[name]) for name in (link.column, *link.visible_inputs)}


def _hidden_column(link: Link, name: str, column: Column, values: Floats) -> Column:
    """Definition of a hidden column: dates and own values have the column's domain, gaps that of their values."""
    missing = bool(np.isnan(values).any())
    if name == link.source:
        return Column(name, "categorical", "str", nullable=missing, levels=SOURCES)
    if isinstance(link.formula, Scaled) and name == link.formula.factor:
        return Column(name, "categorical", "str", nullable=missing, levels=link.formula.levels)
    if name == link.own:
        return replace(column, name=name, nullable=True)
    if name in link.parts[:1]:
        ends = np.array([np.nan if end is None else end for end in (column.low, column.high)])
        dtype = column.dtype
        if isinstance(link.formula, LocalTime):
            ends, dtype = link.formula.local(ends), "datetime64[us]"
        low, high = (None if np.isnan(end) else float(end - end % DAY) for end in ends)
        return replace(column, name=name, dtype=dtype, format=None, low=low, high=high)
    present = values[~np.isnan(values)]
    low, high = (float(present.min()), float(present.max())) if len(present) else (None, None)
    dtype = "timedelta64[us]" if column.kind == "datetime" else column.dtype
    return Column(name, "numeric", dtype, nullable=missing, low=low, high=high)
