"""Progress bars on standard error, shown only if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


@contextmanager
def progress_bar(label: str, total: int | None, *, shown: bool | None = None) -> Iterator[Advance]:
    """Yield a function that advances the bar; silent unless standard error is a terminal or ``shown`` is true.

    The bar shows the completed and total steps, the time spent and the time left; a spinner moves from the start. If
    the total is None, because nobody knows it, it shows the time spent.
    """
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
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.advance(task, steps)
