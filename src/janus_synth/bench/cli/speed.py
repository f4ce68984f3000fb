"""Time and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Out, Tables, words


@app.command(epilog="Example: janus bench speed --tables adult --quick --out speed-results")
def speed(
    tables: Tables = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables, each measured once.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Time fits and samples beside random forests, sequential CART and numpy; weigh memory and start-up."""
    from janus_synth.bench.speed import QUICK, Sizes, run_speed

    finish(run_speed(words(tables), sizes=QUICK if quick else Sizes()), out)
