"""Names, numbers and durations as text that reads back as the same thing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.errors import RuleError
from janus_synth.rules import parse_rule, parse_sum
from janus_synth.rules.language.notation import SPANS, format_name, format_span, format_sum, format_value, plain_number
from rules.rule_strategies import names
from strategies import quick


@quick
@given(names | st.text(max_size=12))
def test_a_name_reads_back(name):
    assert parse_sum(format_name(name)).only_column == name


@quick
@given(st.text(max_size=12) | st.booleans() | st.integers(-(10**6), 10**6))
def test_a_constant_reads_back(value):
    assert parse_rule(f"x in [{format_value(value)}, 'other']").values[0] == value


@quick
@given(st.integers(1, 10**15) | st.sampled_from(sorted(SPANS.values())), st.none() | names)
def test_a_duration_reads_back(microseconds, column):
    found = parse_sum(format_span(microseconds, None if column is None else format_name(column)))
    if column is None:
        assert (found.span, found.terms) == (microseconds, ())
    else:
        assert (found.span, found.terms) == (0, ((column, microseconds, True),))


@quick
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60))
def test_a_plain_number_is_equal_and_an_int_only_where_floats_are_exact(value):
    found = plain_number(value)
    assert found == float(value)
    assert isinstance(found, int) == (float(value).is_integer() and abs(float(value)) < 2**53)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 10**400])
def test_numbers_that_are_not_finite_are_rule_errors(value):
    with pytest.raises(RuleError, match="not finite"):
        plain_number(value)


@pytest.mark.parametrize("coefficient", [1, -1, 2, 0.5, -0.2, 1 / 3, 2 / 21, 0.0125, 1e-7, 12345.678, 3600])
def test_coefficients_are_read_back_exactly(coefficient):
    rule = parse_rule(f"y == {format_sum([('x', coefficient, False)], 0, False)}")
    assert rule.right.terms[0].coefficient == pytest.approx(coefficient, rel=1e-15)


@pytest.mark.parametrize(
    ("seconds", "text"), [(1, "seconds(x)"), (60, "minutes(x)"), (5400, "minutes(90 * x)"), (86400, "days(x)")]
)
def test_durations_have_the_largest_whole_unit(seconds, text):
    assert format_sum([("x", seconds, True)], 0, False) == text


def test_constants_are_numbers_or_durations():
    assert format_sum([("x", -1, False)], 1, False) == "-x + 1"
    assert format_sum([("x", 1, False)], -7200, True) == "x - hours(2)"
