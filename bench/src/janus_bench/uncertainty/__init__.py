"""The command ``janus bench uncertainty``: reported against true uncertainty, for noisy labels and training sizes."""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


def uncertainty(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (noise in a region), B (more rows, less ignorance), C (noise in iris), D (rows off "
            "the data), E (a map of uncertainty). Default: all."
        ),
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Of janus, paper, dropout, ensemble, evidential. Default: all of them.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How often each part is repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and repeats, in about a minute.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Measure the uncertainty that each method reports for noisy labels and growing training sets, and time it.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.uncertainty.run import FULL, QUICK, run_uncertainty

    return run_uncertainty(
        split_words(parts), split_words(methods), seeds=seeds, sizes=QUICK if quick else FULL, run=run
    )


def _report() -> Report:
    from janus_bench.uncertainty.pictures import charts
    from janus_bench.uncertainty.report import uncertainty_grids

    return Report(uncertainty_grids, charts)


UNCERTAINTY = Benchmark(
    name="uncertainty",
    title="Uncertainty",
    report=_report,
    shown=("Noise", "The paper's", "Epistemic", "Off the data", "Uncertainty by distance"),
    run=uncertainty,
    example="janus bench uncertainty --quick --parts A,C --methods janus,dropout --out uncertainty-results",
)
