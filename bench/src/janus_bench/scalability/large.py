"""Tables larger than memory: numbers of rows in; time and memory of writing, fitting and counting them out.

``python -m janus_bench.scalability.large 50e6`` measures that many rows and prints the tables; ``janus bench
large-tables`` does the same, and keeps the result.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from janus_bench.results import Result
from janus_bench.running import records_of
from janus_bench.scalability.large_steps import PIECE_ROWS, run
from janus_bench.tables import table_names

KIND: Final = "large-tables"
MEASURED = "steps.jsonl"
"""File of the working folder with the steps that are done."""
GROWN = "grown.janus"
"""File of the working folder with a model whose trees are grown on the default sample, as in the last pass of a fit."""
COUNT, GROUP_BY, PAIRS = "count", "group by, DuckDB", "group by of all pairs, DuckDB"
TIMES, TURNS, FIDELITY = "times", "turns", "fidelity"
PARTS = (TIMES, TURNS, FIDELITY)


@dataclass(frozen=True, slots=True)
class LargeStep:
    """Time and memory of one step.

    Attributes
    ----------
    part, step : str
        ``times`` (each step once, all rows) or ``turns`` (steps take turns on few rows), and the step.
    turn, threads, rows : int
        Number of the repetition, threads, and rows that were worked on.
    seconds, cpu, peak_mib : float
        Wall-clock and CPU seconds of the process, and its largest resident memory.
    """

    part: str
    step: str
    turn: int
    threads: int
    rows: int
    seconds: float
    cpu: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class LargeSizes:
    """Rows that are fitted, written, and worked on in turns; repetitions of the turns."""

    fitted: int = 5_000_000
    written: int = 5_000_000
    in_turns: int = 4 * PIECE_ROWS
    turns: int = 3


QUICK = LargeSizes(20_000, 20_000, 20_000, 1)
Plan = list[tuple[str, int, tuple[object, ...]]]
"""Names of steps, their threads, and their arguments."""


def run_large(
    parts: tuple[str, ...] = PARTS,
    *,
    sizes: LargeSizes | None = None,
    table: str | None = None,
    seeds: int = 3,
    work: str | None = None,
) -> Result:
    """Measure all steps, and the fidelity of streamed fits.

    In a given folder ``work``, rows and measurements stay, and steps that are there are not measured again.
    """
    from janus_bench.scalability import streamed
    from janus_bench.scalability.streamed import streamed_trials

    sizes = sizes or LargeSizes()
    name = table or ("adult" if "adult" in table_names() else "hiring")
    records: list[Mapping[str, Any]] = []
    with _folder(work) as place:
        if TIMES in parts:
            records += records_of(_measure(place, TIMES, 0, _times(place, name, sizes)))
        if TURNS in parts:
            _prepare_turns(place, name, sizes)
        for turn in range(sizes.turns if TURNS in parts else 0):
            records += records_of(_measure(place, TURNS, turn, _turns(place, sizes)))
    if FIDELITY in parts:
        records += records_of(streamed_trials(seeds, sizes=streamed.QUICK if sizes == QUICK else None))
    options = {"parts": list(parts), "table": name, "fitted": sizes.fitted, "written": sizes.written, "seeds": seeds}
    return Result.of(KIND, options=options, records=records)


def _times(place: Path, table: str, sizes: LargeSizes) -> Plan:
    model, rows = place / "model.janus", place / "rows"
    return [
        ("fit in memory", 2, ("learn", model, table)),
        ("write", 2, ("write", model, rows, sizes.written)),
        ("fit from files", 2, ("fit", rows, _n_files(sizes.fitted))),
    ]


def _prepare_turns(place: Path, table: str, sizes: LargeSizes) -> None:
    """Make what the turns work on, where it is not there yet: a model, rows, and the model that a fit of them has."""
    model, rows, n_files = place / "model.janus", place / "rows", _n_files(sizes.in_turns)
    if not model.exists():
        run("learn", model, table)
    if len(list(rows.glob("*.parquet"))) < n_files:
        shutil.rmtree(rows, ignore_errors=True)
        run("write", model, rows, sizes.in_turns)
    if not (place / GROWN).exists():
        run("fit", rows, n_files, 2, 0, place / GROWN)


def _turns(place: Path, sizes: LargeSizes) -> Plan:
    """One thread and two by turns, so that other work on the machine slows both down."""
    model, rows, n_files = place / "model.janus", place / "rows", _n_files(sizes.in_turns)
    plan: Plan = []
    for threads in (1, 2):
        plan += [
            (COUNT, threads, ("count", place / GROWN, rows, n_files, threads)),
            (GROUP_BY, threads, ("group-by", rows, n_files, threads)),
            (PAIRS, threads, ("group-by-pairs", rows, n_files, threads)),
            ("write", threads, ("write", model, place / "again", sizes.in_turns, threads)),
        ]
    return plan


def _n_files(rows: int) -> int:
    return -(-rows // PIECE_ROWS)


def _measure(place: Path, part: str, turn: int, plan: Plan) -> Iterator[LargeStep]:
    done = _done(place)
    for step, threads, arguments in plan:
        key = json.dumps([part, step, turn, threads])
        if key not in done:
            shutil.rmtree(place / "again", ignore_errors=True)
            done[key] = run(str(arguments[0]), *arguments[1:])
            with open(place / MEASURED, "a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **done[key]}) + "\n")
        found = done[key]
        yield LargeStep(
            part, step, turn, threads, found["rows"], found["seconds"], found["cpu"], found["peak_mib"]
        )  # fmt: skip


def _done(place: Path) -> dict[str, dict[str, Any]]:
    """Steps that were measured before, by part, name, turn and threads."""
    path = place / MEASURED
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {found.pop("key"): found for found in map(json.loads, lines)}


@contextmanager
def _folder(work: str | None) -> Iterator[Path]:
    if work is not None:
        Path(work).mkdir(parents=True, exist_ok=True)
        yield Path(work)
        return
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


if __name__ == "__main__":
    from janus_bench.scalability.large_report import large_grids

    n_rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else LargeSizes().fitted
    for grid in large_grids(run_large((TIMES, TURNS), sizes=LargeSizes(n_rows, n_rows))):
        print(grid.to_markdown(), end="\n\n")
