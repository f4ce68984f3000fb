"""Distributions of single columns over all rows, against the distances of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth import metrics
from janus_synth.partitions import marginals
from janus_synth.partitions.marginals import count_marginals, distance_of, hash_rows, make_ruler, place_values
from janus_synth.partitions.sources import FramePartition
from janus_synth.table import read_table
from strategies import quick, seeds


def table(seed: int, n: int, values: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    number = rng.integers(0, values, n) / 7
    number[rng.random(n) < 0.1] = np.nan
    word = rng.choice(["a", "b", "c", None], n)
    return pd.DataFrame({"number": number, "word": pd.Series(word, dtype="str")})


def counted(frame, sample):
    first = read_table(sample)
    ruler = make_ruler(first.schema, [first], np.empty(0, np.uint64))
    return count_marginals(ruler, FramePartition("rows", frame))


@quick
@given(seeds, st.integers(20, 200), st.integers(20, 200))
def test_if_the_grid_holds_all_values_distances_are_those_in_memory(seed, n, m):
    real, other = table(seed, n, 30), table(seed + 1, m, 25)
    both = pd.concat([real, other], ignore_index=True)
    errors = metrics.marginal_errors(real, other)
    mine, theirs = counted(real, both), counted(other, both)
    assert distance_of(mine, theirs, "number") == pytest.approx((errors.ks["number"], 0.0))
    assert distance_of(mine, theirs, "word") == pytest.approx((errors.total_variation["word"], 0.0))


@quick
@given(seeds)
def test_between_grid_points_the_slack_bounds_the_error(seed):
    real, other = table(seed, 300, 10**6), table(seed + 1, 200, 10**6).eval("number = number ** 1.3")
    mine, theirs = (counted(frame, real[:40]) for frame in (real, other))
    exact = metrics.marginal_errors(real, other).ks["number"]
    found = distance_of(mine, theirs, "number")
    assert found.value - 1e-12 <= exact <= found.value + found.slack + 1e-12


def test_long_columns_are_counted_at_a_bounded_number_of_points(monkeypatch):
    monkeypatch.setattr(marginals, "GRID_POINTS", 16)
    first = read_table(pd.DataFrame({"x": np.random.default_rng(0).normal(size=500)}))
    assert len(make_ruler(first.schema, [first], np.empty(0)).grids["x"]) == 16


def test_places_before_at_between_and_after_points_and_missing():
    values = np.array([0.0, 1.0, 1.0, 1.5, 2.0, 9.0, np.nan])
    assert place_values(values, np.array([1.0, 2.0])).tolist() == [1, 2, 1, 1, 1, 1]
    assert place_values(values, np.empty(0)).tolist() == [6, 1]


def test_equal_rows_and_only_they_have_equal_hashes():
    frame = table(3, 400, 5)
    frame.loc[0, "number"], frame.loc[1, "number"] = 0.0, -0.0
    keys = hash_rows(read_table(frame))
    expected = frame.groupby(["number", "word"], dropna=False).ngroup().to_numpy()
    assert len(np.unique(keys)) == len(np.unique(expected))
    assert len(np.unique(np.column_stack([keys, expected.astype(np.uint64)]), axis=0)) == len(np.unique(keys))
