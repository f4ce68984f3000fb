"""Columns of pyarrow and polars are read and written without loss."""

import decimal
from decimal import Decimal

import numpy as np
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from janus_synth.errors import SchemaError
from janus_synth.table import Schema, Table, read_table, write_table
from table.native_columns import ARROW, POLARS, written


@pytest.mark.parametrize("array", ARROW.values(), ids=ARROW)
def test_arrow_columns_come_back_as_they_were(array):
    frame = pa.table({"x": array, "other": pa.array(range(len(array)))})
    result = written(frame)
    assert result.schema == frame.schema
    assert result.equals(frame)


@pytest.mark.parametrize("series", POLARS.values(), ids=POLARS)
def test_polars_columns_come_back_as_they_were(series):
    frame = pl.DataFrame({"x": series, "other": range(len(series))})
    polars.testing.assert_frame_equal(written(frame), frame, check_exact=True, categorical_as_str=True)


def test_chunked_and_sliced_arrow_columns_are_read_whole():
    chunks = [pa.array(["a", None]).dictionary_encode(), pa.array(["c", "a", "b"]).dictionary_encode()[1:]]
    frame = pa.table({"x": pa.chunked_array(chunks), "y": pa.chunked_array([[1], [2, None, 4]])}).slice(1)
    assert written(frame).to_pydict() == {"x": [None, "a", "b"], "y": [2, None, 4]}


def test_arrow_fields_that_forbid_nulls_still_do():
    frame = pa.table([pa.array([1, 2])], schema=pa.schema([pa.field("x", pa.int64(), nullable=False)]))
    table = read_table(frame)
    assert write_table(table).schema == frame.schema
    with_null = write_table(Table(table.schema, {"x": np.array([1.0, np.nan])}, 2))
    assert with_null.schema.field("x").nullable
    assert with_null["x"].to_pylist() == [1, None]


def test_decimals_are_rounded_to_their_scale_and_clipped_to_their_precision():
    schema = Schema.detect(pa.table({"x": pa.array([Decimal("1.50")], pa.decimal128(4, 2))}))
    result = write_table(Table(schema, {"x": np.array([1.234, 1e9, np.nan])}, 3))
    assert result["x"].to_pylist() == [Decimal("1.23"), Decimal("99.99"), None]
    assert decimal.getcontext().prec == 28


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"x": [[1, 2]]}),
        pl.DataFrame({"x": [{"a": 1}]}),
        pl.DataFrame({"x": [b"a"]}),
        pa.table({"x": [[1, 2]]}),
        pa.table({"x": [{"a": 1}]}),
        pa.table({"x": [b"a"]}),
    ],
    ids=lambda frame: str(frame.schema),
)
def test_nested_dtypes_raise_an_error(frame):
    with pytest.raises(SchemaError, match="column 'x' holds cells of type"):
        read_table(frame)
