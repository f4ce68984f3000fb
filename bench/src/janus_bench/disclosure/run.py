"""Run the benchmark of disclosure risk: tables, methods and seeds in, a `Result` with the rates of all attacks out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.draws import Half, draw
from janus_bench.fidelity.run import listed
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.tables import NamedTable, read_named, real_at_hand
from janus_bench.versions import facts_of, judge_version, table_fingerprint
from janus_synth import metrics
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.peers import Synthesizer

MAX_ROWS = 8_000
"""Half of them are for training, and as many are unseen: with fewer, a copied row goes unnoticed."""
N_ATTACKS = 4_000


def run_disclosure(
    tables: Sequence[str | NamedTable] | None,
    methods: Sequence[Synthesizer],
    seeds: Sequence[int],
    *,
    max_rows: int = MAX_ROWS,
    n_attacks: int = N_ATTACKS,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Fit every method to half of every table, and attack its synthetic rows.

    Parameters
    ----------
    tables : sequence of str or NamedTable, optional
        By default all real tables that need no download.
    methods : sequence of Synthesizer
        Methods to compare.
    seeds : sequence of int
        Each seed makes one split of the table, one fit and one sample, or several of a small table.
    max_rows : int
        Rows of a table that are used, half of them for training.
    n_attacks : int
        Maximum number of attacks of each kind.
    run : RunSettings
        Store, processes and time limit.
    """
    named = listed(real_at_hand() if tables is None else tables)
    if not (named and methods and len(seeds)):
        raise DataError("a benchmark needs at least one table, one method and one seed.")
    read = [read_named(item) if isinstance(item, str) else item for item in named.values()]
    halves = [Half(table, seed, max_rows, run.store, run.fresh) for table in read for seed in seeds]
    cells = [_cell(method, half, n_attacks) for half in halves for method in methods]
    records = measure(cells, disclosure_task, run)
    facts = ({"table": cell.table, "method": cell.method, "seed": cell.seed} for cell in cells)
    options = {"tables": list(named), "methods": [m.name for m in methods], "seeds": list(seeds), "max_rows": max_rows}
    found = [{**fact, **record} for fact, record in zip(facts, records, strict=True)]
    return Result.of("disclosure", options=options, records=found)


def _cell(method: Synthesizer, half: Half, n_attacks: int) -> Cell:
    return Cell(
        kind="disclosure",
        table=half.table.name,
        seed=half.seed,
        **facts_of(method, judge_version(__name__)),
        data=table_fingerprint(half.table),
        sizes={"max_rows": half.max_rows, "attacks": n_attacks},
        task=Task(half, method, n_attacks),
    )


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a measurement."""

    half: Half
    method: Synthesizer
    n_attacks: int = N_ATTACKS


def disclosure_task(task: Task) -> dict[str, Any]:
    """Fit, sample and attack; rates are means over the samples of a fit.

    Examples
    --------
    >>> from janus_bench.peers.baselines import Bootstrap
    >>> found = disclosure_task(Task(Half(read_named("hiring"), 0, max_rows=400), Bootstrap(), 200))
    >>> found["n_train"], found["attacks"]["linkability"]["success"] > 0.5
    (200, True)
    """
    train, test = task.half.halves()
    samples = draw(task.half, task.method).samples
    found = [
        metrics.disclosure(train, test, rows, n_attacks=task.n_attacks, random_state=task.half.seed).to_dict()
        for rows in samples
    ]
    names = dict.fromkeys(name for one in found for name in one["attacks"])
    return {
        "n_train": len(train),
        "levels": [one["level"] for one in found],
        "attacks": {name: _mean([one["attacks"].get(name, {}) for one in found]) for name in names},
    }


def _mean(outcomes: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """Means of rates; None where an attack could not be tried on some sample."""
    rates: dict[str, float | None] = {}
    for name in ("success", "control", "auc"):
        values = [value for outcome in outcomes if (value := outcome.get(name)) is not None]
        rates[name] = fmean(values) if len(values) == len(outcomes) else None
    return rates
