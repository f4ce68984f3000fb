"""One table, one method and one seed to scores: the work of a cell of the fidelity benchmark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from janus_synth.bench.ours import JanusSynthesizer
from janus_synth.bench.tables import NamedTable, split

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.bench.peers import Synthesizer
    from janus_synth.metrics import Report
    from janus_synth.metrics.detection import Detector

SCORES = (
    "detection",
    "utility",
    "utility_gap",
    "ks",
    "total_variation",
    "association_error",
    "mutual_information_error",
    "closer_to_train",
    "exact_copies",
)
FEW_ROWS = 2_000
"""Held-out rows below which one sample says too little; scores are then means over several."""
N_SAMPLES = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """One method on one table with one seed; a method that failed has an ``error`` and no scores."""

    table: str
    method: str
    seed: int
    n_train: int
    n_columns: int
    scores: Mapping[str, float | None] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """What a trial needs; without a method it scores real rows."""

    table: NamedTable
    method: Synthesizer | None
    seed: int
    max_rows: int
    metrics: tuple[str, ...]
    detector: Detector

    def halves(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Training rows and held-out rows, the same for all methods."""
        return split(self.table, self.seed, max_rows=self.max_rows)


def score_task(task: Task) -> dict[str, Any]:
    """Fit, sample and judge.

    Examples
    --------
    >>> from janus_synth.bench.peers import IndependentColumns
    >>> from janus_synth.bench.tables import read_named
    >>> scored = score_task(Task(read_named("ring"), IndependentColumns(), 0, 400, ("ks",), "boosting"))
    >>> list(scored["scores"])
    ['ks', 'fit_seconds', 'sample_seconds']
    """
    return {"scores": _real_scores(task) if task.method is None else _scores(task, task.method)}


def fit_on(table: NamedTable, method: Synthesizer, train: pd.DataFrame, *, seed: int) -> Synthesizer:
    """Let a method learn rows of a table; one that is to know the graph gets it."""
    return (method.on(table) if isinstance(method, JanusSynthesizer) else method).fit(train, seed=seed)


def _scores(task: Task, method: Synthesizer) -> dict[str, float | None]:
    """One fit, one or more samples: means of their scores, and what they took."""
    _warm_up(method)
    train, test = task.halves()
    start = perf_counter()
    fitted = fit_on(task.table, method, train, seed=task.seed)
    fit_seconds = perf_counter() - start
    reports, sample_seconds = [], []
    for i in range(N_SAMPLES if len(test) < FEW_ROWS else 1):
        start = perf_counter()
        rows = fitted.sample(len(test), seed=1_000 * (task.seed + 1) + i)
        sample_seconds.append(perf_counter() - start)
        reports.append(_report(task, train, test, rows))
    scores = {name: _mean([report[name] for report in reports]) for name in task.metrics}
    return {**scores, "fit_seconds": fit_seconds, "sample_seconds": _mean(sample_seconds)}


def _real_scores(task: Task) -> dict[str, float | None]:
    train, test = task.halves()
    report = _report(task, train, test, train, reference=True)
    return {name: _mean([score.reference]) for name, score in report.scores.items()}


def _report(
    task: Task, train: pd.DataFrame, test: pd.DataFrame, rows: pd.DataFrame, *, reference: bool = False
) -> Report:
    from janus_synth.metrics import evaluate

    return evaluate(
        train,
        test,
        rows,
        target=task.table.target,
        metrics=task.metrics,
        detector=task.detector,
        reference=reference,
        random_state=task.seed,
    )


_warm: set[tuple[type, str]] = set()


def _warm_up(method: Synthesizer) -> None:
    """Compile kernels and import libraries before anything is timed, once per process."""
    kind = (type(method), method.name)
    if kind in _warm or (isinstance(method, JanusSynthesizer) and method.needs_graph):
        return
    from janus_synth.datasets import hiring

    brief = getattr(method, "brief", None)  # those that train for long have a short form
    (method if brief is None else brief()).fit(hiring(200), seed=0).sample(10, seed=0)
    _warm.add(kind)


def _mean(values: Sequence[float]) -> float | None:
    """Mean of what is defined."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else None
