"""The shape of the package: data flows one way, and every public name explains itself."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import janus_synth
from janus_synth.streams import PlanStream, Stream

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


# Modules and their tests

PACKAGE = ROOT / "src" / "janus_synth"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
LEAST_LINES = 25
WITHOUT_TESTS_OF_THEIR_OWN: dict[str, str] = {
    "kernels/dtypes.py": "constants only",
    "kernels/views.py": "named tuples of arrays without methods; every kernel test builds them",
    "cli/options.py": "declarations of options, which the tests of every command use; test_app checks the choices",
}
"""Modules of more than 25 lines without a test file of their name, and the reason."""


def has_test(module: Path) -> bool:
    return (ROOT / "tests" / module.parent / f"test_{module.name}").exists()


def test_every_module_has_tests_at_the_mirrored_place():
    long = [module for module in MODULES if len((PACKAGE / module).read_text().splitlines()) > LEAST_LINES]
    without = {module.as_posix() for module in long if not has_test(module)}
    assert without == set(WITHOUT_TESTS_OF_THEIR_OWN), "write tests/<folder>/test_<module>.py, or give a reason here"


def imported_modules(path: Path) -> set[str]:
    """Modules and packages of janus_synth that a file imports, in functions too; not those for type checkers only.

    A name of a package stands for its ``__init__``. The outermost one is left out: it holds the version, and loads
    names when they are asked for.
    """
    tree = ast.parse((PACKAGE / path).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative name"
            own = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= own & IMPORTABLE if own & IMPORTABLE else {str(node.module)}
    return found & IMPORTABLE


def dotted(path: Path) -> str:
    parts = path.parent.parts if path.name == "__init__.py" else path.with_suffix("").parts
    return ".".join(["janus_synth", *parts])


FILES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
IMPORTABLE = set(map(dotted, FILES))


def test_no_module_imports_itself_through_others():
    graph = {dotted(path): imported_modules(path) for path in FILES}
    assert sum(map(len, graph.values())) > 500  # the walk sees the imports
    TopologicalSorter(graph).prepare()  # CycleError names the loop


# Random streams


@pytest.mark.parametrize("family", [Stream, PlanStream])
def test_every_stream_has_a_number_of_its_own(family):
    """An enum silently turns a second name of one number into an alias, and two uses of chance would share numbers."""
    names = list(family.__members__)
    assert len(names) == len(list(family)), "two names have the same number"
    written = [
        target.id
        for node in ast.parse((PACKAGE / "streams.py").read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == family.__name__
        for part in node.body
        if isinstance(part, ast.Assign)
        for target in part.targets
        if isinstance(target, ast.Name)
    ]
    assert written == names
