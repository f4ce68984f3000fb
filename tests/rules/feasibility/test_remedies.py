"""Advice when no row satisfies the rules: it names the column whose domain is too narrow, and following it helps."""

from __future__ import annotations

import ast
import re

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import InfeasibleError
from janus_synth.rules import bind
from janus_synth.rules.feasibility import check_feasible
from rules.feasibility.loans import reason, schema_and_codec


@pytest.fixture(scope="module")
def learnt():
    return schema_and_codec()


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
            "in steps of days(1); the nearest to what the rules require are '2024-03-03' and '2024-03-04'.",
        ),
        (
            "price == 3.3",
            "'price == 3.3': column 'price' takes values from 0 to 99.5 in steps of 0.5; "
            "the nearest to what the rules require are 3 and 3.5.",
        ),
        (
            "grams == 2",
            "'grams == 2': column 'grams' takes only 0.123456789, 1.987654321 and 3.3333333; "
            "the nearest to what the rules require are 1.987654321 and 3.3333333.",
        ),
        (
            "loan == 'Later'",
            "\"loan == 'Later'\": no training row has 'Later' in column 'loan', so none can be generated; "
            "column 'loan' takes only 'Yes' and 'No'.",
        ),
        (
            "city is null",
            "'city is null': column 'city' is never missing. "
            "Allow missing values with schema={'city': {'nullable': True}}.",
        ),
        ("gone > 3", "'gone > 3': column 'gone' is missing in every row."),
        ("gone is not null", "'gone is not null': column 'gone' is missing in every row."),
        (
            "x + y > 100",
            "'x + y > 100': column 'x' takes values from 0 to 10. Widen it with schema={'x': {'high': 81}}. "
            "Or: column 'y' takes values from 0 to 20. Widen it with schema={'y': {'high': 91}}.",
        ),
        (
            "2 * x + 2 * y == 5",
            "'2 * x + 2 * y == 5': column 'x' takes values from 0 to 10 in steps of 1. "
            "Or: column 'y' takes values from 0 to 20 in steps of 1.",
        ),
    ],
)
def test_the_column_whose_domain_is_too_narrow_is_named(learnt, rule, expected):
    assert reason(learnt, rule) == expected


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
def test_rows_satisfy_the_rules_once_the_advice_is_followed(learnt, rules):
    advice = re.findall(r"schema=(\{.*?\}\})", reason(learnt, *rules))
    assert advice
    for text in advice:
        schema, codec = schema_and_codec(**ast.literal_eval(text))
        assert check_feasible([bind(rule, schema) for rule in rules], schema, codec).feasible


def test_rules_beyond_all_numbers_are_still_explained(learnt):
    for rule in (
        "x > 1e300",
        "height > 1e308",
        "start > start + days(1)",
        "start > '2024-01-01' + days(1e12)",
        "x + y < -1e300",
    ):
        assert reason(learnt, rule)


# Computed columns


def rentals() -> pd.DataFrame:
    """A total of two whole numbers, and an amount that is a rounded product."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"casual": np.arange(400) % 100, "registered": rng.integers(1, 300, 400)})
    frame["total"] = frame["casual"] + frame["registered"]
    frame["price"], frame["quantity"] = np.round(rng.gamma(2, 3, 400) + 0.1, 2), rng.integers(1, 9, 400)
    return frame.assign(amount=np.round(frame["price"] * frame["quantity"], 2))


@pytest.fixture(scope="module")
def rented():
    return Janus(n_trees=1, random_state=0).fit(rentals())


@pytest.mark.parametrize("rule", ["total > 1000", "total < 0"])
def test_the_advice_about_a_computed_column_names_its_inputs_and_helps(rented, rule):
    assert set(rented.model_.computed) == {"total", "amount"}
    reason = rented.check(rule).reason
    assert "(total = casual + registered)" in reason
    schemas = [ast.literal_eval(text) for text in re.findall(r"schema=(\{.*?\}\})", reason)]
    assert [list(schema) for schema in schemas] == [["casual"], ["registered"]]
    wider = Janus(n_trees=1, random_state=0, schema=schemas[-1]).fit(rentals())
    assert wider.check(rule)
    with pytest.raises(InfeasibleError, match="total = casual"):
        rented.sample(1, where=rule)


@pytest.mark.parametrize(("rule", "text"), [("amount > 1e5", "amount = price"), ("total == 10.5", "total = casual")])
def test_where_no_input_helps_alone_the_advice_says_how_the_column_is_computed(rented, rule, text):
    reason = rented.check(rule).reason
    assert f"({text}" in reason
    assert reason.endswith("For other values, its inputs need wider domains; or fit with links='off'.")
    assert "schema=" not in reason
