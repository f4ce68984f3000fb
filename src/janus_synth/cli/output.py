"""Results of a command in; text for people on standard output, messages on standard error, files for rows.

Every command checks with these functions that it can write its output before it starts to work.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from janus_synth.cli.options import FormatName
from janus_synth.cli.shell_terms import in_shell_terms
from janus_synth.errors import AlertWarning, LearntGraphWarning

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from janus_synth.alerts import Alert
    from janus_synth.table.files import Place

LEARNT_GRAPH = (
    "this graph was learnt from rows, and answers are causal only if its arrows are. Give the graph you believe in "
    "with janus fit --structure, or confirm this one with --trust-graph."
)
"""What the command line prints instead of the library's warning, which names arguments of Python functions."""


def examples(*commands: str) -> str:
    """Format the last part of a command's help; a long command continues after a backslash."""
    from rich.markup import escape

    # Typer may join single lines; a blank line keeps commands apart.
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  [cyan]$ {escape(line)}[/cyan]" for line in commands)])


def console(*, stderr: bool = False) -> Console:
    """Open a console for text that people read; on standard error where rows go to standard output."""
    from rich.console import Console

    return Console(file=sys.stderr if stderr else sys.stdout, highlight=False, markup=False, emoji=False)


def print_message(what: str, message: str, *, style: str = "bold red") -> None:
    """Print a message on standard error, its first words coloured on a terminal."""
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble((f"{what}: ", style), message)
    Console(file=sys.stderr).print(line, soft_wrap=True)


def print_warning(message: str) -> None:
    """Print a warning on standard error."""
    print_message("warning", message, style="bold yellow")


def print_alerts(alerts: Sequence[Alert], *, most: int, rest: str) -> None:
    """Print alerts on standard error, each with its remedy as an option; ``rest`` says where all of them are."""
    from rich.console import Console
    from rich.text import Text

    out = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    for alert in alerts[:most]:
        remedy = alert.shell_remedy
        line = Text.assemble(("alert: ", "bold yellow"), (f"{alert.where}: ", "bold"))
        out.print(line + Text(f"{alert.message}; {alert.effect}. Remedy: {remedy}"), soft_wrap=True)
    if len(alerts) > most:
        out.print(f"and {format_count(len(alerts) - most, 'alert')} more: {rest}", soft_wrap=True)


@contextlib.contextmanager
def show_warnings(*, quiet: bool, once: bool = False) -> Iterator[None]:
    """Print the library's warnings as they happen, without their place in the source; none if ``quiet``.

    With ``once``, a text that comes again is printed only the first time.
    """
    seen: set[str] = set()

    def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        text = LEARNT_GRAPH if issubclass(category, LearntGraphWarning) else in_shell_terms(str(message))
        if not (once and text in seen):
            print_warning(text)
        seen.add(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "always", UserWarning)
        warnings.simplefilter("ignore", AlertWarning)  # commands print all alerts themselves
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def show_status(text: str, *, quiet: bool) -> Iterator[Callable[[str], object]]:
    """Show on a terminal what is being done; yields a function that changes the text."""
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield status.update


def progress_option(out: str, *, quiet: bool) -> bool | None:
    """Value of the library's ``progress``: no bar where it would run into rows on a terminal."""
    return False if quiet or (out == "-" and sys.stdout.isatty()) else None


class Formats(NamedTuple):
    """Formats of the table that is read and of the one that is written; None to use the file ending."""

    rows: FormatName | None
    out: FormatName | None


def choose_formats(rows: str, out: str, format: FormatName | None) -> Formats:
    """Apply ``--format`` to standard input and output if one of them is used, otherwise to both files."""
    from janus_synth.table.files import STANDARD

    both_files = STANDARD not in (rows, out)
    return Formats(*(format if both_files or path == STANDARD else None for path in (rows, out)))


def check_table_path(out: str, format: FormatName | None, *, inputs: tuple[str, ...]) -> None:
    """Raise an error unless a table can be written to ``out``."""
    from janus_synth.table.files import check_output, place_of

    _check_terminal(place_of(out, format))
    check_output(out, inputs=inputs)


def _check_terminal(place: Place) -> None:
    if place.is_standard and not place.is_text and sys.stdout.isatty():
        raise typer.BadParameter(
            f"{place.format} is a binary format and would fill the terminal. Name a file with -o, or redirect the "
            "output.",
            param_hint="--format",
        )


def check_model_path(path: str, *, inputs: tuple[str, ...], option: str) -> None:
    """Raise an error unless a model can be written to ``path``."""
    from janus_synth.table.files import STANDARD, check_output

    if path == STANDARD:
        raise typer.BadParameter("a model goes to a file, not to standard output.", param_hint=option)
    check_output(path, inputs=inputs)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"{path} is a device, and a model goes to a file. Choose another output.")


def check_text_paths(paths: Mapping[str, str | None], *, inputs: tuple[str, ...]) -> None:
    """Raise an error unless text files can be written; ``paths`` are by option, None where no file is wanted."""
    from janus_synth.table.files import STANDARD, check_output

    for option, path in paths.items():
        if path == STANDARD:
            raise typer.BadParameter("it goes to a file, not to standard output.", param_hint=option)
        if path is not None:
            check_output(path, inputs=inputs)


def check_distinct_paths(paths: Mapping[str, str | None]) -> None:
    """Raise an error if two options name the same file."""
    from janus_synth.table.files import STANDARD

    files = [(option, path) for option, path in paths.items() if path is not None and path != STANDARD]
    for (first, one), (second, other) in combinations(files, 2):
        if os.path.realpath(one) == os.path.realpath(other):
            raise typer.BadParameter(f"{other} is also the file of {first}. Name two files.", param_hint=second)


def print_written(n_rows: int, out: str, start: float, more: str = "") -> None:
    """Print how many rows are in a file, its size, the seconds since ``start``, and further lines."""
    size, seconds = format_size(os.path.getsize(out)), time.perf_counter() - start
    console().print(f"{format_count(n_rows, 'row')} in {out} ({size}, {seconds:.1f} s)", soft_wrap=True)
    if more:
        console().print(more, soft_wrap=True, markup=False, highlight=False)


def facts_table(**lines: str) -> Table:
    """Lay out names and texts in two columns."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, text in lines.items():
        table.add_row(name, text)
    return table


def number_table(first: str, *headings: str, gap: int = 2, pad_edge: bool = True) -> Table:
    """Start a table whose first column is text that may wrap and whose other columns are numbers."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=pad_edge, header_style="bold")
    table.add_column(Text(first), overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def format_size(n_bytes: int) -> str:
    """Format the size of a file.

    Examples
    --------
    >>> format_size(950), format_size(1_234_567)
    ('950 B', '1.2 MB')
    """
    size, units = float(n_bytes), ["B", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} {units[0]}" if units[0] == "B" else f"{size:.1f} {units[0]}"


def format_defined(value: float, template: str) -> str:
    """Format a number, or a dash where it is not defined.

    Examples
    --------
    >>> format_defined(0.25, "{:+.3f}"), format_defined(float("nan"), "{:+.3f}")
    ('+0.250', '–')
    """
    return "–" if math.isnan(value) else template.format(value)


def format_count(n: int, noun: str) -> str:
    """Format a number with its noun.

    Examples
    --------
    >>> format_count(1, "row"), format_count(5_000, "row")
    ('1 row', '5,000 rows')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def shorten(value: object, limit: int = 120) -> str:
    """Cut a long text, such as a rule that lists all known combinations.

    Examples
    --------
    >>> shorten("x in [1, 2, 3]", limit=8)
    'x in [1…'
    """
    text = str(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
