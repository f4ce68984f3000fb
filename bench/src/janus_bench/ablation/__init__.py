"""The benchmark "ablation": JANUS with one part removed at a time, scored on known structural models.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


def ablation(
    configurations: Annotated[
        str | None,
        typer.Option(
            help="Of janus, one-tree, flat, point, histogram, coarse, chain, forest, given, no-sweeps, greedy, reject, "
            "paper, paper-unmixed, paper-point, paper-reject, paper-exact. Default: all of them, quick eleven. "
            "Their baselines are added."
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
    *,
    run: RunSettings,
) -> Result:
    """Remove one part of JANUS at a time, and score its rows on known models, with and without conditions.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.ablation import run as usual

    sizes = usual.QUICK if quick else usual.FULL
    return usual.run_ablation(
        split_words(configurations) or (usual.QUICK_CONFIGURATIONS if quick else None),
        seeds=range(seeds or (1 if quick else usual.N_SEEDS)),
        kinds=split_words(kinds) or (usual.QUICK_KINDS if quick else None),
        rarities=split_words(rarities) or (usual.QUICK_RARITIES if quick else usual.RARITIES),
        sizes=replace(sizes, n_rows=rows or sizes.n_rows, n_train=train or sizes.n_train),
        run=run,
    )


def _report() -> Report:
    from janus_bench.ablation.pictures import charts
    from janus_bench.ablation.report import ablation_grids

    return Report(ablation_grids, charts)


ABLATION = Benchmark(
    name="ablation",
    title="Ablation",
    report=_report,
    shown=("One part taken away: rows", "Middle halves of columns: what it costs"),
    run=ablation,
    example="janus bench ablation --configurations one-tree,greedy,reject --seeds 2 --rarities 'hard,1%'",
)
