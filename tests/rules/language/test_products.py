"""Products, ratios and powers in rules: text, ``col()`` and JSON agree, and binding keeps their meaning."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import bind, col, from_json, holds, parse_rule
from janus_synth.rules.language.nodes import And, Compare, IsNull
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table import Column, Schema

a, b, c = col("a"), col("b"), col("c")
SCHEMA = Schema(
    (
        Column("a", "numeric", "float64"),
        Column("b", "numeric", "float64", nullable=True),
        Column("c", "numeric", "int64"),
        Column("flag", "boolean", "bool"),
        Column("when", "datetime", "datetime64[us]"),
        Column("gap", "numeric", "timedelta64[us]"),
        Column("city", "categorical", "str", levels=("Oslo", "Rome")),
    )
)


@pytest.mark.parametrize(
    ("text", "built"),
    [
        ("a * b <= c", a * b <= c),
        ("a >= b / c", a >= b / c),
        ("a == b / c ** 2", a == b / c**2),
        ("1 / a < 2", 1 / a < 2),
        ("(a + b) ** 2 > 3 * a * c", (a + b) ** 2 > 3 * a * c),
        ("a ** -2 > 3", a**-2 > 3),
        ("abs(a - b * c) <= 0.5", abs(a - b * c) <= 0.5),
        ("a == round(b / c, 1)", a == round(b / c, 1)),
        ("a != round(b * c)", a != round(b * c)),
    ],
)
def test_text_and_expressions_and_json_agree(text, built):
    rule = parse_rule(text)
    assert rule == built
    assert parse_rule(str(rule)) == rule
    assert from_json(rule.to_json()) == rule


def test_linear_rules_stay_linear():
    assert isinstance(bind("2 * a / 4 * 3 <= c", SCHEMA).test, Compare)
    assert isinstance(bind("a * c + a <= 3 + a * c", SCHEMA).test, And)  # and c is not null


def test_what_cancels_must_still_be_defined():
    test = bind("a / b + c >= a / b", SCHEMA).test
    assert IsNull("b", True) in test.parts
    frame = pd.DataFrame({"a": [1.0, 1.0, 1.0], "b": [1.0, 0.0, None], "c": [1, 1, 1]})
    assert holds("a / b + c >= a / b", frame).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a * when > 3", "'when' is datetime; products and ratios are for plain numbers"),
        ("a / gap > 3", "'gap' is a duration"),
        ("a * city > 3", "'city' is categorical"),
        ("a * b > days(3)", "cannot be multiplied or divided"),
    ],
)
def test_products_are_for_plain_numbers(text, problem):
    with pytest.raises(RuleError, match=problem):
        bind(text, SCHEMA)


def test_the_opposite_holds_on_the_other_defined_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=300).round(1), "b": rng.integers(-2, 3, 300), "c": rng.integers(0, 5, 300)}
    )
    test = bind("a / b <= c", SCHEMA).test
    assert isinstance(test, CompareProducts)
    one, other = holds("a / b <= c", frame), holds("not (a / b <= c)", frame)
    assert (one ^ other == (frame["b"] != 0)).all()


def test_rounding_means_half_a_unit_of_the_last_digit():
    frame = pd.DataFrame({"a": [0.33, 0.34, 0.3], "b": [1.0, 1.0, 1.0], "c": [3, 3, 3]})
    assert holds("a == round(b / c, 2)", frame).tolist() == [True, False, False]
    assert holds("a != round(b / c, 2)", frame).tolist() == [False, True, True]


def test_whole_numbers_are_compared_exactly():
    big = 94_906_267
    frame = pd.DataFrame({"a": [big, big], "b": [big, big - 1], "c": [big * (big - 1), big * (big - 1)]})
    assert holds("a * b == c", frame).tolist() == [False, True]


def test_damaged_json_is_refused():
    good = parse_rule("a * b <= c").to_json()
    for factors in ([["a", 1.5]], [["a", 9]], [["a", 0]], [[3, 1]], [["a", 1], ["a", 1]]):
        bad = {**good, "left": {"products": [[1, factors]]}}
        with pytest.raises(RuleError):
            from_json(bad)
