"""`Cell`, one measurement and its key in the store, and `RunSettings`, which say how cells are measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.store import Record, Store


@dataclass(frozen=True, slots=True)
class Cell:
    """One measurement.

    Attributes
    ----------
    kind : str
        What is measured.
    table, data : str
        Name of the table, and a fingerprint of its rows.
    method, settings : str, mapping
        Name of the method, and its settings.
    seed : int
        Seed of the measurement.
    sizes : mapping
        Numbers of rows, scores, samples.
    version : str
        Fingerprint of the code that the outcome depends on.
    task : object
        Argument of the function that measures; not part of the key.
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
        """Everything that identifies the cell."""
        names = ("kind", "table", "data", "method", "settings", "seed", "sizes", "version")
        return {name: getattr(self, name) for name in names}

    @property
    def key(self) -> str:
        """Key in the store: a hash of `about`.

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
        """Name on the progress line."""
        return f"{self.table}, {self.method}, seed {self.seed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How the cells of a benchmark are run; every ``run_*`` function takes one.

    Attributes
    ----------
    store : Store, optional
        Where records are looked up. New ones are written as soon as they are measured, so that an interrupted run
        continues where it stopped. By default nothing is stored.
    fresh : bool
        Measure again even if the store has a record.
    jobs : int
        Processes that measure; 0 measures in this process.
    most_seconds : float, optional
        Time limit of a cell; a cell that exceeds it is stopped and recorded as a failure. Needs at least one job.
    progress : bool, optional
        Show a progress line on standard error; by default only if that is a terminal.
    """

    store: Store | None = None
    fresh: bool = False
    jobs: int = 0
    most_seconds: float | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        if self.most_seconds is not None and self.jobs < 1:
            raise DataError("a time limit needs a process that can be stopped. Use at least one job.")


IN_THIS_PROCESS = RunSettings()
"""The default: measure in the calling process and store nothing."""
