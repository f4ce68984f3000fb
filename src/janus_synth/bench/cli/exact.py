"""Rows under conditions beside rejection from the same model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, Out, kept, words


@app.command(epilog="Example: janus bench exact --quick --parts A,C --cases 6 --out exact-results")
def exact(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (random models), B (Adult), C (cost by rarity), D (violations). Default: all, B only with "
            "Adult at hand."
        ),
    ] = None,
    cases: Annotated[
        int | None, typer.Option("--cases", "--seeds", min=1, help="Random models of part A. Default: 40, quick 4.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few cases of fewer rows, in less than two minutes.")] = False,
    jobs: Jobs = 1,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Hold rows under conditions against the same model's free rows that happen to obey.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.exact.run import FULL, QUICK, run_exact

    how = kept(cache, fresh=fresh, jobs=jobs, most_seconds=None)
    finish(run_exact(words(parts), cases=cases, sizes=QUICK if quick else FULL, **how), out)
