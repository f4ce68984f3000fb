from __future__ import annotations

import math

import pytest

from janus_synth.metrics import Attack
from janus_synth.report.intervals import LEAST, interval_chart


def attack(name, risk, low, high):
    return Attack(name, 0.3, 0.1, 0.0, risk, low, high, 900, 900, 0.5)


def test_risks_and_their_ends_are_in_order_on_one_axis():
    chart = interval_chart([attack("one_two", 0.02, -0.05, 0.09), attack("three", 0.5, 0.4, 0.6)])
    first, second = chart.intervals
    assert first.name == "one two"
    assert 0 < first.low < chart.zero < first.value < first.high < second.low < second.value < second.high < 1
    assert first.text == "0.02 (−0.05 to 0.09)"
    # One scale: equal differences are equal distances.
    assert (second.high - second.low) / (first.high - first.low) == pytest.approx(0.2 / 0.14)


def test_small_risks_look_small():
    [only] = interval_chart([attack("a", 0.001, 0.0, 0.002)]).intervals
    assert only.high - only.low < 0.05
    assert LEAST == 0.1


def test_attacks_without_a_risk_are_left_out():
    assert interval_chart([attack("a", math.nan, math.nan, math.nan)]) is None
    assert len(interval_chart([attack("a", math.nan, math.nan, math.nan), attack("b", 0.1, 0.0, 0.2)]).intervals) == 1
