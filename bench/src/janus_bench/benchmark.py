"""One value that describes a benchmark: its command, its tables, its pictures, and its place in a run of all.

Functions are real references that import what they need when they are called, so that listing benchmarks is instant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from janus_bench.grids import Grid
    from janus_bench.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark.

    Attributes
    ----------
    name : str
        Kind of its results, how their files' names begin, and its command.
    title : str
        Heading of its section on the page of results.
    tables : callable
        A result to the tables that a reader sees.
    charts : callable, optional
        A result to charts by the endings of their files' names.
    shown : tuple of str
        How the titles of the tables begin that stand on the page; by default the first table stands there.
    run : callable, optional
        Options of the command to a result; None for a benchmark that is an option of another one's command. Its
        parameters are options as typer reads them, and ``**kept`` stands for those that all share.
    example : str
        A command to try.
    full, quick : str
        Options in a long run of all benchmarks, and in a quick one.
    in_parallel : bool
        Whether its measurements can be told to run beside each other (``--jobs``).
    timed : bool
        Whether it is about time, so that nothing runs beside it in a run of all.
    """

    name: str
    title: str
    tables: Callable[[Result], list[Grid]]
    charts: Callable[[Result], dict[str, Any]] | None = None
    shown: tuple[str, ...] = ()
    run: Callable[..., Result] | None = None
    example: str = ""
    full: str = ""
    quick: str = "--quick"
    in_parallel: bool = True
    timed: bool = False

    def command(self, *, quick: bool, jobs: int = 1) -> list[str]:
        """The words of its command in a run of all.

        Examples
        --------
        >>> Benchmark(name="exact", title="", tables=lambda result: []).command(quick=True, jobs=2)
        ['exact', '--quick', '--jobs', '2']
        """
        beside = [] if self.timed or jobs == 1 else ["--jobs", str(jobs)]
        return [self.name, *(self.quick if quick else self.full).split(), *beside]
