"""A folder in; the demo out: findings on the console, and a model, rows and a page in the folder."""

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
    from janus_synth.demo.sections import DemoSection

TITLE = "JANUS on a table of job applicants"


class FolderError(JanusError, OSError):
    """A folder that cannot be written to; carries the folder."""

    def __init__(self, folder: Path, reason: str) -> None:
        self.folder = folder
        super().__init__(f"cannot write to the folder {str(folder)!r}: {reason}. Choose another folder.")


def run_demo(
    folder: Path | str, *, n_rows: int = 5_000, random_state: int = 0, console: Console | None = None
) -> Path:  # fmt: skip
    """Fit a generated table, draw and score rows, answer questions, and show the results.

    Prints the findings, and leaves ``model.janus``, ``synthetic.csv`` and ``index.html`` in the folder. The page
    is self-contained: it loads nothing. Its plots need the extra ``plots``; without it, the page
    says so and has everything else.

    Parameters
    ----------
    folder : Path
        Where to write; created if needed.
    n_rows : int
        Number of training rows, of held-out rows and of synthetic rows.
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
        If the folder cannot be written; this is checked before the work starts.
    """
    from rich.console import Console

    from janus_synth.demo.results import check_n_rows, compute_results
    from janus_synth.demo.sections import SECTIONS
    from janus_synth.plots import missing_extra

    check_n_rows(n_rows)
    console = console or Console()
    target = prepare_folder(Path(folder))
    with console.status("starting") as status:
        results = compute_results(n_rows, random_state=random_state, show=status.update)
        status.update("drawing plots")
        sections = [make(results) for make in SECTIONS]
        page = _write(target, results, sections)
    _print(console, sections)
    if (missing := missing_extra()) is not None:
        console.print(f"\nThe page has no plots: {missing}", style="yellow", markup=False)
    console.print(f"\nWrote model.janus, synthetic.csv and index.html. Open {page}", markup=False, soft_wrap=True)
    return page


def demo_page(results: Results, sections: Sequence[DemoSection]) -> str:
    """Render the page as HTML."""
    from janus_synth import __version__
    from janus_synth.pages import render_sections

    return render_sections(
        "demo.html.j2",
        sections,
        title=TITLE,
        version=__version__,
        n_train=len(results.train),
        n_synthetic=len(results.synthetic),
        n_held_out=len(results.held_out),
        report=results.report,
        target=results.report.target,
    )


def prepare_folder(folder: Path) -> Path:
    """Create the folder if needed, and check with an empty file that it can be written."""
    with report_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    return folder


@contextmanager
def report_write_errors(folder: Path) -> Iterator[None]:
    """Turn an ``OSError`` into a ``FolderError`` with the system's reason."""
    try:
        yield
    except OSError as error:
        reason = error.__cause__ if isinstance(error.__cause__, OSError) else error
        raise FolderError(folder, (reason.strerror or str(reason)).lower()) from error


def _write(folder: Path, results: Results, sections: Sequence[DemoSection]) -> Path:
    """Write model and rows first, so that the page never mentions missing files."""
    page = demo_page(results, sections)
    with report_write_errors(folder):
        results.janus.save(folder / "model.janus")
        write_whole(folder / "synthetic.csv", results.synthetic.to_csv(index=False))
        return write_whole(folder / "index.html", page)


def _print(console: Console, sections: Sequence[DemoSection]) -> None:
    from rich.text import Text

    for section in sections:
        console.print()
        console.rule(Text(section.title, style="bold"), align="left")
        for renderable in section.printed:
            console.print(renderable)
