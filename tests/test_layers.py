"""The shape of the package: data flows one way, and every public name explains itself."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import janus_synth

ROOT = Path(__file__).parents[1]


def test_imports_flow_one_way():
    pytest.importorskip("importlinter")
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "KEPT" in done.stdout


@pytest.mark.parametrize("name", [name for name in janus_synth.__all__ if not name.startswith("__")])
def test_a_public_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(janus_synth, name))


@pytest.mark.parametrize("name", [name for name in janus_synth.__all__ if inspect.isclass(getattr(janus_synth, name))])
def test_public_methods_have_docstrings(name):
    home = getattr(janus_synth, name)
    for member, value in inspect.getmembers(home):
        if not member.startswith("_") and (callable(value) or isinstance(value, property)):
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("module", ["datasets", "errors", "metrics"])
def test_names_of_public_modules_have_docstrings(module):
    home = getattr(janus_synth, module)
    names = getattr(home, "__all__", [name for name in dir(home) if not name.startswith("_")])
    for name in names:
        value = getattr(home, name)
        if callable(value) and value.__module__.startswith("janus_synth"):
            assert inspect.getdoc(value), f"{module}.{name}"
