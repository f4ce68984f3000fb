"""Shares behind overlays, compared with counts made by hand."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from janus_synth.plots.overlays import overlays
from janus_synth.table import read_table

FIRST = pd.DataFrame(
    {"city": ["a"] * 6 + ["b"] * 3 + [None], "x": np.arange(10) * 10.0, "ok": [True] * 4 + [False] * 6}
)
SECOND = pd.DataFrame({"city": ["b"] * 5 + ["c"] * 5, "x": np.arange(10) * 5.0, "ok": [True] * 10})


def of(name, first=FIRST, second=SECOND, **options):
    (found,) = overlays(first, second, [name], **options)
    return found


def test_levels_are_counted_in_both_tables():
    found = of("city")
    first, second = (dict(zip(found.labels, shares, strict=True)) for shares in (found.first, found.second))
    assert first == pytest.approx({"a": 0.6, "b": 0.3, "c": 0.0, "missing": 0.1})
    assert second == pytest.approx({"a": 0.0, "b": 0.5, "c": 0.5, "missing": 0.0})
    assert found.bars
    assert found.means is None


def test_means_are_those_of_numbers_and_of_truths():
    assert of("ok").means == (0.4, 1.0)
    assert of("x").means == (45.0, 22.5)


def test_bins_hold_what_a_count_between_their_edges_finds():
    rng = np.random.default_rng(0)
    first, second = (pd.DataFrame({"x": rng.normal(mean, 1, 500).round(3)}) for mean in (0, 1))
    found = of("x", first, second)
    edges = np.array([float(label.replace(",", "")) for label in found.labels])
    assert not found.bars
    assert len(edges) == len(found.first) + 1
    for shares, frame in ((found.first, first), (found.second, second)):
        by_hand = [((frame.x >= low) & (frame.x < high)).mean() for low, high in pairwise(edges)]
        assert shares == pytest.approx(by_hand, abs=1e-9)


def test_what_no_bin_shows_is_noted_as_a_share_of_all_rows():
    values = np.r_[np.zeros(50), np.linspace(1, 9, 40), [np.nan] * 10]
    found = of("x", pd.DataFrame({"x": values}), pd.DataFrame({"x": np.linspace(1, 9, 100)}))
    assert found.notes == {"null": (pytest.approx(0.1), 0.0), "exactly 0": (0.5, 0.0)}
    assert sum(found.first) == pytest.approx(0.4)


def test_dates_have_dates_as_edges():
    frame = pd.DataFrame({"since": pd.date_range("2020-01-01", periods=60, freq="7D")})
    found = of("since", frame, frame)
    assert found.labels[0].startswith("2020-01")
    assert sum(found.first) == pytest.approx(1.0)


def test_kinds_can_be_given_and_everything_is_plain():
    codes = pd.DataFrame({"code": [1, 2, 3] * 20})
    schema = read_table(codes, {"code": {"kind": "categorical"}}).schema
    found = overlays(codes, codes, schema=schema)
    assert found[0].labels == ("1", "2", "3")
    plain = [one.to_dict() for one in found]
    assert json.loads(json.dumps(plain))[0]["column"] == "code"
