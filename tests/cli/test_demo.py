from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from rich.console import Console

from janus_synth import datasets


def test_demo_is_called_with_its_options(janus, monkeypatch):
    calls = []
    run = SimpleNamespace(run_demo=lambda *args, **named: calls.append((args, named)))
    monkeypatch.setitem(sys.modules, "janus_synth.demo", run)
    janus("demo")
    janus("demo", "--out", "elsewhere", "--rows", 50, "--seed", 4)
    assert [args for args, _ in calls] == [(Path("janus-demo"),), (Path("elsewhere"),)]
    assert all(isinstance(named.pop("console"), Console) for _, named in calls)
    assert [named for _, named in calls] == [{"n_rows": 5000, "random_state": 0}, {"n_rows": 50, "random_state": 4}]


def test_the_table_alone_is_written(janus, tmp_path):
    path = tmp_path / "applicants.csv"
    assert janus("demo", "--data", path, "--rows", 50, "--seed", 4).stdout == f"50 rows in {path}\n"
    table = datasets.hiring(50, random_state=4)
    written = pd.read_csv(path)
    assert list(written.columns) == list(table.columns)
    assert written["age"].tolist() == table["age"].tolist()


def test_an_unknown_ending_of_the_table_is_an_error(janus, tmp_path):
    assert "people.xyz" in janus("demo", "--data", tmp_path / "people.xyz", fails=1).stderr


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_a_missing_library_is_told_with_its_extra(janus, monkeypatch, library):
    monkeypatch.setitem(sys.modules, "janus_synth.demo", Absent(library))
    error = janus("demo", fails=1).stderr
    assert error == f"error: janus demo needs {library}. Install it with: pip install 'janus-synth[plots]'\n"


class Absent:
    """A module that cannot be imported from, for want of a library."""

    def __init__(self, library):
        self.library = library

    def __getattr__(self, name):
        raise ModuleNotFoundError(f"No module named {self.library!r}", name=self.library)
