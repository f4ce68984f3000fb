"""A number of rows in; everything the demo shows out: fitted models, rows, scores, answers and timings."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from janus_synth import datasets, metrics
from janus_synth.datasets import HIRING_RULES
from janus_synth.demo.causal import BiasResults, CausalResults, ask_causal_model, plant_and_audit
from janus_synth.janus import Janus
from janus_synth.metrics import Report
from janus_synth.model.explain import LeafRule
from janus_synth.rules import holds
from janus_synth.sampling import Estimate

if TYPE_CHECKING:
    import pandas as pd

TARGET = "offered_salary"
"""Column that the utility score and the decision rules are about."""
MIN_ROWS = 50
N_WARM_UP = 50
N_DECISIONS = 3
FAIR_OFFER = "offered_salary is null or offered_salary >= requested_salary"
GIVEN_RULES = (FAIR_OFFER, "experience <= age - 18")
"""Rules of the demo's second model; one offer in five breaks the first one, no row the second."""
IMPOSSIBLE = "age < 30 and experience >= 20"
RARE_ROWS = 1_000
OLD_QUANTILE = 0.98
"""Minimum age in the rare request, as a quantile of the training rows."""

ShowStep = Callable[[str], object]
T = TypeVar("T")


class Timings(NamedTuple):
    """Seconds of each step; ``start_up`` is the extra time of the first call: imports and kernels."""

    start_up: float
    fit: float
    sample: float
    evaluate: float
    causal: float
    bias: float


class LearntRule(NamedTuple):
    """How often a rule of the hiring table holds, among rows where all its columns are present."""

    text: str
    real: float
    synthetic: float


class RuleShares(NamedTuple):
    """How often a rule holds in training rows, in rows of a model without rules, and of the model with rules."""

    text: str
    train: float
    without_rules: float
    with_rules: float


class RuledModel(NamedTuple):
    """A model with rules, and rows drawn from it."""

    janus: Janus
    rows: pd.DataFrame
    rule_shares: tuple[RuleShares, ...]
    seconds: float
    """Time to draw the rows."""


class RareRequest(NamedTuple):
    """A request that few rows satisfy."""

    where: str
    share: Estimate
    rows: pd.DataFrame
    met: float
    """Share of the drawn rows that satisfy it."""
    n_train: int
    """Training rows that satisfy it."""
    seconds: float
    """Time to estimate the probability and to draw the rows."""

    @property
    def n_by_rejection(self) -> float:
        """Expected number of draws of rejection sampling for as many rows."""
        return len(self.rows) / self.share.value if self.share.value else float("inf")


class ImpossibleRequest(NamedTuple):
    """A request that no row can satisfy."""

    where: str
    reason: str
    conflict: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """Input of every section of the demo."""

    train: pd.DataFrame
    held_out: pd.DataFrame
    synthetic: pd.DataFrame
    janus: Janus
    report: Report
    timings: Timings
    learnt_rules: tuple[LearntRule, ...]
    decisions: tuple[LeafRule, ...]
    n_leaves: int
    """Leaves of the tree that the decision rules come from."""
    ruled: RuledModel
    rare: RareRequest
    impossible: ImpossibleRequest
    causal: CausalResults
    bias: BiasResults


def check_n_rows(n_rows: int) -> None:
    """Raise ValueError for a table that is too small to show anything."""
    if n_rows < MIN_ROWS:
        raise ValueError(f"n_rows is {n_rows}; the demo needs at least {MIN_ROWS} rows to have something to show.")


def compute_results(n_rows: int, *, random_state: int, show: ShowStep = lambda step: None) -> Results:
    """Compute all results; ``show`` is called with a description of each step."""
    table = datasets.hiring(2 * n_rows, random_state=random_state)
    train, held_out = table[:n_rows], table[n_rows:].reset_index(drop=True)
    show("starting up (the first run is slower)")
    start_up = _measure_start_up(train[:N_WARM_UP])
    show(f"learning {n_rows:,} rows")
    janus, fit = measure_time(lambda: Janus(random_state=random_state).fit(train, progress=False))
    show(f"drawing {n_rows:,} rows")
    synthetic, sample = measure_time(lambda: janus.sample(n_rows, progress=False))
    report, evaluate = measure_time(lambda: _report(train, held_out, synthetic, janus, random_state, show))
    decisions, n_leaves = _choose_leaves(janus)
    show("fitting and sampling with rules")
    ruled = fit_with_rules(train, synthetic, random_state=random_state)
    show("drawing rare rows")
    rare = ask_rare(janus, train)
    show("answering causal questions with the true graph")
    causal, to_ask = measure_time(lambda: ask_causal_model(train, held_out, random_state=random_state))
    show("planting bias and auditing algorithms")
    bias, to_plant = measure_time(lambda: plant_and_audit(causal.janus, random_state=random_state))
    return Results(
        train=train,
        held_out=held_out,
        synthetic=synthetic,
        janus=janus,
        report=report,
        timings=Timings(start_up, fit, sample, evaluate, to_ask, to_plant),
        learnt_rules=tuple(
            LearntRule(
                rule.text, share_of_complete_rows(held_out, rule.text), share_of_complete_rows(synthetic, rule.text)
            )
            for rule in HIRING_RULES
        ),
        decisions=decisions,
        n_leaves=n_leaves,
        ruled=ruled,
        rare=rare,
        impossible=ask_impossible(ruled.janus),
        causal=causal,
        bias=bias,
    )


def share_of_complete_rows(frame: pd.DataFrame, rule: str) -> float:
    """Share of rows that satisfy a comparison, among those where every column it names is present.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 40, 20], "experience": [5, 30, None]})
    >>> share_of_complete_rows(frame, "experience <= age - 18")
    0.5
    """
    named = [column for column in frame.columns if re.search(rf"\b{re.escape(column)}\b", rule)]
    complete = frame.dropna(subset=named)
    satisfied = np.asarray(complete.eval(rule, engine="python"), dtype=bool)
    return float(satisfied.mean()) if len(satisfied) else float("nan")


def fit_with_rules(train: pd.DataFrame, without_rules: pd.DataFrame, *, random_state: int) -> RuledModel:
    """Fit with rules, and draw as many rows as the model without rules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some training rows break a rule on purpose
        janus = Janus(rules=list(GIVEN_RULES), random_state=random_state).fit(train, progress=False)
    rows, seconds = measure_time(lambda: janus.sample(len(without_rules), progress=False))
    rule_shares = tuple(
        RuleShares(rule, *(share_satisfying(frame, rule) for frame in (train, without_rules, rows)))
        for rule in GIVEN_RULES
    )
    return RuledModel(janus, rows, rule_shares, seconds)


def ask_rare(janus: Janus, train: pd.DataFrame) -> RareRequest:
    """Make a request that about one row in a thousand satisfies: old applicants, women, remote, with a bonus."""
    oldest = janus.schema_["age"].high  # of few rows the model publishes no extremes
    age = min(train["age"].quantile(OLD_QUANTILE), train["age"].max() if oldest is None else oldest)
    where = f"age >= {age:.0f} and sex == 'female' and remote and bonus > 0"
    share, first = measure_time(lambda: janus.probability(where))
    rows, second = measure_time(lambda: janus.sample(RARE_ROWS, where=where, progress=False))
    return RareRequest(
        where, share, rows, share_satisfying(rows, where), int(holds(where, train).sum()), first + second
    )


def ask_impossible(janus: Janus) -> ImpossibleRequest:
    """Check a request that the rules exclude."""
    answer = janus.check(IMPOSSIBLE)
    assert not answer.feasible, "nobody below 30 has worked for 20 years as an adult"
    return ImpossibleRequest(IMPOSSIBLE, answer.reason, answer.conflict)


def share_satisfying(frame: pd.DataFrame, rule: str) -> float:
    """Share of all rows that satisfy a rule.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"asked": [3, 4, 5, 6], "paid": [3, 5, 4, None]})
    >>> share_satisfying(frame, "paid is null or paid >= asked")
    0.75
    """
    return float(holds(rule, frame).mean())


def measure_time(work: Callable[[], T]) -> tuple[T, float]:
    """Run a function, and return its result and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def _measure_start_up(few: pd.DataFrame) -> float:
    """Time two tiny fits; only the first one includes imports and kernels, so their difference is the start-up time."""

    def work() -> None:
        tiny = Janus(n_trees=1, random_state=0).fit(few, progress=False)
        tiny.sample(1, progress=False)
        tiny.sample(1, where="experience <= age - 18", progress=False)

    first, second = (measure_time(work)[1] for _ in range(2))
    return max(0.0, first - second)


def _report(
    train: pd.DataFrame, held_out: pd.DataFrame, synthetic: pd.DataFrame, janus: Janus, seed: int, show: ShowStep
) -> Report:
    def progress(name: str, done: int, total: int) -> None:
        if name:
            show(f"scoring: {name} ({done + 1} of {total})")

    return metrics.evaluate(
        train, held_out, synthetic, target=TARGET, schema=janus.schema_, random_state=seed, progress=progress
    )


def _choose_leaves(janus: Janus) -> tuple[tuple[LeafRule, ...], int]:
    """Choose the largest leaf of each number of conditions, the shortest rules first."""
    explanation = janus.explain(TARGET, most=None)
    leaves = [rule for rule in explanation.rules if rule.conditions] or list(explanation.rules)
    first = {len(rule.conditions): rule for rule in reversed(leaves)}  # the largest of each length comes last
    chosen = [first[length] for length in sorted(first)][:N_DECISIONS]
    chosen += [rule for rule in leaves if rule not in chosen][: N_DECISIONS - len(chosen)]
    return tuple(sorted(chosen, key=lambda rule: len(rule.conditions))), explanation.n_leaves
