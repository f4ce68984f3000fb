"""A frame read and written again is the same frame, dtypes and missing cells included."""

import datetime as dt
import decimal
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from janus_synth.table import Schema, read_table, write_table

DAYS = [dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(9999, 12, 31), dt.date(2024, 3, 1)]
MOMENTS = [
    dt.datetime(2024, 3, 31, 1, 30, 0, 123456),
    dt.datetime(1901, 1, 1),
    dt.datetime(2024, 10, 27, 0, 30),
] * 2
OBJECT_DTYPE = np.dtype(object)


def written(frame, schema=None):
    table = read_table(frame, schema)
    assert Schema.from_json(table.schema.to_json()) == table.schema
    return write_table(table.columns, table.schema, n_rows=table.n_rows)


def stamps(unit, zone=None):
    coarse = [moment.replace(microsecond=0) for moment in MOMENTS] if unit == "s" else MOMENTS
    if unit == "ms":
        coarse = [moment.replace(microsecond=123000) for moment in MOMENTS]
    series = pd.Series(np.array([*coarse, None], dtype=f"datetime64[{unit}]"))
    return series.dt.tz_localize("UTC").dt.tz_convert(zone) if zone else series


def objects(cells):
    return pd.Series(cells, dtype=object)


SIGNED = [f"{prefix}int{bits}" for prefix in ("", "u") for bits in (8, 16, 32, 64)]
NULLABLE = [f"{prefix}Int{bits}" for prefix in ("", "U") for bits in (8, 16, 32, 64)]

PANDAS = {
    **{name: pd.Series([0, 1, 7, 100, 1], dtype=name) for name in SIGNED},
    **{name: pd.Series([0, 1, None, 100, 1], dtype=name) for name in NULLABLE},
    "float32": pd.Series([0.1, None, -2.5, 3e38], dtype="float32"),
    "float16": pd.Series([0.5, None, -2.5], dtype="float16"),
    "float64": pd.Series([0.1, None, -2.5, 1e300, -0.0]),
    "Float32": pd.Series([0.1, None, -2.5], dtype="Float32"),
    "Float64": pd.Series([0.1, None, -2.5], dtype="Float64"),
    "bool": pd.Series([True, False, True]),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "default text": pd.Series(["b", "a", None, "b", ""]),
    "object text": objects(["b", "a", "b", ""]),
    "object text with None": objects(["b", None, "b", ""]),
    "object text with nan": objects(["b", np.nan, "b", ""]),
    "object text with NA": objects(["b", pd.NA, "b"]),
    "string[python]": pd.Series(["b", None, "ä"], dtype=pd.StringDtype("python")),
    "string[pyarrow]": pd.Series(["b", None, "ä"], dtype=pd.StringDtype("pyarrow")),
    "object booleans": objects([True, None, False]),
    "object integers": objects([1, None, 30]),
    "large object integers": objects([2**70, None, -1]),
    "object floats": objects([1.5, None, 30.0]),
    "object decimals": objects([Decimal("1.50"), None, Decimal("-30.25")]),
    "object dates": objects([*DAYS, None]),
    "object datetimes": objects([dt.datetime(2024, 1, 1, 8, 30, 0, 7), None, dt.datetime(9999, 12, 31)]),
    "object zoned datetimes": objects([dt.datetime(2024, 1, 1, 8, tzinfo=dt.UTC), None]),
    "object durations": objects([dt.timedelta(days=-2, microseconds=5), None]),
    "object times": objects([dt.time(23, 59, 59, 999999), None, dt.time(0)]),
    "mixed objects": objects([1, "a", None, 2.5, True, "a"]),
    "category": pd.Series(["b", None, "a"], dtype=pd.CategoricalDtype(["b", "unused", "a"])),
    "ordered category": pd.Series(["lo", None, "hi"], dtype=pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True)),
    "object category": pd.Series(["b", "a"], dtype=pd.CategoricalDtype(pd.Index(["b", "a"], dtype=object))),
    "integer category": pd.Series([3, None, 1], dtype=pd.CategoricalDtype(pd.Index([3, 1, 9], dtype="int16"))),
    "float category": pd.Series([2.5, None, 1], dtype=pd.CategoricalDtype([2.5, 1.0])),
    "boolean category": pd.Series([True, None], dtype=pd.CategoricalDtype([True, False])),
    "moment category": pd.Series(pd.to_datetime(["2024-01-01 00:00:00", "2024-01-02 03:04:05"])).astype("category"),
    "zoned category": pd.Series(pd.to_datetime(["2024-01-01", "2024-06-01"]).tz_localize("Asia/Tokyo")).astype(
        "category"
    ),
    "interval category": pd.cut(pd.Series([1, 5, 9.5, None]), 3),
    "integer interval category": pd.cut(pd.Series([1, 5, 9]), [0, 4, 10]),
    "quantile category": pd.qcut(pd.Series(np.linspace(0, 1, 9) ** 3), 3),
    "empty category": pd.Series([None, None], dtype=pd.CategoricalDtype(pd.Index([], dtype="int64"))),
    "datetime64[s]": stamps("s"),
    "datetime64[ms]": stamps("ms"),
    "datetime64[us]": stamps("us"),
    "datetime64[ns]": stamps("ns"),
    "datetime64[us, Europe/Paris]": stamps("us", "Europe/Paris"),
    "datetime64[ns, UTC]": stamps("ns", "UTC"),
    "datetime64[ms, +05:30]": stamps("ms", dt.timezone(dt.timedelta(hours=5, minutes=30))),
    "timedelta64[ns]": pd.Series(pd.to_timedelta(["1 days", None, "-2h"])).astype("timedelta64[ns]"),
    "timedelta64[s]": pd.Series(pd.to_timedelta(["1 days", None, "-2h"])).astype("timedelta64[s]"),
    "period": pd.Series(pd.PeriodIndex(["2024-01", None, "2023-12"], freq="M")),
    "interval": pd.Series(pd.arrays.IntervalArray.from_tuples([(0.5, 1.0), (1.0, 2.0), (0.5, 1.0)], closed="left")),
    "sparse": pd.Series(pd.arrays.SparseArray([0.0, np.nan, 1.5])),
    "sparse integers": pd.Series(pd.arrays.SparseArray([0, 0, 3])),
    "all missing floats": pd.Series([np.nan, np.nan]),
    "all missing Int64": pd.Series([None, None], dtype="Int64"),
    "all missing text": pd.Series([None, None], dtype=pd.StringDtype("python")),
    "all missing objects": objects([None, None]),
    "all missing moments": pd.Series([pd.NaT, pd.NaT]),
}

ARROW = {
    **{name: pa.array([0, 1, None, 100, 1], name) for name in SIGNED},
    "halffloat": pa.array([np.float16(0.5), None], pa.float16()),
    "float": pa.array([0.25, None, -2.5], pa.float32()),
    "double": pa.array([0.1, None, -2.5]),
    "bool": pa.array([True, None, False]),
    "string": pa.array(["b", None, "a", ""]),
    "large_string": pa.array(["b", None, "a"], pa.large_string()),
    "dictionary": pa.array(["b", None, "a", "b"]).dictionary_encode(),
    "ordered dictionary": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], "int8"), ["b", "a", "z"], ordered=True),
    "integer dictionary": pa.array([5, None, 2]).dictionary_encode(),
    "date dictionary": pa.array([DAYS[0], None, DAYS[1]]).dictionary_encode(),
    "date32": pa.array([*DAYS, None]),
    "date64": pa.array([*DAYS, None], pa.date64()),
    **{f"timestamp[{unit}]": pa.array([0, None, 1_700_000_000], pa.timestamp(unit)) for unit in ("s", "ms", "us")},
    "timestamp[ns]": pa.array([0, None, 1_700_000_000_000], pa.timestamp("ns")),
    "timestamp zoned": pa.array([*MOMENTS, None], pa.timestamp("us", tz="Europe/Paris")),
    "timestamp offset": pa.array([*MOMENTS, None], pa.timestamp("us", tz="+01:00")),
    "duration": pa.array([1_000_000, None, -5], pa.duration("ms")),
    "time32": pa.array([0, None, 86_399], pa.time32("s")),
    "time64": pa.array([0, None, 86_399_999_999], pa.time64("us")),
    "decimal128": pa.array([Decimal("1.50"), None, Decimal("-99999999.99")], pa.decimal128(10, 2)),
    "decimal256": pa.array([Decimal("1.5"), None], pa.decimal256(50, 1)),
    "null": pa.nulls(3),
}

POLARS = {
    **{
        name: pl.Series([0, 1, None, 100, 1], dtype=getattr(pl, name))
        for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
    },
    "Float32": pl.Series([0.25, None, -2.5], dtype=pl.Float32),
    "Float64": pl.Series([0.1, None, -2.5]),
    "Boolean": pl.Series([True, None, False]),
    "String": pl.Series(["b", None, "ä", ""]),
    "Categorical": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
    "Enum": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "unused", "a"])),
    "Date": pl.Series([*DAYS, None]),
    "Datetime[ms]": pl.Series([MOMENTS[1], None], dtype=pl.Datetime("ms")),
    "Datetime[us]": pl.Series([*MOMENTS, None], dtype=pl.Datetime("us")),
    "Datetime[ns]": pl.Series([*MOMENTS, None], dtype=pl.Datetime("ns")),
    "Datetime zoned": pl.Series([*MOMENTS, None], dtype=pl.Datetime("us"))
    .dt.replace_time_zone("UTC")
    .dt.convert_time_zone("America/New_York"),
    "Duration": pl.Series([dt.timedelta(hours=5), None, dt.timedelta(days=-1)], dtype=pl.Duration("ms")),
    "Time": pl.Series([dt.time(1, 2, 3, 4), None]),
    "Decimal": pl.Series([Decimal("1.50"), None, Decimal("-30.25")], dtype=pl.Decimal(10, 2)),
    "Null": pl.Series([None, None]),
}


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
def test_arrow_columns_come_back_as_they_were(array):
    frame = pa.table({"x": array, "other": pa.array(range(len(array)))})
    result = written(frame)
    assert result.schema == frame.schema
    assert result.equals(frame)


@pytest.mark.parametrize("array", ARROW.values(), ids=ARROW)
def test_pandas_columns_on_arrow_come_back_as_they_were(array):
    frame = pd.DataFrame({"x": pd.Series(array, dtype=pd.ArrowDtype(array.type)), "other": range(len(array))})
    result = written(frame)
    assert list(result.dtypes) == list(frame.dtypes)
    assert pa.array(result["x"].array).to_pylist() == array.to_pylist()


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
    assert write_table(table.columns, table.schema, n_rows=2).schema == frame.schema
    with_null = write_table({"x": np.array([1.0, np.nan])}, table.schema, n_rows=2)
    assert with_null.schema.field("x").nullable
    assert with_null["x"].to_pylist() == [1, None]


@pytest.mark.parametrize(
    ("dtype", "twin", "value"), [("int64", "Int64", 3), ("uint8", "UInt8", 3), ("bool", "boolean", True)]
)
def test_missing_cells_move_a_column_to_its_nullable_twin(dtype, twin, value):
    schema = Schema.detect(pd.DataFrame({"x": pd.Series([value, 0], dtype=dtype)}))
    later = read_table(pd.DataFrame({"x": [value, None]}), schema)
    assert later.schema["x"].nullable
    result = write_table(later.columns, later.schema, n_rows=2)
    pd.testing.assert_frame_equal(result, pd.DataFrame({"x": pd.Series([value, None], dtype=twin)}))


@pytest.mark.parametrize("dtype", SIGNED)
def test_integers_are_rounded_and_clipped_and_never_wrap(dtype):
    info = np.iinfo(dtype)
    schema = Schema.detect(pd.DataFrame({"x": np.array([info.min, info.max], dtype=dtype)}))
    values = np.array([float(info.min), float(info.max), -1e300, 1e300, 2.5, 3.5])
    result = write_table({"x": values}, schema, n_rows=6)["x"]
    assert result.dtype == dtype
    assert result.tolist() == [info.min, info.max, info.min, info.max, 2, 4]


def test_moments_beyond_a_unit_are_clipped_to_its_range():
    schema = Schema.detect(pd.DataFrame({"x": stamps("ns")}))
    result = write_table({"x": np.array([1e18, -1e18, np.nan])}, schema, n_rows=3)["x"]
    assert result.dtype == "datetime64[ns]"
    assert (result[0].year, result[1].year, result[2]) == (2262, 1677, pd.NaT)


def test_decimals_are_rounded_to_their_scale_and_clipped_to_their_precision():
    schema = Schema.detect(pa.table({"x": pa.array([Decimal("1.50")], pa.decimal128(4, 2))}))
    result = write_table({"x": np.array([1.234, 1e9, np.nan])}, schema, n_rows=3)
    assert result["x"].to_pylist() == [Decimal("1.23"), Decimal("99.99"), None]
    assert decimal.getcontext().prec == 28


def test_floats_too_large_for_float32_are_clipped_without_a_warning():
    schema = Schema.detect(pd.DataFrame({"x": np.array([1.5], dtype="float32")}))
    assert np.isfinite(write_table({"x": np.array([1e300])}, schema, n_rows=1)["x"]).all()


def test_physical_arrays_are_what_the_interface_promises():
    frame = pd.DataFrame(
        {
            "number": [1, None],
            "duration": pd.to_timedelta(["1s", None]),
            "moment": pd.to_datetime(["1970-01-01 01:00", None]).tz_localize("Europe/Paris"),
            "day": [dt.date(1970, 1, 2), None],
            "truth": pd.array([True, None], dtype="boolean"),
            "city": ["Rome", None],
        }
    )
    table = read_table(frame)
    expected = {"number": 1.0, "duration": 1e6, "moment": 0.0, "day": 86_400e6}
    for name, value in expected.items():
        assert table[name].dtype == np.float64
        np.testing.assert_array_equal(table[name], [value, np.nan])
    for name, code in {"truth": 1, "city": 0}.items():
        assert table[name].dtype == np.int32
        np.testing.assert_array_equal(table[name], [code, -1])
    assert table.schema["truth"].levels == (False, True)


def test_the_columns_keep_their_order_and_identifiers_their_place():
    frame = pd.DataFrame({"b": [1.5] * 20, "key": [f"k{i}" for i in range(20)], "a": ["x"] * 20})
    assert list(written(frame).columns) == ["b", "key", "a"]


def test_no_rows_can_be_written_too():
    for frame in (
        pd.DataFrame({"x": [1], "y": ["a"]}),
        pl.DataFrame({"x": [1], "y": ["a"]}),
        pa.table({"x": [1], "y": ["a"]}),
    ):
        schema = Schema.detect(frame)
        empty = write_table({"x": np.array([]), "y": np.array([], dtype=np.int32)}, schema, n_rows=0)
        assert empty.shape == (0, 2)
        assert list(empty.schema if not isinstance(frame, pd.DataFrame) else empty.dtypes) == list(
            frame.schema if not isinstance(frame, pd.DataFrame) else frame.dtypes
        )
