"""Frames of every kind become frames of another kind, and rows that JSON can hold."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from janus_synth.table import frame_kind
from janus_synth.table.files import as_kind, plain_rows

ROWS = pd.DataFrame(
    {
        "n": pd.array([1, None], dtype="Int64"),
        "x": [0.5, float("nan")],
        "flag": pd.array([True, None], dtype="boolean"),
        "level": pd.Categorical(["b", None], categories=["a", "b"]),
        "text": ["a, b", None],
        "day": pd.to_datetime(["2024-01-31", None]),
        "moment": pd.to_datetime(["2024-01-31 10:30", None]),
    }
)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_rows_become_what_json_can_hold(kind):
    first, second = plain_rows(as_kind(ROWS, kind))
    assert first == {
        "n": 1, "x": 0.5, "flag": True, "level": "b", "text": "a, b", "day": "2024-01-31",
        "moment": "2024-01-31T10:30:00",
    }  # fmt: skip
    assert set(second.values()) == {None}
    assert json.loads(json.dumps(first)) == first


def test_other_values_become_text():
    other = pa.table({"price": [Decimal("1.50")], "at": [dt.time(9, 30)], "wait": [dt.timedelta(hours=1)]})
    assert plain_rows(other) == [{"price": "1.50", "at": "09:30:00", "wait": "1:00:00"}]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_of_any_kind_comes_in_any_other(kind):
    there = as_kind(ROWS, kind)
    assert frame_kind(there) == kind
    assert plain_rows(as_kind(there, "pandas")) == plain_rows(ROWS)
