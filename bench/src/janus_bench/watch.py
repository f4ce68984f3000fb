"""Cells as they come to a line on a terminal: how many are done, which one is under way, how long it will take."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from janus_bench.cells import Cell, OnCell
    from janus_bench.store import Record


class Tally:
    """Counts of cells, and the pace of those that were measured."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.measured = 0
        self.under_way: list[Cell] = []
        self._start = monotonic()

    def take(self, cell: Cell, record: Record | None) -> None:
        """A cell is begun, or its record is there; one that was never begun comes from the store."""
        if record is None:
            self.under_way.append(cell)
            return
        self.done += 1
        if cell in self.under_way:
            self.under_way.remove(cell)
            self.measured += 1

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; unknown before the first measurement."""
        if not self.measured:
            return None
        return (monotonic() - self._start) / self.measured * (self.total - self.done)

    def __str__(self) -> str:
        left = "" if self.seconds_left is None else f", about {_spelled(self.seconds_left)} left"
        now = " | ".join(cell.label for cell in self.under_way)
        return f"{self.done}/{self.total} done, {self.done - self.measured} of them stored{left}  {now}"


@contextmanager
def watched(total: int, *, shown: bool | None = None) -> Iterator[OnCell]:
    """Give a function for `measure` to call; silent unless standard error is a terminal or ``shown``."""
    tally = Tally(total)
    if not (sys.stderr.isatty() if shown is None else shown) or total < 1:
        yield tally.take
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    parts = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
    with Progress(*parts, console=console, transient=console.is_terminal) as bar:
        line = bar.add_task(str(tally), total=total)

        def show(cell: Cell, record: Record | None) -> None:
            tally.take(cell, record)
            bar.update(line, completed=tally.done, description=str(tally))

        yield show


def _spelled(seconds: float) -> str:
    """Hours and minutes, or seconds if few.

    Examples
    --------
    >>> _spelled(50), _spelled(800), _spelled(8000)
    ('50 s', '13 min', '2 h 13 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
