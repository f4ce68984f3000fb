"""The command ``janus bench structure``: compare structure learners by edges, sampled rows and interventions."""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


def structure(
    structures: Annotated[
        str | None,
        typer.Option(help="Of true, auto, chain, forest, pc, ges, notears, reversed, none. Default: all of them."),
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
    *,
    run: RunSettings,
) -> Result:
    """Learn known graphs in every available way, and measure how rows and interventions depend on them.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.structure import run as usual

    return usual.run_structure(
        split_words(structures),
        split_words(engines) or (usual.QUICK_ENGINES if quick else None),
        range(seeds or (usual.QUICK_SEEDS if quick else usual.N_SEEDS)),
        n_columns=columns or (usual.QUICK_COLUMNS if quick else usual.N_COLUMNS),
        n_train=rows or (usual.QUICK_TRAIN if quick else usual.N_TRAIN),
        run=run,
    )


def _report() -> Report:
    from janus_bench.structure.pictures import charts
    from janus_bench.structure.report import structure_grids

    return Report(structure_grids, charts)


STRUCTURE = Benchmark(
    name="structure",
    title="Structure learning",
    report=_report,
    shown=("Structures", "The paper's"),
    run=structure,
    example="janus bench structure --structures true,forest,pc --engines janus --seeds 2",
)
