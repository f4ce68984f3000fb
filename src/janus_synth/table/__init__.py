"""A DataFrame in, a ``Schema`` and typed columns out, and back again with the same dtypes."""

from janus_synth.table.columns import Column, Kind, Level
from janus_synth.table.data import Table
from janus_synth.table.frames import frame_kind
from janus_synth.table.patch import patch_frame, read_partial
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
    "frame_kind",
    "patch_frame",
    "physical_value",
    "read_partial",
    "read_table",
    "shown_value",
    "write_table",
]
