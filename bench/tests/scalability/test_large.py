"""The measurement of large tables runs through on a small table, and goes on where it stopped."""

from __future__ import annotations

import json

import pytest

from janus_bench.scalability import large
from janus_bench.scalability.large import QUICK, TIMES, TURNS, LargeSizes, run_large
from janus_bench.scalability.large_report import large_grids
from janus_bench.scalability.large_steps import PIECE_ROWS


@pytest.fixture
def steps(monkeypatch):
    """Steps that are not run, and what was asked of them."""
    asked = []

    def run(step, *arguments):
        asked.append((step, *map(str, arguments)))
        return {"rows": 10, "seconds": 2.0 / (1 + len(asked) % 2), "cpu": 1.0, "peak_mib": 500.0}

    monkeypatch.setattr(large, "run", run)
    return asked


def test_steps_that_are_done_are_not_measured_again(tmp_path, steps):
    first = run_large((TIMES,), table="hiring", work=str(tmp_path))
    assert [step for step, *_ in steps] == ["learn", "write", "fit"]
    again = run_large((TIMES, TURNS), sizes=LargeSizes(turns=2), table="hiring", work=str(tmp_path))
    assert len(steps) == 3 + 3 + 2 * 8  # the turns make a model and rows first
    assert again.records[:3] == first.records
    keys = [json.loads(line)["key"] for line in (tmp_path / large.MEASURED).read_text().splitlines()]
    assert len(set(keys)) == len(keys) == 19


def test_turns_make_what_they_need_and_keep_what_is_there(tmp_path, steps):
    run_large((TURNS,), sizes=LargeSizes(turns=1, in_turns=PIECE_ROWS), table="hiring", work=str(tmp_path))
    assert [step for step, *_ in steps[:3]] == ["learn", "write", "fit"]
    assert steps[2][-1].endswith(large.GROWN)
    counted = [asked for asked in steps if asked[0] == "count"]
    assert [asked[1] for asked in counted] == [str(tmp_path / large.GROWN)] * 2  # trees as in the last pass of a fit
    assert [asked[-1] for asked in counted] == ["1", "2"]
    (tmp_path / "rows").mkdir()
    for name in ("model.janus", large.GROWN, "rows/part-0.parquet"):
        (tmp_path / name).touch()
    steps.clear()
    run_large((TURNS,), sizes=LargeSizes(turns=2, in_turns=PIECE_ROWS), table="hiring", work=str(tmp_path))
    assert len(steps) == 8  # the second turn alone


def test_as_many_files_are_fitted_as_hold_the_rows(tmp_path, steps):
    run_large((TIMES,), sizes=LargeSizes(fitted=PIECE_ROWS + 1, written=3 * PIECE_ROWS), work=str(tmp_path))
    assert steps[1][-1] == str(3 * PIECE_ROWS)
    assert steps[2][-1] == "2"


@pytest.mark.slow
def test_every_step_runs_in_a_process_of_its_own(monkeypatch):
    monkeypatch.delenv("JANUS_DATA", raising=False)
    monkeypatch.setattr("janus_bench.scalability.large_steps.IN_MEMORY_ROWS", 2_000)
    result = run_large(sizes=QUICK, table="hiring", seeds=1)
    assert [grid.title.split()[0] for grid in large_grids(result)] == ["Time", "Two", "Fidelity"]
    assert {record["rows"] for record in result.records if record.get("step") == "fit from files"} == {20_000}
