"""Which data are read partition by partition, and the names of their types."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from janus_synth.table.sources import is_source, library_of

ROWS = pd.DataFrame({"n": range(3)})


@pytest.mark.parametrize(
    "data", ["data/*.parquet", Path("people.csv"), ["a.csv", Path("b.csv")], [ROWS, ROWS]], ids=str
)
def test_paths_and_lists_of_paths_or_frames_are_sources(data):
    assert is_source(data)


@pytest.mark.parametrize("data", [ROWS, pa.table({"n": [1]}), {"n": [1]}, 3, [], [1, 2], ["a.csv", 2]], ids=str)
def test_frames_and_other_values_are_no_sources(data):
    assert not is_source(data)


def test_an_arrow_dataset_is_a_source_whatever_its_class(tmp_path):
    ROWS.to_parquet(tmp_path / "rows.parquet")
    for data in (ds.dataset(tmp_path), ds.dataset(pa.table({"n": [1]}))):
        assert library_of(data) == "pyarrow.Dataset"
        assert is_source(data)
