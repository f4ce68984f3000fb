"""Conditions on parts of dates, compared with the definition number by number."""

import operator

import pandas as pd
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import bind, col, holds, parse_rule
from janus_synth.rules.language.dates import Calendar, InCalendar, check_possible, compare_part
from janus_synth.table import Column, Schema
from janus_synth.table.calendar import LIMITS

OPS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("value", [-1, 0, 3, 5.5, 12, 99])
def test_ranges_hold_the_numbers_that_compare(op, value):
    low, high = LIMITS["month"]
    rule = Calendar("d", "month", op, (value,))
    for negated in (False, True):
        found = {n for first, last in rule.ranges(negated=negated) for n in range(first, last + 1)}
        assert found == {n for n in range(low, high + 1) if OPS[op](n, value) != negated}


def test_lists_and_their_opposites():
    assert Calendar("d", "hour", "in", (23, 1, 2)).ranges() == ((1, 2), (23, 23))
    assert Calendar("d", "quarter", "not in", (2,)).ranges() == ((1, 1), (3, 4))


def test_columns_with_a_time_zone_have_the_calendar_of_the_zone():
    times = pd.DataFrame({"d": pd.to_datetime(["2024-06-30T23:30Z", "2024-06-30T21:30Z", None])})
    here = times.assign(d=times["d"].dt.tz_convert("Europe/Paris"))
    assert holds("month(d) == 7", times).tolist() == [False, False, False]
    assert holds("month(d) == 7", here).tolist() == [True, False, False]
    assert holds("not month(d) == 7", here).tolist() == [False, True, False]
    assert holds("implies(month(d) == 7, month(d) == 1)", here).tolist() == [False, True, True]


def test_python_and_text_are_the_same_rule():
    start = col("start")
    assert start.month().isin([6, 7]) == parse_rule("month(start) in [6, 7]")
    assert (start.weekday() < 5) == parse_rule("5 > weekday(start)")
    assert start.hour().between(9, 17) == parse_rule("9 <= hour(start) <= 17")
    assert ((start.year() == 2020) & (start.day() != 1)) == parse_rule("year(start) == 2020 and day(start) != 1")
    assert (start.quarter() >= 2) == parse_rule("quarter(start) >= 2")
    assert compare_part(start.month(), "<", 6, swapped=True) == parse_rule("6 < month(start)")


def test_a_part_of_something_else_than_a_date_is_an_error():
    schema = Schema((Column("age", "numeric", "int64"), Column("d", "datetime", "datetime64[us]")))
    with pytest.raises(RuleError, match="'age' is numeric; month"):
        bind("month(age) == 3", schema)
    assert bind("month(d) != 3", schema).test == InCalendar("d", "month", ((1, 2), (4, 12)), None)
    assert str(InCalendar("d", "month", ((1, 2), (4, 4)), None)) == "month(d) in 1 to 2, 4"


def test_numbers_that_no_date_has_are_errors():
    for text in ("month(d) == 13", "weekday(d) in [7, 8]", "hour(d) == 1.5"):
        with pytest.raises(RuleError, match="no date has"):
            parse_rule(text)
    with pytest.raises(RuleError, match="Monday"):
        check_possible(Calendar("d", "weekday", "==", (7,)))
    with pytest.raises(RuleError, match="no part 'century'"):
        Calendar("d", "century", "==", (3,))
    with pytest.raises(RuleError, match="compares with numbers only"):
        _ = col("d").month() == "June"
    with pytest.raises(RuleError, match="empty"):
        col("d").month().isin([])
    with pytest.raises(TypeError, match="no truth value"):
        bool(col("d").month())
