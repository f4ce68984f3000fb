"""Run the structure benchmark: structural models, structures and engines in, a `Result` out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.models.random_sem import ModelKey
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import measure_calls
from janus_bench.structure import trial
from janus_bench.structure.learners import ENGINES, SEARCHED, STRUCTURES, make
from janus_bench.structure.trial import real_trial, trial_of
from janus_bench.versions import adapter_fingerprint, facts_of, judge_version, library_versions
from janus_synth.errors import DataError, require_extra

KIND: Final = "structure"
N_COLUMNS, N_TRAIN, N_SEEDS = 10, 5_000, 5
QUICK_COLUMNS, QUICK_TRAIN, QUICK_SEEDS, QUICK_ENGINES = 6, 1_000, 1, ("janus",)


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that ended in an error, recorded as a result; the run continues."""

    engine: str
    structure: str
    seed: int
    error: str


def run_structure(
    structures: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    seeds: Sequence[int] = range(N_SEEDS),
    *,
    n_columns: int = N_COLUMNS,
    n_train: int = N_TRAIN,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Fit rows of random structural models with every structure, and score graphs, rows and interventions.

    Parameters
    ----------
    structures : sequence of str, optional
        Of true, auto, chain, forest, pc, ges, notears, reversed, none; by default all.
    engines : sequence of str, optional
        Of janus and paper, the configurations that are fitted with the graph; by default both.
    seeds : sequence of int
        One structural model per seed.
    n_columns, n_train : int
        Columns of each model, and rows to learn.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per structural model, engine and structure.
    """
    require_extra("xgboost", "detection", purpose="detection")
    graphs, who = choose(structures, STRUCTURES, "structure"), choose(engines, ENGINES, "engine")
    if not len(seeds):
        raise DataError("a benchmark needs at least one seed.")
    cells = [cell for seed in seeds for cell in _cells(ModelKey(n_columns, seed), graphs, who, n_train)]
    found = measure_calls(cells, _failure, run)
    options = {
        "structures": [STRUCTURES[word] for word in graphs],
        "engines": [ENGINES[word] for word in who],
        "seeds": list(seeds),
        "columns": n_columns,
        "rows learnt, drawn, and drawn under each setting": n_train,
    }
    return Result.of(KIND, options=options, records=found)


def _cells(model: ModelKey, graphs: Sequence[str], engines: Sequence[str], n_train: int) -> Iterator[Cell]:
    """Make the cells of one structural model: a reference of real rows, then every engine with every structure."""
    judge = f"{judge_version(trial.__name__)} {adapter_fingerprint(trial.__name__)}"
    cell = partial(Cell, KIND, seed=model.seed, sizes={"n_columns": model.n_nodes, "n_train": n_train})
    yield cell("", **facts_of(None, judge), task=partial(real_trial, model, n_train=n_train))
    dag = model.sem().dag
    for engine in engines:
        for word in graphs:
            # The version is part of the key: a failure because the library is missing is retried once it is installed.
            searched = library_versions(["causal-learn"]) if word in SEARCHED else ""
            facts = facts_of(make(engine, word, dag), f"{judge} {searched}")
            yield cell(ENGINES[engine], **facts, task=partial(trial_of, model, engine, word, n_train=n_train))


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.table, cell.method, cell.seed, error)
