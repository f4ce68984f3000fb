"""What each part of JANUS is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import MostSeconds, words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


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
    most_seconds: MostSeconds = None,
    **kept: Any,
) -> Result:
    """Take one part of JANUS away at a time, ask for rows of known models with conditions and without, and judge.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.ablation import run

    sizes = run.QUICK if quick else run.FULL
    return run.run_ablation(
        words(configurations) or (run.QUICK_CONFIGURATIONS if quick else None),
        seeds=range(seeds or (1 if quick else run.N_SEEDS)),
        kinds=words(kinds) or (run.QUICK_KINDS if quick else None),
        rarities=words(rarities) or (run.QUICK_RARITIES if quick else run.RARITIES),
        sizes=replace(sizes, n_rows=rows or sizes.n_rows, n_train=train or sizes.n_train),
        most_seconds=most_seconds,
        **kept,
    )


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.ablation.report import ablation_grids

    return ablation_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.ablation.pictures import charts

    return charts(result)


ABLATION = Benchmark(
    name="ablation",
    title="One part at a time",
    tables=tables_of,
    charts=charts_of,
    shown=("One part taken away: rows", "Middle halves of columns: what it costs"),
    run=ablation,
    example="janus bench ablation --configurations one-tree,greedy,reject --seeds 2 --rarities 'hard,1%'",
)
