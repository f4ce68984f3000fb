"""``janus demo``, imported only when asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.cli.show import console
from janus_synth.errors import MissingExtraError

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
    try:
        from janus_synth.demo import run_demo
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("janus_synth"):
            raise
        raise MissingExtraError(error.name.partition(".")[0], "plots", purpose="janus demo") from error
    run_demo(out, n_rows=rows, random_state=seed, console=console())
