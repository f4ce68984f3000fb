"""Progress bars on standard error, shown only if it is a terminal; or steps told to a function that asked for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Advance = Callable[[int], None]
Listener = Callable[[str, int, int | None], None]
"""Function that is told the label, the completed steps, and the total if it is known."""
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def report_progress_to(listener: Listener) -> Iterator[None]:
    """Tell a function of all progress inside the block, instead of showing bars.

    Examples
    --------
    >>> with report_progress_to(print), progress_bar("growing trees", 8) as advance:
    ...     advance(2)
    growing trees 0 8
    growing trees 2 8
    """
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


@contextmanager
def progress_bar(label: str, total: int | None, *, shown: bool | None = None, note: str = "") -> Iterator[Advance]:
    """Yield a function that advances the bar; silent unless standard error is a terminal or ``shown`` is true.

    The bar shows the completed and total steps, the time spent and the time left; a spinner moves from the start. If
    the total is None, because nobody knows it, it shows the time spent. A ``note`` is printed above the bar, and stays.
    """
    if (listener := _LISTENER.get()) is not None:
        yield _teller(listener, label, total)
        return
    if shown is None:
        shown = sys.stderr.isatty()
    if not shown or (total is not None and total < 1):
        yield lambda steps: None
        return
    from rich import progress
    from rich.console import Console

    parts = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        *([] if total is None else [progress.MofNCompleteColumn()]),
        progress.TimeElapsedColumn(),
        *([] if total is None else [progress.TimeRemainingColumn()]),
    )
    console = Console(stderr=True)
    with progress.Progress(*parts, console=console, transient=console.is_terminal) as bar:
        if note:
            bar.console.print(note, soft_wrap=True, markup=False, highlight=False)
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.advance(task, steps)


def _teller(listener: Listener, label: str, total: int | None) -> Advance:
    """Function that adds up steps and tells a listener of them."""
    done = 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        listener(label, done, total)

    advance(0)
    return advance
