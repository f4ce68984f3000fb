"""Columns and schemas check themselves, change by copy and survive JSON."""

import datetime as dt
import json
import pickle

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.table import Column, Schema, Table, read_table

AGE = Column("age", "numeric", "Int64", nullable=True, low=0, high=120)
CITY = Column("city", "categorical", "category", levels=("Rome", "Oslo"), ordered=True)
KEY = Column("key", "identifier", "object", template="EMP-{00124}")
START = Column("start", "datetime", "datetime64[us, Europe/Paris]", low=0, high=86_400_000_001)
SCHEMA = Schema((AGE, CITY, KEY, START), frame="pandas")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "number"}, "column 'x': the kind is 'number'; it must be one of numeric, boolean"),
        ({"dtype": ""}, "column 'x': the dtype is ''"),
        ({"nullable": 1}, "column 'x': nullable is 1; it must be true or false"),
        ({"low": 2, "high": 1}, r"column 'x': low 2\.0 lies above high 1\.0"),
        ({"low": float("nan")}, "column 'x': low is nan; it must be a finite number"),
        ({"high": "ten"}, "column 'x': high is 'ten'; it must be a finite number"),
        ({"high": True}, "high is True"),
        ({"high": 10**400}, "it must be a finite number"),
        ({"kind": "datetime", "low": 0.5}, "whole number of microseconds"),
        ({"kind": "categorical", "low": 1}, "low is given, but a categorical column has no range"),
        ({"levels": ("a",)}, "levels are given, but a numeric column has none"),
        ({"kind": "categorical", "levels": "abc"}, "it must be a list of values"),
        ({"kind": "categorical", "levels": 3}, "it must be a list of values"),
        ({"kind": "categorical", "levels": ("a", "b", "a")}, "the level 'a' is listed twice"),
        ({"kind": "categorical", "levels": (None,)}, "the level None is a NoneType"),
        ({"kind": "categorical", "levels": (float("inf"),)}, "the level inf is not finite"),
        ({"kind": "boolean", "levels": (0, 1)}, r"a boolean column has the levels \(False, True\)"),
        ({"ordered": True}, "ordered is for categorical columns, and this one is numeric"),
        ({"template": "{1}"}, "a template is given, but a numeric column has none"),
        ({"kind": "datetime", "template": "%d.%m.%y"}, "the format '%d.%m.%y' is not known"),
        ({"kind": "identifier", "template": "EMP"}, r"it has no \{number\} and no \[characters\]"),
        ({"kind": "identifier", "template": "EMP-{"}, "the '{' at position 4 has no partner"),
        ({"kind": "identifier", "template": "{1}{2}"}, r"more than one \{number\}"),
        ({"kind": "identifier", "template": "[Q]"}, r"\['Q'\] are not character classes"),
        ({"kind": "identifier", "template": 5}, "it is not text"),
        ({"name": 5}, "a column is named 5; names must be text"),
    ],
)
def test_columns_that_make_no_sense_cannot_be_built(fields, message):
    with pytest.raises(SchemaError, match=message):
        Column(**{"name": "x", "kind": "numeric", "dtype": "float64", **fields})


def test_true_and_one_are_two_levels():
    assert Column("x", "categorical", "object", levels=(True, 1, "1")).levels == (True, 1, "1")


def test_numpy_scalars_become_plain_values():
    column = Column("x", "categorical", "object", levels=[np.int64(1), np.str_("a"), np.bool_(True), np.float64(2.5)])
    assert list(map(type, column.levels)) == [int, str, bool, float]


def test_columns_know_what_they_are():
    told = {c.name: (c.is_ordered, c.is_learnt, c.is_discrete) for c in (*SCHEMA, Column("b", "boolean", "bool"))}
    assert told == {
        "age": (True, True, False),
        "city": (True, True, True),
        "key": (False, False, False),
        "start": (True, True, False),
        "b": (False, True, True),
    }


def test_a_schema_is_a_collection_of_columns():
    assert SCHEMA.names == ("age", "city", "key", "start")
    assert SCHEMA["city"] is CITY
    assert list(SCHEMA) == [AGE, CITY, KEY, START]
    assert len(SCHEMA) == 4
    assert "age" in SCHEMA
    assert "nobody" not in SCHEMA
    assert SCHEMA.learnt == (AGE, CITY, START)
    assert SCHEMA.select(["start", "age"]).names == ("start", "age")
    with pytest.raises(UnknownColumnError, match="Did you mean 'city'"):
        SCHEMA["citty"]


def test_schemas_that_make_no_sense_cannot_be_built():
    with pytest.raises(SchemaError, match="lists 'age' more than once"):
        Schema((AGE, AGE))
    with pytest.raises(SchemaError, match="the frame kind is 'excel'; it must be one of pandas, polars, pyarrow"):
        Schema((AGE,), frame="excel")


def test_json_round_trips_exactly_and_reads_well():
    text = SCHEMA.to_json()
    assert Schema.from_json(text) == SCHEMA
    assert Schema.from_dict(SCHEMA.to_dict()) == SCHEMA
    start = json.loads(text)["columns"][3]
    assert (start["low"], start["high"]) == ("1970-01-01T00:00:00Z", "1970-01-02T00:00:00.000001Z")
    assert '{"name": "age", "kind": "numeric", "dtype": "Int64", "nullable": true, "low": 0, "high": 120}' in text


@pytest.mark.parametrize("low", [0.1, -1e300, 5e-324, 2.0**60, -(2.0**53) - 2])
def test_bounds_survive_json_to_the_last_bit(low):
    for column in (
        Column("x", "numeric", "float64", low=low),
        Column("d", "datetime", "object[date]", low=round(low / 1e284)),
    ):
        schema = Schema((column,))
        assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize("moment", [253402214400e6, -62135596800e6, -(2.0**60), 2.0**60 + 256])
def test_far_moments_survive_json(moment):
    schema = Schema((Column("d", "datetime", "datetime64[us]", low=moment),))
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the schema is not JSON"),
        ("[]", "a schema is an object with 'frame' and a list of 'columns'"),
        ('{"frame": "pandas"}', "a list of 'columns'"),
        ('{"columns": [], "version": 2}', "a schema has no 'version'"),
        ('{"columns": [7]}', "a column is an object with a 'name', not 7"),
        ('{"columns": [{"name": "x", "kind": "numeric"}]}', "column 'x' lacks 'dtype'"),
        ('{"columns": [{"name": "x", "kind": "numeric", "dtype": "int64", "lo": 1}]}', "'lo' cannot be set"),
        ('{"columns": [{"name": "x", "kind": "number", "dtype": "int64"}]}', "the kind is 'number'"),
        ('{"columns": [{"name": "x", "kind": ["a"], "dtype": "int64"}]}', "the kind is"),
        ('{"columns": [{"name": "x", "kind": "numeric", "dtype": "int64", "low": NaN}]}', "low is nan"),
        (
            '{"columns": [{"name": "x", "kind": "datetime", "dtype": "d", "low": "soon"}]}',
            "'soon' is not a datetime",
        ),
        ('{"columns": [{"name": "x", "kind": "categorical", "dtype": "d", "levels": [[1]]}]}', "is a list"),
    ],
)
def test_json_that_is_no_schema_is_refused(text, message):
    with pytest.raises(SchemaError, match=message):
        Schema.from_json(text)


def test_columns_are_changed_by_copy():
    wider = SCHEMA.with_column("age", high=150)
    assert (wider["age"].high, SCHEMA["age"].high) == (150.0, 120.0)
    with pytest.raises(UnknownColumnError):
        SCHEMA.with_column("nobody", high=1)
    with pytest.raises(SchemaError, match="'name' cannot be set"):
        SCHEMA.with_column("age", **{"name": "x"})


def test_datetime_bounds_may_be_text_or_objects_in_the_columns_own_zone():
    midnight_in_paris = dt.datetime(2023, 12, 31, 23, tzinfo=dt.UTC).timestamp() * 1e6
    for low in (
        "2024-01-01",
        dt.date(2024, 1, 1),
        dt.datetime(2024, 1, 1),
        "2023-12-31T23:00Z",
        np.datetime64("2024-01-01"),
    ):
        assert SCHEMA.with_column("start", low=low, high=None)["start"].low == midnight_in_paris
    with pytest.raises(SchemaError, match=r"column 'start': 'soon' is not a datetime\. Write ISO text"):
        SCHEMA.with_column("start", low="soon")


def test_a_new_kind_drops_what_belonged_to_the_old_one():
    assert SCHEMA.with_column("age", kind="categorical")["age"] == Column("age", "categorical", "Int64", nullable=True)
    assert SCHEMA.with_column("city", kind="identifier")["city"] == Column("city", "identifier", "category")


def test_tables_hold_read_only_arrays_of_the_right_type():
    table = read_table(pd.DataFrame({"x": [1.5, 2.5], "y": ["a", "b"]}))
    with pytest.raises(ValueError, match="read-only"):
        table["x"][0] = 0
    with pytest.raises(UnknownColumnError):
        table["z"]
    assert len(table) == 2


def test_tables_select_columns_and_take_rows():
    table = read_table(pd.DataFrame({"x": [1.5, None, 3.5], "y": ["a", "b", None]}))
    assert table.select(["y"]).schema.names == ("y",)
    np.testing.assert_array_equal(table.take([2, 0])["x"], [3.5, 1.5])
    np.testing.assert_array_equal(table.take(np.array([True, False, True]))["y"], [0, -1])
    assert table.take(slice(1, None)).n_rows == 2
    assert table.take([]).n_rows == 0
    np.testing.assert_array_equal(table.missing("x"), [False, True, False])
    np.testing.assert_array_equal(table.missing("y"), [False, False, True])


def test_tables_check_their_arrays():
    schema = Schema((AGE, CITY))
    good = {"age": np.array([1.0]), "city": np.array([1])}
    with pytest.raises(DataError, match="column 'city' has no array"):
        Table(schema, {"age": good["age"]}, 1)
    with pytest.raises(DataError, match=r"column 'age' has shape \(1,\); it must be \(2,\)"):
        Table(schema, good, 2)
    with pytest.raises(DataError, match="column 'city' has indices outside its 2 levels"):
        Table(schema, good | {"city": np.array([2])}, 1)
    with pytest.raises(UnknownColumnError):
        Table(schema, good | {"cty": np.array([0])}, 1)


def test_tables_can_be_pickled():
    table = read_table(pd.DataFrame({"x": [1.5], "y": ["a"]}))
    copy = pickle.loads(pickle.dumps(table))
    assert copy.schema == table.schema
    np.testing.assert_array_equal(copy["x"], table["x"])
