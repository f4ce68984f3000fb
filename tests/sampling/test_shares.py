"""Shares as users write them: every notation means the same rows, and what cannot be is named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import col
from janus_synth.errors import InfeasibleError, RuleError, UnknownColumnError
from janus_synth.sampling.shares import read_axes, value_rule
from janus_synth.table import read_table
from sampling.small_models import small_model, small_table


@pytest.fixture(scope="module")
def model():
    return small_model("dense").model_


@pytest.fixture(scope="module")
def table(model):
    return read_table(small_table(), model.schema)


def members(shares, table, model, balance=None):
    """Category of each row, and the shares, of the only axis."""
    (axis,) = read_axes(shares, balance, model)
    return axis.classify(table), axis.shares


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"c": {"x": 0.3}}, lambda t: t["c"] == "x"),
        ({"a": {2: 0.3}}, lambda t: t["a"] == 2),
        ({"d": {None: 0.3}}, lambda t: t["d"].isna()),
        ({"d": {float("nan"): 0.3}}, lambda t: t["d"].isna()),
        ({"b": {"< 3": 0.3}}, lambda t: t["b"] < 3),
        ({"b": {"1 <= b < 3": 0.3}}, lambda t: t["b"].between(1, 2)),
        ({"b": {col("b") < 3: 0.3}}, lambda t: t["b"] < 3),
        ({"a > 1 and c == 'y'": 0.3}, lambda t: (t["a"] > 1) & (t["c"] == "y")),
        ({("a", "c"): {(1, "y"): 0.3}}, lambda t: (t["a"] == 1) & (t["c"] == "y")),
        ({("b", "d"): {(">= 2", None): 0.3}}, lambda t: (t["b"] >= 2) & t["d"].isna()),
        (pd.DataFrame({"a": [1], "c": ["y"], "share": [0.3]}), lambda t: (t["a"] == 1) & (t["c"] == "y")),
        ([{"c": {"x": 0.3}}], lambda t: t["c"] == "x"),
    ],
)
def test_every_notation_names_its_rows(shares, expected, table, model):
    found, wanted = members(shares, table, model)
    np.testing.assert_array_equal(found == 0, expected(small_table()))
    assert wanted == (0.3, 0.7)


def test_the_rest_is_every_other_row_nulls_included(table, model):
    for shares in ({"c": {"x": 0.2, "y": 0.1}}, {"d": {"< 2": 0.3}}, {"d": {0: 0.2, None: 0.1}}):
        (axis,) = read_axes(shares, None, model)
        rest = axis.categories[-1]
        assert rest.share == pytest.approx(0.7)
        from janus_synth.rules import judge

        np.testing.assert_array_equal(judge(rest.test, table), axis.classify(table) == len(axis.categories) - 1)


def test_a_balanced_column_has_equal_shares_of_its_values_and_none_of_null(table, model):
    assert members(None, table, model, "c")[1] == (1 / 3, 1 / 3, 1 / 3, 0.0)
    found, shares = members(None, table, model, "d")
    assert (found == len(shares) - 1).tolist() == small_table()["d"].isna().tolist()
    assert shares[-1] == 0.0
    assert len(members(None, table, model, ("c", "e"))[1]) == 10
    assert len(read_axes(None, ["c", "e"], model)) == 2


@pytest.mark.parametrize(
    ("shares", "balance", "error", "words"),
    [
        ({"c": {"q": 0.3}}, None, (RuleError, InfeasibleError), "'q'"),
        ({"cc": {"x": 0.3}}, None, UnknownColumnError, "'c'"),
        ({"c": {"x": 0.6, "y": 0.6}}, None, ValueError, "add up to 1.2"),
        ({"c": {"x": 1.5}}, None, ValueError, "from 0 to 1"),
        ({"c": {"x": True}}, None, ValueError, "from 0 to 1"),
        ({"c": {"x": 0.2, "y": 0.2, "z": 0.2}}, None, InfeasibleError, "add up to 0.6, and no other level"),
        ({"b": {"a < 3": 0.3}}, None, RuleError, "not a band of column 'b'"),
        ({("a", "c"): {"y": 0.3}}, None, ValueError, "need 2 values"),
        ({}, None, ValueError, "give a mapping"),
        (3, None, ValueError, "give a mapping"),
        (pd.DataFrame({"a": [1]}), None, ValueError, "needs a column 'share'"),
        (None, "q", UnknownColumnError, "'q'"),
    ],
)
def test_what_is_no_share_is_named(shares, balance, error, words, model):
    with pytest.raises(error, match=words):
        read_axes(shares, balance, model)


def test_overlapping_bands_are_an_error(table, model):
    with pytest.raises(RuleError, match="a row can meet both 'b < 3' and 'b < 4'"):
        members({"b": {"< 3": 0.3, "< 4": 0.3}}, table, model)


def test_the_rule_of_a_cell_holds_for_the_rows_with_that_cell(table, model):
    from janus_synth.rules import bind, judge

    for name in ("a", "c", "f"):
        rule = value_rule(model.schema[name], table[name][5])
        np.testing.assert_array_equal(judge(bind(rule, model.schema), table), table[name] == table[name][5])
