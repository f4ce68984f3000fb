"""Quotients of sums: text, JSON and values, against NumPy's own division."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import col
from janus_synth.errors import RuleError
from janus_synth.rules import from_json, holds, parse_rule
from janus_synth.rules.language.cases import denominators, linear_cases

QUOTIENTS = [
    ("a / (b + c)", "<", "2"),
    ("a / (b + c)", "==", "1"),
    ("a / (b + 1)", "!=", "c"),
    ("2 * a / (b + c)", ">=", "a / (c - d) + 1"),
    ("abs(a / (b + c) - 1)", "<=", "0.5"),
    ("(a + d) / (b + c)", "==", "1"),
    ("a * d / (b + c)", ">", "d"),
    ("d * (a / (b + c))", ">", "1"),
    ("a / (b + c) ** 2", ">", "0.5"),
    ("a / (b + c) / d", ">", "0.5"),
    ("a ** 2 / (b * c + 1)", ">", "1"),
    ("-a / (b + c)", "<", "2"),
    ("(b + c) ** -1", ">", "0.3"),
    ("a / (b + c) + d / (b + c)", ">", "1"),
    ("abs(a) / (b + c)", "<", "d"),
]
OPS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(-4, 5, 500).astype(float) for name in "abcd"})
    frame.loc[::17, "b"] = np.nan
    return frame


@pytest.mark.parametrize(("left", "op", "right"), QUOTIENTS)
def test_a_quotient_holds_where_its_division_says_so(left, op, right, frame):
    cells = {name: frame[name].to_numpy() for name in frame}
    with np.errstate(all="ignore"):
        sides = [np.broadcast_to(eval(side, {"abs": np.abs}, cells), 500).astype(float) for side in (left, right)]
    defined = np.isfinite(sides[0]) & np.isfinite(sides[1])
    expected = OPS[op](*np.round(sides, 12)) & defined
    text = f"{left} {op} {right}"
    np.testing.assert_array_equal(holds(text, frame), expected, text)
    np.testing.assert_array_equal(holds(f"not ({text})", frame), ~expected & defined, text)
    np.testing.assert_array_equal(holds(f"implies({text}, a > 99)", frame), ~expected, text)
    assert 0 < expected.sum() < 500


@pytest.mark.parametrize("parts", QUOTIENTS)
def test_a_quotient_survives_text_and_json(parts):
    rule = parse_rule(" ".join(parts))
    assert parse_rule(str(rule)) == rule
    assert from_json(rule.to_json()) == rule


def test_python_builds_the_same_quotient():
    a, b, c = map(col, "abc")
    assert (a / (b + c) <= 2) == parse_rule("a / (b + c) <= 2")


def test_where_a_case_is_not_defined_neither_the_rule_nor_its_negation_holds():
    frame = pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, -1.0], "c": [1.0, 1.0], "d": [9.0, 9.0]})
    assert holds("max(a / (b + c), d) >= 1", frame).tolist() == [True, False]
    assert holds("max(a / (b + c), d) < 10", frame).tolist() == [True, False]
    assert holds("max(a / (b + c), d) < 1", frame).tolist() == [False, False]
    assert [str(each) for each in denominators(parse_rule("max(a / (b + c), d / e) < 1"))] == ["b + c", "e"]
    assert denominators(parse_rule("a / (b + c) < abs(d)")) == ()


def test_constants_are_decided_at_once():
    assert linear_cases(parse_rule("max(a, 0) >= 0"), ">=") is True


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a / (b + days(3)) > 1", "dates, durations and texts"),
        ("(s - '2024-01-01') / (b + c) > 1", "dates, durations and texts"),
        ("a / abs(b) > 1", "nothing can be divided by 'abs\\(b\\)'"),
        ("a / (b + c) * (a / (c + d)) > 1", "cannot be multiplied by one another"),
        ("abs(a) * b > 1", "by numbers only"),
    ],
)
def test_what_cannot_be_divided_is_an_error_that_says_so(text, problem):
    with pytest.raises(RuleError, match=problem):
        parse_rule(text)
