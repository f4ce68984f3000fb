"""``janus complete``: a model file and rows with missing cells in, the same rows with imputed cells out."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Format, Jobs, MaxSeconds, Model, Nulls, OutRows, Quiet, RowSeed, Unknown, Where
from janus_synth.cli.output import check_table_path, choose_formats, print_written

COMPLETE_EXAMPLES = (
    "janus complete people.janus partial.csv -o full.csv",
    'janus complete people.janus partial.csv -o full.csv --where "age >= 18"',
    "janus complete people.janus partial.csv -o full.parquet --seed 7",
    "janus complete people.janus partial.csv -o full.csv --nulls fill",
    "janus complete people.janus partial.csv --unknown keep",
    "cat partial.csv | janus complete people.janus - > full.csv",
)


def complete(
    model: Model,
    rows: Annotated[
        str, typer.Argument(metavar="ROWS", help="Rows with missing cells or columns: a table file as for fit, or -.")
    ],
    out: OutRows = "-",
    where: Where = None,
    nulls: Annotated[
        Nulls,
        typer.Option(help="Where nulls may be drawn: in columns that the rows lack, in all missing cells, or nowhere."),
    ] = Nulls.absent,
    unknown: Annotated[
        Unknown,
        typer.Option(
            help="What to do about values that the model does not know, and misspelt columns: stop, or keep them."
        ),
    ] = Unknown.error,
    seed: RowSeed = None,
    max_seconds: MaxSeconds = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Impute missing cells: draw them from the model given the rest of their row, under the model's rules.

    Cells that have a value keep it, and empty ones are filled. Missing columns are added, with as many nulls as the
    model draws.
    A file is written completely or not at all.
    """
    from janus_synth.table.files import as_kind, read_frame, write_frame

    formats = choose_formats(rows, out, format)
    check_table_path(out, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    partial = as_kind(read_frame(rows, formats.rows, like=janus.schema_), janus.schema_.frame)
    full = janus.complete(
        partial,
        where,
        nulls=nulls.value,
        unknown=unknown.value,
        random_state=seed,
        max_seconds="auto" if max_seconds is None else max_seconds,
        progress=False if quiet else None,
    )
    write_frame(full, out, format=formats.out, schema=janus.schema_)
    if not quiet and out != "-":
        print_written(full.shape[0], out, start)
