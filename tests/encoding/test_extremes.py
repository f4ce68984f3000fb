"""Smoothed ends: no single row's extreme is left, frequent ends stay, and the middle is not touched."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from janus_synth.encoding.extremes import declared_ends, smooth_column, smooth_domains, smooth_extremes
from janus_synth.encoding.lattice import find_lattice
from janus_synth.table import Column, Schema, read_table

LEAST = 5
columns = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=12, max_size=60).map(np.array)


@settings(max_examples=50, deadline=None)
@given(columns)
def test_an_end_is_shared_by_enough_rows_or_new(values):
    smooth = smooth_extremes(values, LEAST)
    for end in (smooth.min(), smooth.max()):
        assert (values == end).sum() >= LEAST or end not in values


@settings(max_examples=50, deadline=None)
@given(columns)
def test_ends_move_inwards_and_the_order_stays(values):
    smooth = smooth_extremes(values, LEAST)
    assert values.min() <= smooth.min() <= smooth.max() <= values.max()
    order = np.lexsort((smooth, values))  # equal values may be spread
    assert (np.diff(smooth[order]) >= -1e-9 * np.abs(values).max()).all()


def test_only_the_rows_at_the_ends_change():
    values = np.random.default_rng(0).normal(size=1_000)
    changed = np.flatnonzero(smooth_extremes(values, LEAST) != values)
    rank = values.argsort().argsort()[changed]
    assert sorted(rank) == [*range(LEAST), *range(1_000 - LEAST, 1_000)]


def test_an_outlier_leaves_no_trace():
    values = np.arange(100.0)
    with_outlier = np.append(values, 1e9)
    assert smooth_extremes(with_outlier, LEAST).max() < 110
    np.testing.assert_array_equal(smooth_extremes(with_outlier, LEAST), smooth_extremes(np.append(values, 1e12), LEAST))


def test_values_beyond_a_frequent_end_join_it():
    values = np.array([0.0] * 20 + [1.0] * 20 + [7.0, 9.0])
    assert set(smooth_extremes(values, LEAST)) == {0.0, 1.0}


def test_missing_cells_stay_missing_and_few_values_become_missing():
    values = np.append(np.arange(30.0), [np.nan] * 3)
    assert np.isnan(smooth_extremes(values, LEAST)).tolist() == np.isnan(values).tolist()
    assert np.isnan(smooth_extremes(np.array([1.0, 2.0, np.nan, 3.0]), LEAST)).all()


@pytest.mark.parametrize("step", [1.0, 0.25, 10_000.0])
def test_new_values_lie_on_the_lattice(step):
    values = np.sort(np.random.default_rng(0).geometric(0.02, 400)) * step
    smooth = smooth_extremes(values, LEAST, find_lattice(values))
    np.testing.assert_allclose(smooth / step, np.rint(smooth / step))
    assert smooth.max() < values.max()


def test_everything_is_kept_with_a_threshold_of_one():
    values = np.arange(10.0)
    assert smooth_extremes(values, 1) is values
    assert smooth_column(Column("x", "numeric", "float64"), values, 1) is values


def test_domains_follow_the_smoothed_ends_unless_declared():
    frame = pd.DataFrame({"x": np.append(np.random.default_rng(0).normal(size=200), 77.7)})
    table = read_table(frame)
    assert (
        smooth_domains(table, LEAST).schema["x"].high == smooth_column(table.schema["x"], table["x"], LEAST).max() < 77
    )
    assert smooth_domains(table, LEAST, {"x": {"high": 100}}).schema["x"].high == table.schema["x"].high
    assert smooth_domains(table, LEAST, table.schema).schema == table.schema
    assert smooth_domains(table, 1) is table


def test_a_column_of_too_few_values_has_no_domain():
    frame = pd.DataFrame({"x": [1.5, 2.5] + [None] * 98, "y": range(100)})
    column = smooth_domains(read_table(frame), LEAST).schema["x"]
    assert (column.low, column.high, column.nullable) == (None, None, True)


def test_declared_ends_are_read_from_both_forms():
    assert declared_ends("x", {"x": {"low": 0}}) == ["low"]
    assert declared_ends("x", Schema((Column("x", "numeric", "int64", high=3),))) == ["high"]
    assert declared_ends("x", None) == []


def test_ends_of_timestamps_are_whole_microseconds():
    stamps = np.random.default_rng(0).integers(1_700_000_000_000_000, 1_800_000_000_000_000, 200)
    frame = pd.DataFrame({"seen": stamps.astype("datetime64[us]")})
    column = smooth_domains(read_table(frame), LEAST).schema["seen"]
    assert column.low is not None
    assert column.low == round(column.low)
    assert column.low not in stamps


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("least", [2, 3, 5])
def test_no_end_is_exceeded_by_exactly_one_row(seed, least):
    """With an outlier or without: whoever looks for values from the end on finds none, or two rows at least."""
    values = np.random.default_rng(seed).standard_t(2, 200)
    smooth = smooth_extremes(values, least)
    assert (values >= smooth.max()).sum() >= 2
    assert (values <= smooth.min()).sum() >= 2
