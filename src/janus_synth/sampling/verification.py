"""Verification of rows under conditions: rows and their plan in, an error if an independent estimate contradicts them.

Rows are compared with estimates that do not depend on how they were drawn: unconstrained rows of the model that happen
to meet the request, and importance-weighted particles of another proposal. Compared are the shares of the request's
branches and of a few random half spaces of codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.errors import VerificationError
from janus_synth.sampling.branches import Branch
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.conditional import run_branch
from janus_synth.sampling.intervals import fisher_p_value
from janus_synth.sampling.particles import Particles, concatenate, new_particles
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.rejection import constrained_table, draw_unconstrained
from janus_synth.streams import Stream, generator
from janus_synth.table import Table
from janus_synth.table.cells import as_floats

PROJECTIONS = 8
TYPICAL = 256
"""Particles whose median bounds the half spaces."""
PARTICLES = 4096
"""Particles of another proposal, for each branch."""
FREE_ROWS = 1 << 18
"""Unconstrained rows that a requested check draws; a default check uses only those of the pilot."""
LEAST_ACCEPTED = 20
"""Accepted unconstrained rows below which they are not used."""
LEAST_EFFECTIVE = 50.0
"""Effective sample size of the other proposal's particles below which they are not used.

Particles that all miss a region have even weights, so their own effective sample size is not enough: what the particles
of all proposals said of this one when the plan was made counts, too.
"""
NEGLIGIBLE = 0.01
"""Probability of a branch, over that of the likeliest one, below which its proposals do not matter for the check."""
FALSE_ALARM = 1e-6
"""False-alarm rate of one comparison."""
SLACK = 2.0
"""Rows that count as one independent row: resampled particles are correlated, and standard errors are estimates."""


class Share(NamedTuple):
    """A property of rows, and the share of rows that have it with its squared standard error."""

    what: str
    value: float
    variance: float
    n: float
    """Effective sample size."""


def verify_rows(plan: Plan, table: Table, *, seed: int, thorough: bool = False) -> None:
    """Raise ``VerificationError`` if rows differ clearly from independent estimates of the same conditional.

    Parameters
    ----------
    plan : Plan
        How the rows were drawn.
    table : Table
        The rows.
    seed : int
        Seed of the estimates.
    thorough : bool
        Draw unconstrained rows for the comparison beyond those of the pilot, and compare even if there is one branch
        only.
    """
    if plan.by_rejection or (len(plan.branches) == 1 and not thorough) or not table.n_rows:
        return
    rng = generator(seed, Stream.VERIFICATION)
    judge = _Statistics.of(plan, rng)
    rows = _as_particles(plan, table)
    for reference in _references(plan, rng, thorough=thorough):
        pairs = list(zip(judge.shares(rows), judge.shares(reference.rows), strict=True))
        for ours, theirs in pairs:
            if _p_value(ours, theirs) < FALSE_ALARM / len(pairs):
                raise VerificationError(
                    f"the rows are not distributed as the model's own: {ours.value:.2%} of them {ours.what}, where "
                    f"{reference.source} say {theirs.value:.2%} ± {1.96 * np.sqrt(theirs.variance):.2%}. Ask for the "
                    "branches one by one, or pass verify=False to have the rows all the same.",
                    what=ours.what,
                    found=ours.value,
                    expected=theirs.value,
                )


def _p_value(one: Share, other: Share) -> float:
    """Fisher's exact test of two shares, with as many independent rows as their standard errors correspond to."""
    value = (one.n * one.value + other.n * other.value) / (one.n + other.n)
    counts = []
    for share in (one, other):
        n = min(share.n, value * (1 - value) / share.variance) if share.variance > 0 else share.n
        counts.append([round(n * share.value / SLACK), round(n * (1 - share.value) / SLACK)])
    return fisher_p_value(counts)


@dataclass(frozen=True)
class _Statistics:
    """Properties that rows are compared by: the branches of a request, and random half spaces of codes."""

    plan: Plan
    weights: tuple[tuple[int, Floats], ...]
    """Columns and their codes' scores (codes, projections)."""
    thresholds: Floats

    @classmethod
    def of(cls, plan: Plan, rng: np.random.Generator) -> _Statistics:
        """Half spaces that hold about half of the particles of the plan's own proposals."""
        weights = []
        for column in plan.request.order:
            n_codes = plan.request.codec(column).n_codes
            noise = rng.normal(size=(n_codes, PROJECTIONS))
            if plan.request.ordered(column):
                noise = np.linspace(-1.7, 1.7, n_codes)[:, None] * noise[:1]
            weights.append((column, noise))
        judge = cls(plan, tuple(weights), np.zeros(PROJECTIONS))
        typical = _weighted(plan, plan.branches, TYPICAL, rng)
        typical = typical.take(typical.resample_indices(TYPICAL, rng)) if typical.weights().any() else typical
        return cls(plan, judge.weights, np.median(judge.scores(typical.x), axis=0))

    def scores(self, x: Codes) -> Floats:
        """(rows, projections) sums of the codes' scores; rows of weight zero may hold codes that were not drawn."""
        return np.asarray(sum(weight[np.minimum(x[column], len(weight) - 1)] for column, weight in self.weights))

    def shares(self, rows: Particles) -> Iterator[Share]:
        """Weighted shares of the rows."""
        table = constrained_table(self.plan.request, rows)
        weight = rows.weights() / rows.weights().sum()
        branches = [branch.request.rules for branch in self.plan.branches]
        holding = [
            (f"belong to branch {number} of {len(branches)}", rows_that_hold(rules, table))
            for number, rules in enumerate(branches, 1)
        ]
        above = self.scores(rows.x) > self.thresholds
        holding += [(f"lie in random half space {i}", above[:, i]) for i in range(PROJECTIONS)]
        for what, held in holding:
            value = float(weight @ held)
            variance = float(weight**2 @ (held - value) ** 2)
            yield Share(what, min(value, 1.0), variance, 1.0 / float(weight @ weight))


def _as_particles(plan: Plan, table: Table) -> Particles:
    """Rows with their codes, all of the same weight."""
    request = plan.request
    rows = new_particles(request, table.n_rows)
    for i in request.order:
        cells = table[request.names[i]]
        rows.x[i] = request.codec(i).encode(cells)
        rows.values[i] = as_floats(cells)
    return rows


class _Reference(NamedTuple):
    """Independent weighted rows of the same conditional distribution, drawn in another way."""

    source: str
    rows: Particles


def _references(plan: Plan, rng: np.random.Generator, *, thorough: bool) -> Iterator[_Reference]:
    """Unconstrained rows that meet the request, and particles of another proposal, where there are enough."""
    pilot = plan.pilot
    accepted = pilot.rows.take(np.flatnonzero(pilot.accepted))
    if thorough:
        more = [accepted]
        for _ in range(FREE_ROWS // pilot.rows.n):
            free = draw_unconstrained(plan.request, pilot.rows.n, rng)
            more.append(
                free.take(np.flatnonzero(rows_that_hold(plan.request.rules, constrained_table(plan.request, free))))
            )
        accepted = concatenate(more)
    if accepted.n >= LEAST_ACCEPTED:
        yield _Reference(f"{accepted.n:,} unconstrained rows that meet the request", accepted)
    other = _weighted(plan, [branch.with_second_proposal for branch in plan.branches], PARTICLES, rng)
    log_least = max(branch.log_mass for branch in plan.branches) + np.log(NEGLIGIBLE)
    planned = PARTICLES * min(each.effective_of_second for each in plan.branches if each.log_mass >= log_least)
    if min(other.effective_share() * other.n, planned) >= LEAST_EFFECTIVE:
        yield _Reference("importance weights of another proposal", other)


def _weighted(plan: Plan, branches: Sequence[Branch], n: int, rng: np.random.Generator) -> Particles:
    """Particles of all branches with their absolute weights; not resampled, so that they are independent."""
    return concatenate([part for branch in branches for part in run_branch(plan, branch, n, rng, resample_below=0.0)])
