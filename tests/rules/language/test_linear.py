"""Linear expressions: their arithmetic against exact evaluation, and their text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.errors import RuleError
from janus_synth.rules import parse_sum
from janus_synth.rules.language import Linear, Term, distinct
from janus_synth.rules.language.linear import add_all
from rules.rule_strategies import linears
from strategies import quick

small = st.integers(-50, 50)
columns = st.sampled_from(["a", "b", "c"])
sums = st.builds(Linear, st.lists(st.builds(Term, columns, small), max_size=4).map(tuple), small)
rows = st.fixed_dictionaries({"a": small, "b": small, "c": small})


def value(linear, row):
    return linear.constant + sum(Fraction(term.coefficient) * row[term.column] for term in linear.terms)


@quick
@given(st.lists(sums, min_size=1, max_size=4), small, rows)
def test_sums_and_products_are_those_of_the_values(parts, factor, row):
    assert value(add_all(parts), row) == sum(value(part, row) for part in parts)
    assert value(parts[0].plus(parts[-1]), row) == value(parts[0], row) + value(parts[-1], row)
    assert value(parts[0].times(factor), row) == factor * value(parts[0], row)


@quick
@given(linears())
def test_text_reads_back_as_an_equal_expression(linear):
    assert parse_sum(str(linear)) == linear


def test_terms_of_one_column_are_merged_and_zeros_dropped():
    linear = Linear((Term("a", 2), Term("b"), Term("a", 1), Term("b", -1), Term("a", 5, True)))
    assert linear.terms == (Term("a", 3), Term("a", 5, True))
    assert linear.columns == ("a",)


@pytest.mark.parametrize(
    ("linear", "column", "text", "is_number", "is_constant"),
    [
        (Linear((Term("a"),)), "a", None, False, False),
        (Linear((Term("a", 2),)), None, None, False, False),
        (Linear((Term("a"),), 1), None, None, False, False),
        (Linear(text="Rome"), None, "Rome", False, True),
        (Linear(constant=3), None, None, True, True),
        (Linear(span=3), None, None, False, True),
    ],
)
def test_an_expression_knows_whether_it_is_a_number_or_a_constant(linear, column, text, is_number, is_constant):
    found = linear.only_column, linear.only_text, linear.is_number, linear.is_constant
    assert found == (column, text, is_number, is_constant)


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda: Linear(text="a").times(2), "is text and cannot be multiplied"),
        (lambda: Linear(text="a").plus(Linear(text="b")), "two texts cannot be added"),
        (lambda: Linear(sign=-1), "a date cannot be multiplied"),
        (lambda: Linear(constant=float("inf")), "not finite"),
    ],
)
def test_impossible_arithmetic_is_a_rule_error(build, problem):
    with pytest.raises(RuleError, match=problem):
        build()


def test_distinct_keeps_the_order_of_appearance():
    assert distinct("banana") == ("b", "a", "n")
