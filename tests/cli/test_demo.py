from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console


def test_demo_is_called_with_its_options(janus, monkeypatch):
    calls = []
    run = SimpleNamespace(run_demo=lambda *args, **named: calls.append((args, named)))
    monkeypatch.setitem(sys.modules, "janus_synth.demo", run)
    janus("demo")
    janus("demo", "--out", "elsewhere", "--rows", 50, "--seed", 4)
    assert [args for args, _ in calls] == [(Path("janus-demo"),), (Path("elsewhere"),)]
    assert all(isinstance(named.pop("console"), Console) for _, named in calls)
    assert [named for _, named in calls] == [{"n_rows": 5000, "random_state": 0}, {"n_rows": 50, "random_state": 4}]


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
