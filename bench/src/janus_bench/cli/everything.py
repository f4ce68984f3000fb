"""Every benchmark, one after the other, and one page of their results."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from janus_bench.cli.app import app
from janus_bench.options import Out, words


def run_all(
    only: Annotated[
        str | None, typer.Option(help="Names of benchmarks with commas between. Default: all of them.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes: whether all runs, in under 20 minutes on 2 cores.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that measure, where times do not matter. Default: 1, quick one per core."),
    ] = None,
    out: Out = Path("bench-results"),
) -> None:
    """Run all benchmarks and assemble one page of their results.

    Measurements are kept as they come: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.assembly import assemble
    from janus_bench.catalog import with_command
    from janus_bench.cores import n_cores

    n_jobs = jobs or (n_cores() if quick else 1)
    failed: list[str] = []
    for benchmark in with_command(words(only)):
        start = perf_counter()
        given = [*benchmark.command(quick=quick, jobs=n_jobs), "--out", str(out)]
        typer.echo(f"janus bench {' '.join(given)}", err=True)
        error = _told(given)
        if error is not None:
            failed.append(benchmark.name)
            typer.echo(f"{benchmark.name} failed: {error}", err=True)
        typer.echo(f"{benchmark.name}: {perf_counter() - start:.0f} s", err=True)
    page, *_ = assemble(out, out / "results.md", pictures=False)
    typer.echo(f"wrote {page}", err=True)
    if failed:
        typer.echo(f"error: {', '.join(failed)} failed; what they say is above.", err=True)
        raise typer.Exit(1)


def _told(given: list[str]) -> Exception | None:
    """Run a command; what goes wrong is told, and is not the end of the others."""
    command = typer.main.get_command(app)
    try:
        command.main(args=given, prog_name="janus bench", standalone_mode=False)
    except Exception as error:
        return error
    return None
