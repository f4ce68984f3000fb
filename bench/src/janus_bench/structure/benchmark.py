"""What the graph is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import MostSeconds, words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


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
    most_seconds: MostSeconds = None,
    **kept: Any,
) -> Result:
    """Learn known graphs in every way there is, and see what rows and interventions owe to them.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.structure import run as usual

    return usual.run_structure(
        words(structures),
        words(engines) or (usual.QUICK_ENGINES if quick else None),
        range(seeds or (usual.QUICK_SEEDS if quick else usual.N_SEEDS)),
        n_columns=columns or (usual.QUICK_COLUMNS if quick else usual.N_COLUMNS),
        n_train=rows or (usual.QUICK_TRAIN if quick else usual.N_TRAIN),
        most_seconds=most_seconds,
        **kept,
    )


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.structure.report import structure_grids

    return structure_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.structure.pictures import charts

    return charts(result)


STRUCTURE = Benchmark(
    name="structure",
    title="The graph",
    tables=tables_of,
    charts=charts_of,
    shown=("Structures", "The paper's"),
    run=structure,
    example="janus bench structure --structures true,forest,pc --engines janus --seeds 2",
)
