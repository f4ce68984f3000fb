"""Parsing: rule text in, rules or errors with their position in the text out."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from janus_synth.errors import RuleError
from janus_synth.rules import as_rule, as_rules, col, nodes, parse_rule
from strategies import quick

ERRORS = [
    ("df.age > 3", "a dot reaches into an object", 0),
    ("x > 3 and df.age", "a dot reaches into an object", 10),
    ("__import__('os').system('ls')", "a dot reaches into an object", 0),
    ("__import__('os')", "there is no function '__import__'", 0),
    ("x > sqrt(y)", "there is no function 'sqrt'", 4),
    ("(lambda: 1)() > x", "a lambda is code", 1),
    ("x > (lambda: 1)", "a lambda is code", 5),
    ("[i for i in x] > 2", "a comprehension is code", 0),
    ("x in [i for i in y]", "'in' needs a list of values", 5),
    ("x[0] > 1", "square brackets after a name", 0),
    ("f'{x}' == y", "an f-string is code", 0),
    ("x == f'{y}'", "an f-string is code", 5),
    ("x == b'y'", "b'y' is a bytes", 5),
    ("x == 3j", "3j is a complex", 5),
    ("x ** 999999999 > 1", "a power is from -4 to 4", 0),
    ("9 ** 9 ** 9 ** 9 > x", "not finite", 5),
    ("x ** y > 1", "a power is a whole number", 0),
    ("(x * y) ** 3 * x ** 2 > 1", "a power is at most 4", 0),
    ("x * '2024-01-31' * y > 1", "cannot be multiplied", 0),
    ("round(x, 2) > 1", "stands alone on one side of ==", 0),
    ("x == round(y, 2, 3)", "takes a value and its digits", 5),
    ("x == round(y, z)", "the digits of round", 5),
    ("x % 2 == 0", "For multiples write increments", 0),
    ("x // 2 == 0", "// is not part", 0),
    ("1 / abs(x) > 2", "which is no sum of products", 0),
    ("x / 0 > 2", "divides by zero", 0),
    ("x / (1 - 1) > 2", "divides by zero", 0),
    ("x > 1e999", "not finite", 4),
    ("1e200 * x * 1e200 > 1", "not finite", 0),
    ("(x > 1) & (y > 2)", "in a rule's text write and", 0),
    ("(x > 1) | (y > 2)", "in a rule's text write or", 0),
    ("~x", "write not", 0),
    ("x if y else z", r"Write implies\(condition, consequence\)", 0),
    ("(x := 3) > y", ":= is not part of a rule", 1),
    ("1 < 2", "names no column", 0),
    ("x - x < 2", "names no column", 0),
    ("True", "a value alone is not a condition", 0),
    ("'x'", "a value alone is not a condition", 0),
    ("null", "a value alone is not a condition", 0),
    ("x + 1", "a sum alone is not a condition", 0),
    ("x > 1, y > 2", "a list alone is not a condition", 0),
    ("days(3)", "a duration alone is not a condition", 0),
    ("x in []", "the list is empty", 5),
    ("x in 'abc'", "'in' needs a list of values", 5),
    ("x in (1)", "'in' needs a list of values", 6),
    ("x in [y]", "a list holds values, not columns", 6),
    ("x in [1, null]", "or x is null", 9),
    ("x + 1 in [1]", "needs the name of one column", 0),
    ("x + 1 is null", "needs the name of one column", 0),
    ("x < null", "null is neither less nor more", 4),
    ("x is 3", "'is' is for null only", 5),
    ("x > True", "True and False have no order", 4),
    ("(x > 1) < (y > 1)", "a condition stands where a value is needed", 1),
    ("x + implies(a, b) > 1", "is a condition", 4),
    ("2 * 'a' == x", "is text and cannot be multiplied", 0),
    ("x == 'a' + 'b'", "two texts cannot be added", 5),
    ("days('a') > x", "a duration counts plain numbers", 0),
    ("implies(x)", "takes 2 arguments, not 1", 0),
    ("implies(a, b=c)", "without names", 0),
    ("increments(x, 0)", "it must be above 0", 0),
    ("increments(x, y)", "the step of increments is a number", 14),
    ("one_hot(a)", "two or more different columns", 0),
    ("fixed_combinations(a, a)", "two or more different columns", 0),
    ("größe > 1 and ß.x > 2", "a dot reaches", 14),
    ("   df.age > 3", "a dot reaches", 3),
    ("`odd name` > 1 and df.age > 3", "a dot reaches", 19),
]


@pytest.mark.parametrize(("text", "problem", "position"), ERRORS, ids=[text or "empty" for text, _, _ in ERRORS])
def test_text_that_is_not_a_rule_is_an_error_with_its_place(text, problem, position):
    with pytest.raises(RuleError, match=problem) as caught:
        parse_rule(text)
    assert caught.value.rule == text
    assert caught.value.position == position


@quick
@given(st.text(max_size=40) | st.text("xy().,'`<>=!+-*/ 19andortif[]{}:#\\", max_size=40))
@example("1or x")
@example("'\\d' == x")
def test_any_text_is_a_rule_or_a_rule_error(text):
    try:
        rule = parse_rule(text)
    except RuleError:
        return
    assert parse_rule(str(rule)) == rule


def test_long_sums_and_lists_are_fine():
    total = parse_rule(" + ".join(f"x{i}" for i in range(500)) + " <= 1")
    assert len(total.columns) == 500
    assert len(parse_rule(f"x in {list(range(1500))}").values) == 1500


def test_names_with_spaces_or_signs_are_written_in_back_quotes():
    rule = parse_rule("`annual income (k$)` > `a``b` and `null` is null and ﬁeld > 1")
    assert rule.columns == ("annual income (k$)", "a`b", "null", "ﬁeld")


def test_as_rule_takes_text_nodes_and_bare_columns():
    rule = parse_rule("married")
    assert as_rule("married") == as_rule(rule) == as_rule(col("married")) == rule
    assert isinstance(rule, nodes.IsIn)
    with pytest.raises(RuleError, match="not int"):
        as_rule(3)


def test_thousands_of_rules_read_quickly():
    start = time.process_time()
    for i in range(5000):
        parse_rule(f"50_000 <= income <= 80_000 and loan in ['Approved', 'Pending'] and implies(x{i} > 3, not married)")
    assert time.process_time() - start < 2


def test_one_or_several_conditions_become_rules():
    rule = parse_rule("x > 1")
    assert as_rules(None) == as_rules([]) == ()
    assert as_rules("x > 1") == as_rules(rule) == as_rules(["x > 1"]) == (rule,)
    assert as_rules([col("married"), "x > 1"]) == (parse_rule("married"), rule)
    with pytest.raises(RuleError, match="not int"):
        as_rules([3])


def test_text_is_read_once_and_errors_every_time():
    assert parse_rule("age >= 18 and city in ['Rome']") is parse_rule("age >= 18 and city in ['Rome']")
    for _ in range(2):
        with pytest.raises(RuleError):
            parse_rule("age >=")
