"""Minimal conflict sets, and the sentences that name them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility import check_feasible
from janus_synth.rules.feasibility.clauses import build_space
from janus_synth.rules.feasibility.explain import minimal_conflict, quote
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.table import read_table
from rules.feasibility.loans import reason, schema_and_codec


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 101, 300) for name in "uvwxyz"})
    frame = frame.assign(h=rng.normal(size=300), city=rng.choice(["Rome", "Oslo", None], 300))
    table = read_table(frame)
    return table.schema, fit_codec(table, BinSettings())


@pytest.fixture(scope="module")
def learnt():
    return schema_and_codec()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x > 3", "x < 50", "x > 60", "y > 3"], [1, 2]),
        (["x > 50", "y > 50", "x + y < 90"], [0, 1, 2]),
        (["x < y", "y < z", "u < v", "z < x", "v < w"], [0, 1, 3]),
        (["x > 200", "y > 200"], [1]),
        (["city == 'Rome'", "city is null", "x > 3"], [0, 1]),
    ],
)
def test_a_minimal_conflict_contains_no_rule_that_can_be_left_out(people, texts, expected):
    schema, codec = people
    rules = [bind(text, schema) for text in texts]
    space = build_space({name: None for rule in rules for name in rule.columns}, schema, codec)
    assert minimal_conflict(build_problem(rules, space), len(texts)) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("x < x", "'x < x': no row satisfies it."),
        (
            "age > 200 and city == 'Rome'",
            "'age > 200': column 'age' takes values from 17 to 90. Widen it with schema={'age': {'high': 201}}.",
        ),
        (
            "age > 50 and city == 'Rome' and age < 20",
            "no row satisfies \"age > 50 and city == 'Rome' and age < 20\", because 'age > 50' and 'age < 20' "
            "contradict each other. "
            "Drop one of them.",
        ),
    ],
)
def test_the_parts_of_one_rule_that_contradict_each_other_are_named(learnt, rule, expected):
    assert reason(learnt, rule) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            ["income > 150_000", "income < 1_000"],
            "no row satisfies both 'income > 150000' and 'income < 1000'. Drop one of them.",
        ),
        (
            ["x > y + 5", "city == 'Rome'", "y > 8"],
            "no row satisfies both 'x > y + 5' and 'y > 8': column 'x' takes values from 0 to 10. "
            "Widen it with schema={'x': {'high': 15}}. Or drop one of the rules.",
        ),
        (
            ["implies(city == 'Rome', x > 20)", "city == 'Rome'"],
            "no row satisfies both \"implies(city == 'Rome', x > 20)\" and \"city == 'Rome'\": "
            "column 'x' takes values from 0 to 10. Widen it with schema={'x': {'high': 21}}. Or drop one of the rules.",
        ),
        (
            ["x < y", "y < age", "age < x + 10", "age > 25"],
            "no row satisfies both 'age < x + 10' and 'age > 25': column 'x' takes values from 0 to 10. "
            "Widen it with schema={'x': {'high': 17}}. Or drop one of the rules.",
        ),
        (
            ["x < y", "y < price", "price < x"],
            "no row satisfies all of 'x < y', 'y < price' and 'price < x'. Drop one of them.",
        ),
    ],
)
def test_rules_that_contradict_each_other_are_named(learnt, rules, expected):
    assert reason(learnt, *rules) == expected


def test_long_rules_are_cut(learnt):
    rule = bind(f"age in {list(range(200))}", learnt[0])
    assert len(quote(rule)) <= 122
    assert quote(rule).endswith("…'")


def test_combinations_learnt_from_rows_are_explained():
    rows = pd.DataFrame({"city": ["Rome", "Oslo"] * 9, "land": ["Italy", "Norway"] * 9, "x": range(18)})
    table = read_table(rows)
    rule = bind("fixed_combinations(city, land)", table.schema, table)
    other = bind("city == 'Rome' and land == 'Norway'", table.schema)
    both = bind("fixed_combinations(city, land) and city == 'Rome' and land == 'Norway'", table.schema, table)
    codec = fit_codec(table, BinSettings())
    assert check_feasible([rule, other], table.schema, codec).reason == (
        "no row satisfies both 'fixed_combinations(city, land)' and \"city == 'Rome' and land == 'Norway'\". "
        "Drop one of them."
    )
    assert "no row satisfies it" in check_feasible([both], table.schema, codec).reason


@pytest.mark.parametrize("text", ["hired > 3", "hired == 2", "hired < 0"])
def test_a_boolean_column_compared_with_a_number_is_explained(text):
    table = read_table(pd.DataFrame({"hired": [True, False] * 9, "x": range(18)}))
    found = check_feasible([bind(text, table.schema)], table.schema, fit_codec(table, BinSettings()))
    assert found.reason == f"'{text}': no row satisfies it. hired is true or false: write hired or not hired."
