"""A DataFrame in, a ``Schema`` and a ``Table`` of typed columns out, and back again with the same dtypes.

Frames are read as ``frames`` → ``read_pandas`` or ``arrow`` → ``raw_columns`` → ``detect`` → ``read``, and written as
``write`` → ``output_columns`` → ``write_pandas`` or ``arrow``.

Every layer has one representation of *missing*:

====================================  ====================================================================
a user's frame                        the marker of its library: None, NaN, NaT, NA, null
``RawColumn`` (inside this package)   the mask ``missing``, since integers have no NaN
``Table``, and all draws              NaN in float columns, −1 in level indices (``Column.missing_value``)
codes (``janus_synth.encoding``)      the last code of each column, ``n_codes − 1``
single values, rows as JSON           None
====================================  ====================================================================
"""

from janus_synth.table.columns import Column, Kind, Level, physical_value, shown_value
from janus_synth.table.frames import (
    column_names_of,
    count_rows,
    frame_kind,
    kind_and_index,
    plain_frame,
    take_rows,
)
from janus_synth.table.read import read_partial, read_table
from janus_synth.table.schema import Schema
from janus_synth.table.table import Table, same_cells
from janus_synth.table.write import patch_frame, rewrite_frame, write_table

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
