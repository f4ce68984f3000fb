"""Frames of every kind become frames of another kind, and rows that JSON can hold."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from janus_synth.identities import Recipe
from janus_synth.table import Column, Schema, Table, frame_kind, write_table
from janus_synth.table.files import as_kind, plain_rows
from janus_synth.table.files.convert import fit_to_template, type_template

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


def test_made_up_categories_are_written_in_pieces_without_loss():
    """A file has one dictionary per column, which cannot list the codes and names that later pieces make up."""
    codes = Column("zip", "categorical", "category", levels=("021{9:2}",), generalised=True)
    people = Column("mail", "personal", "category", role="email", recipe=Recipe(distinct=True))
    schema = Schema((codes, people))
    template = type_template(schema)
    for first in (0, 50):
        rows = Table.from_columns(schema, {"zip": np.zeros(50, int)})
        piece = write_table(rows, rng=np.random.default_rng(0), first_identifier=first)
        written = fit_to_template(piece, template)
        assert written["zip"].to_pylist() == piece["zip"].tolist()
        assert written["mail"].to_pylist() == piece["mail"].tolist()
