"""Benchmarks to commands: the options of each, those that all share, and what happens to a result."""

from __future__ import annotations

import inspect
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.cli.finish import finish
from janus_bench.options import Cache, Fresh, Jobs, Out

SHARED: tuple[tuple[str, Any, object], ...] = (
    ("jobs", Jobs, 1),
    ("cache", Cache, None),
    ("fresh", Fresh, False),
    ("out", Out, Path("bench-results")),
)
"""Options of every benchmark, which stand for ``**kept`` in its run: names, annotations, defaults."""


def add_command(app: typer.Typer, benchmark: Benchmark) -> None:
    """Add the command of a benchmark: it measures, then writes and prints the result."""
    run = benchmark.run
    assert run is not None, f"{benchmark.name} has no command"

    @wraps(run)
    def command(*, cache: Path | None, fresh: bool, out: Path, jobs: int = 0, **options: Any) -> None:
        from janus_bench.store import Store

        finish(run(**options, store=Store(cache), fresh=fresh, jobs=jobs), out)

    # typer reads options from the signature and the annotations.
    parameters = _parameters(benchmark)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(benchmark.name, epilog=f"Example: {benchmark.example}")(command)


def _parameters(benchmark: Benchmark) -> list[Parameter]:
    """Options of the benchmark itself, then those that all share."""
    assert benchmark.run is not None
    own = inspect.signature(benchmark.run, eval_str=True).parameters.values()
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        for name, annotation, default in SHARED
        if benchmark.in_parallel or name != "jobs"
    ]
    return [*(one for one in own if one.kind is not Parameter.VAR_KEYWORD), *shared]
