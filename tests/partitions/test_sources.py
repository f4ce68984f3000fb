"""Sources: every kind of source gives the same rows in the same order."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from janus_synth.errors import DataError
from janus_synth.partitions.sources import find_files, in_batches, partitions_of
from janus_synth.table.sources import is_source

ROWS = pd.DataFrame({"n": range(10), "word": list("abcdefghij")})


def rows_of(data) -> pd.DataFrame:
    _, parts = partitions_of(data)
    return pa.concat_tables([batch for part in parts for batch in part.batches()]).to_pandas()


def lazy(folder):
    polars = pytest.importorskip("polars")
    return polars.scan_parquet(str(folder / "*.parquet"))


def relation(folder):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql(f"select * from '{folder}/*.parquet' order by n")


def dask_frame(folder):
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(ROWS, npartitions=3)


@pytest.fixture
def folder(tmp_path):
    ROWS[:4].to_parquet(tmp_path / "a.parquet", index=False)
    ROWS[4:].to_parquet(tmp_path / "b.parquet", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (str, "pandas"),
        (lambda folder: f"{folder}/*.parquet", "pandas"),
        (lambda folder: [folder / "a.parquet", folder / "b.parquet"], "pandas"),
        (lambda folder: ds.dataset(folder), "pyarrow"),
        (lambda folder: [ROWS[:5], ROWS[5:]], "pandas"),
        (lazy, "polars"),
        (relation, "pandas"),
        (dask_frame, "pandas"),
    ],
    ids=["folder", "pattern", "paths", "dataset", "frames", "lazy frame", "relation", "dask"],
)
def test_every_source_gives_its_rows_in_order(folder, make, kind):
    data = make(folder)
    assert is_source(data)
    assert partitions_of(data)[0] == kind
    got = rows_of(data)
    assert got["n"].tolist() == list(range(10))
    assert "".join(got["word"]) == "abcdefghij"


def test_files_come_in_alphabetical_order_and_hidden_ones_are_left_out(folder):
    (folder / "_request.json").write_text("{}")
    (folder / ".a.parquet.part").write_text("half")
    assert [name.rpartition("/")[2] for name in find_files(folder)] == ["a.parquet", "b.parquet"]


def test_a_pattern_without_files_is_an_error_that_names_it(tmp_path):
    with pytest.raises(DataError, match=r"no file matches .*/\*\.csv"):
        partitions_of(f"{tmp_path}/*.csv")


def test_long_tables_are_read_in_batches(monkeypatch):
    monkeypatch.setattr("janus_synth.partitions.sources.BATCH_ROWS", 4)
    assert [batch.num_rows for batch in in_batches(pa.table({"n": range(10)}))] == [4, 4, 2]
