"""Plans: weights of every proposal are exact, proposals are compared on pooled rows, and each branch has its plan."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.rules import as_rules
from janus_synth.sampling import plan as plan_module
from janus_synth.sampling import plan_for, probability
from janus_synth.sampling.plan import (
    ENOUGH_ACCEPTED,
    PILOT_ROWS,
    REJECTION_BOUNDS,
    REJECTION_CODES,
    rejection_from,
)
from janus_synth.sampling.proposals.evidence_trees import evidence_trees, single_groups, tied_groups
from janus_synth.sampling.proposals.messages import message_trees
from janus_synth.sampling.smc import log_importance_weights, run_smc
from sampling.small_models import every_row, small_model

REQUESTS = [
    "a > 2 and f <= 2",
    "f == b + d and c == 'y'",
    "(a == 0 and b == 2 and c == 'z' and f == 0) or (a == 3 and b == 3 and d == 4)",
    "c == e and e == 'z' and a < d",
    "a + b + d + f == 7 and c != 'x'",
]


def proposals(plan):
    """All kinds of proposals."""
    request, rows = plan.request, plan.pilot.rows
    return [
        evidence_trees(request, rows, tied_groups(request)),
        evidence_trees(request, rows, single_groups(request)),
        message_trees(request, rows),
    ]


@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("where", REQUESTS)
def test_accumulated_weights_equal_target_over_proposal_of_the_finished_rows(where, structure):
    plan = plan_for(small_model(structure).model_, as_rules(where))
    for lookahead in proposals(plan):
        rows = run_smc(plan.request, lookahead, 500, np.random.default_rng(0), resample_below=0.0)
        alive = np.flatnonzero(rows.log_weight > -np.inf)
        found = log_importance_weights(plan.request, [lookahead], rows.take(alive))[0]
        np.testing.assert_allclose(found, rows.log_weight[alive], atol=1e-8)


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("where", REQUESTS)
def test_a_proposal_estimates_the_enumerated_probability(where, structure):
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    truth = shares[holds(where, all_rows, model.schema_)].sum()
    plan = plan_for(model.model_, as_rules(where))
    for lookahead in proposals(plan)[:2]:  # messages ignore the dependence between the columns of a rule
        passes = [
            np.exp(run_smc(plan.request, lookahead, 1_000, np.random.default_rng(i)).log_mean_weight()) / truth
            for i in range(20)
        ]
        error = np.std(passes, ddof=1) / np.sqrt(20) + 1e-6
        assert abs(np.mean(passes) - 1.0) <= 7 * error  # t with 19 degrees of freedom: false-alarm rate 1e-6
        assert error < 0.05


def test_a_proposal_that_misses_a_mode_has_large_weights_there():
    """A proposal that finds one of two modes has equal weights on its own rows, but not on rows of both modes."""
    plan = plan_for(small_model("dense").model_, as_rules("(a == 0 and d == 0) or (a == 3 and d == 4)"))
    one = plan_for(small_model("dense").model_, as_rules("a == 3 and d == 4"))
    both, half = proposals(plan)[0], proposals(one)[0]
    rng = np.random.default_rng(0)
    rows = run_smc(plan.request, both, 2_000, rng)
    rows = rows.take(rows.resample_indices(2_000, rng))
    by_both, by_half = log_importance_weights(plan.request, [both, half], rows)
    assert np.exp(by_both).var() / np.exp(by_both).mean() ** 2 < 1
    assert np.exp(by_half).max() > 10 * np.exp(by_both).max()


def test_alternatives_far_apart_are_branches():
    model = small_model("dense").model_
    plan = plan_for(model, as_rules("(a == 0 and b == 0 and f == 3) or (a == 3 and b == 3 and d == 3 and f == 8)"))
    assert not plan.by_rejection
    assert len(plan.branches) == 2
    assert all(branch.effective > 0.3 for branch in plan.branches)


def test_a_common_request_needs_no_branches():
    assert plan_for(small_model("dense").model_, as_rules("a > 0 or b == 2")).by_rejection


@pytest.mark.parametrize(
    ("where", "n_rows"), [("a >= 0", PILOT_ROWS[0]), ("a == 3 and b == 5 and d is null and f >= 1", PILOT_ROWS[-1])]
)
def test_a_pilot_grows_with_the_rarity_of_the_request(where, n_rows):
    pilot = plan_for(small_model("dense").model_, as_rules(where)).pilot
    assert pilot.rows.n == len(pilot.accepted) == n_rows
    before_last = pilot.accepted[: PILOT_ROWS[-2]] if n_rows == PILOT_ROWS[-1] else np.zeros(0, bool)
    assert before_last.sum() < ENOUGH_ACCEPTED <= pilot.accepted.sum()


def test_a_request_that_many_rows_meet_needs_no_search_for_a_witness(monkeypatch):
    model = small_model("dense").model_
    searched = []
    search = plan_module.require_feasible
    monkeypatch.setattr(
        plan_module, "require_feasible", lambda *given, **how: searched.append(1) or search(*given, **how)
    )
    plan = plan_for(model, as_rules("a >= 0 and d >= 1"))
    assert not searched
    assert plan.acceptance is plan.glance
    assert plan.witness["a"] >= 0
    assert plan.witness["d"] >= 1
    rare = plan_for(model, as_rules("a == 3 and b == 5 and d is null"))
    assert rare.acceptance.n_drawn > plan.acceptance.n_drawn
    assert plan_for(model, as_rules("a >= 0"), glance=False).glance is None
    assert len(searched) == 1


def test_the_greedy_method_draws_no_pilot(monkeypatch):
    model = small_model("dense")
    model._plans.clear()
    monkeypatch.setattr(plan_module, "draw_pilot", None)  # would fail if it was called
    assert len(model.sample(10, where="a >= 1", method="greedy", random_state=0)) == 10
    model._plans.clear()


def test_rejection_is_used_from_lower_rates_on_where_there_are_more_codes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3_000, 4)) @ rng.normal(size=(4, 4))
    model = Janus(n_trees=2, random_state=0).fit(pd.DataFrame(x, columns=list("abcd"))).model_
    one, all_four = (plan_for(model, as_rules(text)).request for text in ("a > 0", "a + b + c + d > 0"))
    n_codes = [sum(model.codec.n_codes[i] for i in request.order) for request in (one, all_four)]
    assert n_codes[1] > n_codes[0] > 200
    assert rejection_from(all_four) == pytest.approx(REJECTION_CODES / n_codes[1])
    assert rejection_from(one) == pytest.approx(min(REJECTION_CODES / n_codes[0], REJECTION_BOUNDS[1]))
    assert rejection_from(plan_for(small_model("dense").model_, as_rules("a > 0")).request) == REJECTION_BOUNDS[1]


@pytest.mark.statistical
@pytest.mark.parametrize("where", REQUESTS)
def test_a_plan_without_refinement_estimates_the_enumerated_probability(where):
    model, (all_rows, shares) = small_model("dense"), every_row("dense")
    truth = shares[holds(where, all_rows, model.schema_)].sum()
    plan = plan_for(model.model_, as_rules(where), glance=False)
    quick = plan.without_refinement()
    assert quick.rounds == 0
    assert quick.pilot is plan.pilot
    found = probability(quick, level=0.9999, seed=0)  # false-alarm rate 1e-4 for each request
    assert found.low <= truth <= found.high
    assert found.high - found.low < 0.3 * truth
    _ = plan.branches
    assert plan.without_refinement() is plan  # nothing is left to be saved
