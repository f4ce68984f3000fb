"""Partitions of files: types, row groups, and errors that name the bad file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from janus_synth.errors import DataError
from janus_synth.partitions.files import file_partitions


def read(paths) -> pa.Table:
    return pa.concat_tables([batch for part in file_partitions([str(p) for p in paths]) for batch in part.batches()])


def test_row_groups_of_a_large_file_become_partitions(tmp_path, monkeypatch):
    monkeypatch.setattr("janus_synth.partitions.files.PARTITION_ROWS", 250)
    pq.write_table(pa.table({"n": np.arange(1_000)}), tmp_path / "a.parquet", row_group_size=100)
    parts = file_partitions([str(tmp_path / "a.parquet")])
    assert [part.n_rows for part in parts] == [300, 300, 300, 100]
    assert pa.concat_tables(batch for part in parts for batch in part.batches())["n"].to_pylist() == list(range(1_000))


def test_whole_numbers_in_one_file_and_fractions_in_another_become_fractions(tmp_path):
    (tmp_path / "a.csv").write_text("x,word\n1,a\n2,\n")
    (tmp_path / "b.csv").write_text("x,word\n0.5,b\n")
    table = read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert table["x"].to_pylist() == [1.0, 2.0, 0.5]
    assert table["word"].to_pylist() == ["a", None, "b"]


def bad(folder, name):
    path = folder / name
    match name:
        case "lacking.csv":
            path.write_text("n\n1\n")
        case "further.csv":
            path.write_text("n,word,extra\n1,a,2\n")
        case "empty.csv":
            path.write_text("")
        case "torn.parquet":
            path.write_bytes(b"PAR1 and then nothing")
        case "typed.parquet":
            pq.write_table(pa.table({"n": pa.array([[1]]), "word": ["a"]}), path)
        case "letters.csv":
            path.write_text("n,word\n" + "1,a\n" * 10 + "x,a\n")
    return path


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("lacking.csv", "lacks 'word'"),
        ("further.csv", "also has 'extra'"),
        ("empty.csv", "is empty"),
        ("torn.parquet", "cannot be read"),
        ("typed.parquet", "other types"),
    ],
)
def test_a_bad_file_is_named(tmp_path, name, says):
    good = tmp_path / "a.csv"
    good.write_text("n,word\n1,a\n")
    with pytest.raises(DataError, match=says) as error:
        read([good, bad(tmp_path, name)])
    assert name in str(error.value)


def test_text_among_numbers_far_into_a_file_is_an_error_that_names_the_file(tmp_path, monkeypatch):
    for name in ("HEAD_BYTES", "BLOCK_BYTES"):
        monkeypatch.setattr(f"janus_synth.partitions.text_files.{name}", 32)
    with pytest.raises(DataError, match=r"letters\.csv"):
        read([bad(tmp_path, "letters.csv")])


def test_mixed_time_zones_are_an_error_that_names_the_file(tmp_path):
    for name, zone in (("a", "UTC"), ("b", None)):
        times = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=3, tz=zone)})
        times.to_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(DataError, match=r"b\.parquet has other types"):
        read([tmp_path / "a.parquet", tmp_path / "b.parquet"])


def test_a_file_of_nulls_takes_the_types_of_the_others(tmp_path):
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": pa.nulls(2)}), tmp_path / "b.parquet")
    assert read([tmp_path / "a.parquet", tmp_path / "b.parquet"])["n"].to_pylist() == [1, 2, None, None]
