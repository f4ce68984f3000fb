"""Multiples of a column: values, which factors match, and the rule that states them."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from janus_synth.coordinates.scaled import Scaled, list_factors
from janus_synth.rules import BoundRule, judge
from janus_synth.table import Column, Schema, Table
from strategies import quick, seeds

TAX = Scaled("net", "rate", (0.19, 0.07, 0.0), 2)


def cents(net: float, rate: str) -> float:
    """The tax by decimal arithmetic."""
    return float((Decimal(str(net)) * Decimal(rate)).quantize(Decimal("0.01"), ROUND_HALF_EVEN))


@quick
@given(seeds)
def test_values_are_those_of_decimal_arithmetic(seed):
    rng = np.random.default_rng(seed)
    net, rate = rng.integers(0, 10**6, 50) / 100, rng.integers(0, 3, 50)
    found = TAX.evaluate({"net": net, "rate": rate.astype(float)})
    expected = [cents(value, ("0.19", "0.07", "0")[index]) for value, index in zip(net, rate, strict=True)]
    assert np.abs(found - expected).max() <= 0.01 + 1e-9  # a half that floats cannot hold may go either way
    assert (found == expected).mean() > 0.9


def test_what_is_missing_makes_the_value_missing():
    found = TAX.evaluate({"net": np.array([np.nan, 10.0, 10.0]), "rate": np.array([0.0, np.nan, 1.0])})
    np.testing.assert_array_equal(found, [np.nan, np.nan, 0.7])


def test_all_factors_match_zero_and_halves_match_both_ways():
    matches = TAX.matches(np.array([0.0, 0.07, 0.1, 0.09]), np.array([0.0, 1.0, 0.5, 0.5]))
    assert matches.tolist() == [[True] * 3, [False, True, False], [True, False, False], [True, False, False]]


@quick
@given(seeds)
def test_the_rule_holds_where_the_chosen_factor_matches(seed):
    rng = np.random.default_rng(seed)
    net, rate = rng.integers(0, 500, 60) / 100, rng.integers(0, 3, 60)
    tax = np.where(rng.random(60) < 0.5, TAX.evaluate({"net": net, "rate": rate.astype(float)}), 0.07)
    columns = (
        Column("net", "numeric", "float64"),
        Column("rate", "categorical", "str", levels=TAX.levels),
        Column("tax", "numeric", "float64"),
    )
    table = Table(Schema(columns), {"net": net, "rate": rate.astype(np.int32), "tax": tax}, 60)
    rule = TAX.rule("tax")
    expected = TAX.matches(tax, net)[np.arange(60), rate]
    np.testing.assert_array_equal(judge(BoundRule(rule, rule), table), expected)


@pytest.mark.parametrize(("factors", "text"), [((2.0, 1.0), "1 or 2"), ((0.5, 0.0, 0.25), "0, 0.25 or 0.5")])
def test_factors_are_listed_in_order(factors, text):
    assert list_factors(factors) == text
    assert str(Scaled("unit price", "f", factors)) == f"{text} times `unit price`"
    assert pd.Series(Scaled("a", "f", factors).levels).is_unique
