"""A result to files, pictures and a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from janus_synth.bench.results import Result


def finish(result: Result, out: Path) -> None:
    """Write a result with its pictures, print its tables, and say where it is."""
    from janus_synth.bench.pictures import write_pictures

    files = result.write(out)
    print_tables(result)
    typer.echo(f"wrote {files.json} and {files.markdown}", err=True)
    if said := write_pictures(result, files.json.with_suffix("")):
        typer.echo(said, err=True)


def print_tables(result: Result) -> None:
    """Print the tables of a result."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160)
    for grid in result.grids():
        console.print(grid, "")
