"""What becomes of the rare class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import QUICK_ROWS, MostSeconds, words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


def mode_collapse(
    tables: Annotated[
        str | None, typer.Option(help="Names with commas between. Default: adult, bank and credit at hand, or hiring.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="As for fidelity. Default: JANUS, paper, CART, CTGAN and TVAE.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows, and neither CTGAN nor TVAE.")
    ] = False,
    most_seconds: MostSeconds = None,
    **kept: Any,
) -> Result:
    """See whether the rare class of a table keeps its share, seed by seed, and whether classifiers still learn it."""
    from janus_bench.collapse.run import MAX_ROWS, run_collapse
    from janus_bench.methods import make_methods

    usual = ["JANUS", "paper", "CART"] if quick else ["JANUS", "paper", "CART", "CTGAN", "TVAE"]
    chosen = make_methods(words(methods) or usual)
    return run_collapse(
        words(tables),
        chosen,
        range(seeds),
        max_rows=QUICK_ROWS if quick else MAX_ROWS,
        most_seconds=most_seconds,
        **kept,
    )


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.collapse.report import collapse_grids

    return collapse_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.collapse.pictures import charts

    return charts(result)


MODE_COLLAPSE = Benchmark(
    name="mode-collapse",
    title="The rare class",
    tables=tables_of,
    charts=charts_of,
    shown=("The rare class, on average",),
    run=mode_collapse,
    example="janus bench mode-collapse --tables adult --methods JANUS,CART --seeds 2",
)
