"""Random small frames come back unchanged from every kind of frame."""

import datetime as dt
import string

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from janus_synth.table import Schema, read_table, write_table

SETTINGS = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

NAMES = st.text(string.ascii_letters + "äß 日_[]{}\"'", min_size=1, max_size=6)
WORDS = st.text(string.ascii_letters + " ,[]{}é日", max_size=4)
SMALL = st.integers(-(2**31), 2**31 - 1)
DAYS = st.dates(dt.date(1685, 1, 1), dt.date(2255, 1, 1))
DATETIMES = st.datetimes(dt.datetime(1685, 1, 1), dt.datetime(2255, 1, 1))
ZONES = st.sampled_from(["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata"])


def column_of(n_rows, cells, make):
    cells_or_none = st.lists(st.one_of(st.none(), cells), min_size=n_rows, max_size=n_rows)
    return cells_or_none.map(make)


def pandas_column(n_rows):
    def make_category(levels):
        dtype = pd.CategoricalDtype(levels)
        return column_of(n_rows, st.sampled_from(levels), lambda cells: pd.Series(cells, dtype=dtype))

    def make_zoned(zone):
        return column_of(
            n_rows,
            DATETIMES,
            lambda cells: pd.Series(cells, dtype="datetime64[us]").dt.tz_localize("UTC").dt.tz_convert(zone),
        )

    return st.one_of(
        column_of(
            n_rows,
            st.floats(allow_nan=False, allow_infinity=False),
            lambda cells: pd.Series(cells, dtype="float64"),
        ),
        column_of(n_rows, SMALL, lambda cells: pd.Series(cells, dtype="Int32")),
        st.lists(SMALL, min_size=n_rows, max_size=n_rows).map(lambda cells: pd.Series(cells, dtype="int64")),
        column_of(n_rows, st.booleans(), lambda cells: pd.Series(cells, dtype="boolean")),
        column_of(n_rows, WORDS, lambda cells: pd.Series(cells, dtype=object)),
        column_of(n_rows, WORDS, pd.Series).filter(lambda column: not column.isna().all()),
        st.lists(WORDS, min_size=1, unique=True).flatmap(make_category),
        ZONES.flatmap(make_zoned),
        column_of(n_rows, DATETIMES, lambda cells: pd.Series(cells, dtype="datetime64[us]")),
        column_of(n_rows, DAYS, lambda cells: pd.Series(cells, dtype=object)),
    )


def polars_column(n_rows):
    def make(dtype):
        return lambda cells: pl.Series(cells, dtype=dtype)

    return st.one_of(
        column_of(n_rows, st.floats(allow_nan=False, allow_infinity=False), make(pl.Float64)),
        column_of(n_rows, SMALL, make(pl.Int64)),
        column_of(n_rows, st.booleans(), make(pl.Boolean)),
        column_of(n_rows, WORDS, make(pl.String)),
        column_of(n_rows, WORDS, make(pl.Categorical)),
        column_of(n_rows, st.sampled_from(["a", "b"]), make(pl.Enum(["b", "c", "a"]))),
        column_of(n_rows, DAYS, make(pl.Date)),
        column_of(n_rows, DATETIMES, make(pl.Datetime("us"))),
        ZONES.flatmap(
            lambda zone: column_of(
                n_rows,
                DATETIMES,
                lambda cells: (
                    pl.Series(cells, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
                ),
            )
        ),
    )


@st.composite
def frames(draw, column, build):
    n_rows = draw(st.integers(1, 8))
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    return build({name: draw(column(n_rows)) for name in names})


def again(frame):
    table = read_table(frame)
    assert Schema.from_json(table.schema.to_json()) == table.schema
    learnt = table.select([column.name for column in table.schema.learnt])
    return learnt.schema.names, write_table(learnt)


@SETTINGS
@given(frames(pandas_column, pd.DataFrame))
def test_random_pandas_frames_come_back_unchanged(frame):
    before = frame.copy(deep=True)
    names, result = again(frame)
    pd.testing.assert_frame_equal(result, frame[list(names)], check_exact=True)
    pd.testing.assert_frame_equal(frame, before, check_exact=True)


@SETTINGS
@given(frames(polars_column, pl.DataFrame))
def test_random_polars_frames_come_back_unchanged(frame):
    before = frame.clone()
    names, result = again(frame)
    polars.testing.assert_frame_equal(result, frame.select(names), check_exact=True, categorical_as_str=True)
    polars.testing.assert_frame_equal(frame, before, categorical_as_str=True)


@SETTINGS
@given(frames(polars_column, pl.DataFrame))
def test_random_arrow_tables_come_back_unchanged(frame):
    table = pa.table({name: frame[name].to_arrow() for name in frame.columns})
    names, result = again(table)
    assert result.schema == table.select(names).schema
    assert result.to_pydict() == table.select(names).to_pydict()


@SETTINGS
@given(frames(pandas_column, pd.DataFrame))
def test_reading_the_written_frame_against_its_schema_gives_the_same_arrays(frame):
    table = read_table(frame)
    result = write_table(table)
    second = read_table(result, table.schema)
    assert second.schema == table.schema
    for name, array in table.columns.items():
        np.testing.assert_array_equal(second[name], array)
