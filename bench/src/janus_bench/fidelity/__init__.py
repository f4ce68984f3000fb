"""The command ``janus bench fidelity``: compare synthetic with held-out rows, as whole rows or column by column."""

from __future__ import annotations

from typing import Annotated

import typer

from janus_bench.benchmark import Benchmark, Report
from janus_bench.cells import RunSettings
from janus_bench.options import QUICK_ROWS, Tables, split_words
from janus_bench.results import Result


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
    training: Annotated[
        bool, typer.Option("--training", help="Detect rows among the training rows too, as some publications do.")
    ] = False,
    by_column: Annotated[
        bool,
        typer.Option(
            "--by-column",
            help="Which column is worst: redraw each given its real parents. Default methods: JANUS, CART.",
        ),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows of each table.")] = False,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the table for CTGAN, TVAE, diffusion, flow. Default: 300.")
    ] = None,
    *,
    run: RunSettings,
) -> Result:
    """Compare the rows of each method with rows that it has not seen, table by table, or column by column.

    Measurements are stored: an interrupted run continues where it stopped when it is started again.
    """
    from janus_bench.fidelity.by_column import DEFAULT_METHODS, run_by_column
    from janus_bench.fidelity.run import run_fidelity
    from janus_bench.methods import make_methods

    rows = min(max_rows, QUICK_ROWS) if quick else max_rows
    if by_column:
        if mlp or training:
            raise typer.BadParameter("--by-column judges by one detector. Leave --mlp and --training out.")
        chosen = make_methods(DEFAULT_METHODS if methods is None else split_words(methods), setting or ())
        return run_by_column(split_words(tables), chosen, range(seeds), max_rows=rows)
    chosen = make_methods(split_words(methods), setting or (), epochs=epochs)
    return run_fidelity(split_words(tables), chosen, range(seeds), max_rows=rows, mlp=mlp, training=training, run=run)


def _report() -> Report:
    from janus_bench.fidelity.report import charts, fidelity_grids

    return Report(fidelity_grids, charts)


FIDELITY = Benchmark(
    name="fidelity",
    title="Fidelity",
    report=_report,
    shown=("Mean over", "Quality", "Dependence", "Privacy", "JANUS beside", "Among training rows"),
    run=fidelity,
    example="janus bench fidelity --tables adult,smooth --methods CART --setting fine:n_bins=255,n_trees=4. "
    "Which columns are worst: janus bench fidelity --by-column --tables sem --setting hist:leaves=histogram",
    full="--tables paper --methods peers --mlp --seeds 3",
    quick="--tables iris,mixed,hiring --methods peers --epochs 10 --quick",
)


def _by_column_report() -> Report:
    from janus_bench.fidelity.by_column_report import by_column_grids

    return Report(by_column_grids)


BY_COLUMN = Benchmark(name="by-column", title="Fidelity by column", report=_by_column_report)
