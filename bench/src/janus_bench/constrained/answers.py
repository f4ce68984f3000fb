"""One measurement: a method and a scenario in, scores and seconds out; fits are cached for other conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

from janus_bench.constrained.asking import Limits, Method, Request
from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.constrained.oracle import Reference
from janus_bench.constrained.scenarios import N_TRAIN, Scenario
from janus_bench.constrained.scores import Scores, score_rows
from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.models.sem import Sem
from janus_bench.stopwatch import warm_up

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers.interface import Synthesizer
    from janus_synth.metrics import Detector


KEPT_CONDITIONS = 48
"""Conditions whose true rows a process caches: twice as many as a model has, as drawing them takes seconds."""
KEPT_FITS = 8
"""Fits that a process caches: as many as the default methods need per structural model."""


@dataclass(frozen=True, slots=True)
class ConstrainedSizes:
    """Training rows, requested rows (fewer for the rarest conditions), and limits of rejection."""

    n_train: int = N_TRAIN
    n_rows: int = 1_000
    n_rare_rows: int = 500
    limits: Limits = field(default_factory=Limits)

    def rows_for(self, scenario: Scenario) -> int:
        """Number of requested rows, and of true rows they are compared with."""
        return self.n_rare_rows if scenario.target.target < 1e-4 else self.n_rows


@dataclass(frozen=True, slots=True)
class Terms:
    """Sizes and detector of a run."""

    sizes: ConstrainedSizes
    detector: Detector


def answer_of(method: Method | None, scenario: Scenario, terms: Terms) -> dict[str, Any]:
    """Fit, sample and score; without a method a second true sample is scored.

    Parameters
    ----------
    method : Method, optional
        The method; None for the oracle.
    scenario : Scenario
        The condition, and the structural model that training rows come from.
    terms : Terms
        Sizes and detector.

    Returns
    -------
    dict
        Numbers of rows returned and drawn, seconds and scores; for the oracle also rule and probability.

    Examples
    --------
    >>> scenario = Scenario(ModelKey(5, 0), "range", "medium")
    >>> found = answer_of(None, scenario, Terms(ConstrainedSizes(n_train=100, n_rows=80), "boosting"))
    >>> found["n_returned"], found["scores"]["csr"], found["rule"]
    (80, 1.0, 'x2 <= -1.061')
    """
    reference = reference_for(scenario, terms.sizes.n_train, terms.sizes.rows_for(scenario))
    return _truth_again(reference, terms) if method is None else _answer(method, scenario, reference, terms)


@lru_cache(maxsize=KEPT_CONDITIONS)
def reference_for(scenario: Scenario, n_train: int, n_rows: int) -> Reference:
    """The condition of a scenario with two samples of the true conditional; all methods share them.

    Examples
    --------
    >>> reference = reference_for(Scenario(ModelKey(5, 0), "range", "medium"), 50, 100)
    >>> print(reference.condition, len(reference.truth.rows))
    x2 <= -1.061 100
    """
    known = known_model(scenario.model, n_train)
    return Reference.draw(known, scenario.condition(known.sem), n_rows, scenario.rng)


def _truth_again(reference: Reference, terms: Terms) -> dict[str, Any]:
    return {
        "rule": str(reference.condition),
        "probability": reference.probability,
        "n_training_matches": reference.n_training_matches,
        "n_returned": len(reference.second.rows),
        "n_drawn": reference.second.n_drawn,
        "seconds": reference.second.seconds,
        "scores": _scores(reference.second.rows, reference, terms),
    }


def _answer(method: Method, scenario: Scenario, reference: Reference, terms: Terms) -> dict[str, Any]:
    _warm_up(method)
    fit = _fit(method, scenario.model, terms.sizes.n_train)
    seed = int(scenario.rng(3).integers(2**31))
    request = Request(reference.n_rows, reference.condition, seed=seed, limits=terms.sizes.limits)
    start = perf_counter()
    answer = method.ask(fit.result(), request)
    seconds = perf_counter() - start
    return {
        "n_returned": len(answer.rows),
        "n_drawn": answer.n_drawn,
        "fit_seconds": fit.seconds,
        "seconds": seconds,
        "scores": _scores(answer.rows, reference, terms),
    }


def _scores(rows: pd.DataFrame, reference: Reference, terms: Terms) -> Scores:
    rule, n, schema = str(reference.condition), reference.n_rows, reference.known.schema
    return score_rows(rows, reference.truth.rows, rule, n_asked=n, schema=schema, detector=terms.detector)


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted synthesizer or the error of the fit, and how long it took."""

    outcome: Synthesizer | Exception
    seconds: float

    def result(self) -> Synthesizer:
        """The fitted synthesizer; raises the error of a fit that failed."""
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@dataclass(frozen=True, slots=True)
class Recipe:
    """An unfitted synthesizer, hashed and compared by its settings so that fits can be cached."""

    settings: str
    unfitted: Synthesizer = field(compare=False)

    @classmethod
    def of(cls, method: Method, sem: Sem) -> Recipe:
        """Make a method's synthesizer and read its settings."""
        unfitted = method.make(sem)
        settings = {
            name: value for name, value in vars(unfitted).items() if name != "name" and not name.startswith("_")
        }
        return cls(repr((type(unfitted), settings, method.way)), unfitted)


def _fit(method: Method, model: ModelKey, n_train: int) -> Fit:
    """Fit a method to a model's training rows, unless the fit is cached."""
    return _fit_recipe(Recipe.of(method, known_model(model, n_train).sem), model, n_train)


@lru_cache(maxsize=KEPT_FITS)
def _fit_recipe(recipe: Recipe, model: ModelKey, n_train: int) -> Fit:
    train = known_model(model, n_train).train
    start = perf_counter()
    try:
        outcome: Synthesizer | Exception = recipe.unfitted.fit(train, seed=model.seed)
    except Exception as error:  # cached, as it would occur again for each condition on the model
        outcome = error
    return Fit(outcome, perf_counter() - start)


def _warm_up(method: Method) -> None:
    """Fit and sample once with few rows; methods with long training offer a short one by ``brief``."""

    def call() -> None:
        key = ModelKey(5, 0)
        sem = key.sem()
        rows = sem.draw(200, key.rng(1))
        name = sem.numbers[0]
        easy = Condition((Bound(name, ">=", float(rows[name].quantile(0.3).round(4))),))
        unfitted = method.make(sem)
        fitted = getattr(unfitted, "brief", lambda: unfitted)().fit(rows, seed=0)
        method.ask(fitted, Request(10, easy, seed=0, limits=Limits(most_draws=2_000)))

    warm_up(("constrained", method.name), call)
