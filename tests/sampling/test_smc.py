"""Sequential Monte Carlo against enumeration: the mean weight is unbiased, weights equal target over proposal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from janus_synth import holds
from janus_synth.sampling import plan_for
from janus_synth.sampling.branches import Branch, ProposalTrial
from janus_synth.sampling.conditional import propose, run_branch
from janus_synth.sampling.smc import log_importance_weights, run_smc
from sampling.small_models import every_row, small_model

RARE = ["f == b + d and c == 'y' and e == 'z'", "a > 2 and f <= 2", "c == e and e == 'z' and a < d"]
EVERY_COLUMN = 1.1
"""Resample after every column: the effective sample size never exceeds the number of particles."""


def rare_branch(rule: str, structure: str) -> tuple[Branch, float]:
    """A whole request as one branch with lookahead proposals, and its enumerated probability."""
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    plan = plan_for(model.model_, rule)
    branch = ProposalTrial(plan.request, plan.pilot.rows, np.random.default_rng(0)).refine(plan.rounds)
    assert branch.lookahead.trees
    return branch, float(shares[holds(rule, all_rows, model.schema_)].sum())


def assert_mean_is(truth: float, values: list[float], false_alarm: float = 1e-6) -> None:
    """Student's t test of a mean; the truth is exact up to single precision, in which shares are stored."""
    spread = np.std(values, ddof=1) / np.sqrt(len(values))
    margin = stats.t.isf(false_alarm / 2, len(values) - 1) * spread + 1e-5 * truth
    assert abs(np.mean(values) - truth) <= margin, (np.mean(values) / truth, spread / truth)
    assert margin < 0.25 * truth  # small enough to detect a factor missing from the weights


@pytest.mark.statistical
@pytest.mark.parametrize("resample_below", [0.0, 0.5, EVERY_COLUMN])
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("rule", RARE)
@pytest.mark.parametrize("stirred", [False, True])
def test_the_mean_weight_is_an_unbiased_estimate_of_the_probability(rule, structure, resample_below, stirred):
    branch, truth = rare_branch(rule, structure)
    rng = np.random.default_rng(0)
    lookahead = branch.lookahead.stirred() if stirred else branch.lookahead
    passes = [
        run_smc(branch.request, lookahead, 1_024, rng, resample_below=resample_below).log_mean_weight()
        for _ in range(16)
    ]
    assert_mean_is(truth, np.exp(passes).tolist())


@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("rule", RARE)
def test_weights_are_target_over_proposal(rule, structure):
    branch, _ = rare_branch(rule, structure)
    for lookahead in (branch.lookahead, branch.second, branch.second.stirred()):
        rows = run_smc(branch.request, lookahead, 400, np.random.default_rng(1), resample_below=0.0)
        alive = np.flatnonzero(rows.log_weight > -np.inf)
        assert len(alive) > 20
        (again,) = log_importance_weights(branch.request, [lookahead], rows.take(alive))
        np.testing.assert_allclose(again, rows.log_weight[alive], atol=1e-5)


@pytest.mark.statistical
@pytest.mark.parametrize("resample_below", [0.0, EVERY_COLUMN])
def test_the_total_weight_of_a_branch_is_unbiased_with_and_without_resampling(resample_below):
    rule = RARE[0]
    branch, truth = rare_branch(rule, "dense")
    plan, rng = plan_for(small_model("dense").model_, rule), np.random.default_rng(2)
    totals = [
        sum(
            np.exp(rows.log_weight).sum()
            for rows in run_branch(plan, branch, 1_024, rng, resample_below=resample_below)
        )
        for _ in range(16)
    ]
    assert_mean_is(truth, totals)


@pytest.mark.statistical
def test_a_row_of_several_branches_counts_once():
    """The branches overlap: unless a row is divided by the number of branches it satisfies, the sum is too large."""
    rule = "(a == 3 and f <= 4) or (a == 3 and b <= 4 and f <= 5) or (a == 3 and c == 'x')"
    model, (all_rows, shares) = small_model("sparse"), every_row("sparse")
    plan, rng = plan_for(model.model_, rule), np.random.default_rng(3)
    assert len(plan.branches) > 1
    totals = [float(np.exp(propose(plan, 512, rng).log_weight).sum()) for _ in range(16)]
    assert_mean_is(float(shares[holds(rule, all_rows, model.schema_)].sum()), totals)
