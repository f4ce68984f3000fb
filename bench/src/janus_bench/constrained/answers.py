"""A method and a scenario to scores: what is fitted is kept for the model's other conditions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from janus_bench.constrained.asking import Limits, Method, Request
from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.constrained.ground import Asked, asked_of, ground_of
from janus_bench.constrained.scenarios import N_TRAIN, ModelKey, Scenario
from janus_bench.constrained.scores import Scores, score_rows
from janus_bench.models.sem import Sem

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers.interface import Synthesizer
    from janus_synth.metrics import Detector

KEPT_FITS = 8
"""Fits that a process keeps: as many as a run without further rivals makes of a structural model."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many rows: to learn from, asked for, asked for under the rarest conditions, and drawn in vain."""

    n_train: int = N_TRAIN
    n_rows: int = 1_000
    n_rare_rows: int = 500
    limits: Limits = field(default_factory=Limits)

    def rows_for(self, scenario: Scenario) -> int:
        """Rows asked for, and rows of the truth they are judged by."""
        return self.n_rare_rows if scenario.target.target < 1e-4 else self.n_rows


@dataclass(frozen=True, slots=True)
class Terms:
    """How answers are asked for and judged."""

    sizes: Sizes
    detector: Detector


def answer_of(method: Method | None, scenario: Scenario, terms: Terms) -> dict[str, Any]:
    """Fit, ask and judge; without a method the truth is asked a second time.

    Parameters
    ----------
    method : Method, optional
        Who answers.
    scenario : Scenario
        The condition, and the structural model whose rows are learnt.
    terms : Terms
        How many rows, and who tells them from the truth.

    Returns
    -------
    dict
        Rows returned and drawn, seconds and scores; with the truth's own come facts about the condition.

    Examples
    --------
    >>> scenario = Scenario(ModelKey(5, 0), "range", "medium")
    >>> found = answer_of(None, scenario, Terms(Sizes(n_train=100, n_rows=80), "boosting"))
    >>> found["n_returned"], found["scores"]["csr"], found["rule"]
    (80, 1.0, 'x2 <= -1.061')
    """
    asked = asked_of(scenario, terms.sizes.n_train, terms.sizes.rows_for(scenario))
    return _truth_again(asked, terms) if method is None else _answer(method, scenario, asked, terms)


def _truth_again(asked: Asked, terms: Terms) -> dict[str, Any]:
    return {
        "rule": str(asked.condition),
        "probability": asked.probability,
        "n_training_matches": asked.n_training_matches,
        "n_returned": len(asked.second.rows),
        "n_drawn": asked.second.n_drawn,
        "seconds": asked.second.seconds,
        "scores": _scores(asked.second.rows, asked, terms),
    }


def _answer(method: Method, scenario: Scenario, asked: Asked, terms: Terms) -> dict[str, Any]:
    _warm_up(method)
    fit = _fit(method, scenario.model, terms.sizes.n_train)
    seed = int(scenario.rng(3).integers(2**31))
    request = Request(asked.n_rows, asked.condition, seed=seed, limits=terms.sizes.limits)
    start = perf_counter()
    answer = method.ask(fit.result(), request)
    seconds = perf_counter() - start
    return {
        "n_returned": len(answer.rows),
        "n_drawn": answer.n_drawn,
        "fit_seconds": fit.seconds,
        "seconds": seconds,
        "scores": _scores(answer.rows, asked, terms),
    }


def _scores(rows: pd.DataFrame, asked: Asked, terms: Terms) -> Scores:
    rule, n, schema = str(asked.condition), asked.n_rows, asked.ground.schema
    return score_rows(rows, asked.truth.rows, rule, n_asked=n, schema=schema, detector=terms.detector)


@dataclass(frozen=True, slots=True)
class Fit:
    """What came of a fit, and how long it took."""

    outcome: Synthesizer | Exception
    seconds: float

    def result(self) -> Synthesizer:
        """Something that draws rows; a fit that failed fails again at once."""
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@dataclass(frozen=True, slots=True)
class Recipe:
    """Something to fit; two that were told the same are one."""

    told: str
    unfitted: Synthesizer = field(compare=False)

    @classmethod
    def of(cls, method: Method, sem: Sem) -> Recipe:
        """Read what it was told."""
        unfitted = method.make(sem)
        told = {name: value for name, value in vars(unfitted).items() if name != "name" and not name.startswith("_")}
        return cls(repr((type(unfitted), told, method.way)), unfitted)


def _fit(method: Method, model: ModelKey, n_train: int) -> Fit:
    """What a method fits to a model's rows, unless it is at hand."""
    return _fitted(Recipe.of(method, ground_of(model, n_train).sem), model, n_train)


@lru_cache(maxsize=KEPT_FITS)
def _fitted(recipe: Recipe, model: ModelKey, n_train: int) -> Fit:
    train = ground_of(model, n_train).train
    start = perf_counter()
    try:
        outcome: Synthesizer | Exception = recipe.unfitted.fit(train, seed=model.seed)
    except Exception as error:  # kept, as it would come again for each of the model's conditions
        outcome = error
    return Fit(outcome, perf_counter() - start)


_warm: set[str] = set()


def _warm_up(method: Method) -> None:
    """Compile kernels and import libraries before anything is timed, once per process; what fails here fails again."""
    if method.name in _warm:
        return
    _warm.add(method.name)
    key = ModelKey(5, 0)
    sem = key.sem()
    rows = sem.draw(200, key.rng(1))
    name = sem.numbers[0]
    easy = Condition((Bound(name, ">=", float(rows[name].quantile(0.3).round(4))),))
    with suppress(Exception):
        unfitted = method.make(sem)
        brief = getattr(unfitted, "brief", None)  # those that train for long have a short form
        fitted = (unfitted if brief is None else brief()).fit(rows, seed=0)
        method.ask(fitted, Request(10, easy, seed=0, limits=Limits(most_draws=2_000)))
