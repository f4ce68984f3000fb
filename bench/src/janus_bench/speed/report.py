"""Timings to tables; every ratio stands beside the seconds it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from janus_bench.grids import NOTHING, Grid, decimals, seconds
from janus_bench.speed.parts import OURS, Timing

if TYPE_CHECKING:
    from janus_bench.results import Result


BEST = "Seconds are those of the fastest run; spread is the slowest over the fastest."


def speed_grids(result: Result) -> list[Grid]:
    """All tables of a speed result."""
    records = [dict(record) for record in result.records]
    kinds = [record.pop("record", "timing") for record in records]  # older files hold timings only
    timings = [Timing(**record) for kind, record in zip(kinds, records, strict=True) if kind == "timing"]
    failures = [list(record.values()) for kind, record in zip(kinds, records, strict=True) if kind == "failure"]
    makers = {
        "fit": _beside_ours,
        "sample": _beside_ours,
        "rows": _doubling,
        "columns": _doubling,
        "memory": _memory,
        "start": _starts,
    }
    found = {part: [timing for timing in timings if timing.part == part] for part in makers}
    grids = [make(part, found[part]) for part, make in makers.items() if found[part]]
    return [*grids, Grid("Failures", ["part", "table", "error"], failures, n_labels=3)] if failures else grids


def _beside_ours(part: str, timings: Sequence[Timing]) -> Grid:
    """Every subject beside JANUS at the same size, whoever is faster."""
    ours = {(t.table, t.n_rows): t for t in timings if t.subject == OURS}
    rows = [_beside(t, ours[t.table, t.n_rows]) for t in timings]
    headings = ["table", "subject", "rows × columns", "seconds", "spread", "processor s"]
    headings += [f"{OURS} takes", "in processor s", f"{OURS} is"]
    title = "Fitting" if part == "fit" else "Sampling"
    return Grid(title, headings, rows, f"{BEST} {OURS} takes so many times the subject's seconds.", n_labels=2)


def _beside(timing: Timing, ours: Timing) -> list[str]:
    verdict = NOTHING if timing is ours else "faster" if ours.best < timing.best else "slower"
    return [
        timing.table,
        timing.subject,
        f"{timing.n_rows:,} × {timing.n_columns}",
        seconds(timing.best),
        decimals(max(timing.seconds) / timing.best, 2),
        seconds(timing.best_processor),
        f"{decimals(ours.best / timing.best, 2)} ×",
        f"{decimals(_ratio(ours.best_processor, timing.best_processor), 2)} ×",
        verdict,
    ]


def _ratio(over: float | None, under: float | None) -> float | None:
    return over / under if over and under else None


def _doubling(part: str, timings: Sequence[Timing]) -> Grid:
    """Each size beside the one before."""
    previous: Sequence[Timing | None] = [None, *timings[:-1]]
    rows = [
        [
            t.table,
            t.subject,
            f"{t.n_rows:,} × {t.n_columns}",
            seconds(t.best),
            NOTHING if before is None else decimals(_cells(t) / _cells(before), 2),
            NOTHING if before is None else decimals(t.best / before.best, 2),
            NOTHING if before is None else decimals(_ratio(t.best_processor, before.best_processor), 2),
        ]
        for before, t in zip(previous, timings, strict=True)
    ]
    headings = ["table", "subject", "rows × columns", "seconds", "× cells", "× seconds", "× processor s"]
    return Grid(f"Fitting more {part}", headings, rows, "Each line beside the one above it.", n_labels=2)


def _cells(timing: Timing) -> int:
    return timing.n_rows * timing.n_columns


def _memory(part: str, timings: Sequence[Timing]) -> Grid:
    rows = [
        [
            t.table,
            t.subject,
            f"{t.n_rows:,} × {t.n_columns}",
            seconds(t.best),
            decimals(t.before_mib, 0),
            decimals(t.peak_mib, 0),
        ]
        for t in timings
    ]
    note = "Resident memory of a process of its own: before the call (table or model loaded) and at its peak."
    headings = ["table", "subject", "rows × columns", "seconds", "before MiB", "peak MiB"]
    return Grid("Memory", headings, rows, note, n_labels=2)


def _starts(part: str, timings: Sequence[Timing]) -> Grid:
    rows = [[t.subject, seconds(t.best), decimals(max(t.seconds) / t.best, 2)] for t in timings]
    note = f"In new processes. {BEST}"
    return Grid("Starting", ["what", "seconds", "spread"], rows, note)
