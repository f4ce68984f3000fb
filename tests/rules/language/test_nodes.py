"""Rules as values: they print, read back, compare and hash."""

from __future__ import annotations

import pytest
from hypothesis import given

from janus_synth.errors import RuleError
from janus_synth.rules import col, nodes, parse_rule
from rules.rule_strategies import rules
from strategies import quick


@quick
@given(rules)
def test_text_reads_back_as_an_equal_rule(rule):
    text = str(rule)
    again = parse_rule(text)
    assert again == rule
    assert hash(again) == hash(rule)
    assert str(again) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("50_000 <= income<=80_000", "50000 <= income <= 80000"),
        ("x >= 1 and (y > 2 and z > 3)", "x >= 1 and y > 2 and z > 3"),
        ("x >= 1 and (y > 2 or z > 3)", "x >= 1 and (y > 2 or z > 3)"),
        ("between(x, 1, 2)", "1 <= x <= 2"),
        ("married == True", "married"),
        ("not married", "not married"),
        ("x == None or y != null", "x is null or y is not null"),
        ("a + b <= 2*c/4 - (d - 3)*2", "a + b <= 0.5 * c - 2 * d + 6"),
        ("a + a - 2 * a + b > 0", "b > 0"),
        ("end > start + weeks(2) - hours(24)", "end > start + days(13)"),
        ("`annual income (k$)` > -3e2", "`annual income (k$)` > -300"),
        ("loan in {'a', \"b\"}", "loan in ['a', 'b']"),
        ("one_hot(a, b)", "a in [0, 1] and b in [0, 1] and a + b == 1"),
    ],
)
def test_text_has_one_canonical_form(text, canonical):
    assert str(parse_rule(text)) == canonical


def test_columns_come_in_order_of_appearance():
    assert parse_rule("implies(b > a, c is null) and a in [1] and not d").columns == ("b", "a", "c", "d")


def test_a_rule_has_no_truth_value():
    with pytest.raises(TypeError, match="no truth value before there are rows. Join conditions with & and |"):
        bool(parse_rule("age > 3"))
    with pytest.raises(TypeError, match=r"col\('age'\).between\(18, 65\)"):
        assert 18 <= col("age") <= 65
    with pytest.raises(TypeError, match="no truth value"):
        bool(col("age"))


def test_true_is_not_one():
    assert parse_rule("x in [True, 0]") != parse_rule("x in [1, False]")
    assert len({nodes.IsIn("x", (True,)), nodes.IsIn("x", (1,)), nodes.IsIn("x", (1.0,))}) == 2


@pytest.mark.parametrize(
    ("build", "problem"),
    [
        (lambda: nodes.And((nodes.IsNull("x"),)), "And needs two or more parts"),
        (lambda: nodes.Increments("x", -1), "it must be above 0"),
        (lambda: nodes.FixedCombinations(("a", "b"), ((1,),)), "each combination of 'a, b' needs 2 values"),
        (lambda: nodes.Compare(nodes.Linear(constant=1), "<", nodes.Linear(constant=2)), "names no column"),
        (lambda: nodes.IsIn("x", (b"bytes",)), "cannot be a constant in a rule"),
    ],
)
def test_invalid_nodes_cannot_be_constructed(build, problem):
    with pytest.raises(RuleError, match=problem):
        build()


def test_leaves_come_from_left_to_right():
    rule = parse_rule("implies(a > 1, not (b is null)) or (c in [1] and d)")
    assert [str(leaf) for leaf in nodes.leaves(rule)] == ["a > 1", "b is null", "c in [1]", "d"]
