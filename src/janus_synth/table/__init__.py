"""A DataFrame in, a ``Schema`` and typed columns out, and back again with the same dtypes."""

from janus_synth.table.columns import Column, Kind, Level
from janus_synth.table.data import Table
from janus_synth.table.frames import frame_kind
from janus_synth.table.patch import patch_frame, read_partial, rewrite_frame, same_cells
from janus_synth.table.plain import column_names_of, count_rows, kind_and_index, plain_frame, take_rows
from janus_synth.table.read import read_table
from janus_synth.table.schema import Schema
from janus_synth.table.values import physical_value, shown_value
from janus_synth.table.write import write_table

__all__ = [
    "Column",
    "Kind",
    "Level",
    "Schema",
    "Table",
    "column_names_of",
    "count_rows",
    "frame_kind",
    "kind_and_index",
    "patch_frame",
    "physical_value",
    "plain_frame",
    "read_partial",
    "read_table",
    "rewrite_frame",
    "same_cells",
    "shown_value",
    "take_rows",
    "write_table",
]
