"""A number of rows to everything the demo tells: a fitted model, rows, scores, and how long each step took."""

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
from janus_synth.demo.causes import CausalMethods, Planting, planted_bias, with_true_graph
from janus_synth.janus import Janus
from janus_synth.metrics import Report
from janus_synth.model.explain import LeafRule
from janus_synth.rules import holds
from janus_synth.sampling import Estimate

if TYPE_CHECKING:
    import pandas as pd

TARGET = "offered_salary"
"""Column that utility and the decision rules are about."""
FEWEST_ROWS = 50
TINY = 50
N_DECISIONS = 3
EQUAL_PAY = "offered_salary is null or offered_salary >= requested_salary"
GIVEN_RULES = (EQUAL_PAY, "experience <= age - 18")
"""Rules that one of the demo's models is told; one offer in five breaks the first one, no row the second."""
IMPOSSIBLE = "age < 30 and experience >= 20"
RARE_ROWS = 1_000
OLD = 0.98
"""Share of the rows below the age that a rare request asks for."""

Tell = Callable[[str], object]
T = TypeVar("T")


class Timings(NamedTuple):
    """Seconds of each step; ``ready`` is what only the first call pays: imports and compiling kernels."""

    ready: float
    fit: float
    sample: float
    evaluate: float
    causes: float
    bias: float


class RuleShare(NamedTuple):
    """How often a rule of the hiring table holds, among rows where all its columns are present."""

    text: str
    real: float
    synthetic: float


class Kept(NamedTuple):
    """How often a rule holds: in training rows, in rows of a model that was not told, and of one that was."""

    text: str
    train: float
    untold: float
    told: float


class Given(NamedTuple):
    """A model with rules, and what it emits."""

    janus: Janus
    rows: pd.DataFrame
    kept: tuple[Kept, ...]
    seconds: float
    """To draw the rows."""


class Rare(NamedTuple):
    """A request that few rows meet."""

    where: str
    share: Estimate
    rows: pd.DataFrame
    met: float
    """Share of the rows that meet it."""
    n_train: int
    """Training rows that meet it."""
    seconds: float
    """To find out the share, and to draw the rows."""

    @property
    def n_rejected(self) -> float:
        """Rows that would have to be drawn to get as many by throwing others away."""
        return len(self.rows) / self.share.value if self.share.value else float("inf")


class Impossible(NamedTuple):
    """A request that no row can meet."""

    where: str
    reason: str
    conflict: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """What every section of the demo reads."""

    train: pd.DataFrame
    held_out: pd.DataFrame
    synthetic: pd.DataFrame
    janus: Janus
    report: Report
    timings: Timings
    rule_shares: tuple[RuleShare, ...]
    decisions: tuple[LeafRule, ...]
    n_leaves: int
    """Leaves of the tree that the decisions come from."""
    given: Given
    rare: Rare
    impossible: Impossible
    causes: CausalMethods
    planting: Planting


def check_n_rows(n_rows: int) -> None:
    """Refuse a table too small to show anything."""
    if n_rows < FEWEST_ROWS:
        raise ValueError(f"n_rows is {n_rows}; the demo needs at least {FEWEST_ROWS} rows to have something to show.")


def collect(n_rows: int, *, random_state: int, tell: Tell = lambda step: None) -> Results:
    """Run the whole demo but for showing it; ``tell`` hears what happens next."""
    table = datasets.hiring(2 * n_rows, random_state=random_state)
    train, held_out = table[:n_rows], table[n_rows:].reset_index(drop=True)
    tell("getting ready (compiles kernels on the first run)")
    ready = _time_to_get_ready(train[:TINY])
    tell(f"learning {n_rows:,} rows")
    janus, fit = timed(lambda: Janus(random_state=random_state).fit(train, progress=False))
    tell(f"drawing {n_rows:,} rows")
    synthetic, sample = timed(lambda: janus.sample(n_rows, progress=False))
    report, evaluate = timed(lambda: _report(train, held_out, synthetic, janus, random_state, tell))
    decisions, n_leaves = _decisions(janus)
    tell("learning and drawing once more, with rules")
    given = with_rules(train, synthetic, random_state=random_state)
    tell("drawing rare rows")
    rare = rare_request(janus, train)
    tell("asking what if, with the true graph")
    causes, to_ask = timed(lambda: with_true_graph(train, held_out, random_state=random_state))
    tell("planting bias, and auditing who finds it")
    planting, to_plant = timed(lambda: planted_bias(causes.janus, random_state=random_state))
    return Results(
        train=train,
        held_out=held_out,
        synthetic=synthetic,
        janus=janus,
        report=report,
        timings=Timings(ready, fit, sample, evaluate, to_ask, to_plant),
        rule_shares=tuple(
            RuleShare(rule.text, share_holding(held_out, rule.text), share_holding(synthetic, rule.text))
            for rule in HIRING_RULES
        ),
        decisions=decisions,
        n_leaves=n_leaves,
        given=given,
        rare=rare,
        impossible=impossible_request(given.janus),
        causes=causes,
        planting=planting,
    )


def share_holding(frame: pd.DataFrame, rule: str) -> float:
    """Share of rows that satisfy a comparison, among those where every column it names is present.

    Examples
    --------
    >>> import pandas as pd
    >>> share_holding(pd.DataFrame({"age": [30, 40, 20], "experience": [5, 30, None]}), "experience <= age - 18")
    0.5
    """
    named = [column for column in frame.columns if re.search(rf"\b{re.escape(column)}\b", rule)]
    complete = frame.dropna(subset=named)
    kept = np.asarray(complete.eval(rule, engine="python"), dtype=bool)
    return float(kept.mean()) if len(kept) else float("nan")


def with_rules(train: pd.DataFrame, untold: pd.DataFrame, *, random_state: int) -> Given:
    """Fit once more with rules, and draw as many rows as an untold model did."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that training rows break a rule is what the demo shows
        janus = Janus(rules=list(GIVEN_RULES), random_state=random_state).fit(train, progress=False)
    rows, seconds = timed(lambda: janus.sample(len(untold), progress=False))
    kept = tuple(Kept(rule, *(share_kept(frame, rule) for frame in (train, untold, rows))) for rule in GIVEN_RULES)
    return Given(janus, rows, kept, seconds)


def rare_request(janus: Janus, train: pd.DataFrame) -> Rare:
    """Ask for what about one row in a thousand is: oldest applicants, women, remote, with a bonus."""
    where = f"age >= {train['age'].quantile(OLD):.0f} and sex == 'female' and remote and bonus > 0"
    share, first = timed(lambda: janus.probability(where))
    rows, second = timed(lambda: janus.sample(RARE_ROWS, where=where, progress=False))
    return Rare(where, share, rows, share_kept(rows, where), int(holds(where, train).sum()), first + second)


def impossible_request(janus: Janus) -> Impossible:
    """Ask a model with rules for rows that cannot be."""
    answer = janus.check(IMPOSSIBLE)
    assert not answer.feasible, "nobody below 30 has worked for 20 years as an adult"
    return Impossible(IMPOSSIBLE, answer.reason, answer.conflict)


def share_kept(frame: pd.DataFrame, rule: str) -> float:
    """Share of all rows where a rule holds.

    Examples
    --------
    >>> import pandas as pd
    >>> share_kept(pd.DataFrame({"asked": [3, 4, 5, 6], "paid": [3, 5, 4, None]}), "paid is null or paid >= asked")
    0.75
    """
    return float(holds(rule, frame).mean())


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Run some work, and say how many seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def _time_to_get_ready(few: pd.DataFrame) -> float:
    """The first tiny fit pays for imports and kernels, the second does not: the difference is their price."""

    def work() -> None:
        tiny = Janus(n_trees=1, random_state=0).fit(few, progress=False)
        tiny.sample(1, progress=False)
        tiny.sample(1, where="experience <= age - 18", progress=False)

    first, second = (timed(work)[1] for _ in range(2))
    return max(0.0, first - second)


def _report(
    train: pd.DataFrame, held_out: pd.DataFrame, synthetic: pd.DataFrame, janus: Janus, seed: int, tell: Tell
) -> Report:
    def progress(name: str, done: int, total: int) -> None:
        if name:
            tell(f"scoring: {name} ({done + 1} of {total})")

    return metrics.evaluate(
        train, held_out, synthetic, target=TARGET, schema=janus.schema_, random_state=seed, progress=progress
    )


def _decisions(janus: Janus) -> tuple[tuple[LeafRule, ...], int]:
    """The largest leaves of each length, shortest first, so that the reader meets rules of growing detail."""
    explanation = janus.explain(TARGET, most=None)
    leaves = [rule for rule in explanation.rules if rule.conditions] or list(explanation.rules)
    first = {len(rule.conditions): rule for rule in reversed(leaves)}  # the largest of each length comes last
    chosen = [first[length] for length in sorted(first)][:N_DECISIONS]
    chosen += [rule for rule in leaves if rule not in chosen][: N_DECISIONS - len(chosen)]
    return tuple(sorted(chosen, key=lambda rule: len(rule.conditions))), explanation.n_leaves
