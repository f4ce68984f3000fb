"""The first pass: rows, levels and columns that count rows."""

from __future__ import annotations

import pandas as pd

from janus_synth.partitions.scan import join_scans, scan_partition
from janus_synth.partitions.sources import FramePartition


def scan(number: int, size: int = 100, **columns):
    return scan_partition(FramePartition(f"frame {number}", pd.DataFrame(columns)), number, size=size, seed=0)


def test_scans_add_up_in_any_order():
    one = scan(0, word=["a", "b"], row=[1, 2], n=[5, 5])
    two = scan(1, word=["b", None, "c"], row=[3, 4, 5], n=[1, 2, 3])
    forth, back = join_scans([one, two], 100), join_scans([two, one], 100)
    assert forth.n_rows == back.n_rows == 5
    assert forth.levels == back.levels == {"word": frozenset("abc")}
    assert forth.counting == back.counting == {"row"}
    assert forth.sample.rows.equals(back.sample.rows)


def test_columns_with_very_many_levels_are_not_listed(monkeypatch):
    monkeypatch.setattr("janus_synth.partitions.scan.MOST_LEVELS", 3)
    one, two = scan(0, word=["a", "b"]), scan(1, word=["c", "d"])
    assert one.levels["word"] == {"a", "b"}
    assert join_scans([one, two], 100).levels["word"] is None
    assert scan(0, word=list("abcd")).levels["word"] is None


def test_partitions_without_rows_are_named():
    empty = scan_partition(FramePartition("frame 7", pd.DataFrame({"n": [1]}).head(0)), 7, size=10, seed=0)
    assert empty.sample is None
    assert join_scans([empty, scan(0, n=[1])], 10).labels == ("frame 7",)
