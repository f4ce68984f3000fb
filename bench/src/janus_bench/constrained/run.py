"""Run the benchmark: scenarios and methods in, a `Result` with scores against the true conditional and times out.

A cell is a method on a structural model, so that it fits once for all conditions on the model. Answers are stored one
by one, so that an interrupted cell continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.constrained import answers, scores
from janus_bench.constrained.answers import ConstrainedSizes, Terms, answer_of
from janus_bench.constrained.asking import Limits, Method
from janus_bench.constrained.methods import make_conditional_methods
from janus_bench.constrained.scenarios import Scenario
from janus_bench.constrained.scores import NO_ROWS
from janus_bench.models.random_sem import ModelKey
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.versions import (
    adapter_fingerprint,
    folder_fingerprint,
    judge_version,
    method_settings,
    method_version,
)
from janus_bench.workers import FAILED
from janus_synth import holds
from janus_synth.errors import DataError, require_extra

if TYPE_CHECKING:
    from janus_bench.store import Record
    from janus_synth.metrics import Detector

KIND: Final = "constrained"
ANSWERS = "constrained-answers"
"""Kind of the records that an unfinished cell stores: one answer per condition."""
ORACLE = "oracle"
"""A second sample of the true model: the scores of a perfect method."""

FULL = ConstrainedSizes()
QUICK = ConstrainedSizes(n_rows=500, n_rare_rows=250, limits=Limits(most_draws=1_000_000, most_seconds=20.0))


@dataclass(frozen=True, slots=True)
class Trial:
    """One method in one scenario; a method that failed has an ``error`` and the scores of no rows."""

    n_nodes: int
    model: int
    kind: str
    rarity: str
    target: float
    method: str
    n_asked: int
    rule: str = ""
    probability: float | None = None
    n_training_matches: int | None = None
    n_returned: int = 0
    n_drawn: int | None = None
    fit_seconds: float | None = None
    seconds: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=lambda: dict(NO_ROWS))
    error: str = ""


FACTS = ("rule", "probability", "n_training_matches")
"""Fields of a scenario that the oracle measures."""
MEASURED = ("n_returned", "n_drawn", "fit_seconds", "seconds", "scores")


@dataclass(frozen=True, slots=True)
class Task:
    """A method and the conditions on one structural model: a cell per condition, whose task is its scenario."""

    method: Method | None
    conditions: tuple[Cell, ...]
    terms: Terms
    run: RunSettings


def run_constrained(
    scenarios: Sequence[Scenario],
    methods: Sequence[Method] | None = None,
    *,
    sizes: ConstrainedSizes = FULL,
    detector: Detector = "xgboost",
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Run every method on every scenario, and score its rows against the true conditional.

    Parameters
    ----------
    scenarios : sequence of Scenario
        Conditions on structural models; those of one model share its training rows and fits.
    methods : sequence of Method, optional
        By default all variants of JANUS and the fast baselines.
    sizes : ConstrainedSizes
        How many rows.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that separates the rows from true rows.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per scenario and method, including the oracle.

    Examples
    --------
    >>> from janus_bench.constrained.scenarios import chosen_scenarios
    >>> scenarios = chosen_scenarios(quick=True, nodes=["5"], kinds=["range"], rarities=["hard"])
    >>> sizes = ConstrainedSizes(n_train=500, n_rows=100)
    >>> result = run_constrained(scenarios, make_conditional_methods(["rows"]), sizes=sizes, detector="boosting")
    >>> [record["method"] for record in result.records]
    ['oracle', 'training rows']
    """
    if detector == "xgboost":
        require_extra("xgboost", "detection", purpose="detection")
    methods = make_conditional_methods() if methods is None else methods
    if not (scenarios and methods):
        raise DataError("a benchmark needs at least one scenario and one method.")
    cells = list(_cells(scenarios, methods, Terms(sizes, detector), run))
    records = measure(cells, answers_task, run)
    found = {
        (condition.task, cell.method): answer
        for cell, record in zip(cells, records, strict=True)
        for condition, answer in zip(cell.task.conditions, _answers(cell.task, record), strict=True)
    }
    trials = [
        _trial(scenario, sizes, name, found[scenario, ORACLE], found[scenario, name])
        for scenario in scenarios
        for name in [ORACLE, *(method.name for method in methods)]
    ]
    options = _options(scenarios, methods, sizes, detector)
    return Result.of(KIND, options=options, records=[asdict(trial) for trial in trials])


def answers_task(task: Task) -> dict[str, Any]:
    """Answers to all conditions on one model; stored ones are read, new ones are stored one by one."""

    def answered(scenario: Scenario) -> Record:
        return answer_of(task.method, scenario, task.terms)

    return {"answers": measure(task.conditions, answered, task.run)}


def _cells(scenarios: Sequence[Scenario], methods: Sequence[Method], terms: Terms, run: RunSettings) -> Iterator[Cell]:
    """Cells ordered by model, the oracle first."""
    judge = _judge_version()
    within = RunSettings(store=run.store, fresh=run.fresh, progress=False)
    for model in dict.fromkeys(scenario.model for scenario in scenarios):
        asked = [scenario for scenario in scenarios if scenario.model == model]
        for method in (None, *methods):
            facts = {"table": f"{model.n_nodes} columns", "seed": model.seed, **_facts(method, model, judge)}
            conditions = tuple(
                Cell(ANSWERS, sizes=_sizes(scenario, terms), task=scenario, **facts) for scenario in asked
            )
            keys = {"conditions": [condition.key for condition in conditions]}
            yield Cell(KIND, sizes=keys, task=Task(method, conditions, terms, within), **facts)


def _facts(method: Method | None, model: ModelKey, judge: str) -> dict[str, Any]:
    """Everything that identifies a method on a model."""
    if method is None:
        return {"method": ORACLE, "version": judge}
    made = method.make(model.sem())
    settings = {**method_settings(made), "asked": method.asked}
    return {"method": method.name, "settings": settings, "version": f"{method_version(made)} {judge}"}


def _judge_version() -> str:
    """Fingerprint of the code for training rows, conditions, true rows and scores."""
    obeying = folder_fingerprint(holds)
    return f"{judge_version(scores.__name__)} {adapter_fingerprint(answers.__name__)} {obeying}"


def _sizes(scenario: Scenario, terms: Terms) -> dict[str, Any]:
    sizes = terms.sizes
    rows = {"n_train": sizes.n_train, "n_rows": sizes.rows_for(scenario), "limits": asdict(sizes.limits)}
    return {"kind": scenario.kind, "rarity": scenario.rarity, **rows, "detector": terms.detector}


def _answers(task: Task, record: Record) -> Sequence[Record]:
    """Answers of a cell; if it failed, those it had stored, and the failure for the others."""
    if FAILED not in record:
        found: list[Record] = record["answers"]
        return found
    kept = [None if task.run.store is None else task.run.store.read(cell.kind, cell.key) for cell in task.conditions]
    return [record if answer is None else answer for answer in kept]


def _trial(scenario: Scenario, sizes: ConstrainedSizes, method: str, truth: Record, answer: Record) -> Trial:
    return Trial(
        n_nodes=scenario.model.n_nodes,
        model=scenario.model.seed,
        kind=scenario.kind,
        rarity=scenario.rarity,
        target=scenario.target.target,
        method=method,
        n_asked=sizes.rows_for(scenario),
        error=str(answer.get(FAILED, "")).rstrip(": "),
        **{name: truth[name] for name in FACTS if name in truth},
        **{name: answer[name] for name in MEASURED if name in answer},
    )


def _options(
    scenarios: Sequence[Scenario], methods: Sequence[Method], sizes: ConstrainedSizes, detector: Detector
) -> dict[str, Any]:
    return {
        "scenarios": len(scenarios),
        "columns": sorted({scenario.model.n_nodes for scenario in scenarios}),
        "methods": [method.name for method in methods],
        "ours": [method.name for method in methods if method.ours],
        "training rows": sizes.n_train,
        "rows asked for": {"otherwise": sizes.n_rows, "below 0.01 %": sizes.n_rare_rows},
        "limits of rejection": asdict(sizes.limits),
        "detector": detector,
    }
