"""What rows would have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


def counterfactual(
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of janus, copy, forget, linear, boosted, gp, mlp, knn, forest, flow, diffusion, vaca, dowhy-linear, "
            "dowhy-boosted, dowhy-auto. Default: all of them."
        ),
    ] = None,
    graphs: Annotated[str | None, typer.Option(help="Of Chain, Triangle, Diamond, Y. Default: all.")] = None,
    noises: Annotated[str | None, typer.Option(help="Of NLIN, NADD, NADD+. Default: all.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Models of each kind. Default: 5, quick 1.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows, and networks trained less.")] = False,
    most_seconds: Annotated[
        float | None, typer.Option(min=0.1, help="Time for one method on one model; what takes longer is a failure.")
    ] = None,
    **kept: Any,
) -> Result:
    """Ask what rows of known models would have been, and judge the answers by the truth.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.counterfactual.run import FULL, QUICK, run_counterfactual

    return run_counterfactual(
        words(methods),
        graphs=words(graphs),
        noises=words(noises),
        seeds=range(seeds or (1 if quick else 5)),
        sizes=QUICK if quick else FULL,
        most_seconds=most_seconds,
        **kept,
    )


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.counterfactual.report import counterfactual_grids

    return counterfactual_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.counterfactual.pictures import charts

    return charts(result)


COUNTERFACTUAL = Benchmark(
    name="counterfactual",
    title="Counterfactuals",
    tables=tables_of,
    charts=charts_of,
    shown=("Relative error of", "Plain MSE"),
    run=counterfactual,
    example="janus bench counterfactual --quick --methods janus,knn,flow --graphs Chain,Y",
    quick="--quick --graphs Chain,Triangle --methods janus,copy,linear,boosted,mlp,knn,forest,flow,diffusion",
)
