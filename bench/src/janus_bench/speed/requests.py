"""Rows under conditions, common to rare: a table in; processor seconds of ``sample(where=...)`` and of filtering out.

Filtering draws unconstrained rows of the same model and keeps those that meet the request. Its seconds are extrapolated
from 400,000 rows for requests that would need more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from janus_bench.speed.parts import SpeedSizes, first_rows
from janus_bench.stopwatch import seconds_of
from janus_synth import Janus, holds

TARGETS = (1.0, 0.5, 0.1, 0.02, 0.001, 1e-5)
"""Acceptance rates that requests are calibrated to."""
MOST_COLUMNS = 3
LEAST_VALUES = 10
"""Distinct values of a column from which on a request may compare it."""
MOST_JUDGED = 400_000
"""Unconstrained rows that filtering is timed on at most; what more of them would take follows in proportion."""


@dataclass(frozen=True, slots=True)
class RequestTiming:
    """Processor seconds of one request."""

    part: str
    table: str
    rule: str
    target: float
    probability: float
    n_rows: int
    first: float
    """The first rows, with the plan."""
    again: float
    """As many rows once more, with another seed."""
    filtering: float
    """As many rows by filtering."""
    date: str = ""


def time_requests(name: str, sizes: SpeedSizes) -> Iterator[RequestTiming]:
    """Time random requests of every acceptance rate."""
    frame = first_rows(name, sizes.fit_rows)
    model = Janus(random_state=0).fit(frame, progress=False)
    pool = model.sample(sizes.pool_rows, random_state=1, progress=False)
    rng = np.random.default_rng(0)
    n = sizes.requested_rows
    for target in TARGETS:
        for _ in range(sizes.requests):
            rule = random_request(pool, target, rng)
            sample = partial(model.sample, n, where=rule, progress=False)
            first, again = (seconds_of(partial(sample, random_state=seed)).processor for seed in (2, 3))
            probability = model.probability(rule).value
            filtering = _filtering_seconds(model, rule, n, probability)
            yield RequestTiming("where", name, rule, target, probability, n, first, again, filtering)


def random_request(pool: pd.DataFrame, target: float, rng: np.random.Generator) -> str:
    """Compare one to three numeric columns with equal tails of their own, so that about ``target`` of the pool qualify.

    Examples
    --------
    >>> pool = pd.DataFrame({"x": np.arange(1000.0), "y": np.arange(1000.0)[::-1]})
    >>> rule = random_request(pool, 0.1, np.random.default_rng(1))
    >>> bool(0.05 < holds(rule, pool).mean() < 0.2)
    True
    """
    numbers = [str(name) for name in pool.select_dtypes("number") if pool[name].nunique() >= LEAST_VALUES]
    n_columns = min(int(rng.integers(1, MOST_COLUMNS + 1)), len(numbers))
    names = [str(name) for name in rng.choice(numbers, size=n_columns, replace=False)]
    signs = [str(sign) for sign in rng.choice(["<=", ">="], size=n_columns)]
    low, high = 0.0, 1.0
    for _ in range(20):  # bisection: the share that qualifies grows with the common tail
        tail = (low + high) / 2
        share = float(holds(_comparison(pool, names, signs, tail), pool).mean())
        low, high = (tail, high) if share < target else (low, tail)
    return _comparison(pool, names, signs, high)


def _comparison(pool: pd.DataFrame, names: Sequence[str], signs: Sequence[str], tail: float) -> str:
    """Conjunction that puts every column into the tail of this share."""
    levels = [tail if sign == "<=" else 1 - tail for sign in signs]
    cuts = [float(pool[name].quantile(level)) for name, level in zip(names, levels, strict=True)]
    return " and ".join(f"{name} {sign} {cut!r}" for name, sign, cut in zip(names, signs, cuts, strict=True))


def _filtering_seconds(model: Janus, rule: str, n: int, probability: float) -> float:
    """Processor seconds to draw and judge as many unconstrained rows as hold ``n`` that meet the request."""
    wanted = n / probability
    drawn = int(min(wanted, MOST_JUDGED))

    def draw_and_judge() -> object:
        return holds(rule, model.sample(drawn, random_state=4, progress=False))

    return seconds_of(draw_and_judge).processor * wanted / drawn
