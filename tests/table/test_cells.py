"""Cells and floats are inverse, and agree on what is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth.table import read_table
from janus_synth.table.cells import as_cells, as_floats


def test_cells_and_floats_are_inverse_in_all_kinds_of_columns():
    frame = pd.DataFrame({"x": [1.5, None, 3.0], "c": ["u", None, "v"], "f": [True, False, None]})
    frame["at"] = pd.to_datetime(["2024-01-01", None, "2024-02-01"])
    table = read_table(frame)
    for column in table.schema:
        cells = table[column.name]
        floats = as_floats(cells)
        assert floats.dtype == np.float64
        np.testing.assert_array_equal(np.isnan(floats), frame[column.name].isna())
        again = as_cells(floats, discrete=column.is_discrete)
        np.testing.assert_array_equal(again, cells)
        assert again.dtype == cells.dtype
