"""Commands of other packages: installed, absent and broken ones."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoints

import pytest

from janus_synth.cli import plugins

CODE = """
import typer
from janus_synth.errors import DataError

asked = []
app = typer.Typer()

@app.command()
def speed(what: str, rows: int = 3, verbose: bool = False):
    '''How fast.'''
    asked.append((what, rows, verbose))

@app.command()
def failing(code: int):
    if code:
        raise typer.Exit(code)
    raise DataError("no such rival.")

def greet(name: str = "you"):
    '''Say hello.'''
    typer.echo(f"hello {name}")

number = 3
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package whose entry points are given as ``command = place in its module``."""

    def install(**commands):
        home = tmp_path / "site"
        home.mkdir()
        (home / "race_track.py").write_text(CODE)
        info = home / "race_track-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: race-track\nVersion: 1.0\nSummary: Races of all.\n"
        )
        lines = [f"{command} = {place}" for command, place in commands.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{plugins.GROUP}]", *lines]) + "\n")
        monkeypatch.syspath_prepend(str(home))
        monkeypatch.delitem(sys.modules, "race_track", raising=False)

    return install


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(plugins, "entry_points", lambda **group: EntryPoints(()))


def test_an_application_gets_all_words_that_follow_its_name(janus, installed):
    installed(race="race_track:app")
    janus("race", "speed", "fit", "--rows", 9, "--verbose")
    janus("race", "speed", "--rows", 8, "sample")
    assert sys.modules["race_track"].asked == [("fit", 9, True), ("sample", 8, False)]
    assert "How fast." in janus("race", "speed", "--help").output
    assert "janus race" in janus("race", "--help").output


def test_a_function_is_a_command_too(janus, installed):
    installed(greet="race_track:greet")
    assert janus("greet", "--name", "Ada").output == "hello Ada\n"
    assert "Say hello." in janus("greet", "--help").output


def test_help_tells_what_the_package_says_of_itself_and_loads_nothing(janus, installed):
    installed(race="race_track:app")
    assert "Races of all." in janus("--help").output
    assert "race_track" not in sys.modules


def test_codes_and_errors_of_a_command_are_those_of_janus(janus, installed):
    installed(race="race_track:app")
    assert "No such option" in janus("race", "speed", "fit", "--rowss", 9, fails=2).stderr
    janus("race", "failing", 7, fails=7)
    assert janus("race", "failing", 0, fails=1).stderr == "error: no such rival.\n"


def test_an_absent_package_is_named_in_one_line(janus, nothing_installed):
    error = janus("bench", "fidelity", "--quick", fails=1).stderr
    assert error == "error: janus bench comes with another package. Install it with: pip install janus-bench\n"
    assert "bench" not in janus("--help").output


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("race_course:app", "ModuleNotFoundError: No module named 'race_course'"),
        ("race_track:no_such_name", "AttributeError"),
        ("race_track:number", "TypeError: 3 is neither a typer application nor a function"),
    ],
)
def test_a_broken_package_is_named_and_breaks_nothing_else(janus, installed, place, told):
    installed(race=place)
    error = janus("race", "speed", fails=1).stderr
    assert error.startswith("error: janus race cannot be loaded from race-track:")
    assert told in error
    assert error.endswith("Install race-track again, or uninstall it.\n")
    assert "race" in janus("--help").output
    janus("sample", "people.janus", "-n", 3)


def test_our_own_commands_come_first(janus, installed):
    installed(fit="race_track:greet")
    assert "hello" not in janus("fit", "--help").output
    assert janus("--help").output.count("Learn a table and write the model to a file.") == 1


def test_our_own_commands_look_for_no_packages(janus, monkeypatch):
    def looked(**group):
        raise AssertionError("entry points were looked up")

    monkeypatch.setattr(plugins, "entry_points", looked)
    janus("sample", "people.janus", "-n", 3)
