"""Run the scalability benchmark: sizes, methods and seeds in, a `Result` with time, memory and quality out.

Part A: random structural models, timed and scored. Part B: the same models with the graph given, timed with more
columns. Part C: a real table enlarged to more and more rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.constrained import scores
from janus_bench.models import random_sem
from janus_bench.models.random_sem import ModelKey
from janus_bench.options import choose
from janus_bench.results import Result, machine_of_times
from janus_bench.running import measure_calls
from janus_bench.scalability import trial
from janus_bench.scalability.methods import DEFAULT, KNOWING, LONG, make, methods_named
from janus_bench.scalability.trial import ALONE, graph_points, memory_points, row_points
from janus_bench.tables import read_named, table_names
from janus_bench.versions import adapter_fingerprint, facts_of, judge_version, table_fingerprint
from janus_synth.errors import DataError

KIND: Final = "scalability"
PARTS = ("A", "B", "C")


@dataclass(frozen=True, slots=True)
class ScalabilitySizes:
    """Columns of parts A and B, rows of part C, and rows learnt and drawn in A and B."""

    columns: tuple[int, ...] = (5, 10, 30, 100)
    sparse_columns: tuple[int, ...] = (5, 10, 20, 50, 100, 200)
    row_steps: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    n_train: int = 5_000
    n_drawn: int = 5_000


FULL = ScalabilitySizes()
QUICK = ScalabilitySizes((5, 10), (5, 10, 20), (1_000, 4_000), 1_000, 1_000)
"""Small sizes that check that everything runs; the times mean little."""
N_SEEDS = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that ended in an error, recorded as a result; the run continues."""

    table: str
    method: str
    seed: int
    error: str


def run_scalability(
    parts: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    seeds: Sequence[int] = range(N_SEEDS),
    *,
    sizes: ScalabilitySizes = FULL,
    table: str | None = None,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Time every method at every size.

    Parameters
    ----------
    parts : sequence of str, optional
        Of A, B and C; by default all.
    methods : sequence of str, optional
        Of given, janus, forest, paper, cart, cart-given; each part uses those that apply to it. By default, a set
        per part.
    seeds : sequence of int
        One structural model of each size per seed, and one enlarged table.
    sizes : ScalabilitySizes
        Numbers of columns and rows.
    table : str, optional
        Table that part C enlarges; by default ``adult``, or ``hiring`` if there are no real tables.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per method, size and seed.
    """
    wanted, named = choose(parts, PARTS, "part"), table or _long_table()
    if not len(seeds):
        raise DataError("a benchmark needs at least one seed.")
    makers = {
        "A": partial(_graph_cells, "A", methods_named(methods, DEFAULT), sizes.columns, seeds, sizes),
        "B": partial(_graph_cells, "B", methods_named(methods, KNOWING, KNOWING), sizes.sparse_columns, seeds, sizes),
        "C": partial(_row_cells, methods_named(methods, LONG, LONG), named, seeds, sizes),
    }
    cells = [cell for part in wanted for cell in makers[part]()]
    if not cells:
        raise DataError(f"nothing to measure: parts {', '.join(wanted)} know none of these methods and sizes.")
    found = measure_calls(cells, _failure, run)
    dates = sorted(record["date"] for record in found if "date" in record)
    timed = " to ".join(dict.fromkeys([*dates[:1], *dates[-1:]]))
    options = {"parts": wanted, "seeds": list(seeds), "sizes": asdict(sizes), "long table": named, "timed": timed}
    return Result.of(KIND, options=options, records=found)


def _graph_cells(
    part: str, methods: Sequence[str], columns: Sequence[int], seeds: Sequence[int], sizes: ScalabilitySizes
) -> Iterator[Cell]:
    """Make cells model by model, so that load on the machine affects all methods alike; real rows first if scored."""
    judged = part == "A"
    words = [None, *methods] if judged and methods else list(methods)
    judge = _judge_version()
    about = {"n_train": sizes.n_train, "n_drawn": sizes.n_drawn, "judged": judged}
    for key in (ModelKey(n, seed) for n in columns for seed in seeds):
        sem = key.sem()
        for word in words:
            yield Cell(
                KIND,
                f"{key.n_nodes} columns",
                seed=key.seed,
                sizes={"part": part, **about, "machine": machine_of_times()},
                data=adapter_fingerprint(random_sem.__name__),
                task=partial(
                    graph_points, part, key, word, n_train=sizes.n_train, n_drawn=sizes.n_drawn, judged=judged
                ),
                **facts_of(None if word is None else make(word, sem.dag), judge),
            )


def _row_cells(methods: Sequence[str], table: str, seeds: Sequence[int], sizes: ScalabilitySizes) -> Iterator[Cell]:
    """Make the cells of part C, size by size; memory is measured for one seed only."""
    data, judge = table_fingerprint(read_named(table)), _judge_version()
    for n in sizes.row_steps:
        cell = partial(Cell, KIND, f"{n:,} rows of {table}", data=data, sizes={"machine": machine_of_times()})
        for seed in seeds:
            for word in methods:
                task = partial(row_points, table, n, word, seed=seed)
                yield cell(seed=seed, task=task, **facts_of(make(word), judge))
        if "janus" in methods:
            facts = {**facts_of(make("janus"), judge), "method": ALONE}
            yield cell(seed=seeds[0], task=partial(memory_points, table, n, seed=seeds[0]), **facts)


def _judge_version() -> str:
    """Version of the code that decides what is timed and how rows are scored."""
    return f"{judge_version(trial.__name__)} {adapter_fingerprint(scores.__name__)}"


def _long_table() -> str:
    return "adult" if "adult" in table_names() else "hiring"


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.table, cell.method, cell.seed, error)
