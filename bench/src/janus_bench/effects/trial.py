"""One table of one scenario and one method: a task in; estimates, intervals and those of the oracle out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from janus_bench.effects.scenarios import BY_NAME, Scenario
from janus_synth import Janus

METHODS = ("rows", "model")
"""Estimated from rows with the model's graph, and simulated from the model alone."""
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a measurement."""

    scenario: str
    method: str
    seed: int
    n_rows: int


def effect_task(task: Task) -> dict[str, Any]:
    """Draw a table, fit a model with its graph, ask for the effects, and ask the oracle.

    Examples
    --------
    >>> found = effect_task(Task("average", "rows", seed=0, n_rows=400))
    >>> found["low"][0] < found["value"][0] < found["high"][0]
    True
    """
    scenario = BY_NAME[task.scenario]
    rows = scenario.draw(task.n_rows, task.seed)
    # From rows only the graph matters, so that one small tree per column is enough.
    n_trees = 1 if task.method == "rows" else 8
    model = Janus(structure=scenario.graph, n_trees=n_trees, random_state=task.seed, n_jobs=1)
    model.fit(rows, progress=False)
    start = time.process_time()
    estimates, weak = _ask(model, scenario, rows if task.method == "rows" else None, task.seed)
    spent = time.process_time() - start
    values, errors = scenario.oracle(rows)
    return {
        "truth": list(scenario.truths),
        "value": [one.value for one in estimates],
        "low": [one.low for one in estimates],
        "high": [one.high for one in estimates],
        "oracle": values,
        "oracle_error": errors,
        "weak": weak,
        "cpu_seconds": spent,
    }


def _ask(model: Janus, scenario: Scenario, rows: Any, seed: int) -> tuple[list[Any], bool]:
    """Estimates of the effects of all but the first value, and whether overlap was called weak."""
    options: dict[str, Any] = {"data": rows, "level": LEVEL, "random_state": seed, "n": 2_000, "progress": False}
    found: Any
    if scenario.mediated:
        found = model.mediation("t", "y", list(scenario.values), **options)
        return [found.direct], found.overlap is not None and found.overlap.weak
    found = model.effect("t", "y", list(scenario.values), scenario.where, **options)
    return list(found.effects[1:]), found.overlap is not None and found.overlap.weak
