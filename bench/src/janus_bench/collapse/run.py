"""Tables, methods and seeds to a `Result`: how the rare class fares, measurement by measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.collapse import trial
from janus_bench.collapse.trial import Task, collapse_task
from janus_bench.draws import Half
from janus_bench.fidelity.run import listed
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.tables import NamedTable, read_named, table_names
from janus_bench.versions import facts_of, judge_version, table_fingerprint
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.peers import Synthesizer

IMBALANCED = ("adult", "bank", "credit")
"""The paper's three tables."""
N_SEEDS = 5
MAX_ROWS = 40_000
"""Half of them to train, as in the paper."""


def imbalanced_tables() -> tuple[str, ...]:
    """The paper's tables that need no download; otherwise the shipped one."""
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
    """Have every method learn half of every table, and see what becomes of the rarest class.

    Further arguments (``jobs``, ``most_seconds``) are those of `measure`.
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
    """One split of one table, by every method."""
    facts: dict[str, Any] = {"kind": "mode-collapse", "table": half.table.name, "seed": half.seed}
    data, judge = table_fingerprint(half.table), judge_version(trial.__name__)
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
