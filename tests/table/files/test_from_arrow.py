"""Frames of Arrow tables: dtypes that lose nothing."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from janus_synth.table.files.from_arrow import frame_of_arrow


def test_integers_and_booleans_with_nulls_keep_their_type():
    frame = frame_of_arrow(pa.table({"n": pa.array([1, None], pa.int32()), "b": [True, None], "m": [1, 2]}))
    assert [str(dtype) for dtype in frame.dtypes] == ["Int32", "boolean", "int64"]


def test_dtypes_that_pandas_stored_come_back():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b"], ["b", "a"], ordered=True), "n": pd.array([1, None], "Int8")})
    pd.testing.assert_frame_equal(frame_of_arrow(pa.Table.from_pandas(frame)), frame)


def test_other_kinds_of_frames():
    table = pa.table({"n": [1, 2]})
    assert frame_of_arrow(table, "pyarrow") is table
    polars = pytest.importorskip("polars")
    assert isinstance(frame_of_arrow(table, "polars"), polars.DataFrame)
