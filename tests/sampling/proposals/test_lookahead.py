"""Lookahead: twists and updates against values computed by walking the same value trees row by row."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling import plan_for
from janus_synth.sampling.proposals.evidence_trees import evidence_trees, tied_groups
from janus_synth.sampling.proposals.lookahead import DEFENCE, STIR, Lookahead
from sampling.small_models import small_model


@cache
def lookahead(structure: str) -> Lookahead:
    plan = plan_for(small_model(structure).model_, "f == b + d and c == 'y'")
    return evidence_trees(plan.request, plan.pilot.rows, tied_groups(plan.request))


def pilot_codes(structure: str, n: int = 50) -> np.ndarray:
    plan = plan_for(small_model(structure).model_, "f == b + d and c == 'y'")
    return np.ascontiguousarray(plan.pilot.rows.x[:, :n])


@pytest.mark.parametrize("structure", ["dense", "sparse"])
def test_each_code_is_multiplied_by_the_value_of_the_row_with_that_code(structure):
    """Expected: put each code into the rows and walk the tree; add ``DEFENCE`` times the value before the step."""
    its = lookahead(structure)
    assert its.trees
    for column, trees in its.trees.items():
        x, place = pilot_codes(structure), its.request.order.index(column)
        x[list(its.request.order[place:])] = UNKNOWN
        log_values = its.initial_log_values(x.shape[1])
        n_codes = int(its.request.model.codec.n_codes[column])
        score, log_scale = np.ones((x.shape[1], n_codes)), np.zeros(x.shape[1])
        its.twist(x, column, log_values)(score, log_scale)
        expected = np.zeros_like(score)
        for code in range(n_codes):
            put = x.copy()
            put[column] = code
            for tree in trees:
                before = np.exp(log_values[tree.settled_by])
                expected[:, code] += np.log(np.exp(tree.log_values(put)) + DEFENCE * before)
        np.testing.assert_allclose(np.log(score) + log_scale[:, None], expected, atol=1e-5)


@pytest.mark.parametrize("structure", ["dense", "sparse"])
def test_an_update_is_the_twist_of_the_code_that_was_drawn(structure):
    """The next step must divide by the factor that this one multiplied; otherwise the importance weights are wrong."""
    its, full = lookahead(structure), pilot_codes(structure)
    x = np.full_like(full, UNKNOWN)
    log_values = its.initial_log_values(x.shape[1])
    for column in its.request.order:
        score, log_scale = np.ones((x.shape[1], int(its.request.model.codec.n_codes[column]))), np.zeros(x.shape[1])
        its.twist(x, column, log_values)(score, log_scale)
        twisted = np.log(score[np.arange(x.shape[1]), full[column]]) + log_scale
        others = [tree.settled_by for tree in its.trees.get(column, ())]
        x[column] = full[column]
        its.update(log_values, x, column)
        np.testing.assert_allclose(log_values[others].sum(axis=0), twisted, atol=1e-5)
        assert (log_values[column] == 0).all()
    assert (log_values == 0).all()  # every condition is settled


def test_columns_that_no_condition_depends_on_are_idle():
    its = lookahead("sparse")
    names = its.request.columns.names
    idle = {names[column] for column in its.request.order if its.is_idle(column)}
    assert idle.isdisjoint({"b", "d", "f", "c"})
    for column in its.request.order:
        assert its.about(column)[0] == column
    assert its.initial_log_values(3).shape == (len(names), 3)


def test_stirred_scores_keep_their_totals_and_reach_every_possible_code():
    """Expected: one column in ``STIR`` of the rows is drawn evenly from the codes with a positive score."""
    its = lookahead("dense").stirred()
    score = np.array([[0.9, 0.0, 0.1], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    mixed = score.copy()
    log_ratio = its.stir_scores(mixed)
    share = STIR / sum(not its.is_idle(column) for column in its.request.order)
    expected = [[(1 - share) * 0.9 + share / 2, 0.0, (1 - share) * 0.1 + share / 2], [0.0] * 3, [0.0, 2.0, 0.0]]
    np.testing.assert_allclose(mixed, expected)
    np.testing.assert_allclose(np.exp(log_ratio) * score, mixed)
