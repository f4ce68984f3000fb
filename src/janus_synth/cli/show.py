"""How commands speak: results on standard output, complaints and progress on standard error."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def examples(*commands: str) -> str:
    """Last part of a command's help; a long command goes on after a backslash at the end of a line."""
    from rich.markup import escape

    # Typer may join single lines; a blank line keeps commands apart.
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  [cyan]$ {escape(line)}[/cyan]" for line in commands)])


def console(*, aside: bool = False) -> Console:
    """For results that people read; ``aside``, on standard error, where rows go to standard output."""
    from rich.console import Console

    return Console(file=sys.stderr if aside else sys.stdout, highlight=False, markup=False, emoji=False)


def complain(what: str, message: str, *, style: str = "bold red") -> None:
    """A message on standard error, its first words in red on a terminal."""
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble((f"{what}: ", style), message)
    Console(file=sys.stderr).print(line, soft_wrap=True)


@contextlib.contextmanager
def warnings_told(*, quiet: bool) -> Iterator[None]:
    """Tell what the library warns of as it happens, without the place in its source; nothing if ``quiet``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "always", UserWarning)
        warnings.showwarning = lambda message, *where, **more: complain("warning", str(message), style="bold yellow")
        yield


@contextlib.contextmanager
def working(text: str, *, quiet: bool) -> Iterator[Callable[[str], object]]:
    """Say what is being done while it takes time, where somebody can see it; gives a way to say the next thing."""
    if quiet or not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield status.update


def facts(**lines: str) -> Table:
    """Two columns: what, and how much."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, text in lines.items():
        table.add_row(name, text)
    return table


def size_text(n_bytes: int) -> str:
    """Size of a file, as people say it.

    Examples
    --------
    >>> size_text(950), size_text(1_234_567)
    ('950 B', '1.2 MB')
    """
    size, units = float(n_bytes), ["B", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size, units = size / 1000, units[1:]
    return f"{size:.0f} {units[0]}" if units[0] == "B" else f"{size:.1f} {units[0]}"


def counted(n: int, noun: str) -> str:
    """A number and its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(5_000, "row")
    ('1 row', '5,000 rows')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def shortened(value: object, most: int = 120) -> str:
    """The beginning of what may be long, such as a rule with all its known combinations.

    Examples
    --------
    >>> shortened("x in [1, 2, 3]", most=8)
    'x in [1…'
    """
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
