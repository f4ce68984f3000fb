"""Rows of a user in, a table of the model's columns out, hidden ones included; and the way back to a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.coordinates import measure_hidden
from janus_synth.model.model import Model
from janus_synth.table import Table, read_partial, read_table, write_table


def read_rows(model: Model, frame: Any, *, columns: Sequence[str] | None = None) -> Table:
    """Read a frame with all columns of a model, or with some; hidden columns are computed from the others."""
    wanted = model.codec.names if columns is None else tuple(columns)
    table = read_table(frame, model.schema, columns=visible_columns(model, wanted))
    if model.hidden:
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


def read_partial_rows(model: Model, frame: Any) -> Table:
    """Read a frame that may lack columns; those are missing in every row, and so is what depends on them."""
    table = read_partial(frame, model.visible_schema)
    if not model.hidden:
        return table
    return measure_hidden(table, model.schema, model.links, complete=False)


def visible_table(model: Model, table: Table) -> Table:
    """Only the columns that the user knows."""
    if not model.hidden:
        return table
    return table.select([name for name in table.schema.names if name not in model.hidden])


def write_rows(model: Model, table: Table, *, rng: np.random.Generator | None = None, first_identifier: int = 0) -> Any:
    """Build a frame of the user's columns, with fresh identifiers."""
    return write_table(visible_table(model, table), rng=rng, first_identifier=first_identifier)
