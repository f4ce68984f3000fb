"""One call to the whole demo: results, sections on the console, files in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from janus_synth.interfaces.demo.files import ready_folder, write_whole, writing_to

if TYPE_CHECKING:
    from rich.console import Console

    from janus_synth.interfaces.demo.results import Results
    from janus_synth.interfaces.demo.section import Section

TITLE = "A table, learnt and drawn again"


def run_demo(
    folder: Path | str, *, n_rows: int = 5_000, random_state: int = 0, console: Console | None = None
) -> Path:  # fmt: skip
    """Learn a table, draw rows, judge them, and show what came out.

    Prints the findings, and leaves ``model.janus``, ``synthetic.csv`` and ``index.html`` in the folder. The page
    stands alone: it has no script and loads nothing. Its pictures need the extra ``plots``; without it, the page
    says so and tells the rest.

    Parameters
    ----------
    folder : Path
        Where to write; made if need be.
    n_rows : int
        Rows to learn, to hold out and to draw.
    random_state : int
        Seed of the table, the fit and the scores.
    console : rich.console.Console, optional
        Where to print; standard output by default.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    FolderError
        If the folder cannot be written; this is found out before the work starts.
    """
    from rich.console import Console

    from janus_synth.interfaces.demo.results import check_n_rows, collect
    from janus_synth.interfaces.demo.sections import SECTIONS
    from janus_synth.interfaces.pictures import missing_extra

    check_n_rows(n_rows)
    console = console or Console()
    target = ready_folder(Path(folder))
    with console.status("starting") as status:
        results = collect(n_rows, random_state=random_state, tell=status.update)
        status.update("drawing pictures")
        sections = [make(results) for make in SECTIONS]
        page = _write(target, results, sections)
    _print(console, sections)
    if (missing := missing_extra()) is not None:
        console.print(f"\nThe page has no pictures: {missing}", style="yellow", markup=False)
    console.print(f"\nWrote model.janus, synthetic.csv and index.html. Open {page}", markup=False, soft_wrap=True)
    return page


def _write(folder: Path, results: Results, sections: list[Section]) -> Path:
    """Model and rows first, so that a page never speaks of files that are not there."""
    from janus_synth import __version__
    from janus_synth.interfaces.pages import page_of

    with writing_to(folder):
        results.janus.save(folder / "model.janus")
    write_whole(folder / "synthetic.csv", results.synthetic.to_csv(index=False))
    lead = (
        f"JANUS learnt {len(results.train):,} applicants of a fictitious company and drew "
        f"{len(results.synthetic):,} new ones. Here they are, beside {len(results.held_out):,} real rows it never saw."
    )
    footer = f"Made by janus-synth {__version__}. This page is one file: no script, nothing loaded from elsewhere."
    return write_whole(folder / "index.html", page_of(sections, title=TITLE, lead=lead, footer=footer))


def _print(console: Console, sections: list[Section]) -> None:
    from rich.text import Text

    for section in sections:
        if section.printed:
            console.print()
            console.rule(Text(section.title, style="bold"), align="left")
            for renderable in section.printed:
                console.print(renderable)
