"""One call to the whole demo: results, sections on the console, files in a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from janus_synth.errors import JanusError
from janus_synth.files import write_whole

if TYPE_CHECKING:
    from rich.console import Console

    from janus_synth.demo.results import Results
    from janus_synth.demo.sections import Told

TITLE = "A table, learnt and drawn again"


class FolderError(JanusError, OSError):
    """A folder that cannot be written to; carries the folder."""

    def __init__(self, folder: Path, reason: str) -> None:
        self.folder = folder
        super().__init__(f"cannot write to the folder {str(folder)!r}: {reason}. Give a folder of your own.")


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

    from janus_synth.demo.results import check_n_rows, collect
    from janus_synth.demo.sections import SECTIONS
    from janus_synth.plots import missing_extra

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


def demo_page(results: Results, sections: Sequence[Told]) -> str:
    """The page, as HTML."""
    from janus_synth import __version__
    from janus_synth.pages import render_sections

    return render_sections(
        "demo.html.j2",
        sections,
        title=TITLE,
        version=__version__,
        n_train=len(results.train),
        n_made=len(results.synthetic),
        n_held_out=len(results.held_out),
        report=results.report,
        target=results.report.target,
    )


def ready_folder(folder: Path) -> Path:
    """Make the folder if need be, and try it with an empty file."""
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    return folder


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Raise a ``FolderError`` with the system's reason in place of an ``OSError``."""
    try:
        yield
    except OSError as error:
        reason = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise FolderError(folder, (reason.strerror or str(reason)).lower()) from error


def _write(folder: Path, results: Results, sections: Sequence[Told]) -> Path:
    """Model and rows first, so that a page never speaks of files that are not there."""
    page = demo_page(results, sections)
    with writing_to(folder):
        results.janus.save(folder / "model.janus")
        write_whole(folder / "synthetic.csv", results.synthetic.to_csv(index=False))
        return write_whole(folder / "index.html", page)


def _print(console: Console, sections: Sequence[Told]) -> None:
    from rich.text import Text

    for section in sections:
        console.print()
        console.rule(Text(section.title, style="bold"), align="left")
        for renderable in section.printed:
            console.print(renderable)
