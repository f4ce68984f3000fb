"""What rows would have been."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, Out, kept, words


@app.command(epilog="Example: janus bench counterfactual --quick --methods janus,knn,flow --graphs Chain,Y")
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
    jobs: Jobs = 1,
    most_seconds: Annotated[
        float | None, typer.Option(min=0.1, help="Time for one method on one model; what takes longer is a failure.")
    ] = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Ask what rows of known models would have been, and judge the answers by the truth.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.counterfactual.run import FULL, QUICK, run_counterfactual

    result = run_counterfactual(
        words(methods),
        graphs=words(graphs),
        noises=words(noises),
        seeds=range(seeds or (1 if quick else 5)),
        sizes=QUICK if quick else FULL,
        **kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds),
    )
    finish(result, out)
