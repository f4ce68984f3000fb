"""Unusual and invalid tables: each is learnt, or raises an error with advice; the user's frame is never changed."""

from __future__ import annotations

import copy
import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth import Janus, metrics
from janus_synth.errors import DataError, JanusError, SchemaError, UnknownColumnError
from model.tables import (
    FRAME_KINDS,
    as_kind,
    assert_like_training,
    assert_same_frame,
    cells,
    fitted,
    mixed,
    names_and_dtypes,
)


def learnt(frame, n=200, **settings):
    """Fit a frame, sample rows and check their columns and types; the frame must not change."""
    before = copy.deepcopy(frame)
    model = fitted(frame, **settings)
    rows = model.sample(n, random_state=0)
    assert_like_training(rows, frame, model.schema_)
    scores = model.log_prob(rows)
    assert np.isfinite(scores).all(), f"{np.isinf(scores).sum()} sampled rows are impossible"
    assert_same_frame(frame, before)
    return rows


def refused(frame, error, message, **settings):
    before = copy.deepcopy(frame)
    with pytest.raises(error, match=message) as caught:
        fitted(frame, **settings)
    assert isinstance(caught.value, JanusError)
    if isinstance(frame, pd.DataFrame):
        assert_same_frame(frame, before)


# Shapes


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_a_table_without_rows_is_refused(kind):
    refused(as_kind(mixed(5)[:0], kind), DataError, "no rows")


@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pd.DataFrame(index=range(5)), pl.DataFrame(), pa.table({})], ids=type
)
def test_a_table_without_columns_is_refused(frame):
    refused(frame, DataError, "no columns")


@pytest.mark.parametrize("kind", FRAME_KINDS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_rows_are_enough(n, kind):
    learnt(as_kind(mixed(n), kind))


@pytest.mark.parametrize("structure", ["chain", "forest"])
def test_one_row_is_enough_for_every_learner(structure):
    learnt(mixed(1), structure=structure)


def test_a_table_of_one_row_yields_copies_of_it():
    frame = pd.DataFrame({"a": ["x"], "b": [1.5], "c": [7]})
    rows = learnt(frame, n=20)
    assert rows.drop_duplicates().equals(frame)


@pytest.mark.parametrize("column", [c for c in mixed(2) if c != "key"])
def test_one_column_is_enough(column):
    learnt(mixed(100)[[column]])


def test_many_columns_of_few_rows_are_learnt():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{i}": rng.integers(0, 4, 50) if i % 2 else rng.normal(size=50) for i in range(200)})
    learnt(frame, n=50)


def test_a_table_of_identical_rows_yields_identical_rows():
    frame = pd.concat([mixed(1).drop(columns=["key", "grade"])] * 60, ignore_index=True)
    rows = learnt(frame)
    assert len(rows.drop_duplicates()) == 1


# Constant columns and columns of nulls


NULLS = {
    "float64": pd.Series([np.nan] * 30, dtype="float64"),
    "float32": pd.Series([np.nan] * 30, dtype="float32"),
    "Int64": pd.Series([pd.NA] * 30, dtype="Int64"),
    "boolean": pd.Series([pd.NA] * 30, dtype="boolean"),
    "object": pd.Series([None] * 30, dtype=object),
    "str": pd.Series([None] * 30, dtype="str"),
    "string": pd.Series([None] * 30, dtype="string"),
    "category": pd.Series([None] * 30, dtype="category"),
    "category with levels": pd.Series([None] * 30, dtype=pd.CategoricalDtype(["a", "b"])),
    "datetime64[ns]": pd.Series([pd.NaT] * 30, dtype="datetime64[ns]"),
    "datetime64[us, UTC]": pd.Series([pd.NaT] * 30, dtype="datetime64[us, UTC]"),
    "timedelta64[us]": pd.Series([pd.NaT] * 30, dtype="timedelta64[us]"),
    "double[pyarrow]": pd.Series([None] * 30, dtype="double[pyarrow]"),
}


@pytest.mark.parametrize("dtype", NULLS)
def test_a_column_of_nulls_stays_a_column_of_nulls(dtype):
    frame = pd.DataFrame({"gone": NULLS[dtype], "x": np.arange(30) % 4})
    assert learnt(frame, keep_rare=True)["gone"].isna().all()


@pytest.mark.parametrize(
    "dtype",
    [pl.Null, pl.Float64, pl.Int32, pl.Boolean, pl.String, pl.Categorical, pl.Enum(["a"]), pl.Date, pl.Datetime("us")],
    ids=str,
)
def test_a_polars_column_of_nulls_stays_a_column_of_nulls(dtype):
    frame = pl.DataFrame({"gone": pl.Series([None] * 30, dtype=dtype), "x": np.arange(30) % 4})
    assert learnt(frame)["gone"].is_null().all()


def test_an_arrow_column_of_nulls_stays_a_column_of_nulls():
    table = pa.table({"gone": pa.nulls(30), "none": pa.nulls(30, pa.int16()), "x": np.arange(30) % 4})
    rows = learnt(table)
    assert rows["gone"].null_count == rows["none"].null_count == 200


@pytest.mark.parametrize("kind", ["numeric", "datetime", "boolean"])
def test_a_column_of_nulls_may_be_declared_otherwise(kind):
    values = pd.Series([pd.NaT] * 30, dtype="datetime64[us]") if kind == "datetime" else pd.Series([np.nan] * 30)
    frame = pd.DataFrame({"gone": values, "x": np.arange(30) % 4})
    assert learnt(frame, schema={"gone": {"kind": kind}})["gone"].isna().all()


@pytest.mark.parametrize(
    "value",
    [0, 7, -1.5, 0.1, 1e-300, 1e300, True, "a", "", pd.Timestamp("2024-03-01"), 2**62, -0.0],
    ids=repr,
)
def test_a_constant_stays_constant(value):
    frame = pd.DataFrame({"still": [value] * 50, "x": np.arange(50) % 7})
    rows = learnt(frame)
    assert (rows["still"] == value).all()


def test_a_table_of_constants_is_learnt():
    learnt(pd.DataFrame({"a": [1] * 40, "b": ["x"] * 40, "c": [0.25] * 40}))


# Numbers


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_infinite_values_are_refused_with_their_column(value, kind):
    frame = pd.DataFrame({"fine": [1.0, 2.0, 3.0], "income": [1.0, value, 3.0]})
    refused(as_kind(frame, kind), DataError, "'income' has 1 infinite value. Replace")


def test_infinite_objects_are_refused():
    refused(pd.DataFrame({"o": pd.Series([1.5, math.inf], dtype=object)}), DataError, "'o' has .*infinite")
    refused(pd.DataFrame({"o": pd.Series([Decimal(1), Decimal("Infinity")])}), DataError, "'o' has infinite")


@pytest.mark.parametrize(
    "values",
    [
        [-(2**63), 2**63 - 1, 0, 5],
        [2**63 - 1, 2**63 - 2, 2**63 - 1_000],
        [-(2**63), -(2**63) + 1, -(2**63) + 5_000],
        [2**53, 2**53 + 1, 2**53 + 2],
    ],
    ids=["both ends", "top", "bottom", "2**53"],
)
def test_huge_integers_stay_integers_near_their_domain(values):
    frame = pd.DataFrame({"big": np.array(values * 10, dtype=np.int64), "x": np.arange(10 * len(values)) % 4})
    rows = fitted(frame).sample(100)
    assert rows["big"].dtype == np.int64
    low, high = float(min(values)), float(max(values))  # integers beyond 2**53 are learnt as the nearest float
    assert rows["big"].astype(float).between(low, high).all()


def test_unsigned_integers_reach_their_maximum():
    top = np.iinfo(np.uint64).max
    frame = pd.DataFrame({"big": np.array([0, 1, top] * 20, dtype=np.uint64)})
    rows = fitted(frame).sample(200)
    assert rows["big"].dtype == np.uint64
    assert set(rows["big"]) == {0, 1, top}


def test_integers_beyond_64_bits_stay_python_integers():
    frame = pd.DataFrame({"big": pd.Series([10**30, 2 * 10**30, 3 * 10**30] * 10, dtype=object)})
    rows = fitted(frame).sample(50)
    assert all(isinstance(value, int) for value in rows["big"])
    assert rows["big"].between(10**30 * 0.999999, 3 * 10**30 * 1.000001).all()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float32", "float16", "Int8", "UInt16", "Float32"])
def test_narrow_numbers_do_not_overflow(dtype):
    info = np.iinfo(dtype.lower()) if "nt" in dtype else None
    ends = (info.min, info.max) if info else (-1_000.0, 1_000.0)
    values = np.linspace(*ends, 120)
    frame = pd.DataFrame({"x": pd.Series(values.round() if info else values).astype(dtype)})
    learnt(frame, n=500)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e-12, 1e-7, 1e12, 1e30, 1e300, 1.7e308])
@pytest.mark.parametrize("n", [20, 300])
def test_tiny_and_huge_floats_keep_their_scale(scale, n):
    values = scale * (2 * np.random.default_rng(0).random(n) - 1)
    rows = learnt(pd.DataFrame({"x": values}))
    assert rows["x"].nunique() > 10
    assert rows["x"].max() / 2 - rows["x"].min() / 2 > 0.7 * scale


def test_tiny_and_huge_floats_may_share_a_column():
    values = [1e-300, 1e300, -1e300, 1.0, 0.0, -1e-300] * 20
    rows = learnt(pd.DataFrame({"x": values}))
    assert set(rows["x"]) <= set(values)


def test_neighbouring_floats_are_learnt():
    values = [1.0]
    for _ in range(99):
        values.append(float(np.nextafter(values[-1], 2.0)))
    learnt(pd.DataFrame({"x": values}))


def test_zeros_and_one_outlier_are_learnt():
    values = np.zeros(300)
    values[17] = 1e6
    rows = learnt(pd.DataFrame({"x": values, "y": np.arange(300) % 3}), n=2_000)
    assert (rows["x"] == 0).mean() > 0.9


def test_zeros_and_one_null_are_learnt():
    values = np.zeros(300)
    values[17] = np.nan
    learnt(pd.DataFrame({"x": values}), n=1_000)


def test_decimals_keep_their_places():
    prices = pd.Series([Decimal("0.10"), Decimal("19.99"), Decimal("5.00")] * 20)
    rows = learnt(pd.DataFrame({"price": prices}))
    assert all(value.as_tuple().exponent == -2 for value in rows["price"])


# Dates and times


@pytest.mark.parametrize("zone", ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"])
@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_time_zones_are_kept(zone, kind):
    # Hours around both daylight-saving changes: a local time that does not exist, and one that occurs twice.
    hours = pd.date_range("2024-03-30", periods=72, freq="h", tz="UTC").union(
        pd.date_range("2024-10-26", periods=72, freq="h", tz="UTC")
    )
    frame = pd.DataFrame({"at": hours.as_unit("us").tz_convert(zone), "x": np.arange(144) % 5})
    learnt(as_kind(frame, kind))


def test_a_fixed_offset_is_kept():
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    learnt(pd.DataFrame({"at": pd.date_range("2024-01-01", periods=50, tz=zone).as_unit("us")}))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_units_of_time_are_kept(unit):
    learnt(pd.DataFrame({"at": pd.date_range("2024-01-01", periods=60, freq="7min").as_unit(unit)}))


EDGES_OF_TIME = [
    dt.date(1, 1, 1),
    dt.date(1582, 10, 15),
    dt.date(1970, 1, 1),
    dt.date(2024, 2, 29),
    dt.date(9999, 12, 31),
]


def test_dates_of_the_first_and_last_year_are_learnt():
    learnt(pd.DataFrame({"day": pd.Series(EDGES_OF_TIME * 10, dtype=object)}))
    learnt(pl.DataFrame({"day": EDGES_OF_TIME * 10}))
    learnt(pa.table({"day": EDGES_OF_TIME * 10}))


def test_many_dates_of_all_years_are_learnt():
    ordinals = np.linspace(1, dt.date.max.toordinal(), 200).astype(int)
    rows = learnt(pl.DataFrame({"day": [dt.date.fromordinal(int(day)) for day in ordinals]}))
    assert rows["day"].n_unique() > 50


@pytest.mark.parametrize("years", [(1, 9999), (1500, 1600), (2300, 2400)], ids=str)
def test_midnights_far_from_today_stay_midnights(years):
    moments = [dt.datetime(year, 1 + year % 12, 1 + year % 28) for year in np.linspace(*years, 200).astype(int)]
    rows = learnt(pl.DataFrame({"at": pl.Series(moments, dtype=pl.Datetime("us"))}))
    assert all(moment.time() == dt.time(0) for moment in rows["at"])


def test_a_placeholder_date_in_the_far_future_does_not_affect_other_days():
    # Databases write 9999-12-31 for "not yet".
    days = [dt.datetime(2024, 1, 1) + dt.timedelta(days=i % 90) for i in range(270)] + [dt.datetime(9999, 12, 31)] * 30
    rows = learnt(pd.DataFrame({"until": pd.Series(days, dtype="datetime64[us]")}))
    assert (rows["until"] == rows["until"].dt.floor("D")).all()


def test_the_limits_of_nanoseconds_are_learnt():
    moments = [pd.Timestamp.min.ceil("D"), pd.Timestamp("2000-01-01"), pd.Timestamp.max.floor("D")] * 20
    learnt(pd.DataFrame({"at": pd.Series(moments, dtype="datetime64[ns]")}))


def test_durations_and_times_of_day_are_learnt():
    minutes = np.arange(100) * 13 % 1_440
    learnt(pd.DataFrame({"took": pd.to_timedelta(minutes, unit="min"), "x": minutes % 3}))
    learnt(pl.DataFrame({"clock": [dt.time(int(m) // 60, int(m) % 60) for m in minutes]}))


# Levels


def test_ten_thousand_levels_are_learnt():
    rng = np.random.default_rng(0)
    levels = [f"level {i}" for i in rng.permutation(np.repeat(np.arange(10_000), 2))]
    frame, schema = pd.DataFrame({"c": levels, "x": rng.integers(0, 3, 20_000)}), {"c": {"kind": "categorical"}}
    assert learnt(frame, n=500, schema=schema, keep_rare=True)["c"].nunique() > 300


def test_ten_thousand_levels_of_uneven_shares_are_learnt():
    rng = np.random.default_rng(0)
    levels = np.minimum((rng.pareto(0.7, 12_000) * 10).astype(int), 9_999)
    column = pd.Categorical(levels.astype(str), categories=list(map(str, range(10_000))))
    learnt(pd.DataFrame({"c": column}), keep_rare=True)


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_unusual_levels_are_reproduced_exactly(kind):
    odd = [
        "a,b",
        "line\nbreak",
        'say "so"',
        "it's",
        "",
        " ",
        "\ttab",
        "naïve",
        "日本",
        "🙂",
        "NaN",
        "None",
        "null",
        "\\",
        "x" * 5_000,
    ]
    frame = pd.DataFrame({"c": pd.Series(odd * 8, dtype="str"), "x": np.arange(8 * len(odd)) % 3})
    rows = learnt(as_kind(frame, kind), n=500)
    assert set(cells(rows, "c")) == set(odd)


def test_levels_of_mixed_types_keep_their_types():
    values = [1, "1", True, 2.5, None, "a"] * 15
    rows = learnt(pd.DataFrame({"o": pd.Series(values, dtype=object)}), n=400)
    assert set(map(repr, cells(rows, "o"))) == set(map(repr, values))


@pytest.mark.parametrize(
    "cell", [[1, 2], {"a": 1}, (1,), object(), b"bytes", 1j, np.zeros(2)], ids=lambda c: type(c).__name__
)
def test_cells_of_unsupported_types_raise(cell):
    column = pd.Series([cell] * 5, dtype=object)
    refused(pd.DataFrame({"fine": range(5), "odd": column}), SchemaError, "'odd' holds .*cannot learn")


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"odd": [[1], [2]]}),
        pl.DataFrame({"odd": [{"a": 1}, {"a": 2}]}),
        pa.table({"odd": pa.array([b"a", b"b"])}),
        pa.table({"odd": pa.array([[1], [2]])}),
    ],
    ids=["polars list", "polars struct", "arrow bytes", "arrow list"],
)
def test_nested_and_binary_columns_are_refused(frame):
    refused(frame, SchemaError, "'odd' holds .*cannot learn")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, False, None] * 20, dtype=object),
        pd.Series([True, False, pd.NA] * 20, dtype="boolean"),
        pd.Series([True, False, None] * 20, dtype="bool[pyarrow]"),
    ],
    ids=["object", "boolean", "arrow"],
)
def test_booleans_with_nulls_are_learnt(column):
    rows = learnt(pd.DataFrame({"b": column}))
    assert set(cells(rows, "b")) == {True, False, None}


def test_levels_that_are_declared_but_not_seen_do_not_turn_up():
    dtype = pd.CategoricalDtype(["a", "b", "never"])
    frame = pd.DataFrame({"c": pd.Series(["a", "b"] * 30, dtype=dtype)})
    assert set(learnt(frame, n=1_000, keep_rare=True)["c"]) == {"a", "b"}
    assert fitted(frame).sample(5)["c"].cat.categories.tolist() == ["a", "b"]


# Names


ODD_NAMES = [
    "class",
    "lambda",
    "a b",
    "größe",
    "日付",
    "it's",
    'say "so"',
    "a.b",
    "a/b",
    "..",
    "",
    " ",
    "x" * 1_000,
    "null",
    "0",
    "{}",
    "\n",
]


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_unusual_column_names_are_kept(kind, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 3, 40) for name in ODD_NAMES})
    learnt(as_kind(frame, kind))
    model = fitted(as_kind(frame, kind))
    model.save(tmp_path / "m.janus")
    assert_same_frame(Janus.load(tmp_path / "m.janus").sample(20, random_state=0), model.sample(20, random_state=0))
    for name in ODD_NAMES:
        assert name in str(model.explain(name))


def test_columns_may_be_named_like_our_own_methods():
    learnt(pd.DataFrame({name: np.arange(30) % 3 for name in ("n_rows", "schema", "columns", "index", "shape", "T")}))


@pytest.mark.parametrize("columns", [[1, 2], [("a", "b"), "c"], [None, "a"], [1.5, "a"]], ids=str)
def test_names_that_are_no_text_are_refused(columns):
    frame = pd.DataFrame(np.zeros((5, 2)))
    frame.columns = pd.Index(columns, dtype=object, tupleize_cols=False)
    refused(frame, DataError, r"column names must be text.*df.columns.map\(str\)")


def test_multi_index_columns_are_refused():
    frame = pd.DataFrame(np.zeros((5, 2)), columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    refused(frame, DataError, "column names must be text")


def test_a_name_that_comes_twice_is_refused():
    refused(pd.DataFrame(np.zeros((5, 3)), columns=["a", "b", "a"]), DataError, "more than once: 'a'")


def test_an_unusual_index_does_not_matter():
    frame = pd.DataFrame({"x": np.arange(40) % 5}, index=pd.Index([7] * 40, name="x"))
    assert len(learnt(frame.rename_axis("other"))) == 200


# Objects that are not tables


@pytest.mark.parametrize(
    ("thing", "advice"),
    [
        ([1, 2, 3], "pd.DataFrame"),
        ({"a": [1, 2]}, "pd.DataFrame"),
        (np.zeros(3), "columns="),
        (pd.Series([1, 2]), "to_frame"),
        (pl.Series([1, 2]), "to_frame"),
        (pa.record_batch({"a": [1]}), "pa.table"),
        (None, "pandas or polars"),
        (42, "pandas or polars"),
        (iter([1]), "pandas or polars"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_objects_that_are_not_tables_raise_with_advice(thing, advice):
    for ask in (Janus().fit, fitted(mixed(20)).log_prob, fitted(mixed(20)).update):
        with pytest.raises(DataError, match=advice):
            ask(thing)


@pytest.mark.parametrize(
    ("source", "advice"), [(pl.DataFrame({"a": [1]}).lazy(), "collect"), ("table.csv", "pandas or polars")]
)
def test_sources_larger_than_memory_have_no_log_prob(source, advice):
    with pytest.raises(DataError, match=advice):
        fitted(mixed(20)).log_prob(source)


def test_a_lazy_frame_is_a_source_of_rows():
    frame = pl.DataFrame({"a": [1, 2, 3] * 20, "b": ["x", "y", "z"] * 20})
    model = fitted(frame.lazy())
    assert model.n_rows_ == 60
    assert_like_training(model.sample(50, random_state=0), frame, model.schema_)


def test_a_path_without_a_file_is_refused():
    for ask in (Janus().fit, fitted(mixed(20)).update):
        with pytest.raises(DataError, match=r"no file matches table\.csv"):
            ask("table.csv")


# Tables that do not fit the model


def test_a_column_missing_at_scoring_is_named_in_the_error():
    frame = mixed(60)
    model, bare = fitted(frame), frame.drop(columns="units")
    with pytest.raises(DataError, match="'units'"):
        model.log_prob(bare)
    with pytest.raises(DataError, match="lacks 'units'"):
        metrics.evaluate(frame[:30], frame[30:], bare, metrics=["ks"])
    with pytest.raises(UnknownColumnError, match="'unit'.*Did you mean 'units'"):
        metrics.evaluate(frame[:30], frame[30:], frame, target="unit", metrics=["ks"])


@pytest.mark.parametrize(
    ("schema", "error", "message"),
    [
        ({"unit": {"kind": "categorical"}}, UnknownColumnError, "Did you mean 'units'"),
        ({"units": {"kind": "number"}}, SchemaError, "'units': the kind is 'number'"),
        ({"units": {"low": 100}}, SchemaError, "'units': .* outside the declared"),
        ({"units": {"lowest": 0}}, SchemaError, "'lowest' cannot be set"),
        ({"group": {"kind": "numeric"}}, SchemaError, "'group': .* cannot be read as numeric"),
        ({"units": 5}, SchemaError, "'units'"),
        ("units", SchemaError, "mapping"),
    ],
    ids=str,
)
def test_a_schema_that_does_not_fit_is_refused(schema, error, message):
    refused(mixed(40), error, message, schema=schema)


def test_numbers_may_be_declared_levels():
    frame = pd.DataFrame({"zip": np.random.default_rng(0).choice([1010, 2020, 3030], 90)})
    rows = learnt(frame, schema={"zip": {"kind": "categorical"}})
    assert names_and_dtypes(rows) == names_and_dtypes(frame)
    assert set(rows["zip"]) == {1010, 2020, 3030}
