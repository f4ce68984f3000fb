"""Command-line options that several benchmarks share, and checks of the names that users type, with hints for typos."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from janus_synth.errors import DataError

Tables = Annotated[
    str | None,
    typer.Option(
        help="Names separated by commas, or the groups paper, real, more, drawn, smooth, random; missing real tables "
        "are downloaded. Default: real tables that are already here, and drawn ones."
    ),
]
Out = Annotated[Path, typer.Option(help="Folder for the JSON and the Markdown file.")]
Jobs = Annotated[
    int,
    typer.Option(
        min=0, help="Processes that measure at the same time; 0 measures in this one. Measured times include that load."
    ),
]
MostSeconds = Annotated[
    float | None,
    typer.Option(
        min=0.1, help="Time limit for one measurement (a method on a table, split or model); exceeding it is a failure."
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder of stored measurements. Default: JANUS_CACHE, otherwise a folder in the user's cache."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure again what the cache holds.")]
QUICK_ROWS = 2_000
"""Rows of a table that a quick run uses."""


def split_words(text: str | None) -> list[str] | None:
    """Words of a comma-separated option; None stays None.

    Examples
    --------
    >>> split_words("adult, ring"), split_words(None)
    (['adult', 'ring'], None)
    """
    return None if text is None else [word for word in map(str.strip, text.split(",")) if word]


def hint(word: str, known: Iterable[str]) -> str:
    """Suggest a known word for an unknown one.

    Examples
    --------
    >>> hint("fidelty", ["fidelity", "speed"]), hint("x", ["fidelity", "speed"])
    ("Did you mean 'fidelity'?", 'Choose from fidelity, speed.')
    """
    words = list(known)
    close = difflib.get_close_matches(word, words, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(words)}."


def choose(words: Sequence[str] | None, known: Iterable[str], what: str) -> list[str]:
    """Names that a user typed, in any case, spelled and ordered as in ``known``; by default all of them.

    Examples
    --------
    >>> choose(["c", "A"], ("A", "B", "C"), "part")
    ['A', 'C']
    """
    names = list(known)
    if words is None:
        return names
    if not words:
        raise DataError(f"name at least one {what}. Choose from {', '.join(names)}.")
    wanted = {word.lower() for word in words}
    for word in words:
        if word.lower() not in {name.lower() for name in names}:
            raise DataError(f"no {what} is called {word!r}. {hint(word, names)}")
    return [name for name in names if name.lower() in wanted]
