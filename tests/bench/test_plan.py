import pytest
import typer
from typer.testing import CliRunner

from janus_synth.bench.cli import app
from janus_synth.bench.plan import PLAN, steps_named
from janus_synth.bench.results import GRIDS
from janus_synth.errors import DataError


def test_every_benchmark_is_a_step():
    assert {step.command for step in PLAN} == set(GRIDS) - {"by-column"}


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("step", PLAN, ids=lambda step: step.command)
def test_every_step_can_be_read_by_its_command(step, quick):
    name, *words = step.given(quick=quick, jobs=3)
    command = typer.main.get_command(app).commands[name]
    context = command.make_context(name, words)
    assert bool(context.params["quick"]) == quick
    assert context.params.get("jobs") == 3 or step.timed


def test_an_unknown_name_is_answered_with_the_closest():
    with pytest.raises(DataError, match="Did you mean 'fidelity'"):
        steps_named(["fidelty"])


def test_one_that_fails_is_told_and_the_others_still_run(tmp_path, monkeypatch):
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("janus_synth.bench.plan.PLAN", (PLAN[0]._replace(quick="--tables nosuch"), _small()))
    done = CliRunner().invoke(app, ["all", "--quick", "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "no benchmark table is called 'nosuch'" in done.output
    assert "error: fidelity failed" in done.output
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "The rare class" in page


def _small():
    step = next(step for step in PLAN if step.command == "mode-collapse")
    return step._replace(quick="--tables hiring --methods independent --seeds 1 --quick")
