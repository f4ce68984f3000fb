"""What importers share: nulls pass, ranges, patterns, and reasons for what is left out."""

import pandas as pd
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import col, holds
from janus_synth.rules.importers.imported import (
    Imported,
    NotTakenError,
    Skipped,
    collect,
    compare,
    has_length,
    in_range,
    key,
    listed,
    matches_somewhere,
    unless_null,
)


def test_nulls_pass_except_in_columns_that_have_none():
    frame = pd.DataFrame({"a": [1.0, None, 5.0], "b": [3.0, 3.0, 3.0]})
    assert holds(unless_null(col("a") < col("b")), frame).tolist() == [True, True, False]
    assert unless_null(col("a") < col("b"), present=("a", "b")) == (col("a") < col("b"))


def test_what_cannot_be_read_is_listed_with_its_reason():
    def refuse():
        raise NotTakenError("why.")

    def stumble():
        raise KeyError("column")

    def break_rule():
        raise RuleError("no rule.")

    parts = [("a", refuse), ("b", stumble), ("c", break_rule), ("d", lambda: None), ("e", lambda: col("x") > 1)]
    found = collect([*parts, parts[-1]])
    assert found.rules == (col("x") > 1,)
    assert found.skipped[0] == Skipped("a", "why.")
    assert [skipped.text for skipped in found.skipped] == ["a", "b", "c"]
    assert "KeyError" in str(found.skipped[1])
    assert Imported(()).skipped == ()


def test_keys_have_one_column_or_several():
    assert [str(key(names)) for names in ("ab", ["a", "b"], ("a",))] == ["unique(ab)", "unique(a, b)", "unique(a)"]
    with pytest.raises(RuleError, match="different columns"):
        key(["a", "a"])


def test_ranges_and_lists():
    assert str(in_range("x", 1, None, strict_low=True)) == "x > 1"
    assert str(in_range("x", 1, 2)) == "1 <= x <= 2"
    assert str(listed("x", ["a", None], negated=True)) == "not (x in ['a'])"
    with pytest.raises(NotTakenError, match="no bounds"):
        in_range("x", None, None)
    with pytest.raises(NotTakenError, match="not a comparison"):
        compare(col("x"), "=", 1)


@pytest.mark.parametrize("pattern", ["b+", "^b", "b$", "^ab$", "a|c", "^(a|c)"])
def test_a_pattern_is_searched_as_pandas_does(pattern):
    texts = pd.Series(["ab", "b", "cab\n", "xyz", "", "bb"])
    rule = matches_somewhere("x", pattern)
    groups = pattern.replace("(", "(?:").replace("$", r"\Z")
    assert [rule.accepts(text) for text in texts] == texts.str.contains(groups, regex=True).tolist()


def test_anchors_of_alternatives_are_refused_and_lengths_are_counted():
    with pytest.raises(NotTakenError, match="alternatives"):
        matches_somewhere("x", "^a|b")
    assert [has_length("x", 2, 3).accepts(text) for text in ("a", "ab", "a\nb", "abcd")] == [False, True, True, False]
    assert has_length("x", None, None).accepts("")
