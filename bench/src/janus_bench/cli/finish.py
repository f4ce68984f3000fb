"""A result to files, pictures and a terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from janus_bench.cli.app import given_words

if TYPE_CHECKING:
    from janus_bench.results import Result


NOT_TOLD = {"--out": 1, "--cache": 1, "--jobs": 1, "--fresh": 0}
"""Options that no number depends on, and how many words follow them."""


def finish(result: Result, out: Path) -> None:
    """Write a result with its pictures and its command, print its tables, and say where it is."""
    from janus_bench.pictures import write_pictures

    result = replace(result, options={"command": command_of(given_words.get()), **result.options})
    files = result.write(out)
    print_tables(result)
    typer.echo(f"wrote {files.json} and {files.markdown}", err=True)
    if said := write_pictures(result, files.json.with_suffix("")):
        typer.echo(said, err=True)


def command_of(words: Sequence[str]) -> str:
    """The command that was given in these words, without what says where things lie.

    Examples
    --------
    >>> command_of(["fidelity", "--tables", "ring", "--out", "here", "--cache=there", "--fresh"])
    'janus bench fidelity --tables ring'
    """
    left, kept = list(words), ["janus", "bench"]
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if name in NOT_TOLD:
            del left[: 0 if equals else NOT_TOLD[name]]
        else:
            kept.append(shlex.quote(word))
    return " ".join(kept)


def print_tables(result: Result) -> None:
    """Print the tables of a result."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160)
    for grid in result.grids():
        console.print(grid, "")
