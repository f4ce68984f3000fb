"""Tables × methods × seeds to a `Result`: how like held-out rows the rows are that each method makes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from janus_synth.bench.methods import make_methods
from janus_synth.bench.ours import JanusSynthesizer
from janus_synth.bench.results import Result
from janus_synth.bench.tables import NamedTable, read_named, split, table_names
from janus_synth.errors import DataError, require_extra
from janus_synth.progress import progress_bar

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.bench.rivals import Synthesizer
    from janus_synth.metrics import Report
    from janus_synth.metrics.detection import Detector

SCORES = (
    "detection",
    "utility",
    "utility_gap",
    "ks",
    "total_variation",
    "association_error",
    "mutual_information_error",
    "closer_to_train",
    "exact_copies",
)
FEW_ROWS = 2_000
"""Held-out rows below which one sample says too little; scores are then means over several."""
N_SAMPLES = 4
REAL_ROWS = "real rows"
"""The "method" whose scores are those of training rows in place of synthetic ones: what perfection gets."""


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


def run_fidelity(
    tables: Iterable[str | NamedTable] | None = None,
    methods: Sequence[Synthesizer] | None = None,
    seeds: Iterable[int] = (0,),
    *,
    max_rows: int = 40_000,
    mlp: bool = False,
    detector: Detector = "xgboost",
    progress: bool | None = None,
) -> Result:
    """Let every method learn half of every table, and judge its rows by the other half.

    Parameters
    ----------
    tables : iterable of str or NamedTable, optional
        Names or groups of tables; by default the real ones at hand and all that need no files.
    methods : sequence of Synthesizer, optional
        By default JANUS and its three rivals.
    seeds : iterable of int
        Each seed is a split of the table, a fit and a sample.
    max_rows : int
        Rows of a table that are used, half of them for training.
    mlp : bool
        Judge by a neural network too.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that tells synthetic from held-out rows.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

    Returns
    -------
    Result
        A record per table, method and seed.

    Examples
    --------
    >>> from janus_synth.bench.methods import make_methods
    >>> result = run_fidelity(["ring"], make_methods(["independent"]), max_rows=400, detector="boosting")
    >>> result.records[0]["scores"]["detection"] > 0.8
    True
    """
    if detector == "xgboost":
        require_extra("xgboost", "detection", purpose="telling synthetic from real rows")
    named = listed(tables)
    methods = make_methods() if methods is None else methods
    seeds = list(seeds)
    if not (named and methods and seeds):
        raise DataError("a benchmark needs at least one table, one method and one seed.")
    judge = _Judge([*SCORES, "detection_mlp"] if mlp else list(SCORES), detector)
    _warm_up(methods)
    trials: list[Trial] = []
    with progress_bar("fitting and judging", len(named) * len(seeds) * len(methods), shown=progress) as advance:
        for item in named.values():
            table = read_named(item) if isinstance(item, str) else item
            for seed in seeds:
                case = _Case(table, *split(table, seed, max_rows=max_rows), seed)
                for method in methods:
                    trials += _trials(case, method, judge, reference=method is methods[0])
                    advance(1)
    options = options_of(named, methods, seeds, max_rows=max_rows, detector=detector)
    return Result.of("fidelity", options=options, records=[asdict(trial) for trial in trials])


@dataclass(frozen=True, slots=True)
class _Case:
    """One split of one table, the same for all methods."""

    table: NamedTable
    train: pd.DataFrame
    test: pd.DataFrame
    seed: int

    @property
    def facts(self) -> dict[str, Any]:
        n_train, n_columns = self.train.shape
        return {"table": self.table.name, "seed": self.seed, "n_train": n_train, "n_columns": n_columns}


@dataclass(frozen=True, slots=True)
class _Judge:
    """What all methods are judged by."""

    metrics: Sequence[str]
    detector: Detector

    def report(self, case: _Case, rows: pd.DataFrame, *, reference: bool) -> Report:
        from janus_synth.metrics import evaluate

        return evaluate(
            case.train,
            case.test,
            rows,
            target=case.table.target,
            metrics=self.metrics,
            detector=self.detector,
            reference=reference,
            random_state=case.seed,
        )


def _trials(case: _Case, method: Synthesizer, judge: _Judge, *, reference: bool) -> list[Trial]:
    """Fit, sample and judge; reference scores become a trial of the real rows."""
    try:
        reports, times = _reports(case, method, judge, reference=reference)
    except Exception as error:  # a method that fails on one table is a result, not the end of the run
        return [Trial(**case.facts, method=method.name, error=f"{type(error).__name__}: {error}")]
    scores = {name: _mean([report[name] for report in reports]) for name in judge.metrics}
    trials = [Trial(**case.facts, method=method.name, scores={**scores, **times})]
    if reference:
        real = {name: _mean([score.reference]) for name, score in reports[0].scores.items()}
        trials.append(Trial(**case.facts, method=REAL_ROWS, scores=real))
    return trials


def _reports(
    case: _Case, method: Synthesizer, judge: _Judge, *, reference: bool
) -> tuple[list[Report], dict[str, float | None]]:
    """One fit, one or more samples: a report of each, and what they took."""
    start = perf_counter()
    fitted = fit_on(case.table, method, case.train, seed=case.seed)
    fit_seconds = perf_counter() - start
    reports, sample_seconds = [], []
    for i in range(N_SAMPLES if len(case.test) < FEW_ROWS else 1):
        start = perf_counter()
        rows = fitted.sample(len(case.test), seed=1_000 * (case.seed + 1) + i)
        sample_seconds.append(perf_counter() - start)
        reports.append(judge.report(case, rows, reference=reference and i == 0))
    return reports, {"fit_seconds": fit_seconds, "sample_seconds": _mean(sample_seconds)}


def fit_on(table: NamedTable, method: Synthesizer, train: pd.DataFrame, *, seed: int) -> Synthesizer:
    """Let a method learn rows of a table; one that is to know the graph gets it."""
    return (method.on(table) if isinstance(method, JanusSynthesizer) else method).fit(train, seed=seed)


def listed(tables: Iterable[str | NamedTable] | None) -> dict[str, str | NamedTable]:
    """Groups spelled out, each table once; all names are checked before the first table is read."""
    listed: dict[str, str | NamedTable] = {}
    for item in table_names() if tables is None else tables:
        if isinstance(item, NamedTable):
            listed[item.name] = item
        else:
            listed |= {name: name for name in table_names([item])}
    return listed


def _warm_up(methods: Sequence[Synthesizer]) -> None:
    """Compile kernels and import libraries before anything is timed."""
    from janus_synth.datasets import hiring

    frame = hiring(200)
    for method in methods:
        if not (isinstance(method, JanusSynthesizer) and method.needs_graph):
            method.fit(frame, seed=0).sample(10, seed=0)


def options_of(
    tables: Iterable[str], methods: Sequence[Synthesizer], seeds: Sequence[int], *, max_rows: int, detector: Detector
) -> dict[str, Any]:
    """What a run was asked for, and what each JANUS was told, as text."""
    ours = [method for method in methods if isinstance(method, JanusSynthesizer)]
    return {
        "tables": list(tables),
        "methods": [method.name for method in methods],
        "ours": [method.name for method in ours],
        "settings": {method.name: method.settings for method in ours},
        "seeds": list(seeds),
        "max_rows": max_rows,
        "detector": detector,
    }


def _mean(values: Sequence[float]) -> float | None:
    """Mean of what is defined."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else None
