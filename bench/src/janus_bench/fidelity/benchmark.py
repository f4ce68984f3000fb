"""Rows of each method, judged by rows that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_bench.benchmark import Benchmark
from janus_bench.options import QUICK_ROWS, MostSeconds, Tables, words
from janus_bench.results import Result

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_synth.plots import Chart


def fidelity(
    tables: Tables = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of JANUS, paper, CART, CART10, CART20, copula, independent, uniform, BN, ARF, CTGAN, TVAE, "
            "diffusion, flow; peers is all but CART10 and CART20. Default: JANUS, CART, copula, independent."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="A further JANUS, as name:key=value,key=value; structure=given is the true graph of a random table. "
            "Give it once per setting."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 1,
    max_rows: Annotated[int, typer.Option(min=100, help="Rows used of a table, half of them to train.")] = 40_000,
    mlp: Annotated[bool, typer.Option("--mlp", help="Judge by a neural network too.")] = False,
    by_column: Annotated[
        bool,
        typer.Option(
            "--by-column",
            help="Which column is worst: draw each anew given its real parents. Default methods: JANUS, CART.",
        ),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows of each table.")] = False,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the table for CTGAN, TVAE, diffusion, flow. Default: 300.")
    ] = None,
    most_seconds: MostSeconds = None,
    **kept: Any,
) -> Result:
    """Judge the rows of each method by rows that it has not seen, table by table, or column by column.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_bench.fidelity.by_column import DEFAULT_METHODS, run_by_column
    from janus_bench.fidelity.run import run_fidelity
    from janus_bench.methods import make_methods

    rows = min(max_rows, QUICK_ROWS) if quick else max_rows
    if by_column:
        if mlp:
            raise typer.BadParameter("--by-column judges by one detector. Leave --mlp out.")
        chosen = make_methods(DEFAULT_METHODS if methods is None else words(methods), setting or ())
        return run_by_column(words(tables), chosen, range(seeds), max_rows=rows)
    chosen = make_methods(words(methods), setting or (), epochs=epochs)
    return run_fidelity(words(tables), chosen, range(seeds), max_rows=rows, mlp=mlp, most_seconds=most_seconds, **kept)


def tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result."""
    from janus_bench.fidelity.grids import fidelity_grids

    return fidelity_grids(result)


def charts_of(result: Result) -> dict[str, Chart]:
    """Draw the pictures of a result."""
    from janus_bench.fidelity.pictures import charts

    return charts(result)


FIDELITY = Benchmark(
    name="fidelity",
    title="Rows like the real ones",
    tables=tables_of,
    charts=charts_of,
    shown=("Mean over", "Quality", "Dependence", "Privacy", "JANUS beside"),
    run=fidelity,
    example="janus bench fidelity --tables adult,smooth --methods CART --setting fine:n_bins=255,n_trees=4. "
    "Which columns are worst: janus bench fidelity --by-column --tables sem --setting hist:leaves=histogram",
    full="--tables paper --methods peers --mlp --seeds 3",
    quick="--tables iris,mixed,hiring --methods peers --epochs 10 --quick",
)


def by_column_tables_of(result: Result) -> list[Grid]:
    """Make the tables of a result column by column."""
    from janus_bench.fidelity.by_column_grids import by_column_grids

    return by_column_grids(result)


BY_COLUMN = Benchmark(name="by-column", title="Column by column", tables=by_column_tables_of)
