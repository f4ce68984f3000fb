"""Run the fairness benchmark: parts, algorithms and sizes in, a `Result` out, one stored cell per measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from typing import Final, NamedTuple

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.fairness import experiments
from janus_bench.fairness.experiments import (
    ALARMS,
    MAJORITY,
    PAY_RULES,
    SETTINGS,
    THREE,
    Case,
    FairnessSizes,
    alarm,
    audited,
    cases_of,
    pay,
    pipeline,
    strained_names,
)
from janus_bench.fairness.records import Failure, Found
from janus_bench.fairness.scenarios import HIRING, SCENES, chosen_table
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import measure_calls
from janus_bench.tables import read_named
from janus_bench.versions import (
    OUR_LIBRARIES,
    adapter_fingerprint,
    folder_fingerprint,
    judge_version,
    library_versions,
    package_fingerprint,
    table_fingerprint,
)
from janus_synth import fairness as testbed
from janus_synth.errors import require_extra

KIND: Final = "fairness"
PARTS = ("A", "B", "C", "D", "E", "F", "G")
AUDITING = ("A", "B", "D", "E", "F")
"""Parts that need fairlearn."""

FULL = FairnessSizes()
QUICK = FairnessSizes(
    seeds=1,
    n_rows=1_000,
    n_fit=5_000,
    n_splits=3,
    magnitudes=(0.0, 0.2, 0.5),
    effect_units=5_000,
    repeats=20,
    n_pay=2_000,
)
QUICK_ALGORITHMS = (*THREE, MAJORITY)


def run_fairness(
    parts: Sequence[str] | None = None,
    algorithms: Sequence[str] | None = None,
    *,
    table: str | None = None,
    seeds: int | None = None,
    rows: int | None = None,
    sizes: FairnessSizes = FULL,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Plant bias of known size, audit algorithms against it, and record what the audits find.

    Parameters
    ----------
    parts : sequence of str, optional
        Of A (direct), B (through a mediator), C (pipeline), D (hidden subgroup), E (trivial decisions), F (errors of
        the audit), G (equal pay); by default all.
    algorithms : sequence of str, optional
        Names of `janus_synth.fairness.ALGORITHMS`; by default all.
    table : str, optional
        ``adult`` or ``hiring``; by default Adult where it needs no download.
    seeds, rows : int, optional
        Planted tables of each kind, and rows in each; they replace those in ``sizes``.
    sizes : FairnessSizes
        Numbers of seeds, rows, splits and repeats.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per audit, stage, alarm and origin of rows, and per cell that failed.
    """
    chosen, names, name = (
        choose(parts, PARTS, "part"),
        choose(algorithms, testbed.ALGORITHMS, "algorithm"),
        chosen_table(table),
    )
    if set(chosen) & set(AUDITING):
        require_extra("fairlearn", "fairness", purpose="the benchmark of fairness")
    sizes = replace(sizes, seeds=seeds or sizes.seeds, n_rows=rows or sizes.n_rows)
    plain = {**asdict(sizes), "magnitudes": list(sizes.magnitudes)}  # as JSON reads it back
    options: dict[str, object] = {"parts": chosen, "algorithms": names, "table": name, "sizes": plain}
    read = read_named(name)
    data = table_fingerprint(read)
    if set(chosen) != {"G"}:
        scene, fitted = SCENES[name], min(sizes.n_fit, len(read.frame))
        options |= {"rows fitted": fitted, "mediator": scene.mediator, "other column": scene.other.column}
    cells = [_cell(part, step, name, data) for part in chosen for step in steps_of(part, name, names, sizes)]
    return Result.of(KIND, options=options, records=measure_calls(cells, _failure, run))


class Step(NamedTuple):
    """What a cell is made from: name, seed, function to call, and the sizes passed to it."""

    name: str
    seed: int
    make: Callable[..., Sequence[Found]]
    sizes: Mapping[str, int]
    case: Case | None = None


def steps_of(part: str, table: str, algorithms: Sequence[str], sizes: FairnessSizes) -> list[Step]:
    """List the steps of a part: one per seed and case, and per algorithm where algorithms are audited."""
    seeds, planted = range(sizes.seeds), {"n_fit": sizes.n_fit, "n_rows": sizes.n_rows}
    if part == "C":
        shape = {**planted, "effect_units": sizes.effect_units}
        return [Step(one, s, partial(pipeline, table, one, seed=s), shape) for s in seeds for one in SETTINGS]
    if part == "F":
        shape = {**planted, "n_splits": sizes.alarm_splits}
        repeats = range(sizes.repeats)
        return [Step(one, r, partial(alarm, table, one, repeat=r), shape) for one in ALARMS for r in repeats]
    if part == "G":
        shape = {"n_rows": sizes.n_pay}
        return [Step(rule, s, partial(pay, rule, seed=s), shape) for s in seeds for rule in PAY_RULES]
    shape = {**planted, "n_splits": sizes.n_splits}
    return [
        Step(f"{algorithm}, {case}", s, partial(audited, table, case, algorithm, seed=s), shape, case)
        for s in seeds
        for case in cases_of(part, SCENES[table], sizes.magnitudes)
        for algorithm in (strained_names(algorithms) if part == "E" else algorithms)
    ]


def _cell(part: str, step: Step, table: str, data: str) -> Cell:
    """Make the cell of a step; part G always uses the hiring table, which the package generates."""
    where = {"table": HIRING} if part == "G" else {"table": table, "data": data}
    settings = {"part": part, **({} if step.case is None else asdict(step.case))}
    version, task = version_of(experiments.__name__), partial(step.make, **step.sizes)
    return Cell(
        KIND, **where, method=step.name, seed=step.seed, settings=settings, sizes=step.sizes, version=version, task=task
    )  # fmt: skip


@cache
def version_of(module: str) -> str:
    """Version of the code that decides the results: the package, its fairness testbed, the metrics and ``module``."""
    code = (package_fingerprint(), folder_fingerprint(testbed), judge_version(module), adapter_fingerprint(module))
    return " ".join([*code, library_versions((*OUR_LIBRARIES, "fairlearn"))])


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.settings["part"], cell.method, error)
