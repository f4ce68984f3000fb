"""``unique``: read, printed, stored, and kept apart from rules about single rows."""

from __future__ import annotations

import pandas as pd
import pytest

from janus_synth import col, holds, unique
from janus_synth.errors import RuleError, UnknownColumnError
from janus_synth.rules import as_rules, bind, from_json, parse_rule
from janus_synth.rules.language.keys import Unique, require_no_keys, split_keys
from janus_synth.table import Column, Schema

SCHEMA = Schema(
    (
        Column("order", "identifier", "str", template="ORD-{00001}"),
        Column("line", "numeric", "int64"),
        Column("name", "personal", "str", role="name"),
    )
)


def test_text_and_python_give_the_same_rule():
    rule = parse_rule("unique(order, `line no`)")
    assert rule == unique("order", "line no") == Unique(("order", "line no"))
    assert parse_rule(str(rule)) == rule == from_json(rule.to_json())
    assert rule.columns == ("order", "line no")


@pytest.mark.parametrize("text", ["unique()", "unique(a, a)", "unique(3)", "unique(a + b)", "unique(a) > 3"])
def test_a_key_is_a_list_of_different_columns(text):
    with pytest.raises(RuleError):
        parse_rule(text)


def test_python_takes_names_only():
    with pytest.raises(RuleError, match="names of columns"):
        unique(col("a"))


def test_keys_are_taken_out_of_conjunctions():
    rules = as_rules(["a > 1 and unique(a, b) and c < 2", "unique(c)", "d is null"])
    rows, keys = split_keys(rules)
    assert [str(rule) for rule in rows] == ["a > 1 and c < 2", "d is null"]
    assert [str(key) for key in keys] == ["unique(a, b)", "unique(c)"]
    assert split_keys(as_rules("unique(a) and unique(a)")) == ((), (unique("a"),))


@pytest.mark.parametrize("text", ["a > 1 or unique(b)", "not unique(b)", "implies(a > 1, unique(b))", "unique(b)"])
def test_no_key_stands_where_a_single_row_is_judged(text):
    with pytest.raises(RuleError, match="about all rows of a table together"):
        require_no_keys([parse_rule(text)])


def test_every_single_row_satisfies_a_key():
    bound = bind("unique(order, line)", SCHEMA)
    assert str(bound) == "unique(order, line)"
    assert bound.test.columns == ("line",)


def test_a_key_needs_known_columns_that_cannot_repeat_by_chance():
    with pytest.raises(UnknownColumnError, match="Did you mean 'line'"):
        bind("unique(lin)", SCHEMA)
    with pytest.raises(RuleError, match="made up and may repeat"):
        bind("unique(name)", SCHEMA)


def test_the_first_row_of_a_key_keeps_the_rule():
    frame = pd.DataFrame({"a": [1, 1, None, None, 2], "b": ["x", "x", "y", "y", "x"]})
    assert holds("unique(a, b)", frame).tolist() == [True, False, True, False, True]
    assert (holds("unique(a, b)", frame) == ~frame.duplicated(["a", "b"]).to_numpy()).all()
