"""Lazy frames: partitions equal the rows of one sample, drawn only when computed."""

from __future__ import annotations

import pandas as pd
import pytest

from janus_synth.partitions.dask_frames import lazy_frame

dd = pytest.importorskip("dask.dataframe")


def draw(start: int, length: int) -> pd.DataFrame:
    return pd.DataFrame({"n": range(start, start + length), "x": [0.5] * length})


def test_partitions_are_whole_blocks_and_together_all_rows():
    lazy = lazy_frame(dd, draw, 10_000, 5_000)
    assert lazy.npartitions == 2
    assert lazy.get_partition(1).compute()["n"].tolist() == list(range(8_192, 10_000))
    rows = lazy.compute()
    assert rows["n"].tolist() == rows.index.tolist() == list(range(10_000))


def test_nothing_but_one_row_for_its_types_is_drawn_before_it_is_computed():
    drawn = []
    lazy = lazy_frame(dd, lambda start, length: drawn.append(length) or draw(start, length), 10_000, 4_096)
    assert drawn == [1]
    assert list(lazy.columns) == ["n", "x"]


def test_no_rows_make_an_empty_frame():
    assert len(lazy_frame(dd, draw, 0, 4_096).compute()) == 0
