"""Run the benchmark of effects: scenarios, methods and seeds in, a `Result` with intervals and truths out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.effects import trial
from janus_bench.effects.scenarios import BY_NAME
from janus_bench.effects.trial import METHODS, Task, effect_task
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.versions import OUR_LIBRARIES, adapter_fingerprint, library_versions, package_fingerprint
from janus_synth.errors import DataError

KIND: Final = "effects"


def run_effects(
    scenarios: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    seeds: Sequence[int] = range(200),
    *,
    n_rows: int = 1_500,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Estimate known effects with 95 % intervals.

    Parameters
    ----------
    scenarios : sequence of str, optional
        Names of scenarios; by default all.
    methods : sequence of str, optional
        Of rows, model; by default both.
    seeds : sequence of int
        One table of each scenario per seed.
    n_rows : int
        Rows of a table.
    run : RunSettings
        Store, processes and time limit.

    Examples
    --------
    >>> result = run_effects(["average"], ["rows"], range(2), n_rows=400)
    >>> [(record["scenario"], record["seed"]) for record in result.records]
    [('average', 0), ('average', 1)]
    """
    chosen = choose(scenarios, tuple(BY_NAME), "scenario")
    asked = choose(methods, METHODS, "method")
    if not (chosen and asked and len(seeds)):
        raise DataError("a benchmark needs at least one scenario, one method and one seed.")
    tasks = [Task(name, method, seed, n_rows) for name in chosen for method in asked for seed in seeds]
    records = measure([_cell(task) for task in tasks], effect_task, run)
    found = [
        {"scenario": task.scenario, "method": task.method, "seed": task.seed, **record}
        for task, record in zip(tasks, records, strict=True)
    ]
    options = {"scenarios": chosen, "methods": asked, "seeds": list(seeds), "n_rows": n_rows}
    return Result.of(KIND, options=options, records=found)


def _cell(task: Task) -> Cell:
    ours = f"{package_fingerprint()} {library_versions(OUR_LIBRARIES)}"
    return Cell(
        kind=KIND,
        table=task.scenario,
        method=task.method,
        seed=task.seed,
        sizes={"n_rows": task.n_rows},
        version=f"{ours} {adapter_fingerprint(trial.__name__)}",
        task=task,
    )
