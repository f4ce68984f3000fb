"""Frames become tables; later frames are read against the schema of an earlier one, which keeps its indices."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.table import Schema, read_partial, read_table, write_table

FRAME = pd.DataFrame(
    {
        "age": [31, 45, 60],
        "city": ["Rome", "Oslo", "Rome"],
        "member": [True, False, True],
        "start": pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"]),
    }
)
SCHEMA = Schema.detect(FRAME)


def test_the_same_frame_reads_the_same_way_and_leaves_the_schema_alone():
    table = read_table(FRAME, SCHEMA)
    assert table.schema == SCHEMA
    np.testing.assert_array_equal(table["city"], [1, 0, 1])


def test_unseen_levels_are_appended_so_that_old_codes_stay():
    table = read_table(FRAME.assign(city=["Zug", "Rome", "Bonn"]), SCHEMA)
    assert table.schema["city"].levels == ("Oslo", "Rome", "Bonn", "Zug")
    np.testing.assert_array_equal(table["city"], [3, 1, 2])
    result = write_table(table)
    assert result["city"].tolist() == ["Zug", "Rome", "Bonn"]


def test_unused_categories_of_a_later_frame_are_not_appended():
    city = pd.Series(["Rome"] * 3, dtype=pd.CategoricalDtype(["Paris", "Rome"]))
    assert read_table(FRAME.assign(city=city), SCHEMA).schema == SCHEMA


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas])
def test_other_kinds_of_frames_are_read_against_a_pandas_schema(convert):
    table, other = read_table(FRAME, SCHEMA), read_table(convert(FRAME), SCHEMA)
    assert other.schema == SCHEMA
    for name in SCHEMA.names:
        np.testing.assert_array_equal(other[name], table[name])
    result = write_table(other)
    pd.testing.assert_frame_equal(result, FRAME)


def test_text_from_a_csv_file_is_read_as_the_columns_kind():
    texts = FRAME.astype(str)
    table = read_table(texts, SCHEMA)
    assert table.schema == SCHEMA
    for name in SCHEMA.names:
        np.testing.assert_array_equal(table[name], read_table(FRAME, SCHEMA)[name])


def test_missing_columns_are_all_listed_and_extra_ones_ignored():
    with pytest.raises(DataError, match="required but missing: 'age', 'city'"):
        read_table(FRAME[["member", "start"]], SCHEMA)
    assert read_table(FRAME.assign(extra=[[1]] * 3), SCHEMA).schema == SCHEMA
    with_number_as_name = pd.concat([FRAME, pd.DataFrame({0: [1, 2, 3]})], axis=1)
    assert read_table(with_number_as_name, SCHEMA).schema == SCHEMA


def test_only_the_requested_columns_are_read_and_required():
    table = read_table(FRAME[["city", "age"]], SCHEMA, columns=["city"])
    assert table.schema.names == ("city",)
    assert read_table(FRAME, columns=["start", "age"]).schema.names == ("start", "age")
    with pytest.raises(DataError, match="'age'"):
        read_table(FRAME[["city"]], SCHEMA, columns=["city", "age"])
    with pytest.raises(DataError, match=r"required but missing: 'agee'.*Did you mean 'age'"):
        read_table(FRAME, columns=["agee"])
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        read_table(FRAME, SCHEMA, columns=["agee"])


def test_identifiers_need_not_be_there():
    frame = FRAME.assign(id=[7, 3, 5])
    schema = Schema.detect(frame)
    assert schema["id"].kind == "identifier"
    assert read_table(FRAME, schema).schema == schema


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"age": ["old", "31", "32"]}, "column 'age': 'old' cannot be read as numeric"),
        ({"start": ["soon", "now", "2024-01-01"]}, "column 'start': 'soon' cannot be read as datetime"),
        ({"start": [1, 2, 3]}, "column 'start': 1 cannot be read as datetime"),
        ({"member": ["yes", "no", "yes"]}, "column 'member': 'yes' cannot be read as boolean"),
        ({"member": FRAME["start"]}, "column 'member': '2024-01-01' cannot be read as boolean"),
    ],
)
def test_values_of_another_kind_raise_an_error_with_column_value_and_kind(changes, message):
    with pytest.raises(SchemaError, match=message):
        read_table(FRAME.assign(**changes), SCHEMA)


def test_values_beyond_the_known_domain_are_read_and_do_not_move_it():
    table = read_table(FRAME.assign(age=[1, 2, 300]), SCHEMA)
    assert table["age"].max() == 300
    assert table.schema == SCHEMA


def test_columns_without_values_fit_every_kind():
    table = read_table(pd.DataFrame({name: [None, None] for name in SCHEMA.names}), SCHEMA)
    assert all(table.missing(name).all() for name in SCHEMA.names)
    result = write_table(table)
    assert result.isna().all(axis=None)
    assert list(map(str, result.dtypes)) == [
        "Int64",
        str(FRAME.dtypes["city"]),
        "boolean",
        str(FRAME.dtypes["start"]),
    ]


def test_a_column_without_values_gets_its_levels_later():
    schema = Schema.detect(pd.DataFrame({"x": [np.nan, np.nan]}))
    numbers = read_table(pd.DataFrame({"x": [2.5, None]}), schema)
    assert write_table(numbers)["x"].dtype == np.float64
    texts = read_table(pd.DataFrame({"x": ["a", None]}), schema)
    assert write_table(texts)["x"].tolist() == ["a", None]
    later = pd.DataFrame({"x": ["a", None]})
    for empty in (pl.DataFrame({"x": [None]}), pa.table({"x": pa.nulls(1)})):
        table = read_table(later, Schema.detect(empty))
        result = write_table(table)
        assert [getattr(cell, "as_py", lambda cell=cell: cell)() for cell in result["x"]] == ["a", None]


def test_after_a_change_of_kind_the_rows_give_the_domain():
    frame = pd.DataFrame({"zip": [5, 3], "day": ["2024-01-02", "2024-01-01"], "who": ["u1", "u2"]})
    schema = (
        Schema.detect(frame)
        .with_column("zip", kind="categorical")
        .with_column("day", kind="datetime")
        .with_column("who", kind="identifier")
    )
    table = read_table(frame, schema)
    assert table.schema["zip"].levels == (3, 5)
    assert (table.schema["day"].format, table.schema["who"].template) == ("%Y-%m-%d", "u{3}")
    result = write_table(table)
    pd.testing.assert_frame_equal(result, frame.assign(who=["u3", "u4"]))


def test_arrays_have_the_documented_units_and_dtypes():
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


def test_columns_that_a_partial_frame_lacks_are_missing_in_every_row():
    table = read_partial(FRAME[["city"]], SCHEMA)
    assert table.schema == SCHEMA
    np.testing.assert_array_equal(table["city"], [1, 0, 1])
    for name in ("age", "member", "start"):
        assert table.missing(name).all()
    with pytest.raises(DataError, match="the frame has none of the columns 'age', 'city'"):
        read_partial(pd.DataFrame({"other": [1]}), SCHEMA)
