"""A folder of results in, one Markdown page out: tables, comment, command, date, versions and pictures of each result.

The folder holds JSON files that benchmarks wrote. If several have the same name apart from the date, the newest is
used; a file may also be renamed (``fidelity.json``). A handwritten comment may be added (``fidelity.reading.md``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from janus_bench.catalog import BENCHMARKS, BY_NAME
from janus_bench.grids import Grid
from janus_bench.rendering import read_result, tables_of, to_markdown, write_pictures
from janus_bench.results import Result
from janus_synth.errors import DataError
from janus_synth.files import write_whole

COMMENT = ".reading.md"
DATE = re.compile(r"-\d{4}-\d\d-\d\d-\d{6}$")
INTRODUCTION = "introduction"


@dataclass(frozen=True, slots=True)
class Section:
    """A result, its file, and the handwritten comment on it."""

    path: Path
    result: Result
    comment: str

    @property
    def title(self) -> str:
        """Heading: title of the benchmark, and whatever its file name adds to the kind and the date."""
        title = BY_NAME[self.result.kind].title
        suffix = undated(self.path.stem).removeprefix(self.result.kind).strip("-")
        return f"{title}: {suffix.replace('-', ' ')}" if suffix else title

    def shown(self) -> list[Grid]:
        """Tables that the page shows; the first one if the benchmark selects none."""
        grids, chosen = tables_of(self.result), BY_NAME[self.result.kind].shown
        return [grid for grid in grids if grid.title.startswith(chosen)] or grids[:1]


def write_page(folder: str | os.PathLike[str], page: str | os.PathLike[str], *, pictures: bool = True) -> list[Path]:
    """Write a page of all results of a folder, and beside each result all its tables.

    Parameters
    ----------
    folder : path
        Where results and comments are.
    page : path
        Markdown file to write.
    pictures : bool
        Whether to draw the pictures again; otherwise the page links the existing ones.

    Returns
    -------
    list of path
        Files that were written, the page first.
    """
    home, out = Path(folder), Path(page)
    sections = read_folder(home)
    written = []
    for section in sections:
        if pictures:
            write_pictures(section.result, section.path.with_suffix(""), png=False)
        written.append(write_whole(section.path.with_suffix(".md"), to_markdown(section.result)))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, page_of(home, sections, relative_to=out.parent))
    return [out, *written]


def read_folder(folder: Path) -> list[Section]:
    """Results with their comments, in the order of the page."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise DataError(f"{folder} holds no results. Run a benchmark with --out, and put its JSON file there.")
    newest = {undated(path.stem): path for path in paths}
    sections = [Section(path, read_result(path), _text(folder / f"{name}{COMMENT}")) for name, path in newest.items()]
    order = [benchmark.name for benchmark in BENCHMARKS]
    return sorted(sections, key=lambda section: (order.index(section.result.kind), section.path.stem))


def undated(name: str) -> str:
    """A file name without the date that a run gave it.

    Examples
    --------
    >>> undated("fidelity-2026-01-31-120000"), undated("fidelity-random")
    ('fidelity', 'fidelity-random')
    """
    return DATE.sub("", name)


def page_of(folder: Path, sections: Sequence[Section], *, relative_to: Path) -> str:
    """The page as Markdown."""
    parts = ["# Results", _text(folder / f"{INTRODUCTION}{COMMENT}"), _contents(sections)]
    for section in sections:
        parts += [f"## {section.title}", section.comment, *_pictures(section, relative_to)]
        parts += [f"#{grid.to_markdown()}" for grid in section.shown()]
        parts.append(_origin(section, relative_to))
    return "\n\n".join(part for part in parts if part) + "\n"


def _contents(sections: Sequence[Section]) -> str:
    """Links to the sections."""
    return "\n".join(f"- [{section.title}](#{_anchor(section.title)})" for section in sections)


def _anchor(title: str) -> str:
    """The anchor of a heading in rendered Markdown."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


def _pictures(section: Section, relative_to: Path) -> list[str]:
    name, folder = section.path.stem, section.path.parent
    found = sorted(folder.glob(f"{name}-*.svg"))
    longer = [path.stem for path in folder.glob(f"{name}-*.json")]  # these have pictures of their own
    own = [path for path in found if not any(path.stem.startswith(f"{name}-") for name in longer)]
    return [f"![{section.title}]({_link(path, relative_to)})" for path in own]


def _origin(section: Section, relative_to: Path) -> str:
    """Command, date, versions and machine."""
    result = section.result
    command = result.options.get("command", f"janus bench {result.kind}")
    machine = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    full = _link(section.path.with_suffix(".md"), relative_to)
    return f"`{command}`, {result.date} UTC. [All tables]({full}). {machine}."


def _link(path: Path, relative_to: Path) -> str:
    return Path(os.path.relpath(path, relative_to)).as_posix()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
