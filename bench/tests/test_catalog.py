from dataclasses import replace

import pytest
import typer
from typer.testing import CliRunner

from janus_bench.catalog import BENCHMARKS, with_command
from janus_bench.cli import app
from janus_bench.collapse import MODE_COLLAPSE
from janus_bench.fidelity import FIDELITY
from janus_synth.errors import DataError

PLAN = with_command()


def test_benchmarks_have_names_of_their_own_and_one_is_an_option_of_another():
    names = [benchmark.name for benchmark in BENCHMARKS]
    assert len(set(names)) == len(names)
    assert set(names) - {benchmark.name for benchmark in PLAN} == {"by-column"}


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("benchmark", PLAN, ids=lambda benchmark: benchmark.name)
def test_the_words_of_a_run_of_all_can_be_read_by_its_commands(benchmark, quick):
    name, *words = benchmark.command(quick=quick, jobs=3)
    command = typer.main.get_command(app).commands[name]
    context = command.make_context(name, words)
    assert bool(context.params["quick"]) == quick
    assert context.params.get("jobs") == 3 or benchmark.timed


def test_an_unknown_name_is_answered_with_the_closest():
    with pytest.raises(DataError, match="Did you mean 'fidelity'"):
        with_command(["fidelty"])


def test_one_that_fails_is_reported_and_the_others_still_run(tmp_path, monkeypatch):
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))
    broken = replace(FIDELITY, quick="--tables nosuch")
    small = replace(MODE_COLLAPSE, quick="--tables hiring --methods independent --seeds 1 --quick")
    monkeypatch.setattr("janus_bench.catalog.BENCHMARKS", (broken, small))
    done = CliRunner().invoke(app, ["all", "--quick", "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "no benchmark table is called 'nosuch'" in done.output
    assert "error: fidelity failed" in done.output
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "Mode collapse" in page
