"""Render a result as tables, a Markdown page and pictures; write and read result files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from janus_bench.catalog import BY_NAME
from janus_bench.results import Result
from janus_synth.errors import DataError
from janus_synth.files import write_whole

if TYPE_CHECKING:
    from janus_bench.grids import Grid

PNG_SCALE = 2
"""Pixels of a PNG per unit of its SVG."""
COORDINATES = re.compile(r'\b(?:d|transform|[xy][12]?|width|height)="[^"]*"')
LATE_DECIMALS = re.compile(r"(?<=\.\d\d)\d+")


class Files(NamedTuple):
    """Where a result was written."""

    json: Path
    markdown: Path


def tables_of(result: Result) -> list[Grid]:
    """All tables of a result."""
    return BY_NAME[result.kind].report().tables(result)


def to_markdown(result: Result) -> str:
    """A Markdown page: kind, date, machine and options of the run, then its tables."""
    facts = {**result.machine, **result.options}
    listing = [f"- {name}: {_format(value)}" for name, value in facts.items()]
    head = f"# JANUS benchmark: {result.kind}, {result.date} UTC"
    return "\n\n".join([head, "\n".join(listing), *(grid.to_markdown() for grid in tables_of(result))]) + "\n"


def write_result(result: Result, folder: str | os.PathLike[str]) -> Files:
    """Write a JSON and a Markdown file named after kind and date."""
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    stem = f"{result.kind}-{result.date.replace(' ', '-').replace(':', '')}"
    files = Files(home / f"{stem}.json", home / f"{stem}.md")
    write_whole(files.json, result.to_json())
    write_whole(files.markdown, to_markdown(result))
    return files


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read the JSON file of an earlier run."""
    try:
        result = Result.from_json(Path(path).read_text(encoding="utf-8"))
        if result.kind not in BY_NAME:
            raise DataError(f"its kind is none of {', '.join(BY_NAME)}.")
    except ValueError as error:  # broken JSON, unknown or missing fields; DataError is a ValueError, too
        raise DataError(f"{path} cannot be read as a benchmark result: {error}") from error
    return result


def write_pictures(result: Result, stem: Path, *, png: bool = True) -> str:
    """Write a result's charts as SVG (and PNG) files named after ``stem``; return a message for the user."""
    from janus_synth.plots import missing_extra, to_png, to_svg

    draw = BY_NAME[result.kind].report().charts
    if draw is None:
        return ""
    missing = missing_extra()
    if missing is not None:
        return f"no pictures: {missing}"
    charts = draw(result)
    paths = [stem.with_name(f"{stem.name}-{ending}.svg") for ending in charts]
    for path, chart in zip(paths, charts.values(), strict=True):
        write_whole(path, shorten_numbers(to_svg(chart)))
        if png:
            write_whole(path.with_suffix(".png"), to_png(chart, scale=PNG_SCALE))
    if not paths:
        return "no pictures: this run measured nothing that is drawn"
    return f"wrote {' and '.join(map(str, paths))}{', and the same as PNG' if png else ''}"


def shorten_numbers(svg: str) -> str:
    """Cut the coordinates of an SVG after two decimals, a third of its size; texts stay as they are.

    Examples
    --------
    >>> shorten_numbers('<path d="M1.41421356,2.5"/><text>1.41421356</text>')
    '<path d="M1.41,2.5"/><text>1.41421356</text>'
    """
    return COORDINATES.sub(lambda found: LATE_DECIMALS.sub("", found[0]), svg)


def _format(value: Any) -> str:
    """A value as text; items of mappings and lists are separated by commas."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_format(item)}" for name, item in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_format(item) for item in value) or "none"
    return str(value)
