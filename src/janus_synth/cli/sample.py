"""``janus sample``: a model file in, rows out, in pieces that fit in memory."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Annotated

import typer

from janus_synth.cli.options import Format, Jobs, Method, Model, Quiet, Where, keep_from_terminal
from janus_synth.cli.show import console, counted, size_text, working

BATCH_ROWS = 131_072
"""Rows in memory at a time; a fixed number, so that one seed means one file."""

SAMPLE_EXAMPLES = (
    "janus sample people.janus -n 1000 -o rows.csv",
    "janus sample people.janus -n 1000000 -o rows.parquet --seed 7",
    'janus sample people.janus -n 1000 -o young.csv --where "18 <= age < 30"',
    'janus sample people.janus -n 9 --where "age > 50" --where "not hired"',
    'janus sample people.janus -n 9 --where "age < 19 or age > 64" --verify',
    "janus sample people.janus -n 5 | head -3",
    "janus sample people.janus -n 500 --format arrow > rows.arrow",
)


def sample(
    model: Model,
    n: Annotated[int, typer.Option("--rows", "-n", min=0, metavar="N", help="How many rows.")] = 1000,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the rows, or - for standard output.")
    ] = "-",
    where: Where = None,
    method: Annotated[
        Method,
        typer.Option(
            help="How conditions are met: exact draws from the model's own distribution among such rows; greedy is the "
            "paper's Algorithm 1, for comparison, and may break rules of several columns."
        ),
    ] = Method.exact,
    verify: Annotated[
        bool | None,
        typer.Option(
            "--verify/--no-verify",
            show_default="rare requests with alternatives",
            help="Compare the rows with an independent estimate of their distribution; fail on a clear difference.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="One seed, one table. Without it, a model fitted with a seed gives the same rows each time, any other "
            "model fresh ones.",
        ),
    ] = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows from a model, all of them meeting the conditions; a file is written whole or not at all."""
    from janus_synth.table.files import check_output, place_of, write_frames

    place = place_of(out, format)
    keep_from_terminal(place)
    check_output(out, inputs=(model,))
    from janus_synth.janus import Janus

    start = time.perf_counter()
    learnt = Janus.load(model)
    if jobs is not None:
        learnt.set_params(n_jobs=jobs)
    shown = False if quiet or (place.is_standard and sys.stdout.isatty()) else None
    with working("seeing how the conditions can be met", quiet=shown is False):
        pieces = learnt.sample_batches(
            n,
            where=where,
            method=method.value,
            batch_rows=BATCH_ROWS,
            verify=verify,
            random_state=seed,
            progress=shown,
        )
    with contextlib.closing(pieces):  # type: ignore[type-var]  # a generator, whose bar must go when writing fails
        write_frames(pieces, out, schema=learnt.schema_, format=format)
    if not quiet and not place.is_standard:
        size, seconds = size_text(os.path.getsize(out)), time.perf_counter() - start
        console().print(f"{counted(n, 'row')} in {out} ({size}, {seconds:.1f} s)", soft_wrap=True)
