"""Report on effects: a `Result` in, a grid of coverage and width by scenario and method out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.effects.scenarios import BY_NAME
from janus_bench.effects.trial import LEVEL
from janus_bench.grids import Grid, decimals, seconds
from janus_bench.workers import FAILED

if TYPE_CHECKING:
    from janus_bench.results import Result

Z = 1.959964
NOTE = (
    "Share of tables whose 95 % interval contains the true effect, with its standard error; mean width of the interval "
    "relative to that of a linear regression on exactly the terms that generate the outcome (oracle); share of tables "
    "in which overlap was called weak. Curves are compared at several values, each a row."
)


def effect_grids(result: Result) -> list[Grid]:
    """A grid of coverage, and failures if there are any."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in result.records:
        if FAILED not in record:
            groups.setdefault((record["scenario"], record["method"]), []).append(record)
    rows = [row for (scenario, method), records in groups.items() for row in _rows(scenario, method, records)]
    heads = [
        "scenario", "effect", "method", "tables", "coverage", "±", "of the oracle", "bias", "width / oracle", "weak",
        "CPU, s",
    ]  # fmt: skip
    grids = [Grid(f"Coverage of {LEVEL:.0%} intervals", heads, rows, note=NOTE, n_labels=3)]
    failures = [[r["scenario"], r["method"], str(r["seed"]), r[FAILED]] for r in result.records if FAILED in r]
    if failures:
        grids.append(Grid("What could not be measured", ["scenario", "method", "seed", "why"], failures, n_labels=4))
    return grids


def _rows(scenario: str, method: str, records: list[Mapping[str, Any]]) -> list[list[str]]:
    """A row per value of the treatment."""
    truth, value, low, high, oracle, error = (
        np.array([record[name] for record in records])
        for name in ("truth", "value", "low", "high", "oracle", "oracle_error")
    )
    covered = ((low <= truth) & (truth <= high)).mean(axis=0)
    by_oracle = (np.abs(oracle - truth) <= Z * error).mean(axis=0)
    width = (high - low).mean(axis=0) / (2 * Z * error).mean(axis=0)
    first, *others = BY_NAME[scenario].values
    n = len(records)
    return [
        [
            scenario, f"{first} → {other}", method, str(n), decimals(covered[j]),
            decimals(float(np.sqrt(max(covered[j] * (1 - covered[j]), 0.25 / n) / n))), decimals(by_oracle[j]),
            decimals(float((value - truth).mean(axis=0)[j]), sign=True), decimals(float(width[j]), 2),
            decimals(float(np.mean([record["weak"] for record in records])), 2),
            seconds(float(np.mean([record["cpu_seconds"] for record in records]))),
        ]
        for j, other in enumerate(others)
    ]  # fmt: skip
