"""Evaluation of rules on tables against a row-by-row evaluator, and edge cases of its semantics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from janus_synth.errors import RuleError, UnknownColumnError
from janus_synth.rules import as_rule, bind, holds, judge, learn, one_hot
from janus_synth.rules.language import FixedCombinations, Not
from janus_synth.table import Column, Schema, Table, read_table
from rules.rule_strategies import cells_of, fitting_rules, people, row_holds
from strategies import seeds


@settings(deadline=None, max_examples=300)
@given(fitting_rules, seeds)
def test_evaluating_a_table_equals_evaluating_row_by_row(rule, seed):
    frame = people(np.random.default_rng(seed))
    expected = [row_holds(rule, row) for row in cells_of(frame)]
    assert holds(rule, frame).tolist() == expected
    assert holds(str(rule), frame).tolist() == expected


def test_all_kinds_of_frames_agree():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = people(np.random.default_rng(0))
    rule = "implies(n > 0, end >= start) and (city == 'Rome' or d <= 0.3 or not flag) and start < '2024-01-08'"
    expected = holds(rule, frame)
    plain = frame.astype({"size": "str"})
    assert expected.tolist() == holds(rule, pa.Table.from_pandas(plain)).tolist()
    assert expected.tolist() == holds(rule, pl.from_pandas(plain)).tolist()
    assert expected.tolist() == holds(rule, read_table(frame)).tolist()
    assert expected.tolist() == holds(rule, frame, Schema.detect(frame)).tolist()
    assert 0 < expected.sum() < len(frame)


def test_plain_pandas_agrees():
    frame = people(np.random.default_rng(1), 500).dropna()
    x = frame
    found = holds("2 * n - d < 1.05 and size >= 'M' and end - start > days(1) or home == city", frame)
    days = (x.end - x.start).dt.days
    expected = (2 * x.n - x.d < 1.05) & (x["size"] >= "M") & (days > 1) | (x.home == x.city)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("x > 3", [True, False, False]),
        ("not (x > 3)", [False, True, False]),
        ("x != 3", [True, True, False]),
        ("not (x == 3)", [True, True, False]),
        ("x in [5]", [True, False, False]),
        ("x not in [5]", [False, True, False]),
        ("not (x > 3) or x is null", [False, True, True]),
        ("implies(x > 3, x < 0)", [False, True, True]),
        ("implies(not (x > 3), x > 9)", [True, False, True]),
        ("implies(x is null, x > 0)", [True, True, False]),
        ("not implies(x > 3, x < 0)", [True, False, False]),
        ("not not implies(x > 3, x < 0)", [False, True, True]),
        ("x == x", [True, True, False]),
        ("x < x", [False, False, False]),
        ("increments(x, 5)", [True, False, False]),
        ("not increments(x, 5)", [False, True, False]),
        ("implies(increments(x, 5), x < 0)", [False, True, True]),
    ],
)
def test_a_null_satisfies_neither_a_comparison_nor_its_negation(rule, expected):
    assert holds(rule, pd.DataFrame({"x": [5.0, 2.0, None]})).tolist() == expected


def test_decimals_are_equal_despite_their_representation():
    frame = pd.DataFrame({"a": [0.1, 0.7], "b": [0.2, 0.1], "c": [0.3, 0.8]})
    for rule in ("a + b == c", "c - a - b == 0", "a + b <= c", "a + b >= c", "10 * a + 10 * b == 10 * c"):
        assert holds(rule, frame).all(), rule
    for rule in ("a + b != c", "a + b < c", "a + b > c", "not (a + b == c)"):
        assert not holds(rule, frame).any(), rule
    sums = pd.DataFrame({"x": [0.1 + 0.2, 0.1 * 3, 0.3, 0.31]})
    assert holds("x in [0.3]", sums).tolist() == [True, True, True, False]
    assert holds("increments(x, 0.1)", sums).tolist() == [True, True, True, False]
    assert holds("x == 0.3", sums.astype("float32")).tolist() == [True, True, True, False]


def test_whole_numbers_and_microseconds_are_exact():
    start = pd.Timestamp("2024-01-01")
    frame = pd.DataFrame({"a": [start], "b": [start + pd.Timedelta(microseconds=1)], "n": [2**52], "m": [2**52 + 1]})
    frame = frame.astype({"a": "datetime64[us]", "b": "datetime64[us]"})
    assert holds("a < b and b == a + microseconds(1) and a == '2024-01-01'", frame).all()
    assert holds("n < m and not (n == m)", frame).all()


def test_moments_are_read_in_the_zone_of_their_column():
    moments = pd.Series(pd.to_datetime(["2024-07-01 00:00", "2024-06-30 23:00"])).dt.tz_localize("Europe/Paris")
    assert holds("t >= '2024-07-01'", pd.DataFrame({"t": moments})).tolist() == [True, False]
    assert holds("t >= '2024-06-30T22:00Z'", pd.DataFrame({"t": moments})).tolist() == [True, False]


def test_combinations_count_a_null_as_a_value():
    train = pd.DataFrame({"city": ["Rome", "Oslo", None], "country": ["Italy", "Norway", "Italy"]})
    later = pd.DataFrame(
        {"city": ["Rome", "Rome", None, None, "Bonn"], "country": ["Italy", "Norway", "Italy", None, "Italy"]}
    )
    rule = learn("fixed_combinations(city, country)", train)
    assert holds(rule, later).tolist() == [True, False, True, False, False]
    assert holds(~rule, later).tolist() == [False, True, False, True, True]
    with pytest.raises(RuleError, match="learns from training rows"):
        holds("fixed_combinations(city, country)", later)


def test_exactly_one_is_hot():
    frame = pd.DataFrame({"a": [1, 0, 1, 2], "b": [False, True, True, False], "c": [0, 0, 0, -1]})
    assert holds(one_hot("a", "b", "c"), frame).tolist() == [True, True, False, False]


def test_rules_about_identifiers_are_evaluated_if_no_schema_is_given():
    frame = pd.DataFrame({"n": range(30), "name": [f"name {i}" for i in range(30)]})
    assert holds("n < 10 and name != 'name 3'", frame).sum() == 9
    with pytest.raises(RuleError, match="identifier"):
        holds("n < 10", frame, Schema.detect(frame))


def test_a_level_that_no_row_takes_is_an_error_only_against_a_schema():
    frame = pd.DataFrame({"city": ["Rome", "Oslo", None]})
    assert holds("city in ['Bonn', 'Oslo']", frame).tolist() == [False, True, False]
    assert holds("city != 'Bonn'", frame).tolist() == [True, True, False]
    with pytest.raises(RuleError, match="no level 'Bonn'"):
        holds("city != 'Bonn'", frame, Schema.detect(frame))


def test_levels_outside_the_schema_are_evaluated():
    schema = Schema.detect(pd.DataFrame({"city": ["Rome", "Oslo"]}))
    later = pd.DataFrame({"city": ["Bonn", "Rome"]})
    assert holds("city != 'Rome'", later, schema).tolist() == [True, False]
    assert judge(bind("city != 'Rome'", schema), read_table(later, schema)).tolist() == [True, False]


def test_a_column_of_nulls_satisfies_nothing_but_null():
    frame = pd.DataFrame({"x": [None, None], "y": [1, 2]})
    for rule in ("x > 3", "x == 'a'", "x", "not x", "x in [1]", "x + y > 2", "increments(x, 2)", "not (x > 3)"):
        assert not holds(rule, frame).any(), rule
    assert holds("x is null and implies(x > 3, y > 9)", frame).all()


def test_an_empty_table_gives_an_empty_result():
    frame = pd.DataFrame({"x": pd.Series([], dtype=float)})
    assert holds("x > 3", frame).shape == (0,)
    with pytest.raises(UnknownColumnError, match="Did you mean"):
        holds("xx > 3", frame)


def test_only_the_columns_of_the_rule_are_read():
    frame = pd.DataFrame({"x": [1, 5], "odd": [[1], {2}]})
    assert holds("x > 3", frame).tolist() == [False, True]
    assert as_rule("x > 3").columns == ("x",)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_combinations_are_compared_as_values_are_stored(dtype):
    """A model emits 0.1 on its lattice; a column in single precision stores another number, which is the same value."""
    schema = Schema((Column("c", "numeric", dtype), Column("k", "numeric", "int64", nullable=True)))
    rule = FixedCombinations(("c", "k"), ((float(np.dtype(dtype).type(0.1)), 1), (0.30000000000000004, None)))
    rows = {"c": np.array([0.1, 0.3, 0.1, 0.11]), "k": np.array([1.0, np.nan, np.nan, 1.0])}
    assert judge(bind(rule, schema), Table(schema, rows, 4)).tolist() == [True, True, False, False]
    assert judge(bind(Not(rule), schema), Table(schema, rows, 4)).tolist() == [False, False, True, True]
