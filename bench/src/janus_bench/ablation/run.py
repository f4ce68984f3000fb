"""Run the ablation: configurations, models and conditions in, a `Result` with scores and times out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from janus_bench.ablation import trial
from janus_bench.ablation.configurations import CONFIGURATIONS, PAIRS, Configuration, configurations_named
from janus_bench.ablation.questions import SHARES, Free, Middle, Question
from janus_bench.ablation.trial import ORACLE, AblationSizes, Task, ablation_task
from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.constrained.scenarios import chosen_scenarios
from janus_bench.models.random_sem import ModelKey
from janus_bench.ours import JanusSynthesizer
from janus_bench.results import Result
from janus_bench.running import measure
from janus_bench.versions import adapter_fingerprint, judge_version, method_version
from janus_bench.workers import FAILED
from janus_synth.errors import DataError, require_extra

if TYPE_CHECKING:
    from janus_synth.metrics import Detector

N_COLUMNS = 10
N_SEEDS = 5
RARITIES = ("easy", "hard", "joint 0.1 %")
"""The paper's most and least probable conditions, and a rarity at which rejection becomes expensive."""
FULL = AblationSizes()
QUICK = AblationSizes(n_train=1_000, n_rows=300)
QUICK_KINDS, QUICK_RARITIES = ("range", "inter-column"), ("hard",)
QUICK_CONFIGURATIONS = ("one-tree", "histogram", "no-sweeps", *PAIRS, *PAIRS.values(), "paper-unmixed", "paper-point")


def run_ablation(
    configurations: Sequence[str] | None = None,
    *,
    seeds: Sequence[int] = range(N_SEEDS),
    kinds: Sequence[str] | None = None,
    rarities: Sequence[str] | None = RARITIES,
    sizes: AblationSizes = FULL,
    detector: Detector = "xgboost",
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Give the same questions to JANUS with one part removed at a time, and score the rows against the true model.

    Parameters
    ----------
    configurations : sequence of str, optional
        Keys of `CONFIGURATIONS`; by default all. Their baselines are added, and so is the true model.
    seeds : sequence of int
        Random structural models of ten columns.
    kinds, rarities : sequence of str, optional
        Conditions, as in the benchmark of constrained generation: every kind at every rarity.
    sizes : AblationSizes
        How many rows.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that separates the rows from rows of the true model.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per model, question and configuration.

    Examples
    --------
    >>> tiny = AblationSizes(n_train=300, n_rows=40)
    >>> asked = {"seeds": [0], "kinds": ["range"], "rarities": ["hard"]}
    >>> result = run_ablation(["paper-point"], **asked, sizes=tiny, detector="boosting")
    >>> sorted({record["configuration"] for record in result.records})
    ['oracle', 'paper', 'paper-point']
    """
    if detector == "xgboost":
        require_extra("xgboost", "detection", purpose="detection")
    chosen = configurations_named(configurations)
    if not (chosen and len(seeds)):
        raise DataError("a benchmark needs at least one configuration and one model.")
    tasks = [
        task for seed in seeds for task in _tasks(chosen, ModelKey(N_COLUMNS, seed), kinds, rarities, sizes, detector)
    ]
    version = _version()
    cells = [_cell(task, version) for task in tasks]
    records = measure(cells, ablation_task, run)
    found = [
        record if FAILED not in record else {**_facts(t), **record} for t, record in zip(tasks, records, strict=True)
    ]
    options = {
        "columns": N_COLUMNS,
        "models": list(seeds),
        "configurations": {one.key: _describe(one) for one in chosen},
        **asdict(sizes),
        "detector": detector,
    }
    return Result.of("ablation", options=options, records=found)


def questions_of(
    key: ModelKey, kinds: Sequence[str] | None = None, rarities: Sequence[str] | None = RARITIES
) -> list[Question]:
    """All questions on a model: random conditions, interquartile ranges of its columns, and no condition.

    Examples
    --------
    >>> len(questions_of(ModelKey(10, 0)))
    16
    """
    models = chosen_scenarios(seeds=key.seed + 1, nodes=[str(key.n_nodes)], kinds=kinds, rarities=rarities)
    mine = [scenario for scenario in models if scenario.model == key]
    return [*mine, *(Middle(key, share) for share in SHARES), Free(key)]


def _tasks(
    chosen: Sequence[Configuration],
    key: ModelKey,
    kinds: Sequence[str] | None,
    rarities: Sequence[str] | None,
    sizes: AblationSizes,
    detector: Detector,
) -> list[Task]:
    """Tasks of one model; `Middle` only where back-filling and rejection from the same fit are both chosen."""
    named = {one.key for one in chosen}
    timed = {word for pair in PAIRS.items() if named.issuperset(pair) for word in pair}
    questions = questions_of(key, kinds, rarities)
    tasks = [Task(question, ORACLE, sizes, detector) for question in questions if not isinstance(question, Middle)]
    places = list(CONFIGURATIONS)
    for one in sorted(chosen, key=lambda one: places.index(one.fitted_as)):  # same fit, consecutive tasks
        free = one.sweeps and one.fitted_as == one.key  # once per fit: no condition
        for question in questions:
            if (isinstance(question, Free) and not free) or (isinstance(question, Middle) and one.key not in timed):
                continue
            tasks.append(Task(question, one.key, sizes, detector))
    return tasks


def _cell(task: Task, version: str) -> Cell:
    question, sizes = task.question, task.sizes
    return Cell(
        kind="ablation",
        table=f"{question.kind}, {question.rarity}",
        method=task.configuration,
        seed=question.model.seed,
        settings={"detector": task.detector},
        sizes={"columns": question.model.n_nodes, **asdict(sizes)},
        version=version,
        task=task,
    )


def _version() -> str:
    """Fingerprint of all code that affects a record: the package, the scores, and models and conditions."""
    judge = trial.__name__
    return f"{method_version(JanusSynthesizer())} {judge_version(judge)} {adapter_fingerprint(judge)}"


def _facts(task: Task) -> dict[str, Any]:
    """Fields of a measurement that failed."""
    model, kind, rarity = task.question.model, task.question.kind, task.question.rarity
    return {"configuration": task.configuration, "model": model.seed, "kind": kind, "rarity": rarity}


def _describe(one: Configuration) -> str:
    """Name of a configuration and the arguments it changes, as text."""
    changes = [f"{name}={value!r}" for name, value in one.arguments.items()]
    return f"{one.name}: {', '.join(changes)}" if changes else one.name
