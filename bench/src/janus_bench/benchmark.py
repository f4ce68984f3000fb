"""Descriptions of benchmarks: what the command line, a run of all benchmarks and the page of results need to know.

Its functions import what they need when they are called, so that listing the benchmarks is instant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_bench.results import Result


class Report(NamedTuple):
    """How a result is shown: its tables, and its charts by the suffix of their file names."""

    tables: Callable[[Result], list[Grid]]
    charts: Callable[[Result], dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark.

    Attributes
    ----------
    name : str
        Kind of its results, prefix of their file names, and name of its command.
    title : str
        Heading of its section on the page of results.
    report : callable
        Imports and returns the functions that turn a result into tables and charts.
    shown : tuple of str
        Beginnings of the titles of the tables that the page shows; by default it shows the first table.
    run : callable, optional
        Takes the options of the command and returns a result; None if the benchmark is an option of another command.
        Its parameters are annotated for typer, except the last one, ``run``, which is a `RunSettings`.
    example : str
        A command to try.
    full, quick : str
        Options in a full run of all benchmarks, and in a quick one.
    in_parallel : bool
        Whether several processes may measure at the same time (``--jobs``).
    timed : bool
        Whether it measures time, so that a run of all benchmarks gives it one process.
    """

    name: str
    title: str
    report: Callable[[], Report]
    shown: tuple[str, ...] = ()
    run: Callable[..., Result] | None = None
    example: str = ""
    full: str = ""
    quick: str = "--quick"
    in_parallel: bool = True
    timed: bool = False

    def command(self, *, quick: bool, jobs: int = 1) -> list[str]:
        """Words of its command in a run of all benchmarks.

        Examples
        --------
        >>> Benchmark(name="exact", title="", report=lambda: Report(list)).command(quick=True, jobs=2)
        ['exact', '--quick', '--jobs', '2']
        """
        parallel = [] if self.timed or jobs == 1 else ["--jobs", str(jobs)]
        return [self.name, *(self.quick if quick else self.full).split(), *parallel]
