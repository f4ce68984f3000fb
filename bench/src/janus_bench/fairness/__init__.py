"""The command ``janus bench fairness``: plant bias of known size, audit algorithms, and check the paper's claims."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


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
    *,
    run: RunSettings,
) -> Result:
    """Plant bias of known size, audit fairness algorithms against it, and check the paper's claims.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.fairness.run import FULL, QUICK, QUICK_ALGORITHMS, run_fairness

    chosen = QUICK_ALGORITHMS if quick and algorithms is None else split_words(algorithms)
    sizes = QUICK if quick else FULL
    sizes = sizes if splits is None else replace(sizes, n_splits=splits)
    return run_fairness(split_words(parts), chosen, table=table, seeds=seeds, rows=rows, sizes=sizes, run=run)


def _report() -> Report:
    from janus_bench.fairness.pictures import charts
    from janus_bench.fairness.report import fairness_grids

    return Report(fairness_grids, charts)


FAIRNESS = Benchmark(
    name="fairness",
    title="Fairness",
    report=_report,
    shown=("Claims", "F."),
    run=fairness,
    example="janus bench fairness --quick --parts A,B --algorithms logistic,threshold-optimizer --rows 2000",
)
