from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from rich.console import Console

from janus_synth.errors import DataError


@pytest.fixture
def bench(monkeypatch):
    """A bench of our own, which remembers what it was asked."""
    asked = []
    rooms = typer.Typer()

    @rooms.command()
    def speed(what: str, rows: int = 3, verbose: bool = False):
        """How fast."""
        asked.append((what, rows, verbose))

    @rooms.command()
    def broken(code: int):
        if code:
            raise typer.Exit(code)
        raise DataError("no such rival.")

    monkeypatch.setitem(sys.modules, "janus_synth.bench.cli", SimpleNamespace(app=rooms))
    return asked


def test_demo_is_called_with_its_options(janus, monkeypatch):
    calls = []
    run = SimpleNamespace(run_demo=lambda *args, **named: calls.append((args, named)))
    monkeypatch.setitem(sys.modules, "janus_synth.interfaces.demo", run)
    janus("demo")
    janus("demo", "--out", "elsewhere", "--rows", 50, "--seed", 4)
    assert [args for args, _ in calls] == [(Path("janus-demo"),), (Path("elsewhere"),)]
    assert all(isinstance(named.pop("console"), Console) for _, named in calls)
    assert [named for _, named in calls] == [{"n_rows": 5000, "random_state": 0}, {"n_rows": 50, "random_state": 4}]


def test_bench_hands_everything_on(janus, bench):
    janus("bench", "speed", "fit", "--rows", 9, "--verbose")
    janus("bench", "speed", "--rows", 8, "sample")
    assert bench == [("fit", 9, True), ("sample", 8, False)]
    assert "How fast." in janus("bench", "speed", "--help").output
    assert "janus bench" in janus("bench", "--help").output


def test_codes_and_errors_of_the_bench_are_those_of_janus(janus, bench):
    assert "No such option" in janus("bench", "speed", "fit", "--rowss", 9, fails=2).stderr
    janus("bench", "broken", 7, fails=7)
    assert janus("bench", "broken", 0, fails=1).stderr == "error: no such rival.\n"


@pytest.mark.parametrize(("command", "extra"), [("bench", "bench"), ("demo", "plots")])
def test_a_missing_library_is_told_with_its_extra(janus, monkeypatch, command, extra):
    def missing(name):
        raise ModuleNotFoundError("No module named 'psutil'", name="psutil")

    monkeypatch.setattr("janus_synth.interfaces.cli.forwarding.import_module", missing)
    error = janus(command, fails=1).stderr
    assert error == f"error: janus {command} needs psutil. Install it with: pip install 'janus-synth[{extra}]'\n"
