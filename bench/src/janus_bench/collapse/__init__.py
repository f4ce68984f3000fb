"""The benchmark "mode-collapse": the share of a rare class in synthetic rows, and how well classifiers learn it.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import QUICK_ROWS, split_words
from janus_bench.results import Result


def mode_collapse(
    tables: Annotated[
        str | None, typer.Option(help="Names with commas between. Default: adult, bank and credit at hand, or hiring.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="As for fidelity. Default: JANUS, paper, CART, CTGAN and TVAE.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows, and neither CTGAN nor TVAE.")
    ] = False,
    *,
    run: RunSettings,
) -> Result:
    """Measure whether the rare class of a table keeps its share, seed by seed, and whether classifiers learn it."""
    from janus_bench.collapse.run import MAX_ROWS, run_collapse
    from janus_bench.methods import make_methods

    usual = ["JANUS", "paper", "CART"] if quick else ["JANUS", "paper", "CART", "CTGAN", "TVAE"]
    chosen = make_methods(split_words(methods) or usual)
    return run_collapse(
        split_words(tables),
        chosen,
        range(seeds),
        max_rows=QUICK_ROWS if quick else MAX_ROWS,
        run=run,
    )


def _report() -> Report:
    from janus_bench.collapse.report import charts, collapse_grids

    return Report(collapse_grids, charts)


MODE_COLLAPSE = Benchmark(
    name="mode-collapse",
    title="Mode collapse",
    report=_report,
    shown=("The rare class, on average",),
    run=mode_collapse,
    example="janus bench mode-collapse --tables adult --methods JANUS,CART --seeds 2",
)
