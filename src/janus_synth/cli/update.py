"""``janus update``: a model file and further rows in; a model file that has counted them as well out."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from janus_synth.cli.inputs import is_source_path, load_model
from janus_synth.cli.options import Format, Model, OutModel, Quiet
from janus_synth.cli.output import check_model_path, console, format_count, show_warnings

UPDATE_EXAMPLES = (
    "janus update people.janus held-out.csv -o larger.janus",
    "janus update people.janus held-out.csv -o part.janus --forget",
    "janus update people.janus 'parts/*.parquet' -o larger.janus",
    "cat held-out.csv | janus update people.janus - -o larger.janus -q",
)


def update(
    model: Model,
    rows: Annotated[
        str, typer.Argument(metavar="ROWS", help="Rows to add: a table file, folder or pattern as for fit, or -.")
    ],
    out: OutModel,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget", help="Count these rows only, in the graph and bins of the model: a part for janus merge."
        ),
    ] = False,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Add rows to a model. Graph, splits and bins stay; the order of updates does not matter.

    The model file may be replaced by itself; it is written completely or not at all.
    """
    from janus_synth.table.files import as_kind, read_frame

    check_model_path(out, inputs=(rows,), option="--out")
    janus = load_model(model)
    before = 0 if forget else janus.n_rows_
    with show_warnings(quiet=quiet):
        large = is_source_path(rows)
        janus.update(rows if large else as_kind(read_frame(rows, format), janus.schema_.frame), forget=forget)
    janus.save(os.path.realpath(out))  # keeps a symbolic link
    if not quiet:
        added = format_count(janus.n_rows_ - before, "row")
        console().print(f"{added} added, {format_count(janus.n_rows_, 'row')} in {out}", soft_wrap=True)
