"""Time and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Out, Tables, kept, words


@app.command(epilog="Example: janus bench speed --tables adult --quick --out speed-results")
def speed(
    tables: Tables = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables, each measured once.")] = False,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Time fits and samples beside random forests, sequential CART and numpy; weigh memory and start-up.

    What is timed is kept, with its date: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.speed.parts import QUICK, Sizes
    from janus_synth.bench.speed.run import run_speed

    how = kept(cache, fresh=fresh, jobs=0, most_seconds=None)
    finish(run_speed(words(tables), sizes=QUICK if quick else Sizes(), **how), out)
