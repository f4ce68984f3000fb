"""Which rules define a column as a product or a ratio."""

from __future__ import annotations

import pytest

from janus_synth.coordinates.product_rules import decimals_of_half, defined_column
from janus_synth.rules import bind
from janus_synth.table import Column, Schema

SCHEMA = Schema(tuple(Column(name, "numeric", "float64") for name in "abcd"))


@pytest.mark.parametrize(
    ("text", "column", "formula", "half"),
    [
        ("a == b * c", "a", "b * c", 0.0),
        ("b / c == a", "a", "b / c", 0.0),
        ("2 * a - 2 * b * c == 0", "a", "b * c", 0.0),
        ("a == round(b / c ** 2, 1)", "a", "b / c ** 2", 0.05),
        ("abs(a - b * c) <= 0.005", "a", "b * c", 0.005),
        ("-0.5 <= b * c - a <= 0.5", "a", "b * c", 0.5),
    ],
)
def test_definitions_are_recognised(text, column, formula, half):
    found = defined_column(bind(text, SCHEMA).test)
    assert (found.column, str(found.formula), found.half) == (column, formula, pytest.approx(half))


@pytest.mark.parametrize(
    "text",
    [
        "a <= b * c",
        "a == 2 * b * c",
        "a == b * c + 1",
        "a == b * c * d",
        "a == b * c + d",
        "a * b == c * d",
        "a == a * b",
        "-0.5 <= a - b * c <= 0.7",
        "a == b",
        "a == b * c or a == 0",
    ],
)
def test_other_rules_define_nothing(text):
    assert defined_column(bind(text, SCHEMA).test) is None


def test_halves_of_decimal_units_have_digits():
    assert [decimals_of_half(half) for half in (0.5, 0.05, 0.0005, 0.3)] == [0, 1, 3, None]
