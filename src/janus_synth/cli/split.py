"""``janus split``: a table file in; a file of training rows and one of test rows out."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Annotated, Any

import typer

from janus_synth.cli.options import Quiet
from janus_synth.cli.output import check_distinct_paths, console, format_count

SPLIT_EXAMPLES = (
    "janus split people.csv",
    "janus split people.csv --test 0.3 --stratify hired --seed 7",
    "janus split people.parquet -o .",
)


def split(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A table file as for fit.")],
    test: Annotated[
        float, typer.Option("--test", min=0.0, max=1.0, metavar="X", help="Share of the rows for testing.")
    ] = 0.2,
    stratify: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column whose values have the same shares in both parts."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same parts.")] = 0,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder of both files, instead of that of DATA.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Split a table at random into rows for training and for testing: people.train.csv and people.test.csv.

    Both files are written completely, or none is.
    """
    from janus_synth.table.files import STANDARD, check_output, read_frame
    from janus_synth.table.split import split_frame

    if data == STANDARD:
        raise typer.BadParameter("the parts are named after a file; give one instead of standard input.")
    if out is not None and not os.path.isdir(out):
        raise typer.BadParameter(f"{out} is not a folder. Create it first.", param_hint="--out")
    paths = part_paths(data, out)
    for path in paths:
        check_output(path, inputs=(data,))
    check_distinct_paths({"train": paths[0], "test": paths[1]})
    start = time.perf_counter()
    parts = split_frame(read_frame(data), test=test, stratify=stratify, random_state=seed)
    write_parts(dict(zip(paths, parts, strict=True)))
    if not quiet:
        sizes = [f"{format_count(len(part), 'row')} in {path}" for path, part in zip(paths, parts, strict=True)]
        console().print(f"{' and '.join(sizes)} ({time.perf_counter() - start:.1f} s)", soft_wrap=True)


def part_paths(data: str, folder: str | None) -> tuple[str, str]:
    """Name the two files after the table.

    Examples
    --------
    >>> part_paths("data/people.csv.gz", None)
    ('data/people.train.csv.gz', 'data/people.test.csv.gz')
    >>> part_paths("data/people.csv", "parts")
    ('parts/people.train.csv', 'parts/people.test.csv')
    """
    where, name = os.path.split(data)
    bare = name[:-3] if name.lower().endswith(".gz") else name
    stem, ending = os.path.splitext(bare)
    ending += name[len(bare) :]
    chosen = where if folder is None else folder
    train, test = (os.path.join(chosen, f"{stem}.{part}{ending}") for part in ("train", "test"))
    return train, test


def write_parts(parts: dict[str, Any]) -> None:
    """Write all files into a temporary folder first, so that an error leaves the older ones as they were."""
    from janus_synth.table.files import write_frame

    folder = os.path.dirname(next(iter(parts))) or "."
    with tempfile.TemporaryDirectory(prefix=".janus-split.", suffix=".part", dir=folder) as workspace:
        ready = {path: os.path.join(workspace, os.path.basename(path)) for path in parts}
        for path, frame in parts.items():
            write_frame(frame, ready[path])
        for path, temporary in ready.items():
            os.replace(temporary, path)
