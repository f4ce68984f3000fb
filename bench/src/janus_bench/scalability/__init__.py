"""The commands ``janus bench scalability`` (by columns and rows, beside the paper and CART) and ``large-tables``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import choose, split_words
from janus_bench.results import Result
from janus_synth.errors import DataError


def scalability(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (structural models, scored), B (more columns, graph known), C (more rows). Default: all."
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Of given, janus, forest, paper, cart, cart-given. Default: those that suit each part."),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="Numbers of columns in A and B.")] = None,
    rows: Annotated[str | None, typer.Option(help="Numbers of rows in C.")] = None,
    table: Annotated[
        str | None, typer.Option(help="What C makes longer. Default: adult if it needs no download, else hiring.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Models and tables of each size. Default: 3.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes and one seed, in about a minute.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Time fits and samples for growing numbers of columns and rows, beside sequential CART and the paper's table."""
    from janus_bench.scalability.run import FULL, N_SEEDS, QUICK, run_scalability

    sizes = QUICK if quick else FULL
    if columns is not None:
        sizes = replace(sizes, columns=_numbers(columns), sparse_columns=_numbers(columns))
    if rows is not None:
        sizes = replace(sizes, row_steps=_numbers(rows))
    chosen = range(seeds or (1 if quick else N_SEEDS))
    return run_scalability(split_words(parts), split_words(methods), chosen, sizes=sizes, table=table, run=run)


def _numbers(text: str) -> tuple[int, ...]:
    """Parse sizes separated by commas; underscores may separate thousands."""
    try:
        found = tuple(sorted({int(word) for word in split_words(text) or []}))
    except ValueError:
        raise DataError(f"{text!r} holds something that is no whole number. Write sizes such as 5,10,30.") from None
    if not found or found[0] < 5:
        raise DataError(f"{text!r} names no sizes, or some below 5. Write sizes such as 5,10,30.")
    return found


def _report() -> Report:
    from janus_bench.scalability.pictures import charts
    from janus_bench.scalability.report import scalability_grids

    return Report(scalability_grids, charts)


def large_tables(
    parts: Annotated[
        str | None,
        typer.Option(help="Of times (all rows), turns (one thread and two by turns, DuckDB), fidelity. Default: all."),
    ] = None,
    rows: Annotated[str | None, typer.Option(help="Rows that are fitted, such as 50e6. Default: 5e6.")] = None,
    written: Annotated[str | None, typer.Option(help="Rows that are written. Default: those that are fitted.")] = None,
    table: Annotated[
        str | None, typer.Option(help="Table whose model writes the rows. Default: adult if at hand, else hiring.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Splits of each table for fidelity.")] = 3,
    work: Annotated[
        str | None, typer.Option(help="Folder where rows and measured steps stay, so that a stopped run goes on.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few rows and one seed, in about a minute.")] = False,
    *,
    run: RunSettings,
) -> Result:
    """Write, fit and count tables larger than memory; compare threads, DuckDB, and fits in memory."""
    from janus_bench.scalability.large import PARTS, QUICK, LargeSizes, run_large

    sizes = QUICK if quick else LargeSizes()
    if rows is not None:
        fitted = int(float(rows))
        sizes = replace(sizes, fitted=fitted, written=max(fitted, int(float(written or 0))))
    chosen = tuple(choose(split_words(parts), dict.fromkeys(PARTS), "part"))
    return run_large(chosen, sizes=sizes, table=table, seeds=1 if quick else seeds, work=work)


def _large_report() -> Report:
    from janus_bench.scalability.large_report import large_grids

    return Report(large_grids)


LARGE_TABLES = Benchmark(
    name="large-tables",
    title="Tables larger than memory",
    report=_large_report,
    shown=("Time", "Two", "Fidelity"),
    run=large_tables,
    example="janus bench large-tables --rows 10e6 --parts times",
    in_parallel=False,
    timed=True,
)
SCALABILITY = Benchmark(
    name="scalability",
    title="Scalability",
    report=_report,
    shown=("Random", "Growth", "More rows"),
    run=scalability,
    example="janus bench scalability --parts A,B --columns 5,10,30 --seeds 1",
    timed=True,
)
