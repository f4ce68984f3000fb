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
        ["KW 9", "KW 10", "KW 44"],
        ["W01", "W02", "W51"],
        ["Week 2", "Week 10", "Week 30"],
        ["1.2.0", "1.9.3", "1.10.2"],
        ["v1.0.9", "v1.0.10", "v2.0.0"],
        ["Stage I", "Stage II", "Stage IV"],
        ["Tier-1", "Tier-2", "Tier-10"],
        ["1 - Low", "2 - Mid", "3 - High"],
        ["1. Agree", "2. Neutral", "3. Disagree"],
        ["1st", "2nd", "3rd", "10th"],
        ["3Q21", "4Q21", "1Q22"],
        ["T2 2021", "T3 2021", "T1 2022"],
        ["BB", "BBB", "A", "AA", "AAA"],
        ["(0, 10]", "(10, 20]", "(100, 200]"],
        ["< 500 €", "500 - 1000 €", "> 2000 €"],
        ["< 1 year", "1 year", "2 years", "10+ years"],
        ["M", "XL", "2XL", "3XL"],
        ["niedrig", "mittel", "hoch"],
        [f"#{i}" for i in range(1, 120)],
        ["3.9", "3.10", "3.11"],
        ["v1.2", "v1.10", "v2.0"],
        ["iOS 14.2", "iOS 15.0", "iOS 15.10"],
        ["1", "2", "3", "4 or more"],
        ["08:00-10:00", "10:00-12:00", "13:00-15:00"],
        ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree"],
        ["trifft nicht zu", "trifft eher nicht zu", "trifft eher zu", "trifft zu"],
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
        ["1+", "2", "3"],
        ["038.9", "250.00", "401.9"],
        ["E11.9", "F32.9", "I10.0"],
        ["A", "B", "C"],
        ["AB+", "A+", "O-"],
        ["19/25", "20/25", "21/25"],
        ["low", "LOW", "high"],
        ["Group A", "Group B", "Group C"],
        ["D001", "D002", "D017"],
        ["A1", "B1", "C1"],
        ["Store 1", "Shop 2", "Store 3"],
        ["10.0.1", "10.0", "10"],
        [f"Room {i}" for i in range(300)],
    ],
)
def test_other_labels_have_no_order(labels):
    assert order_of_labels(labels) is None


def test_scales_repeat_nothing():
    assert all(len(set(scale)) == len(scale) and scale == tuple(map(str.lower, scale)) for scale in SCALES)
