"""What each part of JANUS is worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, MostSeconds, Out, kept, words


@app.command(
    epilog="Example: janus bench ablation --configurations one-tree,greedy,reject --seeds 2 --rarities 'hard,1%'"
)
def ablation(
    configurations: Annotated[
        str | None,
        typer.Option(
            help="Of janus, one-tree, flat, point, histogram, coarse, chain, forest, given, no-sweeps, greedy, reject, "
            "paper, paper-unmixed, paper-point, paper-reject, paper-exact. Default: all of them, quick eleven. "
            "What they are held against comes along."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Structural models of ten columns. Default: 5, quick 1.")
    ] = None,
    kinds: Annotated[
        str | None, typer.Option(help="Of range, equality, inter-column, mixed. Default: all, quick two of them.")
    ] = None,
    rarities: Annotated[
        str | None,
        typer.Option(help="Of easy, medium, hard, 1%, 0.1%, 0.001%. Default: easy, hard and 0.1%, quick hard."),
    ] = None,
    rows: Annotated[int | None, typer.Option(min=30, help="Rows asked for. Default: 1000, quick 300.")] = None,
    train: Annotated[int | None, typer.Option(min=100, help="Rows to learn from. Default: 5000, quick 1000.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One model, two conditions, fewer rows, in less than a minute.")
    ] = False,
    jobs: Jobs = 1,
    most_seconds: MostSeconds = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Take one part of JANUS away at a time, ask for rows of known models with conditions and without, and judge.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.ablation import run

    sizes = run.QUICK if quick else run.FULL
    result = run.run_ablation(
        words(configurations) or (run.QUICK_CONFIGURATIONS if quick else None),
        seeds=range(seeds or (1 if quick else run.N_SEEDS)),
        kinds=words(kinds) or (run.QUICK_KINDS if quick else None),
        rarities=words(rarities) or (run.QUICK_RARITIES if quick else run.RARITIES),
        sizes=replace(sizes, n_rows=rows or sizes.n_rows, n_train=train or sizes.n_train),
        **kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds),
    )
    finish(result, out)
