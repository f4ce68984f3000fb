"""The benchmarks use the library like any user: names that a package exports, and three public modules."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import janus_bench

HOME = Path(janus_bench.__file__).parent
PUBLIC_MODULES = {"janus_synth.arrays", "janus_synth.errors", "janus_synth.files"}
"""Modules that are public as they are."""


def imports_of(path):
    """Modules of the library that a file imports, and the names it takes from each."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "janus_synth":
            yield node.module, [alias.name for alias in node.names]
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names if alias.name.partition(".")[0] == "janus_synth")


def is_public(module, names):
    home = importlib.import_module(module)
    return module in PUBLIC_MODULES or (hasattr(home, "__path__") and set(names) <= set(home.__all__))


@pytest.mark.parametrize("path", sorted(HOME.rglob("*.py")), ids=lambda path: path.relative_to(HOME).as_posix())
def test_only_public_names_are_imported(path):
    for module, names in imports_of(path):
        assert is_public(module, names), f"{module} does not export all of {', '.join(names)}"


def test_no_module_is_imported_by_its_name_as_text():
    for path in HOME.rglob("*.py"):
        assert "import_module" not in path.read_text(encoding="utf-8"), path
