"""Fingerprints of code and data: methods and tables in, hashes out; a stored measurement is valid while they are equal.

Code is hashed as its syntax tree without docstrings, so that a changed comment or line break invalidates nothing.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import janus_synth
from janus_bench.ours import JanusSynthesizer
from janus_synth import Schema, metrics

if TYPE_CHECKING:
    from janus_bench.peers import Synthesizer
    from janus_bench.tables import NamedTable

BENCHMARKS = Path(__file__).parent
LIBRARY = Path(janus_synth.__file__).parent
UNRELATED = ("cli", "demo", "fairness", "metrics", "pages", "plots", "report")
"""Folders of the library that do not affect sampled rows. All others are hashed, including the kernels' sources."""
JUDGES = (metrics, Schema)
"""Modules that every score depends on: the metrics, and how tables are read."""
OUR_LIBRARIES = ("numpy", "scipy")
JUDGING_LIBRARIES = ("numpy", "scikit-learn", "xgboost", "xgboost-cpu")
ABSENT = "absent"
REAL_ROWS = "real rows"
"""Name of the reference that uses training rows as synthetic ones: the score of a perfect method."""


def table_fingerprint(table: NamedTable) -> str:
    """Hash of the rows, dtypes, target and graph of a table.

    Examples
    --------
    >>> from janus_bench.tables import NamedTable, read_named
    >>> ring = read_named("ring")
    >>> shorter = NamedTable("ring", ring.frame.iloc[1:], ring.target)
    >>> table_fingerprint(ring) == table_fingerprint(shorter)
    False
    """
    digest = hashlib.sha256(repr((table.target, table.graph, len(table.frame))).encode())
    for name in table.frame:
        column = table.frame[name]
        digest.update(repr((name, str(column.dtype))).encode())
        digest.update(_hashes(column))
    return digest.hexdigest()[:16]


def method_version(method: Synthesizer) -> str:
    """Fingerprint of the code that a method's rows depend on: our package for JANUS, else its libraries and adapter."""
    if isinstance(method, JanusSynthesizer):
        return f"{package_fingerprint()} {library_versions(OUR_LIBRARIES)}"
    libraries = getattr(method, "libraries", ("scikit-learn",))
    return f"{adapter_fingerprint(type(method).__module__)} {library_versions(libraries)}"


def judge_version(module: str) -> str:
    """Fingerprint of the code that scores depend on: metrics, the module that applies them, and their libraries."""
    parts = [folder_fingerprint(judge) for judge in JUDGES]
    return " ".join([*parts, _digest([_file_of(module)]), library_versions(JUDGING_LIBRARIES)])


def method_settings(method: Synthesizer) -> dict[str, str]:
    """Settings of a method, by name, as text.

    Examples
    --------
    >>> from janus_bench.peers import SequentialCart
    >>> method_settings(SequentialCart(min_samples_leaf=10))
    {'class': 'SequentialCart', 'min_samples_leaf': '10', 'n_jobs': '1', 'graph': 'None'}
    """
    settings = {
        name: repr(value) for name, value in vars(method).items() if name != "name" and not name.startswith("_")
    }
    return {"class": type(method).__name__, **settings}


def facts_of(method: Synthesizer | None, judge: str) -> dict[str, Any]:
    """What identifies a method's cells: its name, settings and version; None stands for real rows."""
    if method is None:
        return {"method": REAL_ROWS, "version": judge}
    return {
        "method": method.name,
        "settings": method_settings(method),
        "version": f"{method_version(method)} {judge}",
    }


@cache
def package_fingerprint() -> str:
    """Hash of our adapter and of all sources of the library except `UNRELATED`."""
    files = [path for path in _sources(LIBRARY) if path.relative_to(LIBRARY).parts[0] not in UNRELATED]
    return _digest([*files, BENCHMARKS / "ours.py"])


@cache
def folder_fingerprint(thing: ModuleType | type | Callable[..., object]) -> str:
    """Hash of all sources in the folder of a package, or of the module of a class or function.

    Examples
    --------
    >>> from janus_synth import holds
    >>> folder_fingerprint(metrics) == folder_fingerprint(metrics.evaluate) != folder_fingerprint(holds)
    True
    """
    return _digest(_sources(Path(str(inspect.getsourcefile(thing))).parent))


@cache
def adapter_fingerprint(module: str) -> str:
    """Hash of a benchmark module and of the benchmark modules that it imports."""
    return _digest(sorted(_with_imports(module, set())))


def library_versions(libraries: Iterable[str]) -> str:
    """Versions of libraries; missing ones are named as absent.

    Examples
    --------
    >>> library_versions(["no-such-library"])
    'no-such-library absent'
    """
    return ", ".join(f"{name} {_version(name)}" for name in libraries)


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ABSENT


def _with_imports(module: str, seen: set[Path]) -> set[Path]:
    path = _file_of(module)
    if path in seen:
        return seen
    seen.add(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{BENCHMARKS.name}."):
            _with_imports(str(node.module), seen)
    return seen


def _file_of(module: str) -> Path:
    """Source file of a module; a benchmark module is found without importing it."""
    first, *rest = module.split(".")
    if first != BENCHMARKS.name:
        return Path(str(sys.modules[module].__file__))
    path = BENCHMARKS.joinpath(*rest)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode())
        digest.update(syntax_of(path.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()[:16]


def syntax_of(code: str) -> str:
    r"""Syntax tree of Python code as text, without docstrings, comments, line numbers and formatting.

    Examples
    --------
    >>> syntax_of("x = 1  # one") == syntax_of("x = (\n    1\n)")
    True
    >>> syntax_of("x = 1") == syntax_of("x = 2")
    False
    """
    return ast.dump(_WithoutDocstrings().visit(ast.parse(code)))


class _WithoutDocstrings(ast.NodeTransformer):
    """Drops strings that are statements of their own: docstrings of modules, classes, functions and attributes."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def _hashes(column: Any) -> bytes:
    """Hashes of the cells of a column."""
    from pandas.util import hash_pandas_object

    try:
        found = hash_pandas_object(column, index=False)
    except TypeError:  # cells that cannot be hashed, such as lists
        found = hash_pandas_object(column.astype(str), index=False)
    return bytes(found.to_numpy().tobytes())
