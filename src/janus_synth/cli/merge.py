"""``janus merge``: model files that came from one fit in; one model file with the counts of all out."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import OutModel, Quiet
from janus_synth.cli.output import check_model_path, console, format_count

MERGE_EXAMPLES = (
    "janus merge people.janus part.janus -o all.janus",
    "janus merge people.janus part.janus part.janus -o all.janus -q",
)


def merge(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help="Two or more model files: one fit, and parts from janus update."),
    ],
    out: OutModel,
    quiet: Quiet = False,
) -> None:
    """Add the counts of models with the same graph, splits and bins.

    Fit once, count other rows elsewhere with janus update --forget, and merge the parts: the result is the same as if
    one machine had counted all rows.
    """
    if len(models) < 2:
        raise typer.BadParameter("name at least two models.", param_hint="MODEL")
    check_model_path(out, inputs=(), option="--out")
    merged, *others = map(load_model, models)
    for other in others:
        merged = merged.merge(other)
    merged.save(os.path.realpath(out))  # keeps a symbolic link
    if not quiet:
        counts = f"{format_count(len(models), 'model')}, {format_count(merged.n_rows_, 'row')}"
        console().print(f"{counts} in {out}", soft_wrap=True)
