"""Branches of a request: a conjunction and unconstrained rows in; the proposal that serves it best out.

Several proposals are tried on a few particles, and evaluated on the particles of all of them. A poor one is refined
with rows of the rare region.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.deadlines import check_time
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.particles import Particles, concatenate
from janus_synth.sampling.proposals.evidence_trees import RareRows, evidence_trees, single_groups, tied_groups
from janus_synth.sampling.proposals.lookahead import Lookahead
from janus_synth.sampling.proposals.messages import message_trees
from janus_synth.sampling.rejection import constrained_table
from janus_synth.sampling.request import Request
from janus_synth.sampling.smc import log_importance_weights, run_smc

MOST_PILOT_ROWS = 20_000
"""Unconstrained rows of the pilot of a rare request; requests of thousands of rules have fewer."""
TRIAL_ROWS = 512
EVIDENCE_ROWS = 8192
"""Unconstrained rows that evidence trees are grown on; 20,000 of them grew no better trees in twice the time."""
RARE_ROWS = 4096
"""Rows of the rare region that join them."""
PART_OF_SEVERAL = 0.5
"""Part of both for each of several branches: ratios, which have two, then take at most three times as long as linear
rules of the same rarity (docs/products.md)."""
MOST_ROUNDS = 2
GOOD_ENOUGH = 0.3
"""Effective sample size, as a share of the particles, at which a proposal is not refined; where there are several
branches, no more than the branch's share of the request: then it needs one particle per row or less."""
CALIBRATION = (16, 256)
"""Passes, and particles of each, that estimate a branch's probability and how well its proposal does, where several
branches compete: a few heavy weights that the trials did not see would otherwise give a branch the wrong share."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A conjunction to draw rows for, and the proposal that serves it best."""

    request: Request
    """Its tests, over all columns of the whole request."""
    lookahead: Lookahead
    effective: float
    """Effective sample size as a share of the particles, estimated on the particles of all proposals tried."""
    log_mass: float
    """Rough estimate of the log probability of the tests."""
    second: Lookahead
    """The second best proposal, for comparison."""
    effective_of_second: float = 0.0
    """Its effective sample size as a share of the particles, as far as all proposals can tell."""

    @property
    def with_second_proposal(self) -> Branch:
        """The same branch with the second best proposal."""
        return replace(self, lookahead=self.second)


class ProposalTrial:
    """Proposals tried on a few particles each, and evaluated on the particles of all of them.

    A proposal that never reaches some region has even weights on its own particles. So the particles of all proposals
    are put together, weighted by the balance heuristic (target over the mean of the proposals' densities; Veach &
    Guibas 1995), and each proposal is evaluated by the importance weights that it would give to them, and to pilot rows
    that meet the request.
    """

    def __init__(self, request: Request, pilot: Particles, rng: np.random.Generator, *, part: float = 1.0) -> None:
        self.request, self.rng = request, rng
        self.free = pilot.take(np.arange(int(part * min(pilot.n, EVIDENCE_ROWS))))
        self.n_rare = int(max(part * RARE_ROWS * pilot.n / MOST_PILOT_ROWS, 1000))
        kept = np.flatnonzero(rows_that_hold(request.rules, constrained_table(request, pilot)))
        self.accepted = pilot.take(kept[:TRIAL_ROWS])
        self.log_share = np.log(len(kept) / pilot.n) if len(kept) else -np.inf
        self.lookaheads: list[Lookahead] = []
        self.rows: list[Particles] = []  # not yet weighed
        self.weighed = self.accepted
        self.on_rows = np.empty((0, 0))
        self.on_accepted = np.empty((0, self.accepted.n))
        self.groupings = tuple(dict.fromkeys((tied_groups(request), single_groups(request))))
        for groups in self.groupings:
            self.add(evidence_trees(request, self.free, groups))
        self.add(message_trees(request, self.free))
        self.add(self.best().lookahead.stirred())

    def refine(self, rounds: int, *, share: float = 1.0) -> Branch:
        """The best proposal; a poor one is refined with rows of the rare region, in the last round the better way."""
        groupings = self.groupings
        for _ in range(rounds):
            best = self.best()
            if best.effective >= min(GOOD_ENOUGH, share):
                break
            found = run_smc(self.request, best.lookahead, self.n_rare, self.rng)
            if not found.weights().any():
                break
            rare = RareRows(found.take(found.resample_indices(self.n_rare, self.rng)), found.log_mean_weight())
            for groups in groupings:
                self.add(evidence_trees(self.request, self.free, groups, rare=rare))
            effective = self.effective()[-len(groupings) :]
            groupings = (groupings[int(np.argmax(effective))],)
        return self.best()

    def add(self, lookahead: Lookahead) -> None:
        """Draw particles by one more proposal."""
        check_time()
        self.lookaheads.append(lookahead)
        self.rows.append(run_smc(self.request, lookahead, TRIAL_ROWS, self.rng, resample_below=0.0))

    def best(self) -> Branch:
        """The proposal with the largest effective sample size, and the second best."""
        log_mass, effective = self._effective_sizes()
        second, best = np.argsort(effective, kind="stable")[-2:]
        proposals = self.lookaheads[best], self.lookaheads[second]
        return Branch(
            self.request, proposals[0], float(effective[best]), log_mass, proposals[1], float(effective[second])
        )

    def _weigh(self) -> None:
        """Weigh old rows by the proposals that are new, and new rows by all of them."""
        n_old = len(self.on_accepted)
        new = self.lookaheads[n_old:]
        if new:
            self.on_accepted = np.concatenate([self.on_accepted, self._log_weights(self.accepted, new)])
            old = self._log_weights(self.weighed, new) if n_old else np.empty((len(new), 0))
            fresh = concatenate(self.rows)
            fresh = fresh.take(np.flatnonzero(fresh.log_weight > -np.inf))
            by_all = self._log_weights(fresh, self.lookaheads)
            self.on_rows = np.concatenate([np.concatenate([self.on_rows, old]), by_all], axis=1)
            self.weighed, self.rows = concatenate([self.weighed, fresh] if n_old else [fresh]), []

    def _log_weights(self, rows: Particles, lookaheads: Sequence[Lookahead]) -> Floats:
        """Log importance weights of some proposals; infinite for one whose predictions are zero for all codes."""
        found = log_importance_weights(self.request, lookaheads, rows) if rows.n else np.empty((len(lookaheads), 0))
        return np.where(np.isnan(found), np.inf, found)

    def effective(self) -> Floats:
        """Effective sample size of each proposal as a share of its particles."""
        return self._effective_sizes()[1]

    def _effective_sizes(self) -> tuple[float, Floats]:
        """Log of the request's probability, and each proposal's effective sample size as a share of its particles."""
        self._weigh()
        log_weights = self.on_rows
        if not log_weights.shape[1]:
            return -np.inf, np.zeros(len(self.lookaheads))
        balanced = -np.logaddexp.reduce(-log_weights, axis=0) + np.log(len(log_weights))
        log_total = np.logaddexp.reduce(balanced)
        log_mass = float(log_total - np.log(TRIAL_ROWS * len(log_weights)))
        squares = np.logaddexp.reduce(log_weights + balanced - log_total, axis=1)
        effective = np.exp(np.minimum(log_mass - squares, 0.0))
        if self.accepted.n:
            mean = np.logaddexp.reduce(self.on_accepted, axis=1) - np.log(self.accepted.n)
            effective = np.minimum(effective, np.exp(np.minimum(np.maximum(self.log_share, log_mass) - mean, 0.0)))
        return log_mass, effective


def calibrate(branch: Branch, rng: np.random.Generator) -> Branch:
    """Estimate a branch's probability, and the effective sample size of its proposal by the spread between passes."""
    n_passes, n = CALIBRATION
    logs = np.array([run_smc(branch.request, branch.lookahead, n, rng).log_mean_weight() for _ in range(n_passes)])
    if logs.max() == -np.inf:
        return branch
    weights = np.exp(logs - logs.max())
    effective = float(np.clip(weights.mean() ** 2 / max(n * weights.var(ddof=1), 1e-300), 1.0 / n, branch.effective))
    return replace(branch, effective=effective, log_mass=float(logs.max() + np.log(weights.mean())))
