"""Cost and violations on real tables: requests in, seconds and numbers of violations out.

Requests on Adult (part B), requests of increasing rarity (part C), and many rows under rules (part D).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from janus_bench.exact.against import Comparison, Effort, compare
from janus_bench.stopwatch import seconds_of, take_turns
from janus_bench.tables import read_named, table_names
from janus_synth import holds

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth import Janus, Schema

ADULT_REQUESTS = (
    "income == '>50K' and age < 30 and hours_per_week >= 60",
    "income == '>50K' and sex == 'Female' and education_num <= 8",
    "capital_gain > 5000 and occupation == 'Sales'",
    "native_country == 'Mexico' and income == '>50K'",
)
"""Requests that between one row in 200 and one in 5,000 meets."""

TIGHTENING: Mapping[str, tuple[str, ...]] = {
    "adult": tuple(
        f"age >= {age} and hours_per_week >= {hours} and education_num >= {years}"
        for age, hours, years in ((30, 40, 9), (55, 45, 12), (72, 60, 14), (85, 80, 15))
    ),
    "hiring": tuple(
        f"age >= {age} and experience >= {years} and requested_salary >= {salary}"
        for age, years, salary in ((30, 8, 42_000), (40, 20, 90_000), (55, 35, 120_000), (64, 44, 115_000))
    ),
}
"""Conditions on the same three columns that about one row in 2, in 100, in 10,000 and in a million meets."""

HIRING_RULES = ("experience <= age - 18", "offered_salary is null or offered_salary >= requested_salary")
HIRING_REQUESTS = ("age < 30 and experience >= 8", "requested_salary >= 80_000 and offered_salary <= 85_000")
"""Each restricts columns that a rule compares."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one request with compiled kernels: for its plan, and for rows with the plan cached."""

    part: str
    table: str
    rule: str
    probability: float
    n_rows: int
    plan_seconds: float
    seconds: list[float]
    processor_seconds: list[float]

    @property
    def cached(self) -> float:
        """Median seconds with the plan cached."""
        return median(self.seconds)

    @property
    def per_thousand(self) -> float:
        """Milliseconds per 1,000 rows, with the plan cached."""
        return 1e6 * self.cached / self.n_rows

    @property
    def processor_per_thousand(self) -> float:
        """The same in processor time of all threads, which other processes disturb less."""
        return 1e6 * median(self.processor_seconds) / self.n_rows


@dataclass(frozen=True, slots=True)
class Violations:
    """Number of rows drawn under rules and a condition, and of rows that violate either."""

    part: str
    table: str
    rules: list[str]
    rule: str
    n_rows: int
    n_violations: int
    seconds: float


def has_adult() -> bool:
    """Whether Adult is already downloaded."""
    return "adult" in table_names()


@cache
def learnt(table: str, max_rows: int) -> Janus:
    """JANUS fitted to at most ``max_rows`` rows of a table, as a chain in column order; cached per process."""
    from janus_synth import Janus

    return Janus(structure="chain", keep_rare=True, random_state=0).fit(_rows(table, max_rows), progress=False)


@cache
def learnt_with_rules(max_rows: int) -> Janus:
    """JANUS with `HIRING_RULES`, fitted to the hiring table's rows that satisfy them; cached per process."""
    from janus_synth import Janus

    frame = _rows("hiring", max_rows)
    kept = frame[_kept(HIRING_RULES, frame)].reset_index(drop=True)
    return Janus(rules=HIRING_RULES, keep_rare=True, random_state=0).fit(kept, progress=False)


def forget_models() -> None:
    """Clear the cache of fitted models: a model caches its plans, and a run has to time them."""
    learnt.cache_clear()
    learnt_with_rules.cache_clear()


def compare_adult(rule: str, effort: Effort, *, max_rows: int) -> Comparison:
    """Compare one request on Adult with rejection."""
    return compare(learnt("adult", max_rows), rule, effort, part="B", subject="adult", seed=7)


def time_requests(
    table: str, rules: Sequence[str], *, part: str, max_rows: int, n_rows: int, repeats: int
) -> list[Cost]:
    """Time plans, then rows with the requests in turns; a first, untimed call of each loads kernels."""
    from janus_synth.sampling import plan_for

    model = learnt(table, max_rows)
    seeds = count()

    def draw(rule: str) -> object:
        return model.sample(n_rows, where=rule, random_state=next(seeds), progress=False)

    calls = {rule: partial(draw, rule) for rule in rules}
    take_turns(calls, 1)
    plans = {rule: seconds_of(partial(plan_for, model.model_, rule)).clock for rule in rules}
    costs = []
    for rule, runs in take_turns(calls, repeats).items():
        share = model.probability(rule).value
        clocks, processors = [run.clock for run in runs], [run.processor for run in runs]
        costs.append(Cost(part, table, rule, share, n_rows, plans[rule], clocks, processors))
    return costs


def count_violations(rule: str, *, max_rows: int, n_rows: int) -> Violations:
    """Sample the hiring table under its rules and a condition on the same columns, and count violating rows."""
    model = learnt_with_rules(max_rows)
    start = perf_counter()
    rows = model.sample(n_rows, where=rule, random_state=3, progress=False)
    spent = perf_counter() - start
    n_violations = n_rows - int(_kept((*HIRING_RULES, rule), rows, model.schema_).sum())
    return Violations("D", "hiring", list(HIRING_RULES), rule, n_rows, n_violations, spent)


def _rows(table: str, max_rows: int) -> pd.DataFrame:
    frame = read_named(table).frame
    return frame if len(frame) <= max_rows else frame.sample(max_rows, random_state=0).reset_index(drop=True)


def _kept(rules: Iterable[str], frame: pd.DataFrame, schema: Schema | None = None) -> npt.NDArray[np.bool_]:
    """Whether each row satisfies all rules."""
    found: npt.NDArray[np.bool_] = np.logical_and.reduce([holds(rule, frame, schema) for rule in rules])
    return found
