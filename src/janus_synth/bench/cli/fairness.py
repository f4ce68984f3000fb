"""Bias of known size, and who finds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from janus_synth.bench.cli.app import app
from janus_synth.bench.cli.finish import finish
from janus_synth.bench.cli.options import Cache, Fresh, Jobs, Out, kept, words


@app.command(
    epilog="Example: janus bench fairness --quick --parts A,B --algorithms logistic,threshold-optimizer --rows 2000"
)
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
    jobs: Jobs = 1,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Plant bias of known size, audit fairness algorithms against it, and judge the paper's claims.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.fairness.run import FULL, QUICK, QUICK_ALGORITHMS, run_fairness

    chosen = QUICK_ALGORITHMS if quick and algorithms is None else words(algorithms)
    sizes = QUICK if quick else FULL
    sizes = sizes if splits is None else replace(sizes, n_splits=splits)
    how = kept(cache, fresh=fresh, jobs=jobs, most_seconds=None)
    result = run_fairness(words(parts), chosen, table=table, seeds=seeds, rows=rows, sizes=sizes, **how)
    finish(result, out)
