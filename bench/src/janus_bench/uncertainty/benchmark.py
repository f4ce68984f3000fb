"""How sure each method is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


def uncertainty(
    parts: Annotated[
        str | None,
        typer.Option(help="Of A (noise in a region), B (more rows, less ignorance), C (noise in iris). Default: all."),
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Of janus, paper, dropout, ensemble, evidential. Default: all of them.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How often each part is repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and repeats, in about a minute.")] = False,
    **kept: Any,
) -> Result:
    """Ask how sure each method is, where labels are noisy and as rows become more; time the answers.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.uncertainty.run import FULL, QUICK, run_uncertainty

    return run_uncertainty(words(parts), words(methods), seeds=seeds, sizes=QUICK if quick else FULL, **kept)


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.uncertainty.report import uncertainty_grids

    return uncertainty_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.uncertainty.pictures import charts

    return charts(result)


UNCERTAINTY = Benchmark(
    name="uncertainty",
    title="UncertaintyMethods",
    tables=tables_of,
    charts=charts_of,
    shown=("Noise", "The paper's", "Epistemic"),
    run=uncertainty,
    example="janus bench uncertainty --quick --parts A,C --methods janus,dropout --out sure-results",
)
