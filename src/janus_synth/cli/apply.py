"""``janus apply``: a model file and a folder or pattern of rows in; a folder with an answer for every row out."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import Dask, Jobs, Model, Quiet, RowSeed
from janus_synth.cli.output import console, format_count

APPLY_EXAMPLES = (
    "janus apply people.janus anomaly_score 'parts/*.parquet' -o scores/",
    "janus apply people.janus complete 'parts/*.parquet' -o full/ --seed 7",
)


class Question(StrEnum):
    """What can be asked about every row."""

    complete = "complete"
    uncertainty = "uncertainty"
    anomaly_score = "anomaly_score"
    log_prob = "log_prob"


def apply(
    model: Model,
    question: Annotated[Question, typer.Argument(help="What to ask about every row.")],
    rows: Annotated[
        str, typer.Argument(metavar="ROWS", help="A file, a folder, or a pattern such as 'data/*.parquet'.")
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="Where to write the answers.")],
    dask: Dask = None,
    seed: RowSeed = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Ask about every row of a table that may be larger than memory; a file of answers for each part of it.

    complete writes the rows with missing cells imputed, the others a table of scores. A run that was stopped goes on
    when it is repeated with the same seed.
    """
    start = time.perf_counter()
    janus = load_model(model, jobs=jobs)
    progress = False if quiet else None
    paths = janus.apply_to(out, rows, question.value, random_state=seed, client=dask, progress=progress)
    if not quiet:
        seconds = time.perf_counter() - start
        console().print(f"{format_count(len(paths), 'file')} of answers in {out}, {seconds:.1f} s", soft_wrap=True)
