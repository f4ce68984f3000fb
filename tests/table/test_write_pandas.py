"""Columns read from pandas are written in the same dtype, or its nullable counterpart."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from janus_synth.table import Schema, read_table, write_pandas, write_table
from table.native_columns import ARROW, PANDAS, written

OBJECT_DTYPE = np.dtype(object)


@pytest.mark.parametrize("series", PANDAS.values(), ids=PANDAS)
def test_pandas_columns_come_back_as_they_were(series):
    frame = pd.DataFrame({"x": series, "other": range(len(series))})
    result = written(frame)
    pd.testing.assert_frame_equal(result, frame, check_exact=True)
    assert isinstance(result.index, pd.RangeIndex)
    if series.dtype == OBJECT_DTYPE:
        seen = ~series.isna()
        assert list(map(type, result["x"][seen])) == list(map(type, series[seen]))
        assert list(map(type, result["x"][~seen])) == list(map(type, series[~seen]))


@pytest.mark.parametrize("array", ARROW.values(), ids=ARROW)
def test_pandas_columns_on_arrow_come_back_as_they_were(array):
    frame = pd.DataFrame({"x": pd.Series(array, dtype=pd.ArrowDtype(array.type)), "other": range(len(array))})
    result = written(frame)
    assert list(result.dtypes) == list(frame.dtypes)
    assert pa.array(result["x"].array).to_pylist() == array.to_pylist()


@pytest.mark.parametrize(
    ("dtype", "nullable", "value"), [("int64", "Int64", 3), ("uint8", "UInt8", 3), ("bool", "boolean", True)]
)
def test_missing_cells_move_a_column_to_its_nullable_counterpart(dtype, nullable, value):
    schema = Schema.detect(pd.DataFrame({"x": pd.Series([value, 0], dtype=dtype)}))
    later = read_table(pd.DataFrame({"x": [value, None]}), schema)
    assert later.schema["x"].nullable
    result = write_table(later)
    pd.testing.assert_frame_equal(result, pd.DataFrame({"x": pd.Series([value, None], dtype=nullable)}))


def test_columns_are_the_same_from_threads(monkeypatch):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"], "c": pd.Categorical(["u", "v", "u"])})
    alone = written(frame)
    monkeypatch.setattr(write_pandas, "THREADED_CELLS", 0)
    pd.testing.assert_frame_equal(written(frame), alone)
