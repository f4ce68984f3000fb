"""Compare conditional sampling with rejection: a fitted model and a request in, a `Comparison` out.

Rejection sampling from the model has its conditional distribution by definition, so it is the reference. Any
difference between the reference and the rows of ``sample(where=...)`` is an error of the sampler, not of the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from time import perf_counter, process_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from janus_bench.constrained.oracle import Truth
from janus_bench.stopwatch import Seconds
from janus_synth import holds
from janus_synth.metrics import align, detection_auc

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth import Janus, Schema
    from janus_synth.metrics import Detector

SMALLEST_BATCH, LARGEST_BATCH = 20_000, 500_000
DETECTOR_SEEDS = 2
SIDES_OF_95 = 1.96
"""Half-width of a 95 % normal interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Maximum numbers of reference rows and of unconditional rows drawn for them, and the detector."""

    n_rows: int = 2_500
    most_draws: int = 8_000_000
    detector: Detector = "xgboost"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One request: its probability, how the sampler's rows differ from the reference, and what both cost.

    ``auc`` is None with fewer rows than a detector needs; ``half_auc`` is the AUC between two halves of the reference.
    """

    part: str
    subject: str
    kind: str
    rule: str
    n_accepted: int
    n_drawn: int
    estimate: float
    low: float
    high: float
    n_rows: int
    n_violations: int
    auc: float | None
    half_auc: float | None
    exact_seconds: float
    rejection_seconds: float

    @property
    def probability(self) -> float:
        """Share of unconditional rows that meet the request: the brute-force estimate."""
        return self.n_accepted / self.n_drawn

    @property
    def off(self) -> float:
        """Factor between the brute-force probability and ``estimate``, at least 1; infinite if one of them is 0."""
        small, large = sorted((self.probability, self.estimate))
        return large / small if small else math.inf

    @property
    def interval_holds(self) -> bool:
        """Whether the estimate's interval covers the brute-force value, with the latter's own error allowed for."""
        found = self.probability
        side = self.high - self.estimate if found > self.estimate else self.estimate - self.low
        noise = SIDES_OF_95 * math.sqrt(found * (1 - found) / self.n_drawn)
        return abs(found - self.estimate) <= math.hypot(side, noise)


def compare(
    model: Janus, rule: str, effort: Effort, *, part: str, subject: str, kind: str = "", seed: int = 0
) -> Comparison:
    """Draw rows by rejection and as many by conditional sampling, and compare them.

    Parameters
    ----------
    model : Janus
        A fitted model.
    rule : str
        The request.
    effort : Effort
        Number of rows, and when rejection gives up.
    part, subject, kind : str
        Labels of the comparison.
    seed : int
        Seed of the rows.
    """
    pair = draw_both(model, rule, effort, seed=seed)
    return judge(model, rule, pair, effort, part=part, subject=subject, kind=kind)


class Pair(NamedTuple):
    """The reference, as many rows of the sampler, and the seconds for the latter, including the plan."""

    truth: Truth
    rows: pd.DataFrame
    seconds: Seconds


def draw_both(model: Janus, rule: str, effort: Effort, *, seed: int) -> Pair:
    """Draw the reference by rejection, then as many rows by conditional sampling."""
    truth = by_rejection(model, rule, effort, seed=seed)
    clock, processor = perf_counter(), process_time()
    rows = model.sample(len(truth.rows), where=rule, random_state=seed + 1, progress=False)
    return Pair(truth, rows, Seconds(perf_counter() - clock, process_time() - processor))


def judge(
    model: Janus, rule: str, pair: Pair, effort: Effort, *, part: str, subject: str, kind: str = ""
) -> Comparison:
    """Score the sampler's rows against the reference, and estimate the probability of the request."""
    truth, rows, schema = pair.truth, pair.rows, model.schema_
    estimate = model.probability(rule)
    return Comparison(
        part=part,
        subject=subject,
        kind=kind,
        rule=rule,
        n_accepted=truth.n_accepted,
        n_drawn=truth.n_drawn,
        estimate=estimate.value,
        low=estimate.low,
        high=estimate.high,
        n_rows=len(rows),
        n_violations=int((~holds(rule, rows, schema)).sum()),
        auc=mean_auc(truth.rows, rows, schema, effort.detector),
        half_auc=mean_auc(truth.rows.iloc[::2], truth.rows.iloc[1::2], schema, effort.detector),
        exact_seconds=pair.seconds.clock,
        rejection_seconds=truth.seconds * len(truth.rows) / max(truth.n_accepted, 1),
    )


def by_rejection(model: Janus, rule: str, effort: Effort, *, seed: int) -> Truth:
    """Draw unconditional rows and keep those that meet the rule, until there are enough or the limit is reached.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(random_state=0).fit(datasets.hiring(300))
    >>> truth = by_rejection(model, "age < 30", Effort(50), seed=0)
    >>> len(truth.rows), bool(truth.rows["age"].max() < 30)
    (50, True)
    """
    import pandas as pd

    start = perf_counter()
    seeds = np.random.default_rng(seed)
    kept: list[pd.DataFrame] = []
    found = drawn = 0
    while found < effort.n_rows and drawn < effort.most_draws:
        size = min(next_batch(effort.n_rows, found, drawn), effort.most_draws - drawn)
        batch = model.sample(size, random_state=int(seeds.integers(2**31)), progress=False)
        kept.append(batch[holds(rule, batch, model.schema_)])
        found, drawn = found + len(kept[-1]), drawn + size
    rows = pd.concat(kept, ignore_index=True).iloc[: effort.n_rows]
    return Truth(rows, found, drawn, perf_counter() - start)


def next_batch(n: int, found: int, drawn: int) -> int:
    """Unconditional rows to draw next: 10 % more than the acceptance rate so far suggests.

    Examples
    --------
    >>> next_batch(1_000, 0, 0), next_batch(1_000, 500, 100_000), next_batch(1_000, 1, 100_000)
    (20000, 110000, 500000)
    """
    wanted = round(1.1 * (n - found) * drawn / found) if found else 4 * drawn
    return min(LARGEST_BATCH, max(wanted, SMALLEST_BATCH))


def mean_auc(first: pd.DataFrame, second: pd.DataFrame, schema: Schema, detector: Detector) -> float | None:
    """Mean detection AUC over seeds of the detector; None with too few rows."""
    pair = align(schema=schema, real=first, synthetic=second)
    found = fmean(detection_auc(*pair, detector=detector, random_state=seed) for seed in range(DETECTOR_SEEDS))
    return None if math.isnan(found) else found
