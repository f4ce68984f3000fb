"""Pieces of one table become one file that reads back unchanged."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth import Schema
from janus_synth.table.files import as_kind, plain_rows, read_frame, write_frame, write_frames
from janus_synth.table.files.write import csv_header, csv_lines
from strategies import TEXT_DTYPE

ENDINGS = ["csv", "csv.gz", "tsv", "parquet", "arrow", "feather"]
ROWS = pd.DataFrame(
    {
        "text": pd.Series(["a, b", None, 'say "hi"\nnow', "é\t"], dtype="str"),
        "whole": [1, 2, 3, 4],
        "gaps": pd.array([1, None, 3, 4], dtype="Int64"),
        "real": [1.0, 2.5, 1e22, np.nan],
        "truth": pd.array([True, None, False, True], dtype="boolean"),
        "moment": np.array(["2024-01-01T10:00:00", "2024-01-01", "NaT", "2024-02-29"], dtype="datetime64[s]"),
        "day": pd.array([dt.date(2024, 1, 1), None, dt.date(2024, 2, 29), None], dtype=pd.ArrowDtype(pa.date32())),
    }
)


def halves(frame):
    return [frame.iloc[:2].reset_index(drop=True), frame.iloc[2:].reset_index(drop=True)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_comes_back_as_it_was(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    write_frames(halves(ROWS), path, schema=Schema.detect(ROWS))
    # Parquet has no seconds; it keeps milliseconds.
    expected = ROWS.astype({"moment": "datetime64[ms]"}) if ending == "parquet" else ROWS
    pd.testing.assert_frame_equal(read_frame(path), expected)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_first_piece_of_nulls_does_not_fix_the_types(tmp_path, ending):
    frame = pd.DataFrame({"x": [None, None, "b", "c"], "y": [None, None, 1.5, 2.5], "z": [1, 2, 3, 4]}, dtype=object)
    write_frames(halves(frame), tmp_path / f"t.{ending}", schema=Schema.detect(frame))
    back = read_frame(tmp_path / f"t.{ending}")
    assert back["x"].tolist()[2:] == ["b", "c"]
    assert back.dtypes.astype(str).tolist() == [TEXT_DTYPE, "float64", "int64"]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_categories_keep_levels_and_order_over_all_pieces(tmp_path, ending):
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"level": pd.Series(["mid", None, "low", "low"], dtype=levels)})
    write_frames(halves(frame), tmp_path / f"t.{ending}", schema=Schema.detect(frame))
    pd.testing.assert_frame_equal(read_frame(tmp_path / f"t.{ending}"), frame)


@pytest.mark.parametrize("ending", ENDINGS)
def test_polars_and_arrow_frames_are_written_too(tmp_path, ending):
    frame = pl.DataFrame({"x": [1, None, 3, 4], "level": pl.Series(["a", None, "b", "c"], dtype=pl.Categorical)})
    write_frames([frame[:2], frame[2:]], tmp_path / f"p.{ending}", schema=Schema.detect(frame))
    table = frame.with_columns(pl.col("level").cast(pl.String)).to_arrow()
    write_frames([table.slice(0, 2), table.slice(2)], tmp_path / f"a.{ending}", schema=Schema.detect(table))
    for name in "pa":
        back = read_frame(tmp_path / f"{name}.{ending}")
        assert back["x"].dtype == "Int64"
        assert back["level"].astype(object).fillna("-").tolist() == ["a", "-", "b", "c"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_values_without_an_arrow_type_are_written_as_text(tmp_path, ending):
    frame = pd.DataFrame(
        {
            "mixed": pd.Series([1, "one", None, 2.5], dtype=object),
            "period": pd.period_range("2024-01", periods=4, freq="M"),
            "sparse": pd.arrays.SparseArray([0.0, 0.0, 1.5, 0.0]),
        }
    )
    write_frames(halves(frame), tmp_path / f"t.{ending}", schema=Schema.detect(frame))
    back = read_frame(tmp_path / f"t.{ending}", as_text=["period"])
    assert back["mixed"].fillna("-").tolist() == ["1", "one", "-", "2.5"]
    assert back["period"].tolist()[:2] == ["2024-01", "2024-02"]
    assert back["sparse"].tolist() == [0.0, 0.0, 1.5, 0.0]


def test_csv_looks_as_people_write_it():
    table = pa.table(
        {
            "real": [1.0, 2.5, None],
            "text": ["plain", 'a "b", c', ""],
            "moment": pa.array([0, 1_500_000, 86_400_000_000], pa.timestamp("us")),
            "zoned": pa.array([0, 120_000_000, None], pa.timestamp("us", tz="UTC")),
            "truth": [True, None, False],
        }
    )
    assert csv_header(["real", "te,xt", "moment"], ",") == b'real,"te,xt",moment\n'
    assert csv_lines(table, ",").decode().splitlines() == [
        "1.0,plain,1970-01-01 00:00:00,1970-01-01 00:00:00Z,true",
        '2.5,"a ""b"", c",1970-01-01 00:00:01.5,1970-01-01 00:02:00Z,',
        ',"",1970-01-02 00:00:00,,false',
    ]


def test_a_null_alone_on_its_line_is_kept(tmp_path):
    frame = pd.DataFrame({"x": pd.array([1, None, 3], dtype="Int64")})
    write_frames([frame], tmp_path / "t.csv", schema=Schema.detect(frame))
    pd.testing.assert_frame_equal(read_frame(tmp_path / "t.csv"), frame)


MIXED = pd.DataFrame(
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


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "arrow"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_written_as_it_is(tmp_path, kind, ending):
    path = tmp_path / f"rows.{ending}"
    write_frame(as_kind(MIXED, kind), path)
    back = read_frame(path)
    assert list(back.columns) == list(MIXED.columns)
    assert plain_rows(back) == plain_rows(MIXED)
    assert list(tmp_path.iterdir()) == [path]
