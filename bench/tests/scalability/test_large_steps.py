"""Steps of the measurement of large tables."""

from __future__ import annotations

import pytest

from janus_bench.scalability import large_steps
from janus_synth import Janus, datasets


def test_names_are_quoted_for_sql():
    assert large_steps._quoted('a "b"') == '"a ""b"""'


def test_all_rows_of_the_first_files_are_written_counted_and_grouped(tmp_path):
    pytest.importorskip("duckdb")
    model = Janus(random_state=0, n_trees=1).fit(datasets.hiring(300, random_state=0))
    model.save(tmp_path / "model.janus")
    folder = tmp_path / "rows"
    assert large_steps.write(str(tmp_path / "model.janus"), str(folder), "5000", "1")["rows"] == 5_000
    assert large_steps.count(str(tmp_path / "model.janus"), str(folder), "1", "1")["rows"] == 5_000
    for query in (large_steps.group_by, large_steps.group_by_pairs):
        found = query(str(folder), "1", "1")
        assert found["rows"] == 5_000
        assert found["seconds"] > 0


def test_a_fit_is_saved_where_asked(tmp_path):
    (tmp_path / "rows").mkdir()
    datasets.hiring(300, random_state=0).to_parquet(tmp_path / "rows" / "0.parquet")
    found = large_steps.fit(str(tmp_path / "rows"), "1", "1", "0", str(tmp_path / "grown.janus"))
    assert found["rows"] == Janus.load(tmp_path / "grown.janus").n_rows_ == 300


def test_a_step_that_fails_says_why():
    with pytest.raises(RuntimeError, match="the step count failed"):
        large_steps.run("count", "no.janus", "nowhere", 1, 1)
