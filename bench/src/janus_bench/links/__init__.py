"""The command ``janus bench links``: tables with computed columns, learnt with and without rules, beside fresh rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import split_words
from janus_bench.results import Result


def links(
    tables: Annotated[
        str | None,
        typer.Option(
            help="Of rentals, trips, houses, orders, subscribers, ledger, flights, with commas between. Default: all."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="JANUS with other arguments, as name:key=value,key=value. Give it once per setting. Default: none."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Training tables of each kind.")] = 1,
    rows: Annotated[int | None, typer.Option(min=100, help="Training rows, and rows drawn. Default: 10,000.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="1,000 rows of each table.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Learn tables whose columns are computed from others, free and with their rules, and compare with fresh rows.

    The judge sees the columns as they are, and once more with differences, ratios and calendar parts beside them.
    """
    from janus_bench.links.run import QUICK, LinkSizes, run_links
    from janus_bench.methods import parse_setting
    from janus_bench.ours import JanusSynthesizer

    sizes = QUICK if quick else LinkSizes()
    if rows is not None:
        sizes = replace(sizes, n_rows=rows)
    methods = [parse_setting(text) for text in setting or ()] or [JanusSynthesizer()]
    return run_links(split_words(tables), methods, range(seeds), sizes=sizes, run=run)


def _report() -> Report:
    from janus_bench.links.report import link_grids

    return Report(link_grids)


LINKS = Benchmark(
    name="links",
    title="Computed columns",
    report=_report,
    shown=("Detection", "Largest errors"),
    run=links,
    example="janus bench links --tables rentals,trips --setting fine:n_bins=255",
    timed=True,
)
