"""Cells in, records out: stored records are read, the others are measured and stored immediately.

A cell that fails gets a record of its failure, and the run continues. A progress line shows the state.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from time import monotonic
from typing import Any

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.store import Record
from janus_bench.workers import DIED, FAILED, LIMIT, Work, attempt, in_workers

FOUND = "found"
"""Key of the values that a call returned, in its record."""

Call = Callable[[], Iterable[Any]]
"""A task that returns dataclass values: a partial of a module-level function, because worker processes import it."""
Failed = Callable[[Cell, str], Any]
"""Takes a cell and its error message and returns a dataclass value."""
OnCell = Callable[[Cell, Record | None], object]
"""Called with None when a cell starts, and with its record when that is available (measured or read)."""


def measure(
    cells: Sequence[Cell], work: Work, run: RunSettings = IN_THIS_PROCESS, *, on_cell: OnCell | None = None
) -> list[Record]:
    """Records of all cells, in their order.

    Parameters
    ----------
    cells : sequence of Cell
        What to measure.
    work : callable
        ``work(cell.task)`` returns a record of plain JSON values; a module-level function, because worker
        processes import it by name. An exception becomes the record ``{"failed": text}``.
    run : RunSettings
        Store, processes and time limit.
    on_cell : callable, optional
        Called when a cell starts and when its record is available.

    Examples
    --------
    >>> measure([Cell("demo", "", "two", 0, task=2)], lambda task: {"twice": 2 * task})
    [{'twice': 4}]
    """
    with progress_line(len(cells), shown=run.progress) as count:

        def report(cell: Cell, record: Record | None) -> None:
            count(cell, record)
            if on_cell is not None:
                on_cell(cell, record)

        known = _stored_records(cells, run)
        for i, record in known.items():
            report(cells[i], record)
        pending = [i for i in range(len(cells)) if i not in known]
        tasks = [cells[i].task for i in pending]

        def started(place: int) -> None:
            report(cells[pending[place]], None)

        for place, record in _measure_tasks(tasks, work, run, started):
            cell = cells[pending[place]]
            # A process that died may have been killed from outside: do not store that, try again next time.
            if run.store is not None and DIED not in record:
                run.store.write(cell.kind, cell.key, record, about=cell.about)
            known[pending[place]] = record
            report(cell, record)
    return [known[i] for i in range(len(cells))]


def measure_calls(cells: Sequence[Cell], failed: Failed, run: RunSettings = IN_THIS_PROCESS) -> list[Record]:
    """Call the task of each cell and return a record per value; a call that fails gets a record as well.

    Parameters
    ----------
    cells : sequence of Cell
        Their tasks are calls without arguments.
    failed : callable
        Makes the record of a cell that could not be measured.
    run : RunSettings
        Store, processes and time limit.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from functools import partial
    >>> @dataclass
    ... class Root:
    ...     value: float
    >>> @dataclass
    ... class Failure:
    ...     of: str
    ...     error: str
    >>> cells = [Cell("demo", "", x, 0, task=partial(lambda x: [Root(float(x) ** 0.5)], x)) for x in ("4", "four")]
    >>> root, failure = measure_calls(cells, lambda cell, error: Failure(cell.method, error))
    >>> root
    {'record': 'root', 'value': 2.0}
    >>> failure
    {'record': 'failure', 'of': 'four', 'error': "ValueError: could not convert string to float: 'four'"}
    """
    found: list[Record] = []
    for cell, record in zip(cells, measure(cells, _call, run), strict=True):
        error = record.get(FAILED)
        found += record[FOUND] if error is None else records_of([failed(cell, str(error).rstrip(": "))])
    return found


def records_of(values: Iterable[Any]) -> list[dict[str, object]]:
    """Dataclass values as plain JSON records, each with the name of its class."""
    return [{"record": type(value).__name__.lower(), **asdict(value)} for value in values]


def _call(call: Call) -> Record:
    return {FOUND: records_of(call())}


def _stored_records(cells: Sequence[Cell], run: RunSettings) -> dict[int, Record]:
    """Records that the store has, by position of their cells."""
    if run.store is None or run.fresh:
        return {}
    found = ((i, run.store.read(cell.kind, cell.key)) for i, cell in enumerate(cells))
    return {i: record for i, record in found if record is not None and _still_valid(record, run.most_seconds)}


def _still_valid(record: Record, most_seconds: float | None) -> bool:
    """Whether a stored record can be used; a cell that exceeded its time limit is tried again with a longer one."""
    limit = record.get(LIMIT)
    return limit is None or (most_seconds is not None and most_seconds <= limit)


def _measure_tasks(
    tasks: Sequence[Any], work: Work, run: RunSettings, started: Callable[[int], None]
) -> Iterator[tuple[int, Record]]:
    """Positions of tasks and their records, as they are completed."""
    if run.jobs:
        yield from in_workers(tasks, work, jobs=run.jobs, most_seconds=run.most_seconds, started=started)
        return
    for place, task in enumerate(tasks):
        started(place)
        yield place, attempt(work, task)


class Tally:
    """Counts of finished and measured cells, and the expected time left."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.measured = 0
        self.running: list[Cell] = []
        self._start = monotonic()

    def take(self, cell: Cell, record: Record | None) -> None:
        """Count a cell that started, or one whose record is available; a record without a start came from the store."""
        if record is None:
            self.running.append(cell)
            return
        self.done += 1
        if cell in self.running:
            self.running.remove(cell)
            self.measured += 1

    @property
    def seconds_left(self) -> float | None:
        """Expected time left, from the mean time per measured cell; None before the first measurement."""
        if not self.measured:
            return None
        return (monotonic() - self._start) / self.measured * (self.total - self.done)

    def __str__(self) -> str:
        left = "" if self.seconds_left is None else f", about {_format_duration(self.seconds_left)} left"
        now = " | ".join(cell.label for cell in self.running)
        return f"{self.done}/{self.total} done, {self.done - self.measured} of them stored{left}  {now}"


@contextmanager
def progress_line(total: int, *, shown: bool | None = None) -> Iterator[OnCell]:
    """Yield a function to call for each cell; by default the line is shown if standard error is a terminal."""
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


def _format_duration(seconds: float) -> str:
    """Hours and minutes, or seconds below 90.

    Examples
    --------
    >>> _format_duration(50), _format_duration(800), _format_duration(8000)
    ('50 s', '13 min', '2 h 13 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
