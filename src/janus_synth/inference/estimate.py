"""How likely a request is: independent forward passes in, an estimate with its interval out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy import stats

from janus_synth.inference.filtering import run_forward
from janus_synth.inference.plan import Plan
from janus_synth.model import worker_count

PASSES = 16
MOST_PASSES = 64
PARTICLES = 2048
ROUNDING = 1e-6
"""Relative error of shares, which are kept in single precision."""
ENOUGH = 0.02
"""Relative half width at which no more passes are made."""


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


class LogEstimate(NamedTuple):
    """An estimate of a probability on the log scale: its log, and the squared relative error with its freedom."""

    log_value: float
    variance: float
    freedom: int


def estimate_log(plan: Plan, *, seed: int, n_jobs: int | None = None) -> LogEstimate:
    """Log probability of a plan's request under the free model, from independent unbiased passes."""
    if not plan.request.order:
        return LogEstimate(0.0, 0.0, 1)

    def one(number: int) -> float:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2, number)))
        return run_forward(plan.request, plan.lookahead, PARTICLES, rng).log_mean_weight()

    logs: list[float] = []
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        while len(logs) < MOST_PASSES:
            logs += pool.map(one, range(len(logs), len(logs) + PASSES))
            found = _summary(np.array(logs))
            if 2 * np.sqrt(found.variance) < ENOUGH:
                break
    return found


def _summary(logs: np.ndarray) -> LogEstimate:
    most = logs.max()
    if most == -np.inf:
        return LogEstimate(-np.inf, 0.0, len(logs) - 1)
    values = np.exp(logs - most)
    mean = values.mean()
    variance = float(values.var(ddof=1) / len(values) / mean**2)
    return LogEstimate(float(most + np.log(mean)), variance, len(logs) - 1)


def as_estimate(of: LogEstimate, given: LogEstimate | None = None, *, level: float = 0.95) -> Estimate:
    """Estimate of a probability, or of its ratio to another one, with an interval at a level."""
    log_value, variance, freedom = of
    if given is not None:
        total = variance + given.variance
        freedom = min(freedom, given.freedom)
        log_value, variance = log_value - given.log_value, total
    value = float(np.exp(log_value))
    half = float(stats.t.ppf(0.5 + level / 2, freedom) * np.sqrt(variance)) + ROUNDING
    return Estimate(min(value, 1.0), max(value * (1 - half), 0.0), min(value * (1 + half), 1.0))
