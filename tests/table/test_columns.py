"""Columns check themselves, and single values go in and out of their units."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import SchemaError
from janus_synth.table import Column, Schema, physical_value, shown_value


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
        ({"kind": "datetime", "format": "%d.%q.%y"}, "the format '%d.%q.%y' is not known"),
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
    columns = (
        Column("age", "numeric", "Int64", nullable=True, low=0, high=120),
        Column("city", "categorical", "category", levels=("Rome", "Oslo"), ordered=True),
        Column("key", "identifier", "object", template="EMP-{00124}"),
        Column("start", "datetime", "datetime64[us, Europe/Paris]", low=0, high=86_400_000_001),
        Column("b", "boolean", "bool"),
    )
    assert {c.name: (c.is_ordered, c.is_learnt, c.is_discrete) for c in columns} == {
        "age": (True, True, False),
        "city": (True, True, True),
        "key": (False, False, False),
        "start": (True, True, False),
        "b": (False, True, True),
    }


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
    assert [physical_value(schema["member"], value) for value in (0, 1, 1.0, np.True_)] == [0.0, 1.0, 1.0, 1.0]
    with pytest.raises(SchemaError, match=r"has no level 'True'. Known levels include True\."):
        physical_value(schema["member"], "True")
    with pytest.raises(SchemaError, match="has no level 2"):
        physical_value(schema["member"], 2)
    with pytest.raises(SchemaError, match=r"has no level 'Roma'. Known levels include 'Rome'"):
        physical_value(schema["city"], "Roma")
    with pytest.raises(SchemaError, match="column 'wait' is numeric, but 'long' is not"):
        physical_value(schema["wait"], "long")
    with pytest.raises(SchemaError, match="'soon' is not a datetime"):
        physical_value(schema["start"], "soon")
    assert shown_value(schema["city"], -1) is None
    assert shown_value(schema["wait"], 1.5) == 1.5


def test_the_missing_value_is_minus_one_among_levels_and_nan_among_numbers():
    for kind in ("boolean", "categorical"):
        assert Column("x", kind, "object").missing_value == -1
    for kind in ("numeric", "datetime"):
        assert np.isnan(Column("x", kind, "float64").missing_value)
    for column in (Column("x", "boolean", "bool"), Column("x", "numeric", "float64")):
        assert shown_value(column, column.missing_value) is None
