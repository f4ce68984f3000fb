"""What the user reads when no row will do, and that the advice helps."""

from __future__ import annotations

import ast
import re

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility.check import check_feasible
from janus_synth.rules.feasibility.explain import quoted
from janus_synth.table import read_table


def frame():
    rng = np.random.default_rng(0)
    n = 400
    smooth = np.concatenate([[140.7191, 194.8688], rng.uniform(150, 190, n - 2)])
    moment = pd.Timestamp("2024-01-01")
    return pd.DataFrame(
        {
            "age": np.arange(n) % 74 + 17,
            "income": 500 * (np.arange(n) + 1.0),
            "height": smooth,
            "price": 0.5 * (np.arange(n) % 200),
            "grams": rng.choice([0.123456789, 1.987654321, 3.3333333], n),
            "loan": pd.Categorical(rng.choice(["Yes", "No"], n), categories=["Yes", "No", "Later"]),
            "city": rng.choice(["Rome", "Oslo"], n),
            "start": moment + pd.to_timedelta(np.arange(n) % 300, unit="D"),
            "x": np.arange(n) % 11,
            "y": np.arange(n) % 21,
            "gone": np.full(n, np.nan),
        }
    )


@pytest.fixture(scope="module")
def learnt():
    table = read_table(frame(), {"gone": {"kind": "numeric"}})
    return table.schema, fit_codec(table, BinSettings())


def reason(learnt, *texts):
    schema, codec = learnt
    return check_feasible([bind(text, schema) for text in texts], schema, codec).reason


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "age > 200",
            "'age > 200': column 'age' takes values from 17 to 90. Widen it with schema={'age': {'high': 201}}.",
        ),
        ("age < 3", "'age < 3': column 'age' takes values from 17 to 90. Widen it with schema={'age': {'low': 2}}."),
        (
            "height > 500",
            "'height > 500': column 'height' takes values from 140.719 to 194.869. "
            "Widen it with schema={'height': {'high': 501}}.",
        ),
        (
            "start > '2030-01-01'",
            "\"start > '2030-01-01'\": column 'start' takes values from '2024-01-01' to '2024-10-26'. "
            "Widen it with schema={'start': {'high': '2030-01-02'}}.",
        ),
        (
            "start == '2024-03-03T12:00'",
            "\"start == '2024-03-03T12:00'\": column 'start' takes values from '2024-01-01' to '2024-10-26' "
            "in steps of days(1); nearest to what is asked are '2024-03-03' and '2024-03-04'.",
        ),
        (
            "price == 3.3",
            "'price == 3.3': column 'price' takes values from 0 to 99.5 in steps of 0.5; "
            "nearest to what is asked are 3 and 3.5.",
        ),
        (
            "grams == 2",
            "'grams == 2': column 'grams' takes only 0.123456789, 1.987654321 and 3.3333333; "
            "nearest to what is asked are 1.987654321 and 3.3333333.",
        ),
        (
            "loan == 'Later'",
            "\"loan == 'Later'\": no training row has 'Later' in column 'loan', so none can be made; "
            "column 'loan' takes only 'Yes' and 'No'.",
        ),
        (
            "city is null",
            "'city is null': column 'city' is never missing. Allow it with schema={'city': {'nullable': True}}.",
        ),
        ("gone > 3", "'gone > 3': column 'gone' is missing in every row."),
        ("gone is not null", "'gone is not null': column 'gone' is missing in every row."),
        ("x < x", "'x < x': no row satisfies it."),
        (
            "x + y > 100",
            "'x + y > 100': column 'x' takes values from 0 to 10. Widen it with schema={'x': {'high': 81}}. "
            "Or: column 'y' takes values from 0 to 20. Widen it with schema={'y': {'high': 91}}.",
        ),
        (
            "age > 200 and city == 'Rome'",
            "'age > 200': column 'age' takes values from 17 to 90. Widen it with schema={'age': {'high': 201}}.",
        ),
        (
            "age > 50 and city == 'Rome' and age < 20",
            "no row satisfies \"age > 50 and city == 'Rome' and age < 20\", as 'age > 50' and 'age < 20' clash. "
            "Drop one of them.",
        ),
        (
            "2 * x + 2 * y == 5",
            "'2 * x + 2 * y == 5': column 'x' takes values from 0 to 10 in steps of 1. "
            "Or: column 'y' takes values from 0 to 20 in steps of 1.",
        ),
    ],
)
def test_one_rule_alone(learnt, rule, expected):
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
def test_several_rules(learnt, rules, expected):
    assert reason(learnt, *rules) == expected


@pytest.mark.parametrize(
    "rules",
    [
        ["age > 200"],
        ["age < 3"],
        ["height > 500"],
        ["height < 5.5"],
        ["start > '2030-01-01'"],
        ["start < '1999-12-31T12:00'"],
        ["x + y > 100"],
        ["3 * x - y >= 40.5"],
        ["x > y + 5", "y > 8"],
        ["x + y + price > 125", "x + y < 20"],
        ["city is null"],
        ["height + x == 1000"],
    ],
)
def test_advice_helps(learnt, rules):
    advice = re.findall(r"schema=(\{.*?\}\})", reason(learnt, *rules))
    assert advice
    for text in advice:
        table = read_table(frame(), {"gone": {"kind": "numeric"}, **ast.literal_eval(text)})
        bound = [bind(rule, table.schema) for rule in rules]
        assert check_feasible(bound, table.schema, fit_codec(table, BinSettings())).feasible


def test_rules_beyond_all_numbers_are_still_explained(learnt):
    for rule in (
        "x > 1e300",
        "height > 1e308",
        "start > start + days(1)",
        "start > '2024-01-01' + days(1e12)",
        "x + y < -1e300",
    ):
        assert reason(learnt, rule)


def test_long_rules_are_cut(learnt):
    rule = bind(f"age in {list(range(200))}", learnt[0])
    assert len(quoted(rule)) <= 122
    assert quoted(rule).endswith("…'")


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
