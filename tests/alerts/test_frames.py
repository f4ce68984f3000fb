"""Texts that hold numbers among other signs are told from keys, and their numbers can be taken out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.alerts.frames import common_frames, extraction, find_frames

NUMBERS = [(5, 11), (6, 2), (120, 7), (31, 40)]
QUANTITIES = {
    "0 ft 0 in": [f"{a} ft {b} in" for a, b in NUMBERS],
    "0 x 0 cm": [f"{a} x {b} cm" for a, b in NUMBERS],
    "0 (0)": [f"{a / 10} ({b})" for a, b in NUMBERS],
    "0 out of 0": [f"{a % 9} out of {b % 7}" for a, b in NUMBERS],
    "0-0": [f"{a}-{a + b}" for a, b in NUMBERS],
    "0;0": [f"{a};{-b}" for a, b in NUMBERS],
    "0hp @ 0rpm": [f"{a}hp @ {b * 1000:,}rpm" for a, b in NUMBERS],
    '="0"': [f'="{a}"' for a, _ in NUMBERS],
    "0 per 0": [f"{a} per {b}" for a, b in NUMBERS],
}
OTHERS = [
    ["ORD-017", "ORD-204", "ORD-001", "ORD-990"],
    ["17-204", "3-1", "180-2", "4-44"],
    ["2021/17", "2021/3", "2020/110", "2019/4"],
    ["1 Main St", "12 Main St", "40 Main St", "7 Main St"],
    ["12 High Street", "3 Old Road", "40 Mill Lane", "1 Park Row"],
    ["1.9.3", "1.10.2", "2.0.0", "1.1.1"],
    ["053 685 6595", "989 362 0128", "111 222 3333", "404 444 4444"],
    ["Week 1", "Week 12", "Week 3", "Week 44"],
    ["12", "7", "190", "4"],
    ["red", "blue", "green", "grey"],
    [],
]


@pytest.mark.parametrize("frame", QUANTITIES)
def test_texts_of_one_frame_are_quantities(frame):
    found = find_frames(QUANTITIES[frame])
    assert found is not None
    assert found.frames == (frame,)


@pytest.mark.parametrize("texts", OTHERS, ids=lambda texts: next(iter(texts), "none"))
def test_keys_versions_and_words_are_not(texts):
    assert find_frames(texts) is None


@pytest.mark.parametrize("frame", QUANTITIES)
def test_the_line_of_python_makes_columns_of_the_numbers(frame):
    texts = QUANTITIES[frame]
    df = pd.DataFrame({"size": texts})
    exec(extraction("size", find_frames(texts)), {"df": df})
    names = ["size"] if frame.count("0") == 1 else ["size_1", "size_2"]
    wanted = {
        "0 (0)": [(a / 10, b) for a, b in NUMBERS],
        "0 out of 0": [(a % 9, b % 7) for a, b in NUMBERS],
        "0-0": [(a, a + b) for a, b in NUMBERS],
        "0;0": [(a, -b) for a, b in NUMBERS],
        "0hp @ 0rpm": [(a, b * 1000) for a, b in NUMBERS],
    }.get(frame, NUMBERS)
    np.testing.assert_array_equal(df[names].to_numpy(), np.array(wanted, float)[:, : len(names)])


def test_lists_of_different_lengths_become_a_column_of_each_number():
    texts = ["1", "2,4", "1,2,4", "4", "3,4", "2", "1,3", "1,2,3", "3", "1,4", "2,3,4", "2,3"]
    df = pd.DataFrame({"x": texts})
    scope = {"df": df}
    exec(extraction("x", common_frames(texts)), scope)
    assert scope["df"][["x_1", "x_2", "x_3", "x_4"]].sum(axis=1).tolist() == [text.count(",") + 1 for text in texts]
