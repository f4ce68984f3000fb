"""Sampling plans: a model and conditions in; rejection, or a proposal for each branch, out.

A pilot of unconstrained rows estimates how common a request is; rejection serves common ones. A rare request is split
into the branches of its disjunctive normal form. Each branch is a conjunction that is sampled separately; several
proposals are tried for it, and the best is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from janus_synth.arrays import Bools
from janus_synth.coordinates import Link, rules_of_links, substitute
from janus_synth.deadlines import OutOfTime, check_time, time_limit
from janus_synth.errors import UndecidedError
from janus_synth.model import Model
from janus_synth.rules import BoundRule, Rule, Where, as_rules, bind
from janus_synth.rules.compilation import Tests, split_branches
from janus_synth.rules.feasibility import check_quickly, may_hold, narrow_box, require_feasible
from janus_synth.rules.language import require_no_keys, split_keys
from janus_synth.sampling.branches import (
    MOST_PILOT_ROWS,
    MOST_ROUNDS,
    PART_OF_SEVERAL,
    Branch,
    ProposalTrial,
    calibrate,
)
from janus_synth.sampling.combinations import allowed_combinations, as_bound_rules
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.glance import ENOUGH_ACCEPTED, Glance, first_accepted
from janus_synth.sampling.particles import Particles, concatenate
from janus_synth.sampling.rejection import Acceptance, constrained_table, draw_unconstrained
from janus_synth.sampling.request import Request, make_request
from janus_synth.streams import PLAN_SEED, PlanStream, generator

REJECTION_CODES = 3.0
"""Rejection is cheaper from an acceptance rate of this number over the codes of the request's columns on.

A column of an unconstrained row takes 20 to 50 ns. A row by sequential Monte Carlo takes about 7 ns for every code of
the request, times its columns: scores of all codes are computed for every column that depends on a code. The break-even
of 22 rare requests was at 1.5 to 9 over the codes, with a median of 3.4; plans, which only one of the two needs, are
not counted.
``python -m janus_bench.speed.methods`` measures it.
"""
REJECTION_BOUNDS = (0.001, 0.01)
"""Smallest and largest acceptance rate from which on rejection is used: a pilot cannot tell smaller ones apart, and
requests of few codes save too little to make a plan."""
PLAN_SECONDS = 60.0
"""Time limit of a plan that is made without a request for rows, which has a limit of its own; a plan that takes longer
is an ``UndecidedError``. Nothing else depends on the time, so that one seed stays one table."""
PILOT_ROWS = (256, 1_024, 4_096, MOST_PILOT_ROWS)
"""Sizes of the pilot: it stops at the first that accepts enough rows, so a common request needs only a small one."""
LEAST_HARD = 1_024
"""Pilot rows of a request of thousands of rules."""
MOST_BRANCHES = 48
"""Maximum number of branches of a request; each needs proposals of its own.

More are grouped, and importance weights alone share mass within a group: of forty single rows in 16 groups, three had
two thirds of their share in one of twenty trials. Branches for all of them take twice the time.
"""
EASY_EFFORT = 200
"""Solver instructions per row up to which pilots have their full size; thousands of rules get smaller ones."""
FEW_RULES = 32
"""Rules up to which unconstrained rows are tried before feasibility is searched; rules are then compiled twice if too
few rows keep them."""
MOST_COMBINATIONS = 20_000
"""Combinations of values of tied columns that are enumerated to find those that rules allow."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """Unconstrained rows over a request's columns, and which of them keep every rule."""

    rows: Particles
    accepted: Bools

    @property
    def acceptance(self) -> Acceptance:
        """How many rows keep every rule."""
        return Acceptance(int(self.accepted.sum()), self.rows.n)


@dataclass(frozen=True)
class Plan:
    """A request, and what is needed to meet it: computed on first use, then read-only."""

    request: Request
    witness: Mapping[str, float | None]
    """Values of the rules' columns that satisfy all rules: where rows start if no proposal finds any."""

    glance: Acceptance | None = None
    """How many rows of a first glance keep every rule, if enough do."""

    rounds: int = MOST_ROUNDS
    """Most rounds in which poor proposals are refined."""

    def without_refinement(self) -> Plan:
        """The same plan with its first proposals, made in a third of the time; itself if it is made already."""
        if "branches" in vars(self):
            return self
        quick = replace(self, rounds=0)
        return quick if self.glance else _with_pilot(quick, self.pilot)

    @cached_property
    def pilot(self) -> Pilot:
        """Unconstrained rows, enough to estimate how common the request is."""
        return draw_pilot(self.request, PILOT_ROWS)

    @property
    def acceptance(self) -> Acceptance:
        """How many unconstrained rows keep every rule: of a first glance if enough do, else of the pilot."""
        return self.glance or self.pilot.acceptance

    @cached_property
    def by_rejection(self) -> bool:
        """Whether rejection costs less: enough unconstrained rows keep every rule."""
        return self.acceptance.share >= rejection_from(self.request)

    def prepare(self) -> None:
        """Compute what drawing rows needs."""
        if not self.by_rejection:
            _ = self.branches

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """Branches with their proposals; those without any mass are left out."""
        try:
            with time_limit(PLAN_SECONDS, unless_set=True):
                return self._make_branches()
        except OutOfTime:
            check_time()  # the limit of a request has its own error
            raise UndecidedError(
                f"some row satisfies the rules, but how to draw such rows was not planned within {PLAN_SECONDS:.0f} s: "
                f"solving them takes {self.request.effort:,} steps per row. Simplify the rules, leave one out, or use "
                "narrower ranges.",
                hard=map(str, sorted(self.request.rules, key=lambda rule: -len(str(rule)))[:2]),
            ) from None

    def _make_branches(self) -> tuple[Branch, ...]:
        rng = generator(PLAN_SEED, PlanStream.TRIALS)
        requests = _branch_requests(self.request, self.pilot)
        part = 1.0 if len(requests) == 1 else PART_OF_SEVERAL
        trials = [ProposalTrial(request, self.pilot.rows, rng, part=part) for request in requests]
        log_masses = np.array([trial.best().log_mass for trial in trials])
        shares = np.exp(log_masses - max(np.logaddexp.reduce(log_masses), -700.0))
        made = [trial.refine(self.rounds, share=share) for trial, share in zip(trials, shares, strict=True)]
        if len(made) > 1:
            made = [calibrate(branch, rng) for branch in made]
        return tuple(branch for branch in made if branch.log_mass > -np.inf) or tuple(made)


def rejection_from(request: Request) -> float:
    """Acceptance rate from which on rejection costs less than sequential Monte Carlo."""
    n_codes = sum(request.codec(column).n_codes for column in request.order)
    return float(np.clip(REJECTION_CODES / max(n_codes, 1), *REJECTION_BOUNDS))


def draw_pilot(request: Request, sizes: Sequence[int]) -> Pilot:
    """Draw unconstrained rows up to the first of some sizes at which enough of them are accepted."""
    thrift = max(1.0, request.effort / EASY_EFFORT)
    rng = generator(PLAN_SEED, PlanStream.PILOT)
    parts: list[Particles] = []
    accepted: list[Bools] = []
    for size in sizes:
        n = int(min(max(size / thrift, LEAST_HARD), size)) - sum(part.n for part in parts)
        if parts and (n < 1 or sum(map(np.count_nonzero, accepted)) >= ENOUGH_ACCEPTED):
            break
        parts.append(draw_unconstrained(request, n, rng))
        accepted.append(rows_that_hold(request.rules, constrained_table(request, parts[-1])))
    return Pilot(concatenate(parts), np.concatenate(accepted))


def plan_for(
    model: Model, where: Where = None, *, glance: bool = True, reasons: bool = True, seen: Glance | None = None
) -> Plan:
    """Plan for the model's own rules and a request; ``InfeasibleError`` if no row can meet both.

    With ``glance``, unconstrained rows are judged first, a few and then as many as a pilot has: if some meet both, one
    of them is the witness, and no other one is searched for. The first few are those of ``seen``,
    which spares drawing them. Without ``reasons`` the error does not say why.
    """
    rules = bound_rules(model, where)
    enforced = rules_on_inputs(model, rules)
    if glance and not enforced:  # every row keeps the rules by construction
        return Plan(make_request(model, ()), {})
    if glance and len(enforced) <= FEW_RULES:
        found = (seen or Glance(model)).judge(enforced)
        if found is not None:
            acceptance, witness = found
            return Plan(make_request(model, enforced), witness, acceptance)
    every = with_links(model, rules)
    box = narrow_box(every, model.schema, model.codec) if enforced else None
    if box is not None and glance:
        plan = plan_from_rows(model, enforced, box)
        if plan is not None:
            return plan
    try:
        feasible = require_feasible(every, model.schema, model.codec, reasons=reasons, computed=texts_of_links(model))
    except UndecidedError:
        check_time()  # undecided by the limit of a request: an error, whatever rows are found
        plan = None if glance else plan_from_rows(model, enforced, {})
        if plan is None:
            raise
        return plan
    return Plan(make_request(model, enforced, box=feasible.box), feasible.witness or {})


def plan_from_rows(
    model: Model, rules: Sequence[BoundRule], box: Mapping[str, tuple[float, float]] | None = None
) -> Plan | None:
    """Plan that starts from unconstrained rows, if some of them keep the rules; else None.

    Whether a row is found this way depends on no clock, unlike the search for one.
    """
    request = make_request(model, rules, box=box)
    pilot = draw_pilot(request, PILOT_ROWS)
    if not pilot.accepted.any():
        return None
    return _with_pilot(
        Plan(request, first_accepted(rules, constrained_table(request, pilot.rows), pilot.accepted)), pilot
    )


def _with_pilot(plan: Plan, pilot: Pilot) -> Plan:
    """The plan with a pilot that is drawn already."""
    vars(plan)["pilot"] = pilot
    return plan


def bound_rules(model: Model, where: Where = None) -> tuple[BoundRule, ...]:
    """The model's own rules and the conditions of a request, bound to the model's schema, without keys of the model."""
    wanted = as_rules(where)
    require_no_keys(wanted)
    return tuple(bind(rule, model.schema) for rule in (*split_keys(model.all_rules)[0], *wanted))


def rules_on_inputs(model: Model, rules: Iterable[BoundRule]) -> tuple[BoundRule, ...]:
    """Rules that sampling must enforce: about the inputs of computed columns, without those that links guarantee."""
    links, schema = tuple(model.computed.values()), model.schema
    if model.interventions:  # a column that is set may leave the domain of the training rows
        columns = (replace(c, low=None, high=None) if c.name in model.interventions else c for c in schema.columns)
        schema = replace(schema, columns=tuple(columns))
    return tuple(part for rule in rules for part in substitute(rule, links, schema))


def with_links(model: Model, rules: Sequence[BoundRule]) -> tuple[BoundRule, ...]:
    """Rules, and the definitions of all linked columns that they involve, directly or through other links."""
    named = {name for rule in rules for name in rule.columns}
    chosen: list[Link] = []
    waiting = [*model.computed.values()]
    while found := [link for link in waiting if link.column in named]:
        chosen += found
        named.update(name for link in found for name in link.inputs)
        waiting = [link for link in waiting if link not in found]
    return (*rules, *rules_of_links(chosen, model.schema))


def texts_of_links(model: Model) -> dict[str, str]:
    """How each computed column is computed, in words; copies in part have values of their own and are left out."""
    return {name: str(link) for name, link in model.computed.items() if link.source is None}


def _branch_requests(request: Request, pilot: Pilot) -> list[Request]:
    """The request itself, or one request for each branch of its disjunctive normal form."""
    model, table = request.model, constrained_table(request, pilot.rows)

    def share(test: Rule) -> float:
        return float(rows_that_hold(as_bound_rules((test,)), table).mean())

    def is_possible(tests: Tests) -> bool:
        return may_hold(as_bound_rules(tests), model.schema, model.codec)

    tests = [rule.test for rule in request.rules]
    branches = split_branches(tests, most=MOST_BRANCHES, share=share, is_possible=is_possible)
    branches = _split_combinations(model, branches)
    if len(branches) < 2:
        return [request]
    requests = []
    for branch in branches:
        rules = as_bound_rules(branch)
        found = check_quickly(rules, model.schema, model.codec)
        if found is not None:
            requests.append(make_request(model, rules, box=found.box, also=request.order))
    likely = [each for each in requests if not each.is_null]  # a density is negligible beside a probability
    return likely or requests or [request]


def _split_combinations(model: Model, branches: tuple[Tests, ...]) -> tuple[Tests, ...]:
    """Replace branches whose rules allow only a few combinations of discrete values by one branch for each of them.

    A system of equations is a disjunction, too: its solutions may lie far apart, and a proposal that was fitted without
    one of them does not reach it.
    """
    split: list[Tests] = []
    for number, tests in enumerate(branches):
        room = MOST_BRANCHES - len(split) - (len(branches) - number - 1)
        split += allowed_combinations(model, tests, most=room, most_tried=MOST_COMBINATIONS) or [tests]
    return tuple(split)
