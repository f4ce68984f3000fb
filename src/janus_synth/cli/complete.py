"""``janus complete``: a model file and rows with holes in, the same rows filled out."""

from __future__ import annotations

import os
import time
from typing import Annotated

import typer

from janus_synth.cli.options import Format, Jobs, Model, Quiet, Where, keep_from_terminal
from janus_synth.cli.show import console, counted, size_text

COMPLETE_EXAMPLES = (
    "janus complete people.janus partial.csv -o full.csv",
    'janus complete people.janus partial.csv -o full.csv --where "age >= 18"',
    "janus complete people.janus partial.csv -o full.parquet --seed 7",
    "cat partial.csv | janus complete people.janus - > full.csv",
)


def complete(
    model: Model,
    rows: Annotated[
        str, typer.Argument(metavar="ROWS", help="Rows with missing cells or columns: a table file as for fit, or -.")
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the full rows, or - for standard output.")
    ] = "-",
    where: Where = None,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="One seed, one filling; without it as for sample.")
    ] = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Fill the missing cells of rows, drawn from the model given what is there, its rules kept.

    What is there stays as it is, and columns that are not there are added.
    A file is written whole or not at all.
    """
    from janus_synth.table.files import STANDARD, as_kind, check_output, place_of, read_frame, write_frame

    # The format is that of standard input and output, if one of them is used; files then speak for themselves.
    formats = {path: format if STANDARD not in (rows, out) or path == STANDARD else None for path in (rows, out)}
    place = place_of(out, formats[out])
    keep_from_terminal(place)
    check_output(out, inputs=(model, rows))
    from janus_synth.janus import Janus

    start = time.perf_counter()
    learnt = Janus.load(model)
    if jobs is not None:
        learnt.set_params(n_jobs=jobs)
    partial = as_kind(read_frame(rows, formats[rows]), learnt.schema_.frame)
    full = learnt.complete(partial, where, random_state=seed, progress=False if quiet else None)
    write_frame(full, out, format=formats[out])
    if not quiet and not place.is_standard:
        size, seconds = size_text(os.path.getsize(out)), time.perf_counter() - start
        console().print(f"{counted(full.shape[0], 'row')} in {out} ({size}, {seconds:.1f} s)", soft_wrap=True)
