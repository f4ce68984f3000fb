"""One measurement of the ablation: a model, a question and a configuration in, scores and seconds out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from janus_bench.ablation.configurations import CONFIGURATIONS, PAIRS
from janus_bench.ablation.questions import Free, Question
from janus_bench.constrained.asking import Answer, Limits, Request
from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.constrained.oracle import Reference
from janus_bench.constrained.scores import NO_ROWS, Scores, score_rows
from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.stopwatch import Seconds, seconds_of, warm_up
from janus_synth.errors import JanusError

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.ours import JanusSynthesizer
    from janus_bench.peers.interface import Synthesizer
    from janus_bench.store import Record
    from janus_synth.metrics import Detector

ORACLE = "oracle"
"""A second sample of the true model: the scores of a perfect configuration."""
KEPT_FITS = 4
"""Fits that a process caches; few suffice, as configurations with the same fit follow each other."""
KEPT_QUESTIONS = 64


@dataclass(frozen=True, slots=True)
class AblationSizes:
    """Training rows, requested rows, and rows that rejection may draw per requested row."""

    n_train: int = 5_000
    n_rows: int = 1_000
    draws_per_row: int = 1_000

    @property
    def limits(self) -> Limits:
        """When rejection gives up."""
        return Limits(most_draws=self.draws_per_row * self.n_rows, most_seconds=600.0)


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a measurement; ``configuration`` is a key of `CONFIGURATIONS` or `ORACLE`."""

    question: Question
    configuration: str
    sizes: AblationSizes
    detector: Detector = "xgboost"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Scores and seconds of one configuration on one question; without rows, ``error`` says why.

    CPU seconds are summed over all threads. ``again_seconds`` times the same request with its plan cached, where
    back-filling is compared with rejection.
    """

    configuration: str
    model: int
    kind: str
    rarity: str
    rule: str
    probability: float
    n_asked: int
    n_returned: int = 0
    n_drawn: int | None = None
    fit_seconds: float | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    again_seconds: float | None = None
    again_cpu_seconds: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=lambda: dict(NO_ROWS))
    error: str = ""


def ablation_task(task: Task) -> Record:
    """Fit unless cached, draw rows, and score them against rows of the true conditional distribution.

    Examples
    --------
    >>> task = Task(Free(ModelKey(5, 0)), "janus", AblationSizes(n_train=300, n_rows=50), detector="boosting")
    >>> ablation_task(task)["scores"]["csr"]
    1.0
    """
    question = task.question
    reference = _reference(question, task.sizes)
    facts: Record = {
        "configuration": task.configuration,
        "model": question.model.seed,
        "kind": question.kind,
        "rarity": question.rarity,
        "rule": str(reference.condition),
        "probability": reference.probability,
        "n_asked": reference.n_rows,
    }
    try:
        found = _truth_again(reference, task) if task.configuration == ORACLE else _answer(reference, task)
    except JanusError as error:  # a request that cannot be met is a result: no rows
        found = {"error": f"{type(error).__name__}: {error}"}
    return asdict(Outcome(**facts, **found))


def _truth_again(reference: Reference, task: Task) -> Record:
    rows, _, n_drawn, seconds = reference.second
    scores = _scores(rows, reference, task)
    return {"n_returned": len(rows), "n_drawn": n_drawn, "seconds": seconds, "scores": scores}


def _answer(reference: Reference, task: Task) -> Record:
    question, one = task.question, CONFIGURATIONS[task.configuration]
    _warm_up(one.key)
    fit = _fit(one.fitted_as, question.model, task.sizes.n_train)
    seed = int(question.rng(3).integers(2**31))
    request = Request(reference.n_rows, reference.condition, seed, task.sizes.limits)
    answers: list[Answer] = []

    free = question.kind == Free.FREE

    def ask() -> None:
        answers.append((_freely if free else one.ask)(fit.fitted, request))

    first = seconds_of(ask)
    again = seconds_of(ask) if one.key in PAIRS and not free else None
    rows, n_drawn = answers[0]
    return {
        "n_returned": len(rows),
        "n_drawn": n_drawn,
        "fit_seconds": fit.seconds.clock,
        "seconds": first.clock,
        "cpu_seconds": first.processor,
        "again_seconds": None if again is None else again.clock,
        "again_cpu_seconds": None if again is None else again.processor,
        "scores": _scores(rows, reference, task),
    }


def _freely(fitted: Synthesizer, request: Request) -> Answer:
    return Answer(fitted.sample(request.n, seed=request.seed), request.n)


def _scores(rows: pd.DataFrame, reference: Reference, task: Task) -> Scores:
    rule, n, schema = str(reference.condition), reference.n_rows, reference.known.schema
    return score_rows(rows, reference.truth.rows, rule, n_asked=n, schema=schema, detector=task.detector)


@lru_cache(maxsize=KEPT_QUESTIONS)
def _reference(question: Question, sizes: AblationSizes) -> Reference:
    """The condition with true rows; cached, as all configurations use the same."""
    known = known_model(question.model, sizes.n_train)
    return Reference.draw(known, question.condition(known.sem), sizes.n_rows, question.rng)


class Fit(NamedTuple):
    """A fitted synthesizer, and how long the fit took."""

    fitted: JanusSynthesizer
    seconds: Seconds


@lru_cache(maxsize=KEPT_FITS)
def _fit(key: str, model: ModelKey, n_train: int) -> Fit:
    known = known_model(model, n_train)
    unfitted = CONFIGURATIONS[key].make(known.sem)
    return Fit(unfitted, seconds_of(lambda: unfitted.fit(known.train, seed=model.seed)))


def _warm_up(key: str) -> None:
    """Fit and sample once with few rows, so that compilation is not timed."""
    model, one = ModelKey(5, 0), CONFIGURATIONS[key]
    known = known_model(model, 200)
    name = known.sem.numbers[0]
    easy = Condition((Bound(name, ">=", float(known.train[name].quantile(0.3))),))
    request = Request(10, easy, seed=0, limits=Limits(most_draws=2_000))
    warm_up(("ablation", key), lambda: one.ask(_fit(one.fitted_as, model, 200).fitted, request))
