"""Label flipping changes exactly the quota of eligible rows; new values follow the model given that they flipped."""

from __future__ import annotations

from functools import cache
from math import log, sqrt

import numpy as np
import pytest

from fairness.small_tables import conditional, loan_model, loans, stage_model, stages
from janus_synth.errors import BiasError
from janus_synth.fairness import Bias
from janus_synth.fairness.bound_bias import BoundBias, bind_bias
from janus_synth.fairness.label_flipping import differing_rows, draw_given, plant_bias
from janus_synth.fairness.mediator import Mediator
from janus_synth.rules import bind, judge
from janus_synth.table import Table, read_table


@cache
def some_loans(n: int = 600) -> Table:
    return read_table(loans(n, seed=2), loan_model().schema_)


def bound(magnitude: float, **more) -> BoundBias:
    return bind_bias(Bias("sex", "male", "approved", True, magnitude, **more), loan_model().model_)


@pytest.mark.parametrize("magnitude", [0.25, -0.4, 1.0])
def test_a_direct_bias_flips_its_quota_of_eligible_rows(magnitude):
    table, its = some_loans(), bound(magnitude)
    found = plant_bias(loan_model().model_, its, table, [], mediator=None, seed=3)
    eligible = judge(its.hit, table) & judge(its.source, table)
    assert found.n_eligible == eligible.sum()
    assert found.n_turned == found.n_drawn == round(abs(magnitude) * eligible.sum())
    flipped = table["approved"] != found.table["approved"]
    assert flipped.sum() == found.n_turned
    assert (flipped <= eligible).all()
    np.testing.assert_array_equal(found.moved, differing_rows(table, found.table))
    for name in ("sex", "race", "region", "school"):
        np.testing.assert_array_equal(table[name], found.table[name])


@pytest.mark.parametrize("magnitude", [0.1, -0.1])
def test_a_bias_through_a_mediator_flips_its_quota_net_of_flips_the_other_way(magnitude):
    table, its, model = some_loans(), bound(magnitude, path="school"), loan_model().model_
    found = plant_bias(model, its, table, [], mediator=Mediator(model, its), seed=3)
    before, after = (one["approved"] == model.schema["approved"].levels.index(True) for one in (table, found.table))
    net = (before & ~after).sum() - (after & ~before).sum()
    assert found.n_turned == round(0.1 * found.n_eligible)
    assert net == (found.n_turned if magnitude > 0 else -found.n_turned)
    assert found.depth in (1, 2, 4, 8, 16, 32, 64)
    hit = judge(its.hit, table)
    assert (found.moved <= hit).all()


def test_a_magnitude_of_zero_changes_nothing():
    found = plant_bias(loan_model().model_, bound(0.0), some_loans(), [], mediator=None, seed=3)
    assert found.table is some_loans()
    assert not found.moved.any()
    assert (found.n_turned, found.n_drawn, found.depth) == (0, 0, 0)


def test_a_group_without_rows_is_refused():
    men = some_loans().take(np.flatnonzero(loans(600, seed=2)["sex"] == "male"))
    with pytest.raises(BiasError, match="affects none of"):
        plant_bias(loan_model().model_, bound(0.2), men, [], mediator=None, seed=3)


def test_rules_hold_after_flipping_as_they_did_before():
    model = stage_model().model_
    table = read_table(stages(500, seed=2), model.schema)
    rules = [bind(rule, model.schema) for rule in model.rules]
    its = bind_bias(Bias("sex", "male", "invited", True, 0.5), model)
    found = plant_bias(model, its, table, rules, mediator=None, seed=1)
    for rule in rules:
        assert judge(rule, found.table).all()
    assert found.n_turned == round(0.5 * found.n_eligible)


@pytest.mark.statistical
def test_flipped_values_follow_the_model_given_that_they_flipped():
    """The amount of one approved row, given that it is none or large: DKW bound against the bag's probabilities."""
    n, false_alarm, model = 8_000, 1e-6, loan_model().model_
    frame = loans(200, seed=2)
    row = frame[frame["approved"]].iloc[[0]]
    table = read_table(row.loc[row.index.repeat(n)], model.schema)
    rule = bind("amount in ['none', 'large']", model.schema)
    values, possible = draw_given(model, table, "amount", rule, np.random.default_rng(0))
    assert possible.all()
    levels = model.schema["amount"].levels
    share = conditional(model, "amount", row)[0] * np.isin(levels, ["none", "large"])
    seen = np.bincount(values, minlength=len(levels)) / n
    gap = np.abs(np.cumsum(seen) - np.cumsum(share / share.sum())).max()
    assert gap <= sqrt(log(2 / false_alarm) / (2 * n))
