"""How a request will be met: the way of looking ahead that a small pilot finds best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from janus_synth.inference.evidence import PILOT_ROWS, Rare, draw_pilot, evidence_trees
from janus_synth.inference.filtering import run_forward
from janus_synth.inference.lookahead import Lookahead
from janus_synth.inference.messages import message_trees
from janus_synth.inference.request import Request

TRIAL_ROWS = 512
RARE_ROWS = 8192
EASY_EFFORT = 200
"""Instructions per row up to which pilots have their full size; thousands of rules get smaller ones."""
MOST_ROUNDS = 2
GOOD_ENOUGH = 0.3
"""Effective sample, as a share of the rows, at which looking ahead needs no refinement."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A request, and the value trees to look ahead with."""

    request: Request
    lookahead: Lookahead
    witness: Mapping[str, float | None]
    """Values of the rules' columns that satisfy all rules."""
    effective: float
    """Effective sample of the trial, as a share of its rows."""


def make_plan(request: Request, witness: Mapping[str, float | None], seed: int) -> Plan:
    """Try messages and evidence trees on a few rows, keep what leaves the larger effective sample.

    If that is small, evidence trees are grown again with rows of the region that the first ones led to.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    thrift = max(1.0, request.effort / EASY_EFFORT)
    pilot = draw_pilot(request, int(max(PILOT_ROWS / thrift, 1000)), rng)
    n_rare = int(max(RARE_ROWS / thrift, 1000))

    def tried(lookahead: Lookahead) -> Plan:
        trial = run_forward(request, lookahead, TRIAL_ROWS, rng, resample_below=0.0)
        return Plan(request, lookahead, witness, trial.effective[-1] if trial.effective else 1.0)

    best = max((tried(evidence_trees(request, pilot)), tried(message_trees(request, pilot))), key=_effective)
    for _ in range(MOST_ROUNDS):
        if best.effective >= GOOD_ENOUGH:
            break
        found = run_forward(request, best.lookahead, n_rare, rng)
        if not found.weights().any():
            break
        rare = Rare(found.take(found.drawn_rows(n_rare, rng)), found.log_mean_weight())
        best = max((best, tried(evidence_trees(request, pilot, rare))), key=_effective)
    return best


def _effective(plan: Plan) -> float:
    return plan.effective
