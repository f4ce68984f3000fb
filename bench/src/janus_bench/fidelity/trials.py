"""One cell of the fidelity benchmark: a table, a method and a seed in, scores out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from janus_bench.draws import Half, draw

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import Synthesizer
    from janus_synth.metrics import Detector, Report

SCORES = (
    "detection",
    "utility",
    "utility_gap",
    "ks",
    "total_variation",
    "association_error",
    "association_norm",
    "mutual_information_error",
    "theils_u_error",
    "mmd",
    "closer_to_train",
    "exact_copies",
    "distance_to_train",
    "delta_presence",
    "k_anonymity",
)
AGAINST_TRAINING = "detection_training"
"""Detection AUC against the training rows instead of unseen ones, which some published benchmarks report."""


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

    half: Half
    method: Synthesizer | None
    metrics: tuple[str, ...]
    detector: Detector


def score_task(task: Task) -> dict[str, Any]:
    """Fit, sample and score.

    Examples
    --------
    >>> from janus_bench.peers import IndependentColumns
    >>> from janus_bench.tables import read_named
    >>> half = Half(read_named("ring"), 0, max_rows=400)
    >>> scored = score_task(Task(half, IndependentColumns(), ("ks",), "boosting"))
    >>> list(scored["scores"])
    ['ks', 'fit_seconds', 'sample_seconds', 'cpu_seconds']
    """
    return {"scores": _real_scores(task) if task.method is None else _scores(task, task.method)}


def _scores(task: Task, method: Synthesizer) -> dict[str, float | None]:
    """Scores averaged over all samples of one fit, and the seconds taken."""
    drawn = draw(task.half, method)
    train, test = task.half.halves()
    found = [_scores_of_rows(task, train, test, rows) for rows in drawn.samples]
    scores = {name: _mean([one[name] for one in found]) for name in task.metrics}
    return {**scores, **{name: getattr(drawn, name) for name in ("fit_seconds", "sample_seconds", "cpu_seconds")}}


def _scores_of_rows(task: Task, train: pd.DataFrame, test: pd.DataFrame, rows: pd.DataFrame) -> dict[str, float]:
    from janus_synth.metrics import detection_auc

    report = _report(task, train, test, rows)
    scores = {name: report[name] for name in task.metrics if name != AGAINST_TRAINING}
    if AGAINST_TRAINING in task.metrics:
        scores[AGAINST_TRAINING] = detection_auc(train, rows, detector=task.detector, random_state=task.half.seed)
    return scores


def _real_scores(task: Task) -> dict[str, float | None]:
    """Scores of unseen rows in place of synthetic ones."""
    train, test = task.half.halves()
    report = _report(task, train, test, train, reference=True)
    scores = {name: _mean([score.reference]) for name, score in report.scores.items()}
    return scores | ({AGAINST_TRAINING: scores["detection"]} if AGAINST_TRAINING in task.metrics else {})


def _report(
    task: Task, train: pd.DataFrame, test: pd.DataFrame, rows: pd.DataFrame, *, reference: bool = False
) -> Report:
    from janus_synth.metrics import evaluate

    return evaluate(
        train,
        test,
        rows,
        target=task.half.table.target,
        metrics=[name for name in task.metrics if name != AGAINST_TRAINING],
        detector=task.detector,
        reference=reference,
        random_state=task.half.seed,
    )


def _mean(values: Sequence[float]) -> float | None:
    """Mean of the values that are not NaN; None if there are none."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else None
