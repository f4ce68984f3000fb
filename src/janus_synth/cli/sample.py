"""``janus sample``: a model file in, rows out, in batches that fit in memory."""

from __future__ import annotations

import contextlib
import time
from typing import Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Format, Jobs, Method, Model, OutRows, Quiet, RowSeed, Where
from janus_synth.cli.output import check_table_path, print_written, progress_option, show_status

BATCH_ROWS = 131_072
"""Rows in memory at a time; fixed, so that a seed always gives the same file."""

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
    out: OutRows = "-",
    where: Where = None,
    method: Annotated[
        Method,
        typer.Option(
            help="How conditions are met: exact draws from the model's distribution given the conditions; greedy is "
            "the paper's Algorithm 1, kept for comparison, and may break rules that involve several columns."
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
    seed: RowSeed = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows from a model. All of them satisfy its rules and the conditions.

    A file is written completely or not at all.
    """
    from janus_synth.table.files import write_frames

    check_table_path(out, format, inputs=(model,))
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    progress = progress_option(out, quiet=quiet)
    with show_status("checking the conditions", quiet=progress is False):
        batches = janus.sample_batches(
            n,
            where=where,
            method=method.value,
            batch_rows=BATCH_ROWS,
            verify=verify,
            random_state=seed,
            progress=progress,
        )
    with contextlib.closing(batches):  # type: ignore[type-var]  # a generator: closing it removes the progress bar
        write_frames(batches, out, schema=janus.schema_, format=format)
    if not quiet and out != "-":
        print_written(n, out, start)
