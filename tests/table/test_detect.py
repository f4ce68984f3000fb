"""Kinds, domains and levels are found as documented, and the user's word counts more."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.table import Schema, physical_value, read_table, shown_value, write_table


def column(cells, overrides=None, name="x"):
    """Column that detection makes of one Series."""
    changes = {name: overrides} if overrides else None
    return Schema.detect(pd.DataFrame({name: cells}), changes)[name]


def objects(*cells):
    return pd.Series(cells, dtype=object)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pd.Series([True, False]), "boolean"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (objects(True, False, None), "boolean"),
        (pd.Series([1, 2]), "numeric"),
        (pd.Series([1, None], dtype="Int8"), "numeric"),
        (pd.Series([1.5, None]), "numeric"),
        (objects(Decimal("1.5"), None), "numeric"),
        (objects(1, 2, None), "numeric"),
        (pd.Series(pd.to_timedelta(["1s", "2s"])), "numeric"),
        (pd.Series(pd.to_datetime(["2024-01-01"])), "datetime"),
        (objects(dt.date(2024, 1, 1), None), "datetime"),
        (objects(dt.datetime(2024, 1, 1), None), "datetime"),
        (pd.Series(["a", "b"]), "categorical"),
        (pd.Series(["a", "b"]).astype("category"), "categorical"),
        (pd.Series([1, 2]).astype("category"), "categorical"),
        (objects(1, "a", None), "categorical"),
        (pd.Series([None, None], dtype="float64"), "categorical"),
    ],
)
def test_kinds_follow_the_dtype_and_the_cells(cells, kind):
    found = column(cells)
    assert found.kind == kind
    assert found.nullable == cells.isna().any()


def test_columns_of_nothing_but_missing_keep_their_dtype_and_have_no_levels():
    found = column(pd.Series([np.nan, np.nan]))
    assert (found.kind, found.dtype, found.levels, found.nullable) == ("categorical", "float64", (), True)


def test_domains_are_the_seen_range():
    found = column(pd.Series([5, 2, 9]))
    assert (found.low, found.high) == (2.0, 9.0)
    found = column(pd.Series(pd.to_datetime(["1970-01-02", None, "1970-01-01"])))
    assert (found.low, found.high) == (0.0, 86_400e6)


def test_levels_of_text_are_sorted_and_declared_categories_are_kept_in_order():
    assert column(pd.Series(["b", "a", "b"])).levels == ("a", "b")
    dtype = pd.CategoricalDtype(["z", "unused", "a"], ordered=True)
    found = column(pd.Series(["a", "z"], dtype=dtype))
    assert (found.levels, found.ordered, found.is_ordered) == (("z", "unused", "a"), True, True)
    enum = Schema.detect(pl.DataFrame({"x": pl.Series(["a"], dtype=pl.Enum(["z", "a"]))}))["x"]
    assert (enum.levels, enum.ordered) == (("z", "a"), False)
    polars_category = Schema.detect(pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Categorical)}))["x"]
    assert polars_category.levels == ("a", "b")


def test_mixed_objects_keep_their_types_in_order_of_type_and_value():
    found = column(objects("b", 2, True, 1.5, None, "a", 1))
    assert found.levels == (True, 1.5, 1, 2, "a", "b")
    assert list(map(type, found.levels)) == [bool, float, int, int, str, str]


@pytest.mark.parametrize(
    ("name", "cells", "is_identifier"),
    [
        ("x", [f"key {i}" for i in range(20)], True),
        ("x", [f"key {i}" for i in range(19)], False),
        ("x", ["twice", *(f"key {i}" for i in range(20)), "twice"], False),
        ("x", [None, *(f"key {i}" for i in range(20))], True),
        ("x", list(range(100, 120)), True),
        ("x", list(range(120, 100, -1)), True),
        ("x", np.arange(120, 100, -1).astype("uint8"), True),
        ("x", list(range(19)), False),
        ("x", [*range(2, 20), 1, 0], False),
        ("x", list(range(0, 40, 2)), False),
        ("id", [7, 3, 5], True),
        ("Customer_ID", [7, 3, 5], True),
        ("order id", [7, 3, 5], True),
        ("paid", [7, 3, 5], False),
        ("id", [7, 3, 7], False),
        ("id", [0.5, 1.5, 2.5], False),
    ],
)
def test_identifiers_are_distinct_text_or_integers_that_count_or_are_called_so(name, cells, is_identifier):
    assert (column(pd.Series(cells), name=name).kind == "identifier") is is_identifier


def test_categorical_dtypes_are_never_identifiers():
    assert column(pd.Series([f"key {i}" for i in range(30)]).astype("category")).kind == "categorical"


def test_a_numeric_column_can_be_read_as_categories_and_comes_back_as_numbers():
    frame = pd.DataFrame({"zip": [20095, 10115, 20095]})
    table = read_table(frame, {"zip": {"kind": "categorical"}})
    assert table.schema["zip"].levels == (10115, 20095)
    np.testing.assert_array_equal(table["zip"], [1, 0, 1])
    pd.testing.assert_frame_equal(write_table(table.columns, table.schema, n_rows=3), frame)


def test_large_integers_stay_exact_as_categories():
    frame = pd.DataFrame({"x": [2**63 - 1, 2**53 + 1]})
    table = read_table(frame, {"x": {"kind": "categorical"}})
    pd.testing.assert_frame_equal(write_table(table.columns, table.schema, n_rows=2), frame)


def test_text_of_numbers_can_be_read_as_numbers_and_comes_back_as_text():
    frame = pd.DataFrame({"x": ["12", "7.5", None, "-1e3"]})
    table = read_table(frame, {"x": {"kind": "numeric"}})
    np.testing.assert_array_equal(table["x"], [12, 7.5, np.nan, -1000])
    result = write_table(table.columns, table.schema, n_rows=4)
    assert result.dtypes["x"] == frame.dtypes["x"]
    assert result["x"][:2].tolist() == ["12", "7.5"]
    assert result["x"].isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize("word", ["twelve", "nan", "inf", "1_000", ""])
def test_text_that_is_no_number_is_not_read_as_one(word):
    with pytest.raises(SchemaError, match=f"column 'x': '{word}' cannot be read as numeric"):
        read_table(pd.DataFrame({"x": ["12", word]}), {"x": {"kind": "numeric"}})


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-02-29", "1999-12-31"],
        ["2024-02-29 08:30:00", "1999-12-31 00:00:00"],
        ["2024-02-29T08:30", "1999-12-31T00:00"],
        ["2024-02-29T08:30:00.125000Z", "1999-12-31T00:00:00.000001Z"],
    ],
)
def test_iso_text_can_be_read_as_datetime_and_comes_back_in_its_format(texts):
    frame = pd.DataFrame({"x": [*texts, None]})
    table = read_table(frame, {"x": {"kind": "datetime", "low": "1990-01-01"}})
    assert table.schema["x"].kind == "datetime"
    assert shown_value(table.schema["x"], table["x"][0]).startswith("2024-02-29")
    assert Schema.from_json(table.schema.to_json()) == table.schema
    pd.testing.assert_frame_equal(write_table(table.columns, table.schema, n_rows=3), frame)


def test_text_with_an_offset_is_read_in_utc():
    table = read_table(pd.DataFrame({"x": ["1970-01-01T02:00:00+02:00"]}), {"x": {"kind": "datetime"}})
    assert table["x"][0] == 0


@pytest.mark.parametrize("text", ["yesterday", "2024-13-01", "2024", "NaT", "31.01.2024"])
def test_text_that_is_no_moment_is_refused_by_name_and_value(text):
    with pytest.raises(SchemaError, match=f"column 'x': '{text}' cannot be read as datetime"):
        read_table(pd.DataFrame({"x": ["2024-01-01", text]}), {"x": {"kind": "datetime"}})


def test_numbers_are_not_taken_for_moments():
    with pytest.raises(SchemaError, match=r"column 'x': 5 cannot be read as datetime\. .*to_datetime"):
        read_table(pd.DataFrame({"x": [5]}), {"x": {"kind": "datetime"}})


def test_zeros_and_ones_can_be_read_as_booleans_and_others_cannot():
    frame = pd.DataFrame({"x": [0, 1, 1], "y": ["True", None, "False"]})
    table = read_table(frame, {"x": {"kind": "boolean"}, "y": {"kind": "boolean"}})
    np.testing.assert_array_equal(table["x"], [0, 1, 1])
    np.testing.assert_array_equal(table["y"], [1, -1, 0])
    pd.testing.assert_frame_equal(write_table(table.columns, table.schema, n_rows=3), frame)
    with pytest.raises(SchemaError, match="column 'x': 2 cannot be read as boolean"):
        read_table(pd.DataFrame({"x": [0, 2]}), {"x": {"kind": "boolean"}})


def test_booleans_can_be_read_as_numbers_and_datetimes_as_categories():
    frame = pd.DataFrame({"x": [True, False], "day": pd.to_datetime(["2024-01-02", "2024-01-01"])})
    table = read_table(frame, {"x": {"kind": "numeric"}, "day": {"kind": "categorical"}})
    np.testing.assert_array_equal(table["x"], [1.0, 0.0])
    assert table.schema["day"].levels == ("2024-01-01", "2024-01-02")
    pd.testing.assert_frame_equal(write_table(table.columns, table.schema, n_rows=2), frame)


@pytest.mark.parametrize("levels", [["2", "10"], [2, 10], [2.0, 10.5]])
def test_categories_can_be_read_as_numbers_and_come_back_as_categories(levels):
    frame = pd.DataFrame({"x": pd.Categorical([levels[1], levels[0], None], categories=levels)})
    for given in (frame, pa.table({"x": pa.array(frame["x"])})):
        table = read_table(given, {"x": {"kind": "numeric"}})
        np.testing.assert_array_equal(table["x"], [float(levels[1]), 2, np.nan])
        result = write_table(table.columns, table.schema, n_rows=3)
        assert result["x"].equals(given["x"])


def test_overridden_kinds_work_in_polars_and_pyarrow_too():
    for frame in (pl.DataFrame({"x": [3, 1], "y": ["1", "2"]}), pa.table({"x": [3, 1], "y": ["1", "2"]})):
        table = read_table(frame, {"x": {"kind": "categorical"}, "y": {"kind": "numeric"}})
        assert table.schema["x"].levels == (1, 3)
        assert write_table(table.columns, table.schema, n_rows=2).equals(frame)


def test_declared_bounds_hold_and_the_other_side_is_the_seen_one():
    found = column(pd.Series([20, 30]), {"low": 0})
    assert (found.low, found.high) == (0.0, 30.0)
    found = column(pd.Series(pd.to_datetime(["2024-06-01"])), {"low": dt.date(2024, 1, 1), "high": "2025-01-01T12:00"})
    assert (shown_value(found, found.low), shown_value(found, found.high)) == (
        "2024-01-01",
        "2025-01-01T12:00:00",
    )


def test_values_outside_declared_bounds_are_counted_and_shown():
    with pytest.raises(
        SchemaError, match=r"column 'x': 2 of 4 values lie outside the declared \[0, 120\], .* 130"
    ) as caught:
        column(pd.Series([-1, 20, 30, 130][::-1]), {"low": 0, "high": 120})
    assert caught.value.column == "x"


def test_declared_levels_give_the_order_and_refuse_other_values():
    found = column(pd.Series(["lo", "hi"]), {"levels": ["lo", "mid", "hi"], "ordered": True})
    assert (found.levels, found.ordered) == (("lo", "mid", "hi"), True)
    with pytest.raises(
        SchemaError, match=r"column 'x': 2 of 3 values are not among the declared levels, for example 'a'"
    ):
        column(pd.Series(["a", "b", "lo"]), {"levels": ["lo"]})


def test_missing_cells_in_a_column_declared_complete_are_refused():
    with pytest.raises(SchemaError, match="column 'x': 1 cells are missing, but nullable is false"):
        column(pd.Series([1.5, None]), {"nullable": False})
    assert column(pd.Series([1.5, 2.5]), {"nullable": True}).nullable


def test_overrides_name_real_columns_and_real_fields():
    frame = pd.DataFrame({"age": [1.5]})
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        read_table(frame, {"agee": {"low": 0}})
    with pytest.raises(SchemaError, match="'lowest' cannot be set; there are kind"):
        read_table(frame, {"age": {"lowest": 0}})
    with pytest.raises(SchemaError, match="as a mapping"):
        read_table(frame, {"age": "numeric"})
    with pytest.raises(SchemaError, match="the kind is 'number'; it must be one of numeric"):
        read_table(frame, {"age": {"kind": "number"}})
    with pytest.raises(SchemaError, match="give a Schema or a mapping"):
        read_table(frame, "age")


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (objects([1], [2]), "list objects, such as \\[1\\]"),
        (objects({"a": 1}), "dict objects"),
        (objects(b"x"), "bytes objects"),
        (objects("a", dt.date(2024, 1, 1)), "date objects"),
        (objects(dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)), "a mix of date and datetime"),
        (pd.Series([1j]), "complex128"),
    ],
)
def test_cells_that_are_no_plain_values_are_refused_with_advice(cells, names):
    with pytest.raises(SchemaError, match=f"column 'x' holds .*{names}.*[Dd]rop the column, or convert it"):
        column(cells)


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
def test_nested_dtypes_are_refused(frame):
    with pytest.raises(SchemaError, match="column 'x' holds cells of type"):
        read_table(frame)


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "double[pyarrow]", object])
def test_infinite_values_are_counted_and_refused_with_advice(dtype):
    frame = pd.DataFrame({"x": pd.Series([1.5, np.inf, -np.inf], dtype=dtype)})
    with pytest.raises(DataError, match=r"column 'x' has 2 infinite values\. Replace them by null or clip"):
        read_table(frame)


def test_physical_values_of_what_users_write():
    schema = Schema.detect(
        pd.DataFrame(
            {
                "start": pd.to_datetime(["2024-07-01"]).tz_localize("Europe/Paris"),
                "wait": pd.to_timedelta(["1h"]),
                "city": ["Rome"],
                "member": [True],
            }
        )
    )
    hour = 3600e6
    assert physical_value(schema["start"], "2024-07-01T00:00") == schema["start"].low
    assert physical_value(schema["start"], "2024-07-01T00:00Z") == schema["start"].low + 2 * hour
    assert physical_value(schema["start"], pd.Timestamp("2024-07-01")) == schema["start"].low
    assert physical_value(schema["wait"], dt.timedelta(hours=2)) == 2 * hour
    assert physical_value(schema["wait"], pd.Timedelta("2h")) == 2 * hour
    assert physical_value(schema["wait"], np.timedelta64(2, "h")) == 2 * hour
    assert (physical_value(schema["city"], "Rome"), physical_value(schema["member"], True)) == (0.0, 1.0)
    with pytest.raises(SchemaError, match=r"has no level 'Roma'. Known levels include 'Rome'"):
        physical_value(schema["city"], "Roma")
    with pytest.raises(SchemaError, match="column 'wait' is numeric, but 'long' is not"):
        physical_value(schema["wait"], "long")
    with pytest.raises(SchemaError, match="'soon' is not a datetime"):
        physical_value(schema["start"], "soon")
    assert shown_value(schema["city"], -1) is None
    assert shown_value(schema["wait"], 1.5) == 1.5
