"""Columns are converted to the kind that is asked for, exactly or with an error that names the value."""

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from janus_synth.errors import DataError, SchemaError
from janus_synth.table import Schema, read_table, shown_value, write_table
from janus_synth.table.raw_columns import (
    RawColumn,
    as_floats,
    as_levels,
    mark_missing,
    match_levels,
    raw_booleans,
    raw_levels,
    raw_numbers,
    raw_times,
    sort_levels,
)


def test_a_numeric_column_can_be_read_as_categories_and_comes_back_as_numbers():
    frame = pd.DataFrame({"zip": [20095, 10115, 20095]})
    table = read_table(frame, {"zip": {"kind": "categorical"}})
    assert table.schema["zip"].levels == (10115, 20095)
    np.testing.assert_array_equal(table["zip"], [1, 0, 1])
    pd.testing.assert_frame_equal(write_table(table), frame)


def test_large_integers_stay_exact_as_categories():
    frame = pd.DataFrame({"x": [2**63 - 1, 2**53 + 1]})
    table = read_table(frame, {"x": {"kind": "categorical"}})
    pd.testing.assert_frame_equal(write_table(table), frame)


def test_text_of_numbers_can_be_read_as_numbers_and_comes_back_as_text():
    frame = pd.DataFrame({"x": ["12", "7.5", None, "-1e3"]})
    table = read_table(frame, {"x": {"kind": "numeric"}})
    np.testing.assert_array_equal(table["x"], [12, 7.5, np.nan, -1000])
    result = write_table(table)
    assert result.dtypes["x"] == frame.dtypes["x"]
    assert result["x"][:2].tolist() == ["12", "7.5"]
    assert result["x"].isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize("word", ["twelve", "inf", "1_000"])
def test_text_that_is_not_a_number_raises_an_error_with_its_value(word):
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
    pd.testing.assert_frame_equal(write_table(table), frame)


@pytest.mark.parametrize(("texts", "kind"), [(["12", "nan", "7"], "numeric"), (["2024-01-01", "NaT"], "datetime")])
def test_words_for_missing_are_missing_among_numbers_and_dates_and_come_back(texts, kind):
    frame = pd.DataFrame({"x": texts})
    table = read_table(frame, {"x": {"kind": kind}})
    assert table.missing("x").tolist() == [text in ("nan", "NaT") for text in texts]
    pd.testing.assert_frame_equal(write_table(table), frame)


def test_text_with_an_offset_is_read_in_utc():
    table = read_table(pd.DataFrame({"x": ["1970-01-01T02:00:00+02:00"]}), {"x": {"kind": "datetime"}})
    assert table["x"][0] == 0


@pytest.mark.parametrize("text", ["yesterday", "2024-13-01", "2024", "31.01.2024"])
def test_text_that_is_not_a_datetime_raises_an_error_with_its_value(text):
    with pytest.raises(SchemaError, match=f"column 'x': '{text}' cannot be read as datetime"):
        read_table(pd.DataFrame({"x": ["2024-01-01", text]}), {"x": {"kind": "datetime"}})


def test_numbers_are_not_read_as_datetimes():
    with pytest.raises(SchemaError, match=r"column 'x': 5 cannot be read as datetime\. .*to_datetime"):
        read_table(pd.DataFrame({"x": [5]}), {"x": {"kind": "datetime"}})


def test_zeros_and_ones_can_be_read_as_booleans_and_others_cannot():
    frame = pd.DataFrame({"x": [0, 1, 1], "y": ["True", None, "False"]})
    table = read_table(frame, {"x": {"kind": "boolean"}, "y": {"kind": "boolean"}})
    np.testing.assert_array_equal(table["x"], [0, 1, 1])
    np.testing.assert_array_equal(table["y"], [1, -1, 0])
    pd.testing.assert_frame_equal(write_table(table), frame)
    with pytest.raises(SchemaError, match="column 'x': 2 cannot be read as boolean"):
        read_table(pd.DataFrame({"x": [0, 2]}), {"x": {"kind": "boolean"}})


def test_booleans_can_be_read_as_numbers_and_datetimes_as_categories():
    frame = pd.DataFrame({"x": [True, False], "day": pd.to_datetime(["2024-01-02", "2024-01-01"])})
    table = read_table(frame, {"x": {"kind": "numeric"}, "day": {"kind": "categorical"}})
    np.testing.assert_array_equal(table["x"], [1.0, 0.0])
    assert table.schema["day"].levels == ("2024-01-01", "2024-01-02")
    pd.testing.assert_frame_equal(write_table(table), frame)


@pytest.mark.parametrize("levels", [["2", "10"], [2, 10], [2.0, 10.5]])
def test_categories_can_be_read_as_numbers_and_come_back_as_categories(levels):
    frame = pd.DataFrame({"x": pd.Categorical([levels[1], levels[0], None], categories=levels)})
    for given in (frame, pa.table({"x": pa.array(frame["x"])})):
        table = read_table(given, {"x": {"kind": "numeric"}})
        np.testing.assert_array_equal(table["x"], [float(levels[1]), 2, np.nan])
        result = write_table(table)
        assert result["x"].equals(given["x"])


def test_overridden_kinds_work_in_polars_and_pyarrow_too():
    for frame in (pl.DataFrame({"x": [3, 1], "y": ["1", "2"]}), pa.table({"x": [3, 1], "y": ["1", "2"]})):
        table = read_table(frame, {"x": {"kind": "categorical"}, "y": {"kind": "numeric"}})
        assert table.schema["x"].levels == (1, 3)
        assert write_table(table).equals(frame)


def test_numbers_and_text_match_known_levels_of_the_other_type():
    schema = Schema.detect(pd.DataFrame({"zip": [1, 2], "code": ["1", "2"]}), {"zip": {"kind": "categorical"}})
    table = read_table(pd.DataFrame({"zip": ["2", "3"], "code": [2.0, 3.0]}), schema)
    np.testing.assert_array_equal(table["zip"], [1, 2])
    np.testing.assert_array_equal(table["code"], [1, 2])
    assert (table.schema["zip"].levels, table.schema["code"].levels) == ((1, 2, 3), ("1", "2", "3"))
    with pytest.raises(
        SchemaError, match=r"column 'zip': 'two' cannot be read as categorical. The known levels are int"
    ):
        read_table(pd.DataFrame({"zip": ["two"], "code": ["1"]}), schema)


def test_missing_cells_stay_missing_in_every_conversion():
    missing = np.array([False, True, False])
    columns = [
        raw_numbers("x", "int64", np.array([1, 0, 0]), missing),
        raw_booleans("x", "bool", np.array([True, False, False]), missing),
        raw_levels("x", "str", np.array([0, -1, 1]), ("1", "0")),
    ]
    for raw in columns:
        np.testing.assert_array_equal(raw.missing, missing)
        np.testing.assert_array_equal(np.isnan(as_floats(raw, "numeric")), missing)
        np.testing.assert_array_equal(as_levels(raw).values < 0, missing)
        assert as_floats(raw, "numeric")[[0, 2]].tolist() == [1.0, 0.0]


def test_sorted_levels_name_the_same_cells():
    raw = raw_levels("x", "object", np.array([2, -1, 0, 1, 2]), ("b", 3, "a"))
    result = sort_levels(raw)
    assert result.levels == (3, "a", "b")
    assert result.values.tolist() == [1, -1, 2, 0, 1]


def test_unseen_levels_follow_the_known_ones_and_unused_levels_are_dropped():
    raw = raw_levels("x", "str", np.array([0, 2, -1, 3]), ("z", "unused", "b", "a"))
    indices, unseen = match_levels(raw, ("a", "b"), "categorical")
    assert unseen == ("z",)
    assert indices.tolist() == [2, 1, -1, 0]


@pytest.mark.parametrize(("per_second", "ticks"), [(1, 2), (1000, 2000), (1_000_000, 2_000_000), (10**9, 2 * 10**9)])
def test_times_of_every_unit_are_microseconds(per_second, ticks):
    raw = raw_times("x", "unit", np.array([ticks, 0]), np.array([False, True]), per_second=per_second)
    np.testing.assert_array_equal(raw.floats(), [2e6, np.nan])


def test_dates_that_stand_for_missing_are_given_as_iso_text_or_in_the_format():
    moments = np.array([0.0, -2_208_988_800e6, 86_400e6])
    raw = RawColumn("born", "datetime64[us]", "datetime", moments, np.zeros(3, bool))
    for word, form in (("1900-01-01", None), ("01.01.1900", "%d.%m.%Y"), ("1900-01-01", "%d.%m.%Y")):
        assert mark_missing(raw, [word, "no date"], form).missing.tolist() == [False, True, False]


def test_infinite_values_may_mean_missing():
    raw = raw_numbers("v", "float64", np.array([1.5, np.inf, -np.inf, 3.0]))
    assert mark_missing(raw, ["inf"]).missing.tolist() == [False, True, False, False]
    assert mark_missing(raw, ["inf", "-Infinity"]).floats().tolist()[::3] == [1.5, 3.0]
    with pytest.raises(DataError, match=r'schema=\{"v": \{"missing": \["inf", "-inf"\]\}\}'):
        raw.floats()
