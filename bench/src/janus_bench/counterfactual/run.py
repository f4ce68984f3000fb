"""Run the benchmark: graphs, kinds of noise, seeds and methods in, a `Result` with errors of counterfactuals out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.counterfactual import flips, trial
from janus_bench.counterfactual.flips import MECHANISMS, STORED, FlipTask, flip_task
from janus_bench.counterfactual.interface import Method
from janus_bench.counterfactual.methods import OURS, make_counterfactual_methods
from janus_bench.counterfactual.models import GRAPHS, NOISES, Case
from janus_bench.counterfactual.trial import CounterfactualSizes, Task, counterfactual_task
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.versions import adapter_fingerprint, library_versions, package_fingerprint
from janus_bench.workers import FAILED
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.store import Record

KIND: Final = "counterfactual"
RIVAL_LIBRARIES = ("torch", "quantile-forest", "dowhy")

FULL = CounterfactualSizes()
QUICK = CounterfactualSizes(n_train=2_000, n_test=500, effort=0.1)


@dataclass(frozen=True, slots=True)
class Trial:
    """One method on one model; for a method that failed, ``failure`` says why and ``error`` is None.

    ``error`` is relative: the mean squared error divided by the variance of the factual column, averaged over the
    descendants of x1. ``mse`` is the same average without the division, as in the paper.
    """

    graph: str
    noise: str
    seed: int
    method: str
    error: float | None = None
    mse: float | None = None
    fit_seconds: float | None = None
    answer_seconds: float | None = None
    failure: str = ""


def run_counterfactual(
    methods: Sequence[str] | None = None,
    *,
    graphs: Sequence[str] | None = None,
    noises: Sequence[str] | None = None,
    seeds: range = range(5),
    sizes: CounterfactualSizes = FULL,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Compute counterfactuals of test rows, with x1 set to that of another row, by every method, and measure errors.

    Parameters
    ----------
    methods : sequence of str, optional
        Of janus, copy, forget, linear, boosted, gp, mlp, knn, forest, flow, diffusion, vaca, dowhy-linear,
        dowhy-boosted, dowhy-auto; by default all.
    graphs : sequence of str, optional
        Of Chain, Triangle, Diamond, Y; by default all.
    noises : sequence of str, optional
        Of NLIN, NADD, NADD+; by default all.
    seeds : range
        One structural model of each graph and noise per seed.
    sizes : CounterfactualSizes
        Numbers of rows, and training effort.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per graph, noise, seed and method, and for JANUS per mechanism of a column with two values.

    Examples
    --------
    >>> result = run_counterfactual(["copy"], graphs=["Chain"], seeds=range(1), sizes=CounterfactualSizes(100, 50))
    >>> [(record["noise"], record["method"]) for record in result.records]
    [('NLIN', 'copy the row'), ('NADD', 'copy the row'), ('NADD+', 'copy the row')]
    """
    chosen = make_counterfactual_methods(methods)
    cases = chosen_cases(graphs, noises, seeds)
    if not (chosen and cases):
        raise DataError("a benchmark needs at least one method, one graph, one kind of noise and one seed.")
    cells = [_cell(case, method, sizes) for case in cases for method in chosen]
    records = measure(cells, counterfactual_task, run)
    trials = [_trial(cell.task, record) for cell, record in zip(cells, records, strict=True)]
    options = {
        "graphs": list(dict.fromkeys(case.graph for case in cases)),
        "noises": list(dict.fromkeys(case.noise for case in cases)),
        "seeds": list(seeds),
        "methods": [method.name for method in chosen],
        "sizes": asdict(sizes),
        "rivals' libraries": _versions(),
    }
    asked = any(method.name == OURS for method in chosen)
    binary = measure_flips(seeds, sizes, run) if asked else []
    return Result.of(KIND, options=options, records=[*(asdict(trial) for trial in trials), *binary])


def measure_flips(seeds: range, sizes: CounterfactualSizes, run: RunSettings) -> list[Record]:
    """Records of the flips of columns with two values, one per mechanism, type and seed."""
    shape = {"n_train": sizes.n_train, "n_test": sizes.n_test}
    tasks = [FlipTask(name, stored, seed, **shape) for name in MECHANISMS for stored in STORED for seed in seeds]
    version = f"{adapter_fingerprint(flips.__name__)} {package_fingerprint()}"
    cells = [
        Cell(
            kind=KIND, table=f"flips, {task.mechanism}", method=OURS, settings={"stored": task.stored}, seed=task.seed,
            sizes=shape, version=version, task=task,
        )
        for task in tasks
    ]  # fmt: skip
    found = zip(tasks, measure(cells, flip_task, run), strict=True)
    return [{"flips": task.mechanism, "stored": task.stored, "seed": task.seed, **record} for task, record in found]


def chosen_cases(graphs: Sequence[str] | None, noises: Sequence[str] | None, seeds: range) -> list[Case]:
    """All cases of a run, ordered by graph, noise and seed.

    Examples
    --------
    >>> [(case.graph, case.noise) for case in chosen_cases(["y", "Chain"], ["NADD+"], range(1))]
    [('Chain', 'NADD+'), ('Y', 'NADD+')]
    """
    chosen = choose(noises, NOISES, "kind of noise")
    return [
        Case(graph, noise, seed)
        for graph in choose(graphs, GRAPHS, "graph")
        for noise in NOISES
        if noise in chosen
        for seed in seeds
    ]


def _cell(case: Case, method: Method, sizes: CounterfactualSizes) -> Cell:
    return Cell(
        kind=KIND,
        table=f"{case.graph}, {case.noise}",
        method=method.name,
        settings=method.settings,
        seed=case.seed,
        sizes=asdict(sizes),
        version=_version(method),
        task=Task(case, method, sizes),
    )


def _version(method: Method) -> str:
    """Fingerprint of the code of method, models and errors, with versions of libraries, including missing ones."""
    modules = (method.module, trial.__name__)
    package = [package_fingerprint()] if method.name == OURS else []
    return " ".join([*map(adapter_fingerprint, modules), *package, library_versions(("numpy", *method.libraries))])


def _trial(task: Task, record: Record) -> Trial:
    facts = (task.case.graph, task.case.noise, task.case.seed, task.method.name)
    if FAILED in record:
        return Trial(*facts, failure=str(record[FAILED]).rstrip(": "))
    return Trial(*facts, **record)


def _versions() -> dict[str, str]:
    found = {}
    for name in RIVAL_LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
