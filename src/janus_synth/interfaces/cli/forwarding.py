"""``janus demo`` and ``janus bench``: doors to rooms that are opened only when asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from janus_synth.errors import MissingExtraError
from janus_synth.interfaces.cli.shown import console

DEMO_EXAMPLES = ("janus demo", "janus demo --out janus-demo --rows 2000 --seed 1")


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where to put what it makes.")] = Path(
        "janus-demo"
    ),
    rows: Annotated[
        int, typer.Option("--rows", "-n", min=1, metavar="N", help="Rows of the table that it learns.")
    ] = 5_000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of everything random in it.")] = 0,
) -> None:
    """See JANUS at work on a table of its own: learn it, sample it, score it."""
    run_demo = _opened("janus_synth.interfaces.demo", extra="plots", purpose="janus demo").run_demo
    run_demo(out, n_rows=rows, random_state=seed, console=console())


def bench(context: typer.Context) -> None:
    """Measure fidelity and speed beside the rivals; see janus bench --help."""
    rooms = _opened("janus_synth.bench.cli", extra="bench", purpose="janus bench").app
    command = typer.main.get_command(rooms)
    code = command.main(args=list(context.args), prog_name="janus bench", standalone_mode=False)
    if isinstance(code, int) and code:
        raise typer.Exit(code)


def _opened(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module of ours; a library that it misses is told with the extra that brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("janus_synth"):
            raise
        raise MissingExtraError(error.name.partition(".")[0], extra, purpose=purpose) from error
