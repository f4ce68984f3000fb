"""The benchmark "exact": conditional samples compared with rejection from the same model; both must agree.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


def exact(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of O (disjunctions), A (random models), B (Adult), C (cost by rarity), D (violations). Default: "
            "all, B only where Adult needs no download."
        ),
    ] = None,
    cases: Annotated[
        int | None,
        typer.Option("--cases", "--seeds", min=1, help="Random models of parts O and A. Default: 40, quick 4."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few cases of fewer rows, in less than two minutes.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Compare conditional samples with rejection sampling from the same model.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.exact.run import FULL, QUICK, run_exact

    return run_exact(split_words(parts), cases=cases, sizes=QUICK if quick else FULL, run=run)


def _report() -> Report:
    from janus_bench.exact.report import exact_grids

    return Report(exact_grids)


EXACT = Benchmark(
    name="exact",
    title="Exactness under conditions",
    report=_report,
    shown=("Disjunctions: exact", "Random models: exact", "Cost"),
    run=exact,
    example="janus bench exact --quick --parts O,C --cases 6 --out exact-results",
)
