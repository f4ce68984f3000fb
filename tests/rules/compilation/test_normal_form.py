"""Disjunctive normal form: flattened conjunctions, redundant bounds, and branches equivalent to the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.rules import bind
from janus_synth.rules.compilation.normal_form import (
    alternatives,
    columns_of,
    drop_implied_bounds,
    split_branches,
    split_conjunction,
)
from janus_synth.rules.holds import judge
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.nodes import And, Or
from janus_synth.table import read_table
from rules.rule_strategies import fitting_rules, people
from strategies import quick


def keep_all(tests, table):
    return np.all([judge(BoundRule(test, test), table) for test in tests], axis=0)


def branches_of(rules, table, *, most=64, share=lambda test: 0.0, is_possible=lambda tests: True):
    tests = [bind(rule, table.schema, strict=False).test for rule in rules]
    return split_branches(tests, most=most, share=share, is_possible=is_possible)


@pytest.fixture(scope="module")
def table():
    return read_table(people(np.random.default_rng(0), 400))


def test_nested_conjunctions_are_flattened(table):
    test = bind("n > 1 and (d < 2 and n + d > 3) and (city == 'Rome' or flag)", table.schema).test
    assert [columns_of(part) for part in split_conjunction([test])] == [{"n"}, {"d"}, {"n", "d"}, {"city", "flag"}]


@quick
@given(st.lists(fitting_rules, min_size=1, max_size=4))
def test_dropping_implied_bounds_changes_no_verdict(rules):
    seen = read_table(people(np.random.default_rng(0), 200))
    tests = [bind(rule, seen.schema, strict=False).test for rule in rules]
    kept = drop_implied_bounds([*tests, *tests])
    assert len(kept) <= len(list(split_conjunction(tests)))
    np.testing.assert_array_equal(keep_all(kept, seen), keep_all(tests, seen))


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["n < 3", "n < 2", "n < 4"], ["n < 2"]),
        (["n > 3", "n > 2", "n >= 3"], ["n > 3", "n >= 3"]),
        (["n + d >= 1", "d + n >= 0", "n + d >= 2"], ["n + d >= 2", "d + n >= 0"]),
        (["n == 1", "n == 1", "n == 2"], ["n == 1", "n == 2"]),
    ],
)
def test_only_the_tightest_bound_of_a_sum_is_kept(table, texts, kept):
    tests = drop_implied_bounds(bind(text, table.schema).test for text in texts)
    assert tests == [bind(text, table.schema).test for text in kept]


@quick
@given(st.lists(fitting_rules, min_size=1, max_size=3), st.sampled_from([1, 2, 3, 8, 64]))
def test_some_branch_holds_exactly_where_all_rules_hold(rules, most):
    frame = people(np.random.default_rng(0), 200)
    seen = read_table(frame)
    branches = branches_of(rules, seen, most=most)
    assert 1 <= len(branches) <= max(most, 1)
    some = np.any([keep_all(branch, seen) for branch in branches], axis=0)
    every = np.all([judge(bind(rule, seen.schema, strict=False), seen) for rule in rules], axis=0)
    np.testing.assert_array_equal(some, every)


def test_two_disjunctions_make_four_branches_of_literals(table):
    branches = branches_of(["n > 2 or flag", "d < 0 or city == 'Rome'"], table)
    assert len(branches) == 4
    assert not any(isinstance(test, Or | And) for branch in branches for test in branch)


def test_alternatives_of_one_column_stay_one_set(table):
    assert len(branches_of(["n < -2 or n > 3 or n == 0"], table)) == 1
    clause = bind("n < -2 or flag or n > 3", table.schema).test
    assert [part.columns for part in alternatives(clause)] == [("n",), ("flag",)]


def test_a_branch_that_another_one_absorbs_is_dropped(table):
    assert len(branches_of(["n > 2 or (n > 2 and flag)"], table)) == 1


def test_impossible_branches_are_dropped(table):
    forbidden = bind("flag", table.schema).test
    branches = branches_of(["n > 2 or flag or d < 0"], table, is_possible=lambda tests: forbidden not in tests)
    assert len(branches) == 2


def test_disjunctions_that_nearly_always_hold_are_not_split(table):
    rule = bind("end is null or end > start", table.schema).test
    texts = ["end is null or end > start", "n > 2 or d < 0"]
    branches = branches_of(texts, table, share=lambda test: 0.9 if test == rule else 0.1)
    assert len(branches) == 2
    assert all(rule in branch for branch in branches)


def test_more_alternatives_than_allowed_stay_together_in_groups(table):
    parts = [f"(n == {i} and d == {i / 10})" for i in range(-5, 5)]
    branches = branches_of([" or ".join(parts)], table, most=4)
    assert len(branches) == 4
    assert all(isinstance(test, Or) for branch in branches for test in branch)
