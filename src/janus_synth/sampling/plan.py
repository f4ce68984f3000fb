"""How a request will be met: by rejection where it is common, otherwise branch by branch with the best proposal found.

A pilot of free rows tells how common the request is. A rare one is split into the branches of its disjunctions, each
a conjunction that is sampled by itself; for every branch several proposals (ways of looking ahead) are made and tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.rules import BoundRule, Rule
from janus_synth.rules.compilation import Tests, split_branches
from janus_synth.rules.feasibility import check_quickly, may_hold
from janus_synth.sampling.particles import Particles, concatenate
from janus_synth.sampling.proposals.evidence_trees import RareRows, evidence_trees, single_groups, tied_groups
from janus_synth.sampling.proposals.lookahead import Lookahead
from janus_synth.sampling.proposals.messages import message_trees
from janus_synth.sampling.rejection import Acceptance, constrained_table, draw_unconstrained, rows_that_hold
from janus_synth.sampling.request import Request, make_request
from janus_synth.sampling.smc import log_importance_weights, run_smc
from janus_synth.streams import PlanStream, generator

REJECTION_FROM = 0.01
"""Share of free rows from which on rejection is the cheaper way (see docs/conditions.md)."""
PILOT_ROWS = 20_000
"""Free rows that tell how common a request is."""
MOST_BRANCHES = 16
"""Branches of a request; each costs a plan of its own."""
TRIAL_ROWS = 512
EVIDENCE_ROWS = 8192
"""Free rows that evidence trees are grown on; 20,000 of them grew no better trees in twice the time."""
RARE_ROWS = 4096
"""Rows of the rare region that join them."""
EASY_EFFORT = 200
"""Instructions per row up to which pilots have their full size; thousands of rules get smaller ones."""
MOST_ROUNDS = 2
GOOD_ENOUGH = 0.3
"""Effective sample size, as a share of the particles, at which a proposal needs no refinement."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A conjunction that rows are drawn for, and the proposal that serves it best."""

    request: Request
    """Its tests, over all columns of the whole request."""
    lookahead: Lookahead
    effective: float
    """Effective sample size as a share of the particles, judged on the particles of all proposals tried."""
    log_mass: float
    """Log of the share of free rows that keep the tests, roughly."""
    other: Lookahead
    """The second best proposal, for comparison."""

    @property
    def with_second_proposal(self) -> Branch:
        """The same with the second best proposal."""
        return replace(self, lookahead=self.other)


@dataclass(frozen=True)
class Plan:
    """A request, and what is needed to meet it; made when first asked for, and from then on only read."""

    request: Request
    witness: Mapping[str, float | None]
    """Values of the rules' columns that satisfy all rules: where rows start if no proposal finds any."""
    seed: int
    """Of the pilot and the trials of proposals, not of rows: one plan serves all seeds."""

    @cached_property
    def pilot(self) -> Pilot:
        """Free rows, and which of them keep every rule."""
        thrift = max(1.0, self.request.effort / EASY_EFFORT)
        rng = generator(self.seed, PlanStream.PILOT)
        rows = draw_unconstrained(self.request, int(max(PILOT_ROWS / thrift, 1000)), rng)
        return Pilot(rows, rows_that_hold(self.request.rules, constrained_table(self.request, rows)))

    @property
    def by_rejection(self) -> bool:
        """Whether enough free rows keep every rule."""
        return self.pilot.acceptance.share >= REJECTION_FROM

    def prepare(self) -> None:
        """Make what drawing rows needs."""
        if not self.by_rejection:
            _ = self.branches

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """Branches with their proposals; those without any mass are left out."""
        rng = generator(self.seed, PlanStream.TRIALS)
        made = [_plan_branch(request, self.pilot, rng) for request in _branch_requests(self.request, self.pilot)]
        return tuple(branch for branch in made if branch.log_mass > -np.inf) or tuple(made)


@dataclass(frozen=True, slots=True)
class Pilot:
    """Free rows over a request's columns, and which of them keep every rule."""

    rows: Particles
    accepted: Bools

    @property
    def acceptance(self) -> Acceptance:
        """How many rows keep every rule."""
        return Acceptance(int(self.accepted.sum()), self.rows.n)


def _branch_requests(request: Request, pilot: Pilot) -> list[Request]:
    """The request itself, or one request for each branch of its disjunctions."""
    model, table = request.model, constrained_table(request, pilot.rows)

    def share(test: Rule) -> float:
        return float(rows_that_hold((BoundRule(test, test),), table).mean())

    def is_possible(tests: Tests) -> bool:
        return may_hold(_as_rules(tests), model.schema, model.codec)

    tests = [rule.test for rule in request.rules]
    branches = split_branches(tests, most=MOST_BRANCHES, share=share, is_possible=is_possible)
    if len(branches) < 2:
        return [request]
    requests = []
    for branch in branches:
        rules = _as_rules(branch)
        found = check_quickly(rules, model.schema, model.codec)
        if found is not None:
            requests.append(make_request(model, rules, box=found.box, also=request.order))
    likely = [each for each in requests if not each.is_null]  # beside a probability, a density counts for nothing
    return likely or requests or [request]


def _as_rules(tests: Tests) -> tuple[BoundRule, ...]:
    return tuple(BoundRule(test, test) for test in tests)


def _plan_branch(request: Request, pilot: Pilot, rng: np.random.Generator) -> Branch:
    """Try proposals on a few rows and keep the best; if it is poor, refine it with rows of the region it leads to."""
    n_rare = int(max(RARE_ROWS * pilot.rows.n / PILOT_ROWS, 1000))
    free = pilot.rows.take(np.arange(min(pilot.rows.n, EVIDENCE_ROWS)))
    trial = _ProposalTrial(request, pilot, rng)
    groups = dict.fromkeys((tied_groups(request), single_groups(request)))
    for each in groups:
        trial.add(evidence_trees(request, free, each))
    trial.add(message_trees(request, free))
    for _ in range(MOST_ROUNDS):
        best = trial.best()
        if best.effective >= GOOD_ENOUGH:
            break
        found = run_smc(request, best.lookahead, n_rare, rng)
        if not found.weights().any():
            break
        rare = RareRows(found.take(found.resample_indices(n_rare, rng)), found.log_mean_weight())
        for each in groups:
            trial.add(evidence_trees(request, free, each, rare=rare))
    return trial.best()


class _ProposalTrial:
    """Proposals tried on a few rows each, and judged by the rows of all of them.

    A proposal that never leads to some region looks perfect on its own rows. So the rows of all proposals are put
    together, weighted by the balance heuristic (target over the mean of the proposals' densities), and each proposal is
    judged by the weights that it would give to these rows; free rows that meet the request are judged likewise.
    """

    def __init__(self, request: Request, pilot: Pilot, rng: np.random.Generator) -> None:
        self.request, self.rng = request, rng
        kept = np.flatnonzero(rows_that_hold(request.rules, constrained_table(request, pilot.rows)))
        self.exact = pilot.rows.take(kept[:TRIAL_ROWS])
        self.log_share = np.log(len(kept) / pilot.rows.n) if len(kept) else -np.inf
        self.lookaheads: list[Lookahead] = []
        self.rows: list[Particles] = []

    def add(self, lookahead: Lookahead) -> None:
        """Draw rows by one more proposal."""
        trial = run_smc(self.request, lookahead, TRIAL_ROWS, self.rng, resample_below=0.0)
        self.lookaheads.append(lookahead)
        self.rows.append(trial)

    def best(self) -> Branch:
        """The proposal with the largest effective sample size."""
        rows = concatenate(self.rows)
        rows = rows.take(np.flatnonzero(rows.log_weight > -np.inf))
        mass, effective = self._effective_sizes(rows)
        second, best = np.argsort(effective, kind="stable")[-2:]
        return Branch(self.request, self.lookaheads[best], float(effective[best]), mass, self.lookaheads[second])

    def _effective_sizes(self, rows: Particles) -> tuple[float, Floats]:
        """Log of the mass, and each proposal's effective sample size as a share of its particles."""
        if not rows.n:
            return -np.inf, np.zeros(len(self.lookaheads))
        log_weights = log_importance_weights(self.request, self.lookaheads, rows)
        balanced = -np.logaddexp.reduce(-log_weights, axis=0) + np.log(len(log_weights))
        log_total = np.logaddexp.reduce(balanced)
        log_mass = float(log_total - np.log(TRIAL_ROWS * len(log_weights)))
        squares = np.logaddexp.reduce(log_weights + balanced - log_total, axis=1)
        effective = np.exp(np.minimum(log_mass - squares, 0.0))
        if self.exact.n:
            on_exact = log_importance_weights(self.request, self.lookaheads, self.exact)
            mean = np.logaddexp.reduce(on_exact, axis=1) - np.log(self.exact.n)
            effective = np.minimum(effective, np.exp(np.minimum(np.maximum(self.log_share, log_mass) - mean, 0.0)))
        return log_mass, effective
