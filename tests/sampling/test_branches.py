"""Branches: proposals find all modes of a conjunction, and effort goes where rows are."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.sampling import plan_for
from janus_synth.sampling.branches import ProposalTrial
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.smc import log_importance_weights, run_smc
from janus_synth.table import read_table
from sampling.enumerable import random_case
from sampling.small_models import small_model

RARE = "f == b + d and c == 'y' and e == 'z'"


def trial_of(rule: str) -> ProposalTrial:
    plan = plan_for(small_model("dense").model_, rule)
    return ProposalTrial(plan.request, plan.pilot.rows, np.random.default_rng(0))


@pytest.mark.statistical
def test_a_mode_that_no_pilot_row_shows_is_found():
    """One of two modes needs a level that no pilot row has beside the others; it used to get 1 of 7,000 particles."""
    model, request = random_case(542)
    janus = model.janus.model_
    table = read_table(model.rows, janus.schema)
    for branch in plan_for(janus, request.text).branches:
        truth = model.probabilities[rows_that_hold(branch.request.rules, table)].sum()
        for lookahead in (branch.lookahead, branch.second):
            passes = [
                np.exp(run_smc(branch.request, lookahead, 1_024, np.random.default_rng(seed)).log_mean_weight())
                for seed in range(16)
            ]
            # Standard deviation of a pass: 1.0 without the mode. Margin of the mean: 7 standard errors, about 1e-6.
            assert np.std(passes) < 0.2 * truth
            assert abs(np.mean(passes) - truth) <= 7 * np.std(passes) / 4 + 1e-5 * truth


def test_weights_that_are_kept_are_those_of_all_proposals_on_all_rows():
    trial = trial_of(RARE)
    trial.refine(2)
    trial.effective()
    expected = log_importance_weights(trial.request, trial.lookaheads, trial.weighed)
    np.testing.assert_allclose(trial.on_rows, np.where(np.isnan(expected), np.inf, expected))
    assert trial.on_accepted.shape == (len(trial.lookaheads), trial.accepted.n)


def test_a_branch_of_few_rows_is_not_refined(monkeypatch):
    monkeypatch.setattr("janus_synth.sampling.branches.GOOD_ENOUGH", 1.1)
    trial = trial_of(RARE)
    n_first = len(trial.lookaheads)
    trial.refine(2, share=1e-6)
    assert len(trial.lookaheads) == n_first
    trial.refine(2)
    assert len(trial.lookaheads) == n_first + len(trial.groupings) + 1  # the second round grows the better kind alone


def test_the_second_best_proposal_is_no_better_than_the_best():
    found = trial_of(RARE).best()
    assert 0 <= found.effective_of_second <= found.effective <= 1
