"""Cells to records: what is in the store is read, all else is measured and stored at once, so a run can go on later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from janus_bench.store import Record, Store
from janus_bench.workers import DIED, LIMIT, Work, attempt, in_workers
from janus_synth.errors import DataError


@dataclass(frozen=True, slots=True)
class Cell:
    """One measurement to be had.

    Attributes
    ----------
    kind : str
        What is measured.
    table, data : str
        Name of the table, and a fingerprint of its rows.
    method, settings : str, mapping
        Name of the method, and what it was told.
    seed : int
        Seed of the measurement.
    sizes : mapping
        How much of it: rows, scores, samples.
    version : str
        Fingerprint of the code that decides the outcome.
    task : object
        What the work gets; no part of the key.
    """

    kind: str
    table: str
    method: str
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, Any] = field(default_factory=dict)
    data: str = ""
    version: str = ""
    task: Any = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Record:
        """All that tells it from other cells."""
        names = ("kind", "table", "data", "method", "settings", "seed", "sizes", "version")
        return {name: getattr(self, name) for name in names}

    @property
    def key(self) -> str:
        """Where a store keeps it.

        Examples
        --------
        >>> one, same, other = (Cell("demo", "t", "m", seed, task=task) for seed, task in [(0, 1), (0, 2), (1, 1)])
        >>> one.key == same.key, one.key == other.key
        (True, False)
        """
        text = json.dumps(self.about, sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def label(self) -> str:
        """What a reader calls it."""
        return f"{self.table}, {self.method}, seed {self.seed}"


OnCell = Callable[[Cell, Record | None], object]
"""Called with None when a cell is begun and with its record when it is there, measured or read."""


def measure(
    cells: Sequence[Cell],
    work: Work,
    *,
    store: Store | None = None,
    jobs: int = 0,
    most_seconds: float | None = None,
    fresh: bool = False,
    on_cell: OnCell | None = None,
) -> list[Record]:
    """Records of all cells, in their order.

    Parameters
    ----------
    cells : sequence of Cell
        What to measure.
    work : callable
        ``work(cell.task)`` returns a record of plain JSON values; a function of a module, as processes get it by name.
        An error becomes the record ``{"failed": text}``.
    store : Store, optional
        Where records are looked up, and written the moment they are measured; by default nowhere.
    jobs : int
        Processes that measure; 0 is this one.
    most_seconds : float, optional
        A cell that takes longer is ended, and its record says so; this needs at least one job.
    fresh : bool
        Measure what the store holds anew.
    on_cell : callable, optional
        Told when a cell begins and when its record is there.

    Returns
    -------
    list of dict
        One record per cell.

    Examples
    --------
    >>> cells = [Cell("demo", "t", "sum", seed, task=f'{{"value": {seed}}}') for seed in range(2)]
    >>> measure(cells, json.loads)
    [{'value': 0}, {'value': 1}]
    """
    if most_seconds is not None and jobs < 1:
        raise DataError("a time limit needs a process that can be ended. Ask for at least one job.")
    tell = on_cell or _silent
    known = {} if store is None or fresh else _known(cells, store, most_seconds)
    for i, record in known.items():
        tell(cells[i], record)
    pending = [i for i in range(len(cells)) if i not in known]
    tasks = [cells[i].task for i in pending]

    def begun(place: int) -> None:
        tell(cells[pending[place]], None)

    measured = in_workers(tasks, work, jobs=jobs, most_seconds=most_seconds, begun=begun)
    for place, record in measured if jobs else _here(tasks, work, begun):
        cell = cells[pending[place]]
        if store is not None and DIED not in record:  # why a process died is not the cell's doing: try again next time
            store.write(cell.kind, cell.key, record, about=cell.about)
        known[pending[place]] = record
        tell(cell, record)
    return [known[i] for i in range(len(cells))]


def _known(cells: Sequence[Cell], store: Store, most_seconds: float | None) -> dict[int, Record]:
    """Records of the store, by place."""
    found = ((i, store.read(cell.kind, cell.key)) for i, cell in enumerate(cells))
    return {i: record for i, record in found if record is not None and _still_holds(record, most_seconds)}


def _still_holds(record: Record, most_seconds: float | None) -> bool:
    """A cell that took too long gets another chance when it is given longer."""
    limit = record.get(LIMIT)
    return limit is None or (most_seconds is not None and most_seconds <= limit)


def _here(tasks: Sequence[Any], work: Work, begun: Callable[[int], None]) -> Iterator[tuple[int, Record]]:
    for place, task in enumerate(tasks):
        begun(place)
        yield place, attempt(work, task)


def _silent(cell: Cell, record: Record | None) -> None:
    pass
