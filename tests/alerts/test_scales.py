"""Labels with a natural order are put in it; others have none."""

from __future__ import annotations

import pytest

from janus_synth.alerts.scales import SCALES, order_of_labels


@pytest.mark.parametrize(
    "ordered",
    [
        ["low", "medium", "high"],
        ["XS", "S", "M", "L"],
        ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
        ["Mon", "Tue", "Wed", "Thu", "Fri"],
        ["Below secondary", "Secondary", "Bachelor", "Master"],
        ["very_low", "low", "high"],
        ["<18", "18-24", "25-34", "65+"],
        ["0-10k", "10k-50k", "over 50k"],
        ["C", "B", "B+", "A-", "A"],
        ["I", "II", "III", "IV", "V"],
        ["H2 2021", "H1 2022", "H2 2022"],
        ["FY19", "FY20", "FY21"],
        ["1999/00", "2000/01", "2001/02"],
    ],
)
def test_labels_are_put_in_order(ordered):
    assert order_of_labels(sorted(ordered)) == ordered
    assert order_of_labels(ordered[::-1]) == ordered


@pytest.mark.parametrize(
    "labels",
    [
        ["red", "blue"],
        ["S", "M"],
        ["a"],
        [],
        ["12", "13", "14"],
        ["A", "B", "C"],
        ["AB+", "A+", "O-"],
        ["19/25", "20/25", "21/25"],
        ["low", "LOW", "high"],
    ],
)
def test_other_labels_have_no_order(labels):
    assert order_of_labels(labels) is None


def test_scales_repeat_nothing():
    assert all(len(set(scale)) == len(scale) and scale == tuple(map(str.lower, scale)) for scale in SCALES)
