"""Rules built in Python with ``col`` equal rules parsed from text."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import col, fixed_combinations, implies, increments, one_hot, parse_rule

age, x, y, start, end = map(col, ("age", "x", "y", "start", "end"))

SAME = [
    (age >= 18, "age >= 18"),
    (age.between(18, 65), "18 <= age <= 65"),
    (age.between(18, 65) & (x != "b"), "18 <= age <= 65 and x != 'b'"),
    ((x + y <= 2 * age - 3) | ~(x > 1), "x + y <= 2 * age - 3 or not (x > 1)"),
    (3 - x / 2 > -y, "3 - x / 2 > -y"),
    (1 + x == 2, "1 + x == 2"),
    (x.isin(["a", "b"]), "x in ['a', 'b']"),
    (x.isin(np.array([1, 2])), "x in [1, 2]"),
    (~x.isin([True]), "not x"),
    (x.is_null() | y.not_null(), "x is null or y is not null"),
    ((x == None) & (y != None), "x is null and y is not null"),  # noqa: E711
    ((x == True) & (y != False), "x == True and y != False"),  # noqa: E712
    (x & y | ~age, "x and y or not age"),
    (implies(x, age >= 16), "implies(x, age >= 16)"),
    (start >= dt.date(2024, 1, 31), "start >= '2024-01-31'"),
    (start >= dt.datetime(2024, 1, 31, 8, 30), "start >= '2024-01-31T08:30:00'"),
    (start >= np.datetime64("2024-01-31T08:30"), "start >= '2024-01-31T08:30:00.000000'"),
    (end > start + dt.timedelta(days=30), "end > start + days(30)"),
    (end - start > np.timedelta64(2, "h"), "end - start > hours(2)"),
    (end - dt.date(2024, 1, 1) > dt.timedelta(2), "end - '2024-01-01' > days(2)"),
    (col("annual income (k$)") > 3, "`annual income (k$)` > 3"),
    (one_hot("x", "y"), "one_hot(x, y)"),
    (increments("x", 0.5), "increments(x, 0.5)"),
    (fixed_combinations("x", "y"), "fixed_combinations(x, y)"),
]


@pytest.mark.parametrize(("rule", "text"), SAME, ids=[text for _, text in SAME])
def test_python_and_text_give_equal_rules(rule, text):
    assert rule == parse_rule(text)


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda: x / 0, "divides by zero"),
        (lambda: x / abs(y), "which is no sum of products"),
        (lambda: x**0.5, "a power is a whole number"),
        (lambda: x**5, "a power is from -4 to 4"),
        (lambda: abs(x) * y, "can be multiplied by numbers only"),
        (lambda: x == round(y, -1), "the digits of round"),
        (lambda: (x + 1).is_null(), "needs one column"),
        (lambda: x.isin("abc"), "needs a list of values"),
        (lambda: x.isin([]), "is empty"),
        (lambda: x > True, "have no order"),
        (lambda: x > object(), "cannot be a constant in a rule"),
        (lambda: x > float("nan"), "not finite"),
        (lambda: col(3), "a column's name is text"),
        (lambda: implies("x > 3", x), "Write the whole rule as text"),
    ],
)
def test_expressions_that_are_no_rules_raise(build, problem):
    with pytest.raises(RuleError, match=problem):
        build()


def test_joining_a_rule_with_another_type_raises():
    with pytest.raises(TypeError):
        (x > 1) & 3
