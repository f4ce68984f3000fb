"""Run the benchmark of mode collapse: tables, methods and seeds in, a `Result` with scores of the rare class out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.draws import Half, draw
from janus_bench.fidelity.run import listed
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.tables import NamedTable, read_named, table_names
from janus_bench.versions import facts_of, judge_version, table_fingerprint
from janus_synth.errors import DataError
from janus_synth.metrics import align, feature_matrix, minority_preservation

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import Synthesizer

IMBALANCED = ("adult", "bank", "credit")
"""The paper's three tables."""
N_SEEDS = 5
MAX_ROWS = 40_000
"""Half of them are for training, as in the paper."""


def imbalanced_tables() -> tuple[str, ...]:
    """The paper's tables that are already downloaded; if none is, the shipped one."""
    at_hand = tuple(name for name in table_names() if name in IMBALANCED)
    return at_hand or ("hiring",)


def run_collapse(
    tables: Sequence[str | NamedTable] | None,
    methods: Sequence[Synthesizer],
    seeds: Sequence[int] = range(N_SEEDS),
    *,
    max_rows: int = MAX_ROWS,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Fit every method to half of every table, and measure the rarest class in its synthetic rows.

    Parameters
    ----------
    tables : sequence of str or NamedTable, optional
        By default those of `imbalanced_tables`.
    methods : sequence of Synthesizer
        Methods to compare.
    seeds : sequence of int
        Each seed makes one split of the table, one fit and one sample.
    max_rows : int
        Rows of a table that are used, half of them for training.
    run : RunSettings
        Store, processes and time limit.
    """
    named = listed(imbalanced_tables() if tables is None else tables)
    if not (named and methods and len(seeds)):
        raise DataError("a benchmark needs at least one table, one method and one seed.")
    read = [read_named(item) if isinstance(item, str) else item for item in named.values()]
    halves = [Half(table, seed, max_rows, run.store, run.fresh) for table in read for seed in seeds]
    cells = [cell for half in halves for cell in _cells([None, *methods], half)]
    records = measure(cells, collapse_task, run)
    facts = ({"table": cell.table, "method": cell.method, "seed": cell.seed} for cell in cells)
    options = {"tables": list(named), "methods": [m.name for m in methods], "seeds": list(seeds), "max_rows": max_rows}
    found = [{**fact, **record} for fact, record in zip(facts, records, strict=True)]
    return Result.of("mode-collapse", options=options, records=found)


def _cells(methods: Sequence[Synthesizer | None], half: Half) -> list[Cell]:
    """One split of one table: a cell per method."""
    facts: dict[str, Any] = {"kind": "mode-collapse", "table": half.table.name, "seed": half.seed}
    data, judge = table_fingerprint(half.table), judge_version(__name__)
    return [
        Cell(
            **facts,
            **facts_of(method, judge),
            data=data,
            sizes={"max_rows": half.max_rows},
            task=Task(half, method),
        )
        for method in methods
    ]


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a measurement; without a method the real rows are scored."""

    half: Half
    method: Synthesizer | None


def collapse_task(task: Task) -> dict[str, Any]:
    """Fit, sample as many rows as the training half has, and score them.

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
    """Macro F1 on ``test`` of a decision tree trained on ``rows``; a class absent from ``rows`` has F1 0."""
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
