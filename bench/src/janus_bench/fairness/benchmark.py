"""Bias of known size, and who finds it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


def fairness(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (direct bias), B (through a mediator), C (pipeline), D (hidden subgroup), E (trivial "
            "decisions), F (errors of the audit), G (equal pay). Default: all."
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(
            help="Of logistic, boosting, exponentiated-gradient, threshold-optimizer, majority. Default: all, quick "
            "without boosting."
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="adult or hiring. Default: adult where JANUS_DATA holds it, otherwise hiring.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Planted tables of each kind. Default: 3, quick 1.")] = None,
    rows: Annotated[
        int | None, typer.Option(min=500, help="Rows of a planted table. Default: 5000, quick 1000.")
    ] = None,
    splits: Annotated[int | None, typer.Option(min=2, help="Splits of an audit. Default: 10, quick 3.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rows, sizes and repeats, in about two minutes.")
    ] = False,
    **kept: Any,
) -> Result:
    """Plant bias of known size, audit fairness algorithms against it, and judge the paper's claims.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.fairness.run import FULL, QUICK, QUICK_ALGORITHMS, run_fairness

    chosen = QUICK_ALGORITHMS if quick and algorithms is None else words(algorithms)
    sizes = QUICK if quick else FULL
    sizes = sizes if splits is None else replace(sizes, n_splits=splits)
    return run_fairness(words(parts), chosen, table=table, seeds=seeds, rows=rows, sizes=sizes, **kept)


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.fairness.report import fairness_grids

    return fairness_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.fairness.pictures import charts

    return charts(result)


FAIRNESS = Benchmark(
    name="fairness",
    title="Fairness",
    tables=tables_of,
    charts=charts_of,
    shown=("Claims", "F."),
    run=fairness,
    example="janus bench fairness --quick --parts A,B --algorithms logistic,threshold-optimizer --rows 2000",
)
