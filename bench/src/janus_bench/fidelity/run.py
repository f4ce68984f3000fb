"""Run the fidelity benchmark: tables, methods and seeds in, a `Result` with scores against held-out rows out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.draws import N_SAMPLES, Half
from janus_bench.fidelity import trials
from janus_bench.fidelity.trials import AGAINST_TRAINING, SCORES, Task, Trial, score_task
from janus_bench.methods import make_methods
from janus_bench.ours import JanusSynthesizer
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.tables import NamedTable, read_named, table_names
from janus_bench.versions import facts_of, judge_version, method_settings, table_fingerprint
from janus_bench.workers import FAILED
from janus_synth.errors import DataError, require_extra

if TYPE_CHECKING:
    from janus_bench.peers import Synthesizer
    from janus_bench.store import Record
    from janus_synth.metrics import Detector


def run_fidelity(
    tables: Iterable[str | NamedTable] | None = None,
    methods: Sequence[Synthesizer] | None = None,
    seeds: Iterable[int] = (0,),
    *,
    max_rows: int = 40_000,
    mlp: bool = False,
    training: bool = False,
    detector: Detector = "xgboost",
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Fit every method to half of every table, and score its rows against the other half.

    Parameters
    ----------
    tables : iterable of str or NamedTable, optional
        Names or groups of tables; by default the real ones that need no download and all that need no files.
    methods : sequence of Synthesizer, optional
        By default JANUS and its three rivals.
    seeds : iterable of int
        Each seed is a split of the table, a fit and a sample.
    max_rows : int
        Rows of a table that are used, half of them for training.
    mlp : bool
        Also compute the detection AUC of a neural network.
    training : bool
        Also compute the detection AUC against the training rows.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier between synthetic and held-out rows.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per table, method and seed.

    Examples
    --------
    >>> from janus_bench.methods import make_methods
    >>> result = run_fidelity(["ring"], make_methods(["independent"]), max_rows=400, detector="boosting")
    >>> result.records[0]["scores"]["detection"] > 0.8
    True
    """
    if detector == "xgboost":
        require_extra("xgboost", "detection", purpose="detection")
    named = listed(tables)
    methods = make_methods() if methods is None else methods
    seeds = list(seeds)
    if not (named and methods and seeds):
        raise DataError("a benchmark needs at least one table, one method and one seed.")
    metrics = (*SCORES, *(("detection_mlp",) if mlp else ()), *((AGAINST_TRAINING,) if training else ()))
    read = [read_named(item) if isinstance(item, str) else item for item in named.values()]
    cells = [
        cell
        for table in read
        for seed in seeds
        for cell in _cells(
            _with_reference(methods), Task(Half(table, seed, max_rows, run.store, run.fresh), None, metrics, detector)
        )
    ]
    records = measure(cells, score_task, run)
    options = options_of(named, methods, seeds, max_rows=max_rows, detector=detector)
    found = [asdict(_trial(cell, record)) for cell, record in zip(cells, records, strict=True)]
    return Result.of("fidelity", options=options, records=found)


def _with_reference(methods: Sequence[Synthesizer]) -> list[Synthesizer | None]:
    """Insert the reference, real rows (None), after the first method."""
    return [methods[0], None, *methods[1:]]


def _cells(methods: Sequence[Synthesizer | None], task: Task) -> list[Cell]:
    """Make the cells of one split of one table, one per method."""
    half = task.half
    data = table_fingerprint(half.table)
    facts: dict[str, Any] = {"kind": "fidelity", "table": half.table.name, "seed": half.seed, "data": data}
    sizes = {
        "max_rows": half.max_rows,
        "metrics": list(task.metrics),
        "detector": task.detector,
        "samples": N_SAMPLES,
    }
    judge = judge_version(trials.__name__)
    return [
        Cell(**facts, **facts_of(method, judge), sizes=sizes, task=replace(task, method=method)) for method in methods
    ]


def _trial(cell: Cell, record: Record) -> Trial:
    half: Half = cell.task.half
    frame = half.table.frame
    n_train = min(len(frame), half.max_rows) // 2
    facts = (cell.table, cell.method, cell.seed, n_train)
    return Trial(*facts, n_columns=frame.shape[1], scores=record.get("scores", {}), error=record.get(FAILED, ""))


def listed(tables: Iterable[str | NamedTable] | None) -> dict[str, str | NamedTable]:
    """Tables by name, with groups expanded and duplicates removed; checks all names before any table is read."""
    listed: dict[str, str | NamedTable] = {}
    for item in table_names() if tables is None else tables:
        if isinstance(item, NamedTable):
            listed[item.name] = item
        else:
            listed |= {name: name for name in table_names([item])}
    return listed


def options_of(
    tables: Iterable[str], methods: Sequence[Synthesizer], seeds: Sequence[int], *, max_rows: int, detector: Detector
) -> dict[str, Any]:
    """Tables, methods with their settings, seeds and sizes of a run, as plain values."""
    ours = [method for method in methods if isinstance(method, JanusSynthesizer)]
    return {
        "tables": list(tables),
        "methods": [method.name for method in methods],
        "ours": [method.name for method in ours],
        "settings": {method.name: method.settings for method in ours},
        "rival settings": {
            method.name: settings for method in methods if method not in ours and (settings := _format_settings(method))
        },
        "seeds": list(seeds),
        "max_rows": max_rows,
        "detector": detector,
    }


def _format_settings(method: Synthesizer) -> str:
    """Settings of a rival, as text."""
    return ", ".join(f"{key}={value}" for key, value in method_settings(method).items() if key != "class")
