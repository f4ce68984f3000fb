"""The benchmark "disclosure": attacks on synthetic rows, compared with the same attacks on unseen rows.

Options of a command line in, a `Result` out.
"""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import QUICK_ROWS, split_words
from janus_bench.results import Result


def disclosure(
    tables: Annotated[
        str | None, typer.Option(help="Names with commas between. Default: all real tables at hand.")
    ] = None,
    methods: Annotated[str | None, typer.Option(help="As for fidelity. Default: JANUS, CART and bootstrap.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option(help="A further JANUS as name:key=value,key=value; repeatable.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 6,
    max_rows: Annotated[
        int, typer.Option(min=80, help="Rows of a table that are used, half of them for training.")
    ] = 8_000,
    quick: Annotated[bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows and two seeds.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Measure how much better attacks do on training rows than on unseen rows, over repeated splits."""
    from janus_bench.disclosure.run import run_disclosure
    from janus_bench.methods import make_methods

    return run_disclosure(
        split_words(tables),
        make_methods(split_words(methods) or ["JANUS", "CART", "bootstrap"], setting or ()),
        range(min(seeds, 2) if quick else seeds),
        max_rows=min(max_rows, QUICK_ROWS) if quick else max_rows,
        run=run,
    )


def _report() -> Report:
    from janus_bench.disclosure.report import disclosure_grids

    return Report(disclosure_grids)


DISCLOSURE = Benchmark(
    name="disclosure",
    title="Disclosure risk",
    report=_report,
    shown=("Attacks on training rows", "Beyond the target"),
    run=disclosure,
    example="janus bench disclosure --tables iris,spectf --methods JANUS,bootstrap --seeds 3",
)
