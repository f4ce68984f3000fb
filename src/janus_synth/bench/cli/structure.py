"""What the graph is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, MostSeconds, Out, kept, words


@app.command(epilog="Example: janus bench structure --structures true,forest,pc --engines janus --seeds 2")
def structure(
    structures: Annotated[
        str | None,
        typer.Option(help="Of true, auto, chain, forest, pc, ges, reversed, none. Default: all of them."),
    ] = None,
    engines: Annotated[
        str | None, typer.Option(help="Who learns rows along the graph: janus, paper. Default: both.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Structural models. Default: 5.")] = None,
    columns: Annotated[int | None, typer.Option(min=5, help="Columns of each model. Default: 10.")] = None,
    rows: Annotated[int | None, typer.Option(min=200, help="Rows to learn. Default: 5,000.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One model of six columns and 1,000 rows, learnt by janus alone.")
    ] = False,
    jobs: Jobs = 1,
    most_seconds: MostSeconds = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Learn known graphs in every way there is, and see what rows and interventions owe to them.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.structure import run as usual

    how = kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds)
    result = usual.run_structure(
        words(structures),
        words(engines) or (usual.QUICK_ENGINES if quick else None),
        range(seeds or (usual.QUICK_SEEDS if quick else usual.N_SEEDS)),
        n_columns=columns or (usual.QUICK_COLUMNS if quick else usual.N_COLUMNS),
        n_train=rows or (usual.QUICK_TRAIN if quick else usual.N_TRAIN),
        **how,
    )
    finish(result, out)
