"""Scenarios × methods to a `Result`: how near each method comes to the true conditional, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from janus_synth.bench.constrained.asking import Answer, Limits, Request
from janus_synth.bench.constrained.conditions import Bound, Condition
from janus_synth.bench.constrained.methods import Method, make_conditional_methods
from janus_synth.bench.constrained.oracle import Oracle
from janus_synth.bench.constrained.scenarios import N_TRAIN, ModelKey, Scenario
from janus_synth.bench.constrained.scores import NO_ROWS, Scores, score_rows
from janus_synth.bench.results import Result
from janus_synth.errors import DataError, require_extra
from janus_synth.progress import progress_bar

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.bench.constrained.sem import Sem
    from janus_synth.bench.peers import Synthesizer
    from janus_synth.metrics.detection import Detector
    from janus_synth.table import Schema

ORACLE = "oracle"
"""The true model asked a second time: what a perfect method gets."""


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


FULL = Sizes()
QUICK = Sizes(n_rows=500, n_rare_rows=250, limits=Limits(most_draws=1_000_000, most_seconds=20.0))


@dataclass(frozen=True, slots=True)
class Trial:
    """One method in one scenario; a method that failed has an ``error`` and the scores of no rows."""

    n_nodes: int
    model: int
    kind: str
    rarity: str
    target: float
    probability: float
    rule: str
    n_training_matches: int
    method: str
    n_asked: int
    n_returned: int = 0
    n_drawn: int | None = None
    fit_seconds: float | None = None
    seconds: float | None = None
    scores: Mapping[str, float | None] = field(default_factory=lambda: dict(NO_ROWS))
    error: str = ""


def run_constrained(
    scenarios: Sequence[Scenario],
    methods: Sequence[Method] | None = None,
    *,
    sizes: Sizes = FULL,
    detector: Detector = "xgboost",
    progress: bool | None = None,
) -> Result:
    """Let every method answer every scenario, and judge its rows by the true conditional.

    Parameters
    ----------
    scenarios : sequence of Scenario
        Conditions on structural models; those of one model share its training rows and fits.
    methods : sequence of Method, optional
        By default all.
    sizes : Sizes
        How many rows.
    detector : {"xgboost", "boosting", "mlp"}
        Classifier that tells the rows from the truth.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

    Returns
    -------
    Result
        A record per scenario and method, the oracle among them.

    Examples
    --------
    >>> from janus_synth.bench.constrained.scenarios import chosen_scenarios
    >>> scenarios = chosen_scenarios(quick=True, nodes=["5"], kinds=["range"], rarities=["hard"])
    >>> sizes = Sizes(n_train=500, n_rows=100)
    >>> result = run_constrained(scenarios, make_conditional_methods(["rows"]), sizes=sizes, detector="boosting")
    >>> [record["method"] for record in result.records]
    ['oracle', 'training rows']
    """
    if detector == "xgboost":
        require_extra("xgboost", "detection", purpose="telling rows from the truth")
    methods = make_conditional_methods() if methods is None else methods
    if not (scenarios and methods):
        raise DataError("a benchmark needs at least one scenario and one method.")
    _warm_up(methods)
    trials: list[Trial] = []
    with progress_bar("asking and judging", len(scenarios) * (1 + len(methods)), shown=progress) as advance:
        for key, group in groupby(scenarios, key=lambda scenario: scenario.model):
            fits = Fits.of(key, sizes.n_train)
            for scenario in group:
                trials += _trials(scenario, fits, methods, sizes, detector, advance)
    options = {
        "scenarios": len(scenarios),
        "columns": sorted({scenario.model.n_nodes for scenario in scenarios}),
        "methods": [method.name for method in methods],
        "ours": [method.name for method in methods if method.ours],
        "training rows": sizes.n_train,
        "rows asked for": {"otherwise": sizes.n_rows, "below 0.01 %": sizes.n_rare_rows},
        "limits of rejection": asdict(sizes.limits),
        "detector": detector,
    }
    return Result.of("constrained", options=options, records=[asdict(trial) for trial in trials])


class Fit(NamedTuple):
    """Something fitted, or why it is not, and how long it took."""

    fitted: Synthesizer | None
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Fits:
    """A structural model, its training rows, and what was fitted to them so far."""

    sem: Sem
    train: pd.DataFrame
    schema: Schema
    seed: int
    done: dict[str, Fit] = field(default_factory=dict)

    @classmethod
    def of(cls, key: ModelKey, n_train: int) -> Fits:
        """Draw the training rows of a model."""
        from janus_synth.table import read_table

        sem = key.sem()
        train = sem.draw(n_train, key.rng(1))
        return cls(sem, train, read_table(train).schema, key.seed)

    def fit(self, method: Method) -> Fit:
        """Fit, unless another method has done so."""
        if method.fit_name not in self.done:
            start = perf_counter()
            try:
                found = Fit(method.make(self.sem).fit(self.train, seed=self.seed), perf_counter() - start)
            except Exception as error:  # a method that fails is a result, not the end of the run
                found = Fit(None, perf_counter() - start, _told(error))
            self.done[method.fit_name] = found
        return self.done[method.fit_name]


def _trials(
    scenario: Scenario,
    fits: Fits,
    methods: Sequence[Method],
    sizes: Sizes,
    detector: Detector,
    advance: Callable[[int], None],
) -> Iterable[Trial]:
    """The oracle beside itself, then every method beside the oracle."""
    n = sizes.rows_for(scenario)
    condition = scenario.condition(fits.sem)
    oracle = Oracle(fits.sem, condition)
    truth, second = (oracle.sample(n, scenario.rng(purpose)) for purpose in (1, 2))
    facts: dict[str, Any] = {
        "n_nodes": scenario.model.n_nodes,
        "model": scenario.model.seed,
        "kind": scenario.kind,
        "rarity": scenario.rarity,
        "target": scenario.target.target,
        "probability": (truth.n_accepted + second.n_accepted) / (truth.n_drawn + second.n_drawn),
        "rule": str(condition),
        "n_training_matches": int(condition.mask(fits.train).sum()),
        "n_asked": n,
    }

    def judged(rows: pd.DataFrame) -> Scores:
        return score_rows(rows, truth.rows, str(condition), n_asked=n, schema=fits.schema, detector=detector)

    yield Trial(
        **facts,
        method=ORACLE,
        n_returned=len(second.rows),
        n_drawn=second.n_drawn,
        seconds=second.seconds,
        scores=judged(second.rows),
    )
    advance(1)
    request = Request(n, condition, seed=int(scenario.rng(3).integers(2**31)), limits=sizes.limits)
    for method in methods:
        yield _trial(facts, method, fits.fit(method), request, judged)
        advance(1)


def _trial(
    facts: Mapping[str, Any], method: Method, fit: Fit, request: Request, judged: Callable[[pd.DataFrame], Scores]
) -> Trial:
    if fit.fitted is None:
        return Trial(**facts, method=method.name, error=fit.error)
    start = perf_counter()
    try:
        answer: Answer = method.ask(fit.fitted, request)
        seconds = perf_counter() - start
        scores = judged(answer.rows)
    except Exception as error:  # a method that fails is a result, not the end of the run
        return Trial(**facts, method=method.name, fit_seconds=fit.seconds, error=_told(error))
    return Trial(
        **facts,
        method=method.name,
        n_returned=len(answer.rows),
        n_drawn=answer.n_drawn,
        fit_seconds=fit.seconds,
        seconds=seconds,
        scores=scores,
    )


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _warm_up(methods: Sequence[Method]) -> None:
    """Compile kernels and import libraries before anything is timed; what fails here fails again later, on record."""
    fits = Fits.of(ModelKey(5, 0), 200)
    name = fits.sem.numbers[0]
    easy = Condition((Bound(name, ">=", float(fits.train[name].quantile(0.3).round(4))),))
    for method in methods:
        fitted = fits.fit(method).fitted
        if fitted is not None:
            with suppress(Exception):
                method.ask(fitted, Request(10, easy, seed=0, limits=Limits(most_draws=2_000)))
