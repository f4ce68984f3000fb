"""Graphs × kinds of noise × seeds × methods to a `Result`: how far each counterfactual is from the true one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from janus_synth.bench.counterfactual.libraries import NotInstalledError
from janus_synth.bench.counterfactual.methods import Method, make_counterfactual_methods
from janus_synth.bench.counterfactual.models import CAUSE, GRAPHS, NOISES, Case, Question, descendants_of
from janus_synth.bench.results import Result
from janus_synth.errors import DataError
from janus_synth.progress import progress_bar

if TYPE_CHECKING:
    import pandas as pd

Name = TypeVar("Name", bound=str)

RIVAL_LIBRARIES = ("torch", "quantile-forest", "dowhy")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rows to learn from, rows asked about, and the share of the full training effort that networks get."""

    n_train: int = 5_000
    n_test: int = 1_000
    effort: float = 1.0


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
    most_seconds: float | None = None,
    progress: bool | None = None,
) -> Result:
    """Ask every method what test rows would have been, had x1 been that of another row.

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
    most_seconds : float, optional
        A method whose fit and answer once took longer is not asked again; the record says so.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

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
    trials = list(_trials(cases, chosen, sizes, most_seconds, progress))
    options = {
        "graphs": list(dict.fromkeys(case.graph for case in cases)),
        "noises": list(dict.fromkeys(case.noise for case in cases)),
        "seeds": list(seeds),
        "methods": [method.name for method in chosen],
        "sizes": asdict(sizes),
        "rivals' libraries": _versions(),
    }
    return Result.of("counterfactual", options=options, records=[asdict(trial) for trial in trials])


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


def _trials(
    cases: Sequence[Case], methods: Sequence[Method], sizes: Sizes, most_seconds: float | None, progress: bool | None
) -> Iterator[Trial]:
    _warm_up(methods)
    too_slow: set[str] = set()
    with progress_bar("asking and judging", len(cases) * len(methods), shown=progress) as advance:
        for case in cases:
            question = case.question(sizes.n_train, sizes.n_test)
            for method in methods:
                if method.word in too_slow:
                    yield _failed(case, method, f"left out: took longer than {most_seconds:g} s before")
                else:
                    trial = try_method(case, question, method, effort=sizes.effort)
                    if (
                        most_seconds is not None
                        and (trial.fit_seconds or 0) + (trial.answer_seconds or 0) > most_seconds
                    ):
                        too_slow.add(method.word)
                    yield trial
                advance(1)


def try_method(case: Case, question: Question, method: Method, *, effort: float = 1.0) -> Trial:
    """Fit, ask, judge; a method that fails is a result, not the end of the run."""
    try:
        start = perf_counter()
        fitted = method.make(effort).fit(question.train, question.parents, case.seed)
        fit_seconds = perf_counter() - start
        start = perf_counter()
        answer = fitted.counterfactual(question.rows, question.do)
        answer_seconds = perf_counter() - start
        squares, relative = misses(question, answer)
    except NotInstalledError as error:
        return _failed(case, method, str(error))
    except Exception as error:
        return _failed(case, method, f"{type(error).__name__}: {error}".rstrip(": "))
    return Trial(
        case.graph, case.noise, case.seed, method.name, relative, squares, fit_seconds, answer_seconds
    )  # fmt: skip


def _failed(case: Case, method: Method, why: str) -> Trial:
    return Trial(case.graph, case.noise, case.seed, method.name, failure=why)


def misses(question: Question, answer: pd.DataFrame) -> tuple[float, float]:
    """Mean squared error over the descendants of x1, plain and over each column's variance."""
    columns = descendants_of(CAUSE, question.parents)
    squares, relative = [], []
    for column in columns:
        gap = answer[column].to_numpy(dtype=np.float64) - question.truth[column].to_numpy()
        squares.append(float(np.mean(gap**2)))
        relative.append(squares[-1] / float(question.rows[column].var(ddof=0)))
    if not np.isfinite(relative).all():
        raise DataError("an answer holds nulls or infinite values.")
    return fmean(squares), fmean(relative)


def _versions() -> dict[str, str]:
    found = {}
    for name in RIVAL_LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _warm_up(methods: Sequence[Method]) -> None:
    """Import libraries and compile kernels before anything is timed; what fails here fails again later, on record."""
    case = Case("Chain", "NLIN", 0)
    question = case.question(200, 20)
    for method in methods:
        try_method(case, question, method, effort=0.0)
