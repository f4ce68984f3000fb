"""Tables become frames of their schema, and a user's frame keeps every cell that did not change."""

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from janus_synth.errors import SchemaError
from janus_synth.table import Schema, Table, patch_frame, read_partial, read_table, rewrite_frame, write_table
from table.native_columns import written

FRAME = pd.DataFrame(
    {
        "age": [31, 45, 60],
        "city": ["Rome", "Oslo", "Rome"],
        "member": [True, False, True],
        "start": pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"]),
    }
)
SCHEMA = Schema.detect(FRAME)


def test_the_columns_keep_their_order_and_identifiers_their_place():
    frame = pd.DataFrame({"b": [1.5] * 20, "key": [f"k{i}" for i in range(20)], "a": ["x"] * 20})
    assert list(written(frame).columns) == ["b", "key", "a"]


def test_tables_without_rows_can_be_written():
    for frame in (
        pd.DataFrame({"x": [1], "y": ["a"]}),
        pl.DataFrame({"x": [1], "y": ["a"]}),
        pa.table({"x": [1], "y": ["a"]}),
    ):
        schema = Schema.detect(frame)
        empty = write_table(Table(schema, {"x": np.array([]), "y": np.array([], dtype=np.int32)}, 0))
        assert empty.shape == (0, 2)
        assert list(empty.schema if not isinstance(frame, pd.DataFrame) else empty.dtypes) == list(
            frame.schema if not isinstance(frame, pd.DataFrame) else frame.dtypes
        )


def test_unknown_dtypes_are_named():
    for kind in ("pandas", "polars", "pyarrow"):
        schema = Schema.from_dict({"frame": kind, "columns": [{"name": "x", "kind": "numeric", "dtype": "int65"}]})
        with pytest.raises(SchemaError, match=r"column 'x': .*'int65'"):
            write_table(Table(schema, {"x": np.array([1.0])}, 1))


def test_a_table_is_written_with_its_own_schema_and_rows():
    table = read_table(FRAME)
    pd.testing.assert_frame_equal(write_table(table), FRAME)
    later = Table(table.schema.with_column("age", dtype="float64"), table.columns, table.n_rows)
    assert write_table(later)["age"].dtype == np.float64


def test_filled_frames_keep_complete_columns_further_columns_and_the_index():
    frame = pd.DataFrame(
        {"age": [31, 45, None], "city": ["Rome", None, "Oslo"], "note": [[1], [2], [3]], "member": [True, False, True]},
        index=[7, 5, 9],
    )
    schema = Schema.detect(frame.drop(columns="note"))
    before = read_partial(frame.drop(columns="member"), schema)
    assert before.missing("member").all()
    filled = before.with_columns(
        {"age": np.array([31.0, 45.0, 60.0]), "city": np.array([1, 0, 0]), "member": np.array([1, 1, 0])}
    )
    result = patch_frame(frame.drop(columns="member"), before, filled, np.random.default_rng(0))
    assert result.index.tolist() == [7, 5, 9]
    assert result["note"].tolist() == [[1], [2], [3]]
    assert result["age"].tolist() == [31, 45, 60]
    assert result["city"].tolist() == ["Rome", "Oslo", "Oslo"]
    assert result["member"].tolist() == [True, True, False]


def test_rewritten_frames_keep_the_cells_that_did_not_change():
    frame = pd.DataFrame({"x": [2**60 + 1, 5, 6], "note": [[1], [2], [3]]}, index=[7, 5, 9])
    before = read_table(frame, columns=["x"])  # as a float, the first number is rounded
    assert rewrite_frame(frame, before, before) is frame
    result = rewrite_frame(frame, before, before.with_columns({"x": np.array([before["x"][0], 8.0, 6.0])}))
    assert result["x"].tolist() == [2**60 + 1, 8, 6]
    assert result["note"].tolist() == [[1], [2], [3]]
    assert result.index.tolist() == [7, 5, 9]


def test_frames_of_another_kind_come_back_in_the_kind_of_the_schema():
    before = read_table(pl.from_pandas(FRAME), SCHEMA)
    after = before.with_columns({"age": before["age"] + 1})
    pd.testing.assert_frame_equal(rewrite_frame(pl.from_pandas(FRAME), before, after), FRAME.assign(age=[32, 46, 61]))
