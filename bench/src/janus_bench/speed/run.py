"""Run the speed benchmark: tables and sizes in, a `Result` with timings of JANUS and its baselines out.

Subjects that are compared share a cell, so that they are always timed in the same run, also when read from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.results import Result, machine_of_times
from janus_bench.running import measure_calls
from janus_bench.speed import parts, requests
from janus_bench.speed.parts import (
    SpeedSizes,
    Timing,
    measure_memory,
    threads,
    time_column_steps,
    time_fits,
    time_row_steps,
    time_samples,
    time_starts,
    time_warm_up,
    warm_up,
)
from janus_bench.speed.requests import RequestTiming, time_requests
from janus_bench.stopwatch import utc_minute
from janus_bench.tables import read_named, table_names
from janus_bench.versions import (
    OUR_LIBRARIES,
    adapter_fingerprint,
    library_versions,
    package_fingerprint,
    table_fingerprint,
)

KIND: Final = "speed"
REQUEST_SIZES = ("fit_rows", "requests", "requested_rows", "pool_rows")


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that ended in an error, recorded as a result; the run continues."""

    part: str
    table: str
    error: str


def run_speed(
    tables: Iterable[str] | None = None,
    *,
    sizes: SpeedSizes | None = None,
    processes: bool = True,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Time fits, samples, growth with size, memory, and the first call.

    Parameters
    ----------
    tables : iterable of str, optional
        By default ``adult``, or ``hiring`` if there are no real tables, and ``sem``. The first one is enlarged to
        measure growth and memory.
    sizes : SpeedSizes, optional
        Numbers of rows and columns, and how often to repeat.
    processes : bool
        Also measure what needs new processes: memory, imports, first calls.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per subject and size, and per cell that failed.
    """
    names = _default_tables() if tables is None else table_names(tables)
    sizes = sizes or SpeedSizes()
    found = measure_calls(cells_of(names, sizes, processes=processes), _failure, run)
    dates = sorted(record["date"] for record in found if "date" in record)
    when = " to ".join(dict.fromkeys([*dates[:1], *dates[-1:]]))
    options = {"tables": list(names), "sizes": asdict(sizes), "threads": threads(), "timed": when}
    return Result.of(KIND, options=options, records=found)


def cells_of(names: Sequence[str], sizes: SpeedSizes, *, processes: bool) -> list[Cell]:
    """List the cells: a warm-up, then one per table and part."""
    cell, first = partial(_cell, sizes=sizes), names[0]
    data = {name: table_fingerprint(read_named(name)) for name in names}
    found = [cell("this process", "warm-up", time_warm_up, [])]
    for name in names:
        fit, sample = partial(time_fits, name, sizes), partial(time_samples, name, sizes)
        found += [
            cell(name, "fit", fit, ["fit_rows", "repeats"], data[name]),
            cell(name, "sample", sample, ["fit_rows", "sample_rows", "repeats"], data[name]),
            cell(name, "where", partial(time_requests, name, sizes), REQUEST_SIZES, data[name]),
        ]
    longer, wider = partial(time_row_steps, first, sizes), partial(time_column_steps, sizes)
    found += [
        cell(first, "rows", longer, ["row_steps", "repeats"], data[first]),
        cell("wide", "columns", wider, ["column_steps", "wide_rows", "repeats"]),
    ]
    if processes:
        memory, starts = partial(measure_memory, first, sizes), partial(time_starts, sizes)
        found += [
            cell(first, "memory", memory, ["memory_rows"], data[first]),
            cell("new processes", "start", starts, ["repeats"]),
        ]
    return found


def timed(make: Callable[[], Iterable[Timing | RequestTiming]]) -> list[Timing | RequestTiming]:
    """Warm up, then make the timings and add their date."""
    warm_up()
    found = list(make())
    date = utc_minute()
    return [replace(timing, date=date) for timing in found]


def _cell(
    table: str,
    part: str,
    make: Callable[[], Iterable[Timing | RequestTiming]],
    names: Iterable[str],
    data: str = "",
    *,
    sizes: SpeedSizes,
) -> Cell:
    """Make the cell of a part; its key holds only the sizes that the part uses."""
    used = {name: getattr(sizes, name) for name in names}
    task = partial(timed, make)
    return Cell(KIND, table, part, 0, settings=machine_of_times(), sizes=used, data=data, version=_version(), task=task)


def _version() -> str:
    libraries = library_versions((*OUR_LIBRARIES, "pandas", "scikit-learn"))
    own = " ".join(adapter_fingerprint(module.__name__) for module in (parts, requests))
    return f"{package_fingerprint()} {own} {libraries}"


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.method, cell.table, error)


def _default_tables() -> tuple[str, ...]:
    return ("adult" if "adult" in table_names() else "hiring", "sem")
