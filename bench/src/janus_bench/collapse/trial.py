"""One table, one method and one seed to the share of the rare class, and to what a tree learns from the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.draws import Half, draw
from janus_synth.metrics import align, feature_matrix, minority_preservation

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import Synthesizer


@dataclass(frozen=True, slots=True)
class Task:
    """What a trial needs; without a method it judges real rows."""

    half: Half
    method: Synthesizer | None


def collapse_task(task: Task) -> dict[str, Any]:
    """Fit, sample as many rows as were learnt, and judge.

    Examples
    --------
    >>> from janus_bench.peers import IndependentColumns
    >>> from janus_bench.tables import read_named
    >>> found = collapse_task(Task(Half(read_named("hiring"), 0, max_rows=2_000), IndependentColumns()))
    >>> found["mcs"] > 0.9
    True
    """
    train, test = task.half.halves()
    target, seed = task.half.table.target, task.half.seed
    if task.method is None:
        return {"mcs": 1.0, "f1": tree_f1(train, test, target, seed=seed)}
    drawn = draw(task.half, task.method)
    rows = drawn.samples[0]
    return {
        "mcs": minority_preservation(train, rows, target),
        "f1": tree_f1(rows, test, target, seed=seed),
        "fit_seconds": drawn.fit_seconds,
        "seconds": drawn.fit_seconds + drawn.sample_seconds,
        "cpu_seconds": drawn.cpu_seconds,
    }


def tree_f1(rows: pd.DataFrame, test: pd.DataFrame, target: str, *, seed: int) -> float:
    """Macro F1 on real rows of a decision tree that learnt from others; a class it never saw counts as missed."""
    from sklearn.metrics import f1_score
    from sklearn.tree import DecisionTreeClassifier
    from threadpoolctl import threadpool_limits

    learnt, unseen = align(rows=rows.astype({target: str}), test=test.astype({target: str}))
    labels = [part[target].astype(np.int64) for part in (learnt, unseen)]
    seen, new = (feature_matrix(part.without(target)).matrix for part in (learnt, unseen))
    if len(np.unique(labels[0])) < 2:
        predicted = np.full(len(labels[1]), labels[0][0])
    else:
        with threadpool_limits(limits=1):
            predicted = DecisionTreeClassifier(random_state=seed).fit(seen, labels[0]).predict(new)
    return float(f1_score(labels[1], predicted, average="macro", zero_division=0.0))
