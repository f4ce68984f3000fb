"""Labels of axes: round, inside the axis, at their place, and few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.report.ticks import moment_ticks, number_ticks

SIZES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def read_number(text: str) -> float:
    size = SIZES.get(text[-1], 1.0)
    return float(text.rstrip("".join(SIZES)).replace("−", "-")) * size


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.integers(2, 8))
def test_numbers_stand_at_their_place_inside_the_axis(low, width, most):
    high = low + width
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return
    ticks = number_ticks(low, high, most)
    assert len(ticks) <= most + 1
    for tick in ticks:
        assert -1e-9 <= tick.place <= 1 + 1e-9
        assert read_number(tick.text) == pytest.approx(low + tick.place * (high - low), abs=1e-6 * width, rel=1e-6)


def test_an_axis_as_long_as_numbers_go_has_labels():
    assert [tick.text for tick in number_ticks(-1e308, 1e308)] == ["−1e+308", "−5e+307", "0", "5e+307", "1e+308"]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        ("2020-01-05", "2026-03-01", ["2022", "2024", "2026"]),
        ("2024-01-05", "2024-09-09", ["2024-04", "2024-07"]),
        ("2024-01-05", "2024-01-08", ["2024-01-05", "2024-01-06", "2024-01-07", "2024-01-08"]),
        ("2024-01-05T10:00", "2024-01-05T22:00", ["12:00", "15:00", "18:00", "21:00"]),
        ("2024-01-05T10:00:01", "2024-01-05T10:00:11", ["10:00:02", "10:00:04", "10:00:06", "10:00:08", "10:00:10"]),
        ("0001-01-01", "2024-01-01", ["0500", "1000", "1500", "2000"]),
    ],
)
def test_times_are_labelled_by_the_calendar(low, high, texts):
    first, last = (np.datetime64(text, "us").astype(np.int64) for text in (low, high))
    ticks = moment_ticks(float(first), float(last))
    assert [tick.text for tick in ticks] == texts
    day = str(np.datetime64(low, "D"))
    for tick in ticks:
        text = f"{day}T{tick.text}" if ":" in tick.text else tick.text
        at = np.datetime64(text, "us").astype(np.int64)
        assert tick.place == pytest.approx((at - first) / (last - first), abs=1e-9)
