"""One table, one method and one seed to the share of the rare class, and to what a tree learns from the rows."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.bench.tables import NamedTable, split
from janus_synth.bench.trials import fit_on
from janus_synth.metrics import minority_preservation
from janus_synth.metrics.learners import feature_matrix, one_thread
from janus_synth.metrics.rows import align

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.bench.peers import Synthesizer


@dataclass(frozen=True, slots=True)
class Task:
    """What a trial needs; without a method it judges real rows."""

    table: NamedTable
    method: Synthesizer | None
    seed: int
    max_rows: int


def collapse_task(task: Task) -> dict[str, Any]:
    """Fit, sample as many rows as were learnt, and judge.

    Examples
    --------
    >>> from janus_synth.bench.peers import IndependentColumns
    >>> from janus_synth.bench.tables import read_named
    >>> found = collapse_task(Task(read_named("hiring"), IndependentColumns(), 0, 2_000))
    >>> found["mcs"] > 0.9
    True
    """
    train, test = split(task.table, task.seed, max_rows=task.max_rows)
    if task.method is None:
        return {"mcs": 1.0, "f1": tree_f1(train, test, task.table.target, seed=task.seed)}
    start, cpu = perf_counter(), process_time()
    fitted = fit_on(task.table, task.method, train, seed=task.seed)
    fit_seconds = perf_counter() - start
    rows = fitted.sample(len(train), seed=1_000 * (task.seed + 1))
    return {
        "mcs": minority_preservation(train, rows, task.table.target),
        "f1": tree_f1(rows, test, task.table.target, seed=task.seed),
        "fit_seconds": fit_seconds,
        "seconds": perf_counter() - start,
        "cpu_seconds": process_time() - cpu,
    }


def tree_f1(rows: pd.DataFrame, test: pd.DataFrame, target: str, *, seed: int) -> float:
    """Macro F1 on real rows of a decision tree that learnt from others; a class it never saw counts as missed."""
    from sklearn.metrics import f1_score
    from sklearn.tree import DecisionTreeClassifier

    learnt, unseen = align(rows=rows.astype({target: str}), test=test.astype({target: str}))
    labels = [part[target].astype(np.int64) for part in (learnt, unseen)]
    seen, new = (feature_matrix(part.without(target)).matrix for part in (learnt, unseen))
    if len(np.unique(labels[0])) < 2:
        predicted = np.full(len(labels[1]), labels[0][0])
    else:
        with one_thread():
            predicted = DecisionTreeClassifier(random_state=seed).fit(seen, labels[0]).predict(new)
    return float(f1_score(labels[1], predicted, average="macro", zero_division=0.0))
