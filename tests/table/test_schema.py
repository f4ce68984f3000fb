"""Schemas check themselves, change by copy and survive JSON."""

import datetime as dt
import json

import numpy as np
import pytest

from janus_synth.errors import SchemaError, UnknownColumnError
from janus_synth.table import Column, Schema

AGE = Column("age", "numeric", "Int64", nullable=True, low=0, high=120)
CITY = Column("city", "categorical", "category", levels=("Rome", "Oslo"), ordered=True)
KEY = Column("key", "identifier", "object", template="EMP-{00124}")
START = Column("start", "datetime", "datetime64[us, Europe/Paris]", low=0, high=86_400_000_001)
SCHEMA = Schema((AGE, CITY, KEY, START), frame="pandas")


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


@pytest.mark.parametrize("low", [253402214400e6, -62135596800e6, -(2.0**60), 2.0**60 + 256])
def test_distant_datetimes_survive_json(low):
    schema = Schema((Column("d", "datetime", "datetime64[us]", low=low),))
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
def test_json_that_is_not_a_schema_raises_an_error(text, message):
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
