"""A frame with holes in; what is there, and later the same frame with the holes filled, out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from janus_synth.arrays import Array, Bools
from janus_synth.errors import DataError
from janus_synth.table.data import Table
from janus_synth.table.frames import column_names, unwrap
from janus_synth.table.read import read_table
from janus_synth.table.schema import Schema
from janus_synth.table.write import write_table


def read_partial(frame: Any, schema: Schema) -> Table:
    """Read a frame that may lack columns of the schema; what it lacks is missing in every row."""
    kind, native = unwrap(frame)
    names = set(column_names(kind, native))
    present = [column.name for column in schema.learnt if column.name in names]
    if not present:
        raise DataError(f"the frame has none of the columns {', '.join(repr(c.name) for c in schema.learnt)}.")
    table = read_table(frame, schema, columns=present)
    columns = [table.schema[column.name] if column.name in present else column for column in schema]
    arrays = {
        column.name: table[column.name]
        if column.name in present
        else np.full(table.n_rows, -1 if column.is_discrete else np.nan)
        for column in schema.learnt
    }
    return Table(Schema(tuple(columns), schema.frame), arrays, table.n_rows)


def patch_frame(
    frame: Any, before: Table, filled: Mapping[str, Array], schema: Schema, rng: np.random.Generator
) -> Any:
    """Fill cells of a frame; columns without holes, further columns and the index stay as they are.

    A frame of another kind than the schema's comes back in the schema's kind, with its columns only.
    """
    kind, native = unwrap(frame)
    written = write_table(filled, schema, n_rows=before.n_rows, rng=rng)
    if kind != schema.frame:
        return written
    old, new = nw.from_native(native, eager_only=True), nw.from_native(written, eager_only=True)
    if kind == "pandas":
        written.index = native.index
    holes = [column.name for column in schema.learnt if before.missing(column.name).any()]
    absent = [name for name in new.columns if name not in old.columns]
    return old.with_columns(*(new[name] for name in dict.fromkeys(holes + absent))).to_native()


def rewrite_frame(frame: Any, before: Table, after: Mapping[str, Array]) -> Any:
    """The frame with the cells that changed; all others, further columns and the index stay as they are.

    A frame of another kind than the schema's comes back in the schema's kind, with its columns only.
    """
    kind, native = unwrap(frame)
    written = write_table(after, before.schema, n_rows=before.n_rows)
    if kind != before.schema.frame:
        return written
    old, new = nw.from_native(native, eager_only=True), nw.from_native(written, eager_only=True)
    if kind == "pandas":
        written.index = native.index
    columns = []
    for column in before.schema.learnt:
        same = same_cells(before[column.name], after[column.name])
        if same.all():
            continue
        mine, theirs = old[column.name], new[column.name]
        if mine.dtype == theirs.dtype and same.any():  # the cells as they were may hold more than is learnt
            theirs = mine.zip_with(_mask(same, mine), theirs)
        columns.append(theirs)
    return old.with_columns(*columns).to_native() if columns else native


def same_cells(one: Array, other: Array) -> Bools:
    """Where two physical columns agree; null equals null."""
    same = one == other
    return np.asarray(same | (np.isnan(one) & np.isnan(other)) if one.dtype.kind == "f" else same)


def _mask(rows: Bools, like: Any) -> Any:
    """A column of truth values beside another one, with its index in pandas."""
    mask = nw.new_series(like.name, rows, nw.Boolean, backend=like.implementation)
    if like.implementation.is_pandas():
        mask.to_native().index = like.to_native().index
    return mask
