"""Tables, methods and seeds to a `Result`: how the rare class fares, measurement by measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from janus_synth.bench.cells import Cell, measure
from janus_synth.bench.collapse import trial
from janus_synth.bench.collapse.trial import Task, collapse_task
from janus_synth.bench.fidelity import listed
from janus_synth.bench.results import Result
from janus_synth.bench.tables import NamedTable, read_named, table_names
from janus_synth.bench.versions import facts_of, judge_version, table_fingerprint
from janus_synth.bench.watch import watched
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_synth.bench.peers import Synthesizer

IMBALANCED = ("adult", "bank", "credit")
"""The paper's three tables."""
N_SEEDS = 5
MAX_ROWS = 40_000
"""Half of them to train, as in the paper."""


def imbalanced_tables() -> tuple[str, ...]:
    """The paper's tables, as far as they are at hand; else the shipped one."""
    at_hand = tuple(name for name in table_names() if name in IMBALANCED)
    return at_hand or ("hiring",)


def run_collapse(
    tables: Sequence[str | NamedTable] | None,
    methods: Sequence[Synthesizer],
    seeds: Sequence[int] = range(N_SEEDS),
    *,
    max_rows: int = MAX_ROWS,
    progress: bool | None = None,
    **kept: Any,
) -> Result:
    """Let every method learn half of every table, and see what becomes of the rarest class.

    Further arguments (``store``, ``fresh``, ``jobs``, ``most_seconds``) are those of `measure`.
    """
    named = listed(imbalanced_tables() if tables is None else tables)
    if not (named and methods and len(seeds)):
        raise DataError("a benchmark needs at least one table, one method and one seed.")
    read = [read_named(item) if isinstance(item, str) else item for item in named.values()]
    cells = [
        cell for table in read for seed in seeds for cell in _cells([None, *methods], Task(table, None, seed, max_rows))
    ]
    with watched(len(cells), shown=progress) as on_cell:
        records = measure(cells, collapse_task, on_cell=on_cell, **kept)
    facts = ({"table": cell.table, "method": cell.method, "seed": cell.seed} for cell in cells)
    options = {"tables": list(named), "methods": [m.name for m in methods], "seeds": list(seeds), "max_rows": max_rows}
    found = [{**fact, **record} for fact, record in zip(facts, records, strict=True)]
    return Result.of("mode-collapse", options=options, records=found)


def _cells(methods: Sequence[Synthesizer | None], task: Task) -> list[Cell]:
    """One split of one table, by every method."""
    facts: dict[str, Any] = {"kind": "mode-collapse", "table": task.table.name, "seed": task.seed}
    data, judge = table_fingerprint(task.table), judge_version(trial.__name__)
    return [
        Cell(
            **facts,
            **facts_of(method, judge),
            data=data,
            sizes={"max_rows": task.max_rows},
            task=replace(task, method=method),
        )
        for method in methods
    ]
