"""Rejection beside sequential Monte Carlo: a table in; what a row costs by either, request by request, out.

``python -m janus_bench.speed.methods adult sem`` prints the acceptance rates at which both cost the same, times the
codes of the request: the measurement behind ``REJECTION_CODES`` in `janus_synth.sampling.plan`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from janus_bench.speed.parts import SpeedSizes, first_rows
from janus_bench.speed.requests import random_request
from janus_bench.stopwatch import seconds_of
from janus_synth import Janus
from janus_synth.sampling import Plan, plan_for, sample_conditional

TARGETS = (0.02, 0.005, 0.002)
"""Acceptance rates that requests are calibrated to."""
REPEATS = 2


@dataclass(frozen=True, slots=True)
class MethodCost:
    """Processor seconds of one request."""

    table: str
    rule: str
    acceptance: float
    n_columns: int
    """Columns of the request: those of its rules and their ancestors."""
    n_codes: int
    """Codes of all of them."""
    free_row: float
    """Seconds for an unconstrained row over these columns, judged."""
    particle_row: float
    """Seconds for a row by sequential Monte Carlo, without the plan."""

    @property
    def break_even(self) -> float:
        """Acceptance rate at which a row costs the same by both methods."""
        return self.free_row / self.particle_row


class ByRejection(Plan):
    """A plan that uses rejection."""

    by_rejection = True


class ByParticles(Plan):
    """A plan that uses sequential Monte Carlo."""

    by_rejection = False


def time_methods(name: str, sizes: SpeedSizes) -> Iterator[MethodCost]:
    """Time both methods on random requests."""
    frame = first_rows(name, sizes.fit_rows)
    model = Janus(random_state=0).fit(frame, progress=False)
    pool = model.sample(sizes.pool_rows, random_state=1, progress=False)
    rng = np.random.default_rng(0)
    for target in TARGETS:
        for _ in range(sizes.requests):
            rule = random_request(pool, target, rng)
            yield cost_of(name, model, rule, sizes.requested_rows)


def cost_of(name: str, model: Janus, rule: str, n: int) -> MethodCost:
    """Time one request."""
    plan = plan_for(model.model_, rule)
    request, share = plan.request, max(plan.acceptance.share, 1e-4)
    plans = [kind(request, plan.witness, plan.glance) for kind in (ByRejection, ByParticles)]
    for each in plans:
        each.prepare()
    rejected, particles = (
        min(seconds_of(partial(sample_conditional, each, n, seed=k)).processor for k in range(REPEATS)) / n
        for each in plans
    )
    n_codes = sum(request.codec(column).n_codes for column in request.order)
    return MethodCost(name, rule, share, len(request.order), n_codes, rejected * share, particles)


def main(names: list[str], sizes: SpeedSizes) -> None:
    """Print a line per request, and the median at the end."""
    found = [cost for name in names for cost in time_methods(name, sizes)]
    for cost in found:
        print(
            f"{cost.table}: acceptance {cost.acceptance:.4f}, {cost.n_columns} columns, {cost.n_codes} codes, free row "
            f"{1e6 * cost.free_row:.3f} µs, row by sequential Monte Carlo {1e6 * cost.particle_row:.1f} µs, break-even "
            f"{cost.break_even:.4f} = {cost.break_even * cost.n_codes:.1f} / codes"
        )
    print(f"median {np.median([cost.break_even * cost.n_codes for cost in found]):.1f} / codes")


if __name__ == "__main__":
    main(sys.argv[1:] or ["sem"], SpeedSizes())
