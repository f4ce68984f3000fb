"""Rows under conditions beside rejection from the same model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid


def exact(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of O (disjunctions), A (random models), B (Adult), C (cost by rarity), D (violations). Default: "
            "all, B only with Adult at hand."
        ),
    ] = None,
    cases: Annotated[
        int | None,
        typer.Option("--cases", "--seeds", min=1, help="Random models of parts O and A. Default: 40, quick 4."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few cases of fewer rows, in less than two minutes.")] = False,
    **kept: Any,
) -> Result:
    """Hold rows under conditions against the same model's free rows that happen to obey.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.exact.run import FULL, QUICK, run_exact

    return run_exact(words(parts), cases=cases, sizes=QUICK if quick else FULL, **kept)


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.exact.report import exact_grids

    return exact_grids(result)


EXACT = Benchmark(
    name="exact",
    title="Conditions, exactly",
    tables=tables_of,
    shown=("Disjunctions: exact", "Random models: exact", "Cost"),
    run=exact,
    example="janus bench exact --quick --parts O,C --cases 6 --out exact-results",
)
