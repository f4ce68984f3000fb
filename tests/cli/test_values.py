"""Valid values of ``--set`` and ``--values``, and the errors for invalid ones."""

from __future__ import annotations

import datetime as dt

import pytest

from janus_synth.cli.values import parse_interventions, parse_values
from janus_synth.errors import JanusError
from janus_synth.table import Column, Schema

SCHEMA = Schema(
    (
        Column("key", "identifier", "str"),
        Column("age", "numeric", "int64", low=0, high=99),
        Column("age=old", "numeric", "float64", nullable=True),
        Column("city name", "categorical", "str", levels=("Oslo", "Rome", "Rome, GA", "a|b", "1..2", "null")),
        Column("code", "categorical", "category[int64]", levels=(1, 2), nullable=True),
        Column("size", "categorical", "category", levels=("S", "M", "L"), ordered=True),
        Column("hired", "boolean", "bool"),
        Column("start", "datetime", "datetime64[us]"),
        Column("span", "numeric", "timedelta64[us]"),
    )
)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("age=30", "age", 30),
        (" age = 30 ", "age", 30),
        ("age=-1.5e1", "age", -15.0),
        ("age=50_000", "age", 50_000),
        ("age=30..40", "age", (30, 40)),
        ("age=-1...5", "age", (-1, 0.5)),
        ("age=30|40|50", "age", [30, 40, 50]),
        ("age := 2 * `age=old` + 1", "age", "2 * `age=old` + 1"),
        ("age:=30", "age", 30),
        ("age=old=1", "age=old", 1),
        ("`age=old` = null", "age=old", None),
        ("city name=Rome", "city name", "Rome"),
        ("city name='Rome, GA'", "city name", "Rome, GA"),
        ("city name=Rome|Oslo", "city name", ["Rome", "Oslo"]),
        ("city name='Rome'|'Oslo'", "city name", ["Rome", "Oslo"]),
        ("city name=a|b", "city name", "a|b"),
        ("city name=1..2", "city name", "1..2"),
        ("city name=null", "city name", "null"),
        ("code=2", "code", 2),
        ("code=2.0", "code", 2),
        ("code=NULL", "code", None),
        ("size=S..M", "size", ("S", "M")),
        ("hired=True", "hired", True),
        ("hired=false", "hired", False),
        ("hired=true|false", "hired", [True, False]),
        ("start=2024-01-31", "start", "2024-01-31"),
        ("start=2024-01-31 08:30..2024-02-01", "start", ("2024-01-31 08:30", "2024-02-01")),
        ("start := start + days(3)", "start", "start + days(3)"),
        ("span=3 days", "span", dt.timedelta(days=3)),
    ],
)
def test_a_setting_is_read_in_the_kind_of_its_column(text, name, value):
    found = parse_interventions([text], SCHEMA)
    assert found == {name: value}
    assert type(found[name]) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["'' does not set a column", "name=low..high", "name:=sum"]),
        ("age", ["'age' does not set a column", "name=value"]),
        ("age==30", ["'age==30' does not set a column"]),
        ("age >= 30", ["does not set a column"]),
        ("age in 30, 40", ["does not set a column", "name=a|b|c"]),
        ("agee=30", ["no column 'agee'", "Did you mean 'age'"]),
        ("agee:=30", ["no column 'agee'"]),
        ("key=A-1", ["'key' is an identifier"]),
        ("age=", ["no value is given for column 'age'"]),
        ("age:=", ["no sum is given for column 'age'", "sum of columns"]),
        ("age=old", ["'age' holds numbers, and 'old' is not one"]),
        ("age=nan", ["'nan' is not one"]),
        (f"age={'9' * 400}", ["'age' holds numbers"]),
        ("age=30,40", ["'30,40' is not one", "a|b|c"]),
        ("age=age + 5", ["'age + 5' is not one", "write 'age := age + 5'"]),
        ("age=30..", ["a value of column 'age' is missing in '30..'"]),
        ("age=40..30", ["ends before it begins"]),
        ("age=30|", ["is missing in '30|'"]),
        ("age=30|null", ["'30|null' mixes null and values"]),
        ("age=null", ["'age' is never missing"]),
        ("city name=Oslp", ["no level 'Oslp'", "'Oslo'"]),
        ("city name=Rome..Oslo", ["has no order"]),
        ("city name:=age", ["only numbers and times", "city name=Oslo|Rome"]),
        ("hired=yes", ["'hired' is boolean", "neither true nor false"]),
        ("hired:=age", ["only numbers and times", "hired=true"]),
        ("size=L..S", ["ends before it begins"]),
        ("start=yesterday", ["'yesterday' is not a datetime", "ISO text"]),
        ("start=end", ["'end' is not a datetime"]),
        ("span=3", ["durations, such as '3 days'"]),
        ("span=NaT", ["durations"]),
        ("span=long", ["durations, such as '3 days'"]),
    ],
)
def test_a_setting_that_makes_no_sense_says_why_and_what_to_write(text, words):
    with pytest.raises(JanusError) as told:
        parse_interventions([text], SCHEMA)
    assert all(word in str(told.value) for word in words), str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("text", ["age := 0.1 *", "age := __import__('os')", "age := start > 3"])
def test_a_sum_that_cannot_be_read_is_pointed_at(text):
    with pytest.raises(JanusError) as told:
        parse_interventions([text], SCHEMA)
    message, shown, _ = str(told.value).split("\n")
    assert "is not a sum of columns" in message
    assert shown.strip() == text


def test_a_column_is_set_once():
    with pytest.raises(JanusError, match=r"'age' is set twice, by 'age=30' and 'age=40..50'. Keep one"):
        parse_interventions(["age=30", "hired=true", "age=40..50"], SCHEMA)


@pytest.mark.parametrize(
    ("name", "texts", "values"),
    [
        ("age", ["30,40, 50..60"], [30, 40, (50, 60)]),
        ("age", ["30", "40|50"], [30, [40, 50]]),
        ("city name", ["Rome,Oslo"], ["Rome", "Oslo"]),
        ("city name", ["Rome, GA", "'Oslo'"], ["Rome, GA", "Oslo"]),
        ("code", ["1,null"], [1, None]),
    ],
)
def test_values_are_parted_by_commas_unless_they_are_one_level(name, texts, values):
    assert parse_values(texts, SCHEMA[name]) == values


@pytest.mark.parametrize("text", ["", "30,,40", "30,old"])
def test_values_that_are_none_are_told_without_talk_of_sums(text):
    with pytest.raises(JanusError, match="column 'age'") as told:
        parse_values([text], SCHEMA["age"])
    assert ":=" not in str(told.value)
