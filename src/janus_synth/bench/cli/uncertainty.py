"""How sure each method is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, Out, kept, words


@app.command(epilog="Example: janus bench uncertainty --quick --parts A,C --methods janus,dropout --out sure-results")
def uncertainty(
    parts: Annotated[
        str | None,
        typer.Option(help="Of A (noise in a region), B (more rows, less ignorance), C (noise in iris). Default: all."),
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Of janus, paper, dropout, ensemble, evidential. Default: all of them.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How often each part is repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and repeats, in about a minute.")] = False,
    jobs: Jobs = 1,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Ask how sure each method is, where labels are noisy and as rows become more; time the answers.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.uncertainty.run import FULL, QUICK, run_uncertainty

    how = kept(cache, fresh=fresh, jobs=jobs, most_seconds=None)
    result = run_uncertainty(words(parts), words(methods), seeds=seeds, sizes=QUICK if quick else FULL, **how)
    finish(result, out)
