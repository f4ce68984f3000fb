"""The commands of ``janus bench``: one per benchmark, generated from its `Benchmark`, and assemble, show and all."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from inspect import Parameter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from janus_bench.benchmark import Benchmark
from janus_bench.catalog import with_command
from janus_bench.options import Cache, Fresh, Jobs, MostSeconds, Out, split_words

if TYPE_CHECKING:
    from janus_bench.results import Result

SHARED: tuple[tuple[str, Any, object], ...] = (
    ("jobs", Jobs, 1),
    ("most_seconds", MostSeconds, None),
    ("cache", Cache, None),
    ("fresh", Fresh, False),
    ("out", Out, Path("bench-results")),
)
"""Options of every benchmark (names, annotations, defaults): they become its `RunSettings`."""
PARALLEL_ONLY = ("jobs", "most_seconds")
"""Shared options that only benchmarks with worker processes have."""
IRRELEVANT = {"--out": 1, "--cache": 1, "--work": 1, "--jobs": 1, "--fresh": 0}
"""Options that do not affect results, and how many words follow each of them."""

given_words: ContextVar[tuple[str, ...]] = ContextVar("given_words", default=())
"""Words of the command that is running."""


class Group(TyperGroup):
    """Stores the words of the command, so that a result can record which command made it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Store the words, then parse them."""
        given_words.set(tuple(args))
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="bench",
    cls=Group,
    help="Measure JANUS beside rivals: fidelity, rare classes, speed, conditions, uncertainty, counterfactuals, "
    "fairness. Real tables are read from JANUS_DATA, or downloaded when named.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the commands; an expected error is one line, not a traceback."""
    from janus_synth.errors import JanusError

    try:
        app()
    except JanusError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)


def add_command(app: typer.Typer, benchmark: Benchmark) -> None:
    """Add the command of a benchmark: it measures, then writes and prints the result."""
    run = benchmark.run
    assert run is not None, f"{benchmark.name} has no command"

    @wraps(run)
    def command(
        *,
        cache: Path | None,
        fresh: bool,
        out: Path,
        jobs: int = 0,
        most_seconds: float | None = None,
        **options: Any,
    ) -> None:
        from janus_bench.cells import RunSettings
        from janus_bench.store import Store

        settings = RunSettings(store=Store(cache), fresh=fresh, jobs=jobs, most_seconds=most_seconds)
        write_and_print(run(**options, run=settings), out)

    # typer reads options from the signature and the annotations.
    parameters = _parameters(benchmark)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(benchmark.name, epilog=f"Example: {benchmark.example}")(command)


def _parameters(benchmark: Benchmark) -> list[Parameter]:
    """Options of the benchmark itself, then the shared ones in place of its ``run``."""
    assert benchmark.run is not None
    own = inspect.signature(benchmark.run, eval_str=True).parameters.values()
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        for name, annotation, default in SHARED
        if benchmark.in_parallel or name not in PARALLEL_ONLY
    ]
    return [*(one for one in own if one.name != "run"), *shared]


def write_and_print(result: Result, out: Path) -> None:
    """Write a result with its command and its pictures, print its tables, and say where it is."""
    from janus_bench.rendering import write_pictures, write_result

    result = replace(result, options={"command": command_of(given_words.get()), **result.options})
    files = write_result(result, out)
    print_tables(result)
    typer.echo(f"wrote {files.json} and {files.markdown}", err=True)
    if message := write_pictures(result, files.json.with_suffix("")):
        typer.echo(message, err=True)


def command_of(words: Sequence[str]) -> str:
    """The command made of these words, without the options that do not affect results.

    Examples
    --------
    >>> command_of(["fidelity", "--tables", "ring", "--out", "here", "--cache=there", "--fresh"])
    'janus bench fidelity --tables ring'
    """
    left, kept = list(words), ["janus", "bench"]
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if name in IRRELEVANT:
            del left[: 0 if equals else IRRELEVANT[name]]
        else:
            kept.append(shlex.quote(word))
    return " ".join(kept)


def print_tables(result: Result) -> None:
    """Print the tables of a result."""
    from rich.console import Console

    from janus_bench.rendering import tables_of

    console = Console(width=None if sys.stdout.isatty() else 160)
    for grid in tables_of(result):
        console.print(grid, "")


@app.command(epilog="Example: janus bench assemble docs/results --out docs/results.md")
def assemble(
    folder: Annotated[Path, typer.Argument(help="JSON files of runs, and comments on them: NAME.reading.md.")],
    out: Annotated[Path, typer.Option(help="Page to write.")] = Path("results.md"),
    no_pictures: Annotated[bool, typer.Option("--no-pictures", help="Link the existing pictures; draw none.")] = False,
) -> None:
    """Put the results of a folder on one page, with comments, pictures, commands and versions."""
    from janus_bench.assembly import write_page

    page, *tables = write_page(folder, out, pictures=not no_pictures)
    typer.echo(f"wrote {page}, and all tables of {len(tables)} results beside them", err=True)


@app.command(epilog="Example: janus bench show bench-results/fidelity-2026-01-31-120000.json")
def show(path: Annotated[Path, typer.Argument(help="A JSON file of an earlier run.")]) -> None:
    """Print the tables of an earlier run."""
    from janus_bench.rendering import read_result

    print_tables(read_result(path))


@app.command("all", epilog="Example: janus bench all --quick --out quick-results")
def run_all(
    only: Annotated[
        str | None, typer.Option(help="Names of benchmarks separated by commas. Default: all of them.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes, to check that everything runs: under 20 minutes on 2 cores.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes, where times do not matter. Default: 1, with --quick one per core."),
    ] = None,
    out: Out = Path("bench-results"),
) -> None:
    """Run all benchmarks and assemble one page of their results.

    Measurements are stored as they are made: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.assembly import write_page
    from janus_bench.stopwatch import n_cores

    n_jobs = jobs or (n_cores() if quick else 1)
    failed: list[str] = []
    for benchmark in with_command(split_words(only)):
        start = perf_counter()
        words = [*benchmark.command(quick=quick, jobs=n_jobs), "--out", str(out)]
        typer.echo(f"janus bench {' '.join(words)}", err=True)
        error = _run_command(words)
        if error is not None:
            failed.append(benchmark.name)
            typer.echo(f"{benchmark.name} failed: {error}", err=True)
        typer.echo(f"{benchmark.name}: {perf_counter() - start:.0f} s", err=True)
    page, *_ = write_page(out, out / "results.md", pictures=False)
    typer.echo(f"wrote {page}", err=True)
    if failed:
        typer.echo(f"error: {', '.join(failed)} failed; see the messages above.", err=True)
        raise typer.Exit(1)


def _run_command(words: list[str]) -> Exception | None:
    """Run a command; an error is returned, so that the other benchmarks still run."""
    command = typer.main.get_command(app)
    try:
        command.main(args=words, prog_name="janus bench", standalone_mode=False)
    except Exception as error:
        return error
    return None


for _benchmark in with_command():
    add_command(app, _benchmark)
