"""Whole runs of the benchmark of effects: records, stored measurements, the report and the command."""

import pytest
from typer.testing import CliRunner

from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.effects.report import effect_grids
from janus_bench.effects.run import run_effects
from janus_bench.results import Result
from janus_bench.store import Store
from janus_synth.errors import DataError


@pytest.fixture(scope="module")
def result():
    return run_effects(["subgroup", "line"], None, range(2), n_rows=300)


def test_a_record_per_scenario_method_and_seed(result):
    found = [(r["scenario"], r["method"], r["seed"]) for r in result.records]
    assert len(found) == len(set(found)) == 2 * 2 * 2
    curve = next(r for r in result.records if r["scenario"] == "line")
    assert [len(curve[name]) for name in ("truth", "value", "low", "high", "oracle")] == [3] * 5


def test_the_report_has_a_row_per_effect_and_survives_its_file(result):
    (grid,) = effect_grids(Result.from_json(result.to_json()))
    assert [row[:3] for row in grid.rows[:2]] == [["subgroup", "False → True", name] for name in ("rows", "model")]
    assert len(grid.rows) == 2 + 2 * 3
    assert {row[3] for row in grid.rows} == {"2"}


def test_failures_are_listed():
    records = [{"scenario": "line", "method": "rows", "seed": 0, "failure": "too slow"}]
    from janus_bench.workers import FAILED

    records[0][FAILED] = records[0].pop("failure")
    titles = [grid.title for grid in effect_grids(Result.of("effects", options={}, records=records))]
    assert titles[-1] == "What could not be measured"


def test_stored_measurements_are_read_again(tmp_path):
    run = RunSettings(store=Store(tmp_path))
    first, again = (run_effects(["average"], ["rows"], range(1), n_rows=300, run=run) for _ in range(2))
    assert first.records == again.records


def test_unknown_names_are_refused():
    with pytest.raises(DataError, match="at least one"):
        run_effects([], None, range(0))


def test_the_command_writes_a_result(tmp_path):
    words = ["effects", "--scenarios", "average", "--methods", "rows", "--seeds", "1", "--rows", "300", "--jobs", "0"]
    done = CliRunner().invoke(app, [*words, "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert list((tmp_path / "out").glob("effects-*.json"))
