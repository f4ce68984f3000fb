"""The benchmark "counterfactual": rows with x1 set to another value, compared with the truth of known models.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


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
    *,
    run: RunSettings,
) -> Result:
    """Compute counterfactuals of rows of known models, and compare them with the true ones.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.counterfactual.run import FULL, QUICK, run_counterfactual

    return run_counterfactual(
        split_words(methods),
        graphs=split_words(graphs),
        noises=split_words(noises),
        seeds=range(seeds or (1 if quick else 5)),
        sizes=QUICK if quick else FULL,
        run=run,
    )


def _report() -> Report:
    from janus_bench.counterfactual.report import charts, counterfactual_grids

    return Report(counterfactual_grids, charts)


COUNTERFACTUAL = Benchmark(
    name="counterfactual",
    title="Counterfactuals",
    report=_report,
    shown=("Relative error of", "Flips of", "Plain MSE"),
    run=counterfactual,
    example="janus bench counterfactual --quick --methods janus,knn,flow --graphs Chain,Y",
    quick="--quick --graphs Chain,Triangle --methods janus,copy,linear,boosted,mlp,knn,forest,flow,diffusion",
)
