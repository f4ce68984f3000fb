"""Options that several benchmarks share, and what their words mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Tables = Annotated[
    str | None,
    typer.Option(
        help="Names with commas between, or the groups paper, real, more, drawn, smooth, random; real ones not "
        "at hand are downloaded. Default: real and drawn ones at hand."
    ),
]
Out = Annotated[Path, typer.Option(help="Folder for the JSON and the Markdown file.")]
Jobs = Annotated[
    int,
    typer.Option(min=1, help="Processes that measure. Times are those of a machine that does as many things at once."),
]
MostSeconds = Annotated[
    float | None, typer.Option(min=0.1, help="Time for one method on one split; what takes longer is a failure.")
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder of measurements. Default: that in JANUS_CACHE, otherwise one in the user's cache."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure anew what the cache holds.")]
QUICK_ROWS = 2_000
"""Rows of a table that a quick run looks at."""


def words(text: str | None) -> list[str] | None:
    """What stands between commas.

    Examples
    --------
    >>> words("adult, ring"), words(None)
    (['adult', 'ring'], None)
    """
    return None if text is None else [word for word in map(str.strip, text.split(",")) if word]
