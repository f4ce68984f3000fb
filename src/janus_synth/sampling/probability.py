"""Probability of a request: a plan in, an estimate with its confidence interval out.

Common requests are counted among unconstrained rows. A rare one is the sum of its branches, each estimated by
independent unbiased passes of sequential Monte Carlo. Particles may miss a region, so no interval is narrower than
their number allows, and one that contradicts the pilot or the second best proposals is widened.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.deadlines import under_same_limit
from janus_synth.rules import BoundRule
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.conditional import run_branch
from janus_synth.sampling.forward import prepare_bags
from janus_synth.sampling.intervals import binomial_tails, half_width
from janus_synth.sampling.particles import concatenate
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.rejection import Acceptance, constrained_table, draw_unconstrained
from janus_synth.streams import Stream, generator
from janus_synth.threads import worker_count

PASSES = 16
"""Passes of a single branch to begin with, and of the branch with the largest error later."""
FEWEST_PASSES = 8
"""Passes of each of several branches to begin with."""
MOST_PASSES = 64
"""Passes of a branch at most."""
PARTICLES = 2048
ROUNDING = 1e-6
"""Relative error of shares, which are kept in single precision."""
ENOUGH = 0.02
"""Relative half width of the interval at which no more passes are made."""
COUNTED_ENOUGH = 0.005
"""The same for unconstrained rows, which are cheap."""
COUNTED_ROWS = 1 << 17
"""Unconstrained rows that are counted at once."""
TASKS = 32
"""Parts of them, each with a generator of its own."""
MOST_COUNTED = 1 << 20
"""Unconstrained rows that are counted at most."""
POOR = 0.1
"""Relative half width of the interval of a rare request above which unconstrained rows are counted, too: until their
interval is narrower,"""
MOST_COUNTED_IF_POOR = 1 << 23
"""or there are so many of them: a request of probability 5e-5 then has an interval of 10 %,"""
LEAST_EXPECTED = 100.0
"""if that many of them are expected to meet the request."""
UNSEEN = 3.0
"""Rule of three: an event that none of n independent particles shows has a probability below 3 / n, at 95 %."""
DOUBT = 1e-4
"""p-value of an independent result, given an estimate, below which the two contradict each other."""


class Estimate(NamedTuple):
    """A value and the interval that holds the truth at the stated rate.

    Examples
    --------
    >>> print(Estimate(0.021, 0.02, 0.022))
    0.021 (0.02 to 0.022)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = (f"{part:,.0f}" if abs(part) >= 1e4 else f"{part:.4g}" for part in self)
        return f"{value} ({low} to {high})"

    def _repr_html_(self) -> str:
        """Render as a table for notebooks."""
        from janus_synth.pages import render  # Jinja is slow to import

        cells = [f"{part:,.0f}" if abs(part) >= 1e4 else f"{part:.4g}" for part in self]
        return render("table.html.j2", caption="Estimate", headings=self._fields, rows=[cells], first_number=0)


class LogEstimate(NamedTuple):
    """An estimate of a probability: its log, its squared relative error, and the error's degrees of freedom."""

    log_value: float
    variance: float
    freedom: float
    unseen: float = 0.0
    """Relative probability of events that the particles may have missed altogether."""


class Budget:
    """Time that an estimate may take; None is as long as it needs."""

    def __init__(self, seconds: float | None) -> None:
        self.end = np.inf if seconds is None else monotonic() + seconds

    @property
    def is_spent(self) -> bool:
        """Whether no time is left."""
        return monotonic() >= self.end


def probability(
    of: Plan,
    given: Plan | None = None,
    *,
    level: float,
    seed: int,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
) -> Estimate:
    """Probability that a row of the model meets a plan's request, or that it does given that it meets another one's.

    After ``max_seconds`` no further rows are drawn, and the interval is the one reached so far.
    """
    budget = Budget(max_seconds)
    if given is not None and of.by_rejection:
        found = count_accepted(of, given.request.rules, seed=seed, n_jobs=n_jobs, budget=budget)
        return as_estimate(_from_count(found), level=level)
    share = estimate_log_probability(of, seed=seed, n_jobs=n_jobs, budget=budget)
    among = None
    if given is not None:
        among = estimate_log_probability(given, seed=seed + 1, n_jobs=n_jobs, budget=budget)
    return as_estimate(share, among, level=level)


def estimate_log_probability(
    plan: Plan, *, seed: int, n_jobs: int | None = None, budget: Budget | None = None
) -> LogEstimate:
    """Log probability of a plan's request under the unconstrained model."""
    budget = budget or Budget(None)
    if not plan.request.order:
        return LogEstimate(0.0, 0.0, 1)
    if plan.by_rejection and not is_enumerated(plan):
        return _from_count(count_accepted(plan, (), seed=seed, n_jobs=n_jobs, budget=budget))
    found = _sum_over_branches(plan, seed=seed, n_jobs=n_jobs, budget=budget)
    if is_enumerated(plan) or found.log_value == -np.inf:
        return found._replace(unseen=0.0)
    found = _widen_to_pilot(_widen_to_second_proposals(found, plan, seed=seed), plan.pilot.acceptance)
    if 2 * np.sqrt(found.variance) <= POOR or np.exp(found.log_value) * MOST_COUNTED_IF_POOR < LEAST_EXPECTED:
        return found
    counted = count_accepted(plan, (), seed=seed, n_jobs=n_jobs, budget=budget, enough=POOR, most=MOST_COUNTED_IF_POOR)
    return min(found, _from_count(counted), key=lambda estimate: estimate.variance)


def is_enumerated(plan: Plan) -> bool:
    """Whether a pass sums over all codes there are: one column without parents in one branch."""
    return len(plan.request.order) == 1


# Counting unconstrained rows


def count_accepted(
    plan: Plan,
    given: tuple[BoundRule, ...],
    *,
    seed: int,
    n_jobs: int | None,
    budget: Budget,
    enough: float = COUNTED_ENOUGH,
    most: int = MOST_COUNTED,
) -> Acceptance:
    """Count unconstrained rows that meet a request among those that keep ``given`` rules, until the error is small."""
    request = plan.request

    def count(task: int) -> tuple[int, int]:
        rng = generator(seed, Stream.PROBABILITY, task)
        table = constrained_table(request, draw_unconstrained(request, COUNTED_ROWS // TASKS, rng))
        among = rows_that_hold(given, table)
        return int((among & rows_that_hold(request.rules, table)).sum()), int(among.sum())

    prepare_bags(request.model)
    found = Acceptance(0, 0)
    with ThreadPoolExecutor(worker_count(n_jobs)) as threads:
        for start in range(0, most // COUNTED_ROWS * TASKS, TASKS):
            counts = np.array(list(threads.map(under_same_limit(count), range(start, start + TASKS))))
            found = Acceptance(found.n_accepted + int(counts[:, 0].sum()), found.n_drawn + int(counts[:, 1].sum()))
            if budget.is_spent or (found.n_accepted and 2 * np.sqrt(_from_count(found).variance) < enough):
                break
    return found


def _from_count(found: Acceptance) -> LogEstimate:
    """Estimate from a count."""
    share = found.n_accepted / found.n_drawn
    variance = (1 - share) / max(found.n_accepted, 1)
    return LogEstimate(float(np.log(max(share, 1e-300))), variance, np.inf, UNSEEN / found.n_drawn)


# Summing over branches


def _sum_over_branches(plan: Plan, *, seed: int, n_jobs: int | None, budget: Budget) -> LogEstimate:
    """Sum over the branches, each by passes of its own; more passes where they narrow the sum most."""
    logs: list[list[float]] = [[] for _ in plan.branches]

    def one(task: tuple[int, int]) -> float:
        b, number = task
        (rows,) = run_branch(plan, plan.branches[b], PARTICLES, generator(seed, Stream.PROBABILITY, number, b))
        return float(np.logaddexp.reduce(rows.log_weight))

    with ThreadPoolExecutor(worker_count(n_jobs)) as threads:
        asked, more = list(range(len(logs))), max(PASSES // len(logs), FEWEST_PASSES)
        while True:
            tasks = [(b, number) for b in asked for number in range(len(logs[b]), len(logs[b]) + more)]
            for (b, _), log in zip(tasks, threads.map(under_same_limit(one), tasks), strict=True):
                logs[b].append(log)
            found, parts = _add_branches(logs)
            able = [b for b in range(len(logs)) if len(logs[b]) < MOST_PASSES]
            if 2 * np.sqrt(found.variance) < ENOUGH or not able or budget.is_spent:
                return found
            asked, more = [max(able, key=lambda b: parts[b] / len(logs[b]))], PASSES
            if parts[asked[0]] == 0.0:
                return found


def _add_branches(logs: list[list[float]]) -> tuple[LogEstimate, Floats]:
    """Estimate of the sum of all branches' means, and each branch's part in its squared relative error.

    Degrees of freedom of the sum are Satterthwaite's.
    """
    most = max(max(each) for each in logs)
    n_particles = PARTICLES * sum(map(len, logs))
    if most == -np.inf:
        return LogEstimate(-np.inf, 0.0, 1), np.zeros(len(logs))
    values = [np.exp(np.array(each) - most) for each in logs]
    total = sum(each.mean() for each in values)
    parts = np.array([each.var(ddof=1) / len(each) for each in values]) / total**2
    variance = float(parts.sum())
    freedom = variance**2 / max(float(sum(parts**2 / [len(each) - 1 for each in values])), 1e-300)
    return LogEstimate(float(most + np.log(total)), variance, max(freedom, 1.0), UNSEEN / n_particles), parts


def _widen_to_pilot(found: LogEstimate, seen: Acceptance) -> LogEstimate:
    """Widen the interval if the number of pilot rows that met the request contradicts the estimate."""
    value = min(float(np.exp(found.log_value)), 1.0)
    if min(binomial_tails(seen.n_accepted, seen.n_drawn, value)) >= DOUBT or seen.n_accepted == 0:
        return found
    return _widen(found, seen.share)


def _widen_to_second_proposals(found: LogEstimate, plan: Plan, *, seed: int) -> LogEstimate:
    """Widen the interval if the second best proposals find clearly more.

    A smaller estimate is ignored: a proposal that misses a region estimates too little, and almost never too much.
    """
    rng = generator(seed, Stream.SECOND_OPINION)
    value = variance = 0.0
    for branch in plan.branches:
        rows = concatenate(run_branch(plan, branch.with_second_proposal, PARTICLES, rng, resample_below=0.0))
        weights = np.exp(rows.log_weight - found.log_value)
        value += float(weights.sum())
        variance += float(rows.n * weights.var())
    if value - 1.0 <= half_width(1 - 2 * DOUBT) * np.sqrt(variance + found.variance):
        return found
    return _widen(found, value * float(np.exp(found.log_value)))


def _widen(found: LogEstimate, to: float) -> LogEstimate:
    """The same estimate with a standard error as large as its distance from another value."""
    gap = (to - float(np.exp(found.log_value))) / max(float(np.exp(found.log_value)), 1e-300)
    return found._replace(variance=found.variance + gap**2)


def as_estimate(of: LogEstimate, given: LogEstimate | None = None, *, level: float = 0.95) -> Estimate:
    """Estimate of a probability, or of its ratio to another one, with an interval at a level.

    Degrees of freedom of the ratio are Satterthwaite's: an exact part takes none away.
    """
    log_value, variance, freedom, unseen = of
    if given is not None:
        log_value, unseen = log_value - given.log_value, unseen + given.unseen
        parts = variance**2 / freedom + given.variance**2 / given.freedom
        variance += given.variance
        freedom = max(variance**2 / max(parts, 1e-300), 1.0)
    value = float(np.exp(log_value))
    half = half_width(level, freedom) * float(np.sqrt(variance)) + ROUNDING + unseen
    return Estimate(min(value, 1.0), max(value * (1 - half), 0.0), min(value * (1 + half), 1.0))
