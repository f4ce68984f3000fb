"""One column of every dtype of each frame library, with missing cells, for tests of reading and writing."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from janus_synth.table import Schema, read_table, write_table

DAYS = [dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(9999, 12, 31), dt.date(2024, 3, 1)]
DATETIMES = [
    dt.datetime(2024, 3, 31, 1, 30, 0, 123456),
    dt.datetime(1901, 1, 1),
    dt.datetime(2024, 10, 27, 0, 30),
] * 2


def written(frame, schema=None):
    table = read_table(frame, schema)
    assert Schema.from_json(table.schema.to_json()) == table.schema
    return write_table(table)


def stamps(unit, zone=None):
    coarse = [value.replace(microsecond=0) for value in DATETIMES] if unit == "s" else DATETIMES
    if unit == "ms":
        coarse = [value.replace(microsecond=123000) for value in DATETIMES]
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
    "datetime category": pd.Series(pd.to_datetime(["2024-01-01 00:00:00", "2024-01-02 03:04:05"])).astype("category"),
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
    "all missing datetimes": pd.Series([pd.NaT, pd.NaT]),
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
    "timestamp zoned": pa.array([*DATETIMES, None], pa.timestamp("us", tz="Europe/Paris")),
    "timestamp offset": pa.array([*DATETIMES, None], pa.timestamp("us", tz="+01:00")),
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
    "Datetime[ms]": pl.Series([DATETIMES[1], None], dtype=pl.Datetime("ms")),
    "Datetime[us]": pl.Series([*DATETIMES, None], dtype=pl.Datetime("us")),
    "Datetime[ns]": pl.Series([*DATETIMES, None], dtype=pl.Datetime("ns")),
    "Datetime zoned": pl.Series([*DATETIMES, None], dtype=pl.Datetime("us"))
    .dt.replace_time_zone("UTC")
    .dt.convert_time_zone("America/New_York"),
    "Duration": pl.Series([dt.timedelta(hours=5), None, dt.timedelta(days=-1)], dtype=pl.Duration("ms")),
    "Time": pl.Series([dt.time(1, 2, 3, 4), None]),
    "Decimal": pl.Series([Decimal("1.50"), None, Decimal("-30.25")], dtype=pl.Decimal(10, 2)),
    "Null": pl.Series([None, None]),
}
