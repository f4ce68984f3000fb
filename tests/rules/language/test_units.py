"""Constants and sums in physical units, against Python's own dates, and sums that mix units."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.errors import RuleError
from janus_synth.rules import bind, parse_rule
from janus_synth.rules.language.units import physical_constant, subtract_sides
from janus_synth.table import Column, Schema
from strategies import quick

SCHEMA = Schema(
    (
        Column("age", "numeric", "Int64", nullable=True, low=0, high=120),
        Column("nights", "numeric", "int64"),
        Column("delay", "numeric", "timedelta64[us]"),
        Column("married", "boolean", "boolean", nullable=True),
        Column("size", "categorical", "category", levels=("S", "M", "L"), ordered=True),
        Column("start", "datetime", "datetime64[us]"),
        Column("end", "datetime", "datetime64[us]"),
    )
)
COLUMNS = {column.name: column for column in SCHEMA}
EPOCH = dt.datetime(1970, 1, 1)
moments = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2050, 1, 1))


def microseconds(span: dt.timedelta) -> int:
    return span // dt.timedelta(microseconds=1)


@quick
@given(moments, moments, st.integers(-400, 400), st.integers(0, 30))
def test_a_difference_of_moments_and_durations_is_that_of_datetime(start, end, days, nights):
    rule = parse_rule(f"end - '1990-01-01' >= start - '1990-01-01' + days({days}) + days(nights) - hours(3)")
    difference = subtract_sides(rule, rule.left, rule.right, COLUMNS)
    row = {"start": microseconds(start - EPOCH), "end": microseconds(end - EPOCH), "nights": nights}
    found = difference.constant + sum(term.coefficient * row[term.column] for term in difference.terms)
    assert found == microseconds(end - start - dt.timedelta(days=days + nights, hours=-3))


@pytest.mark.parametrize(
    ("column", "value", "physical"),
    [
        ("age", 3, 3.0),
        ("married", True, 1),
        ("married", 0, 0),
        ("size", "L", 2),
        ("start", "1970-01-02", 86_400_000_000.0),
    ],
)
def test_a_constant_becomes_a_number(column, value, physical):
    rule = parse_rule(f"{column} is null")
    found = physical_constant(rule, COLUMNS[column], value, strict=True)
    assert (found, isinstance(found, int)) == (physical, COLUMNS[column].is_discrete)


def test_an_unknown_level_is_an_error_only_if_strict():
    rule = parse_rule("size is null")
    assert physical_constant(rule, COLUMNS["size"], "XXL", strict=False) is None
    with pytest.raises(RuleError, match="no level 'XXL'"):
        physical_constant(rule, COLUMNS["size"], "XXL", strict=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("age == 'old'", "column 'age' is numeric and 'old' is text"),
        ("age in ['old']", "column 'age' is numeric and 'old' is text"),
        ("married == 'yes'", "column 'married' is boolean and 'yes' is text"),
        ("start > 5", "column 'start' is datetime; compare it with a moment"),
        ("start > days(5)", "column 'start' is datetime; compare it with a moment"),
        ("start + end > '2024-01-01'", "compare it with a moment"),
        ("start > 'tomorrow'", "'tomorrow' is not a datetime"),
        ("start in [5]", "column 'start' is datetime and 5 is not"),
        ("end > start + 3", "3 is a plain number, but the other parts are times. Write days"),
        ("end > start + nights", r"Write days\(nights\)"),
        ("age > days(3)", "column 'age' is a plain number, but the other parts are times"),
        ("delay > 3", "3 is a plain number, but the other parts are times"),
        ("end > start + days(delay)", "already is a time"),
    ],
)
def test_constants_and_sums_that_mix_units_are_explained(text, problem):
    with pytest.raises(RuleError, match=problem):
        bind(text, SCHEMA)
