"""Graphs × kinds of noise × seeds × methods to a `Result`: how far each counterfactual is from the true one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final, TypeVar

from janus_bench.cells import Cell
from janus_bench.counterfactual import trial
from janus_bench.counterfactual.interface import Method
from janus_bench.counterfactual.methods import OURS, make_counterfactual_methods
from janus_bench.counterfactual.models import GRAPHS, NOISES, Case
from janus_bench.counterfactual.trial import Sizes, Task, counterfactual_task
from janus_bench.results import Result
from janus_bench.running import measured
from janus_bench.versions import adapter_fingerprint, library_versions, package_fingerprint
from janus_bench.workers import FAILED
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.store import Record, Store

Name = TypeVar("Name", bound=str)

KIND: Final = "counterfactual"
RIVAL_LIBRARIES = ("torch", "quantile-forest", "dowhy")

FULL = Sizes()
QUICK = Sizes(n_train=2_000, n_test=500, effort=0.1)


@dataclass(frozen=True, slots=True)
class Trial:
    """One method on one model; a method that failed says why in ``failure``, and has no error.

    ``error`` is relative: the mean square of what is missed over the variance of the factual column, mean over
    the descendants of x1. ``mse`` is the same mean without that division, as the paper counts.
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
    sizes: Sizes = FULL,
    progress: bool | None = None,
    store: Store | None = None,
    fresh: bool = False,
    jobs: int = 0,
    most_seconds: float | None = None,
) -> Result:
    """Ask every method what test rows would have been, had x1 been that of another row.

    With a store, a run that was interrupted goes on where it ended.

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
        A structural model of each graph and noise per seed.
    sizes : Sizes
        How many rows, and how much training.
    progress : bool, optional
        Show on standard error how far it is; by default only where that is a terminal.
    store : Store, optional
        Where measurements are kept and looked up; by default nowhere.
    fresh : bool
        Measure what the store holds anew.
    jobs : int
        Processes that measure; 0 is this one.
    most_seconds : float, optional
        Time that one method may take on one model; needs at least one job.

    Returns
    -------
    Result
        A record per graph, noise, seed and method.

    Examples
    --------
    >>> result = run_counterfactual(["copy"], graphs=["Chain"], seeds=range(1), sizes=Sizes(100, 50))
    >>> [(record["noise"], record["method"]) for record in result.records]
    [('NLIN', 'copy the row'), ('NADD', 'copy the row'), ('NADD+', 'copy the row')]
    """
    chosen = make_counterfactual_methods(methods)
    cases = chosen_cases(graphs, noises, seeds)
    if not (chosen and cases):
        raise DataError("a benchmark needs at least one method, one graph, one kind of noise and one seed.")
    cells = [_cell(case, method, sizes) for case in cases for method in chosen]
    kept = {"store": store, "fresh": fresh, "jobs": jobs, "most_seconds": most_seconds}
    records = measured(cells, counterfactual_task, progress=progress, **kept)
    trials = [_trial(cell.task, record) for cell, record in zip(cells, records, strict=True)]
    options = {
        "graphs": list(dict.fromkeys(case.graph for case in cases)),
        "noises": list(dict.fromkeys(case.noise for case in cases)),
        "seeds": list(seeds),
        "methods": [method.name for method in chosen],
        "sizes": asdict(sizes),
        "rivals' libraries": _versions(),
    }
    return Result.of(KIND, options=options, records=[asdict(trial) for trial in trials])


def chosen_cases(graphs: Sequence[str] | None, noises: Sequence[str] | None, seeds: range) -> list[Case]:
    """All models that are asked about, graph by graph.

    Examples
    --------
    >>> [(case.graph, case.noise) for case in chosen_cases(["y", "Chain"], ["NADD+"], range(1))]
    [('Chain', 'NADD+'), ('Y', 'NADD+')]
    """
    chosen_graphs, chosen_noises = _chosen(graphs, list(GRAPHS), "graph"), _chosen(noises, NOISES, "kind of noise")
    return [Case(graph, noise, seed) for graph in chosen_graphs for noise in chosen_noises for seed in seeds]


def _chosen(words: Sequence[str] | None, known: Sequence[Name], what: str) -> list[Name]:
    if words is None:
        return list(known)
    wanted = {word.lower() for word in words}
    unknown = sorted(wanted - {name.lower() for name in known})
    if unknown:
        raise DataError(f"no {what} is called {', '.join(unknown)}. Choose from {', '.join(known)}.")
    return [name for name in known if name.lower() in wanted]


def _cell(case: Case, method: Method, sizes: Sizes) -> Cell:
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
    """Code that decides an error: the method's, that of the models and the judge, and libraries, absent ones too."""
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
