"""Cells that are calls to the records of a run, failures among them: what benchmarks of several parts share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from janus_bench.cells import Cell, measure
from janus_bench.parts import records_of
from janus_bench.store import Record
from janus_bench.watch import watched
from janus_bench.workers import FAILED, Work

FOUND = "found"
"""Key of what a call found."""

Call = Callable[[], Iterable[Any]]
"""A cell's task: it returns values of dataclasses. A partial of a module's function, as processes get it by name."""
Failed = Callable[[Cell, str], Any]
"""A cell and what went wrong to a value of a dataclass."""


def measured(cells: Sequence[Cell], work: Work, *, progress: bool | None = None, **kept: Any) -> list[Record]:
    """Records of all cells as `measure` has them, with a line on a terminal that tells how far it is.

    Examples
    --------
    >>> measured([Cell("demo", "", "two", 0, task=2)], lambda task: {"twice": 2 * task})
    [{'twice': 4}]
    """
    with watched(len(cells), shown=progress) as on_cell:
        return measure(cells, work, on_cell=on_cell, **kept)


def found_by(cells: Sequence[Cell], failed: Failed, *, progress: bool | None = None, **kept: Any) -> list[Record]:
    """What the calls of all cells find, as records in the cells' order; a call that fails leaves one as well.

    Parameters
    ----------
    cells : sequence of Cell
        Their tasks are the calls.
    failed : callable
        Makes the record of a cell that could not be measured.
    progress : bool, optional
        Show on standard error how far it is; by default only where that is a terminal.
    **kept
        ``store``, ``fresh``, ``jobs`` and ``most_seconds`` of `measure`.

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
    >>> root, failure = found_by(cells, lambda cell, error: Failure(cell.method, error))
    >>> root
    {'record': 'root', 'value': 2.0}
    >>> failure
    {'record': 'failure', 'of': 'four', 'error': "ValueError: could not convert string to float: 'four'"}
    """
    records = measured(cells, _done, progress=progress, **kept)
    found: list[Record] = []
    for cell, record in zip(cells, records, strict=True):
        why = record.get(FAILED)
        found += record[FOUND] if why is None else records_of([failed(cell, str(why).rstrip(": "))])
    return found


def _done(call: Call) -> Record:
    return {FOUND: records_of(call())}
