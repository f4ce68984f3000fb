"""A folder of results to one page: each table with its reading, command, date and versions, and all pictures.

The folder holds JSON files as benchmarks wrote them, under their dated names, of which the newest of a kind counts, or
under names of their own (``fidelity.json``), and beside them what a person reads in them (``fidelity.reading.md``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from janus_bench.catalog import BENCHMARKS, BY_NAME
from janus_bench.grids import Grid
from janus_bench.pictures import write_pictures
from janus_bench.results import Result, read_result
from janus_synth.errors import DataError
from janus_synth.files import write_whole

READING = ".reading.md"
DATE = re.compile(r"-\d{4}-\d\d-\d\d-\d{6}$")
INTRODUCTION = "introduction"


@dataclass(frozen=True, slots=True)
class Told:
    """A result, where it lies, and what was read in it."""

    path: Path
    result: Result
    reading: str

    @property
    def title(self) -> str:
        """Heading of its section; a second run of a kind says which it is."""
        title = BY_NAME[self.result.kind].title
        further = undated(self.path.stem).removeprefix(self.result.kind).strip("-")
        return f"{title}: {further.replace('-', ' ')}" if further else title

    def shown(self) -> list[Grid]:
        """Its tables that stand on the page; the first where none was chosen."""
        grids, chosen = self.result.grids(), BY_NAME[self.result.kind].shown
        return [grid for grid in grids if grid.title.startswith(chosen)] or grids[:1]


def assemble(folder: str | os.PathLike[str], page: str | os.PathLike[str], *, pictures: bool = True) -> list[Path]:
    """Write a page of all results of a folder, and beside each result all its tables.

    Parameters
    ----------
    folder : path
        Where results and readings are.
    page : path
        Markdown file to write.
    pictures : bool
        Draw the pictures anew; otherwise the page shows those that are there.

    Returns
    -------
    list of path
        What was written, the page first.
    """
    home, out = Path(folder), Path(page)
    told = read_folder(home)
    written = []
    for one in told:
        if pictures:
            write_pictures(one.result, one.path.with_suffix(""), png=False)
        full = one.path.with_suffix(".md")
        written.append(write_whole(full, one.result.to_markdown()))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, page_of(home, told, relative_to=out.parent))
    return [out, *written]


def read_folder(folder: Path) -> list[Told]:
    """Results in the order of the page, each with its reading."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise DataError(f"{folder} holds no results. Run a benchmark with --out, and put its JSON file there.")
    newest = {undated(path.stem): path for path in paths}
    told = [Told(path, read_result(path), _text(folder / f"{name}{READING}")) for name, path in newest.items()]
    order = [benchmark.name for benchmark in BENCHMARKS]
    return sorted(told, key=lambda one: (order.index(one.result.kind), one.path.stem))


def undated(name: str) -> str:
    """A file's name without the date that a run gave it.

    Examples
    --------
    >>> undated("fidelity-2026-01-31-120000"), undated("fidelity-random")
    ('fidelity', 'fidelity-random')
    """
    return DATE.sub("", name)


def page_of(folder: Path, told: Sequence[Told], *, relative_to: Path) -> str:
    """The page as Markdown."""
    parts = ["# Results", _text(folder / f"{INTRODUCTION}{READING}"), _contents(told)]
    for one in told:
        parts += [f"## {one.title}", one.reading, *_pictures(one, relative_to)]
        parts += [f"#{grid.to_markdown()}" for grid in one.shown()]
        parts.append(_origin(one, relative_to))
    return "\n\n".join(part for part in parts if part) + "\n"


def _contents(told: Sequence[Told]) -> str:
    """Links to the sections."""
    return "\n".join(f"- [{one.title}](#{_anchor(one.title)})" for one in told)


def _anchor(title: str) -> str:
    """The name a heading gets in rendered Markdown."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


def _pictures(one: Told, relative_to: Path) -> list[str]:
    name, folder = one.path.stem, one.path.parent
    found = sorted(folder.glob(f"{name}-*.svg"))
    longer = [path.stem for path in folder.glob(f"{name}-*.json")]  # pictures of another run of the kind
    own = [path for path in found if not any(path.stem.startswith(f"{name}-") for name in longer)]
    return [f"![{one.title}]({_link(path, relative_to)})" for path in own]


def _origin(one: Told, relative_to: Path) -> str:
    """Command, date, versions and machine, in one line each."""
    result = one.result
    command = result.options.get("command", f"janus bench {result.kind}")
    machine = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    full = _link(one.path.with_suffix(".md"), relative_to)
    return f"`{command}`, {result.date} UTC. [All tables]({full}). {machine}."


def _link(path: Path, relative_to: Path) -> str:
    return Path(os.path.relpath(path, relative_to)).as_posix()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
