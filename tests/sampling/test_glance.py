"""A first glance at a request: rows of the model, the same for all requests, and as few as tell how common one is."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.rules import as_rules, bind
from janus_synth.sampling import glance as module
from janus_synth.sampling import plan_for
from janus_synth.sampling.glance import ENOUGH_ACCEPTED, GLANCE_ROWS, Glance
from sampling.small_models import every_row, small_model


def bound(where):
    schema = small_model("dense").schema_
    return tuple(bind(rule, schema) for rule in as_rules(where))


@pytest.mark.parametrize("where", ["a >= 1", "a == 3 or b == 5", "d is null"])
def test_acceptance_is_the_enumerated_probability(where):
    all_rows, shares = every_row("dense")
    truth = shares[holds(where, all_rows, small_model("dense").schema_)].sum()
    found, _ = Glance(small_model("dense").model_).judge(bound(where))
    assert abs(found.share - truth) <= 5 * np.sqrt(truth * (1 - truth) / found.n_drawn) + 1e-9  # false alarms: 6e-7


def test_rare_requests_are_judged_on_more_rows_or_not_at_all():
    glance = Glance(small_model("dense").model_)
    assert glance.judge(bound("a >= 0"))[0].n_drawn == GLANCE_ROWS[0]
    assert glance.judge(bound("a == 3 and b == 5 and d is null and f >= 1")) is None


def test_the_witness_keeps_the_rules():
    _, witness = Glance(small_model("dense").model_).judge(bound("a >= 1 and d is null"))
    assert witness["a"] >= 1
    assert witness["d"] is None


def test_rows_are_drawn_once_for_all_requests(monkeypatch):
    drawn, draw = [], module._draw
    monkeypatch.setattr(module, "_draw", lambda model, n: drawn.append(n) or draw(model, n))
    model = small_model("dense")
    model._reset()
    for least in range(3):
        model.sample(5, where=f"a >= {least}", random_state=0)
    assert drawn in ([GLANCE_ROWS[0]], list(GLANCE_ROWS))
    model._reset()


def test_a_plan_does_not_depend_on_requests_before_it():
    model = small_model("dense").model_
    used = Glance(model)
    used.judge(bound("a == 3 and b == 5"))
    fresh, after = (plan_for(model, "a >= 1", seen=each) for each in (Glance(model), used))
    assert (fresh.acceptance, fresh.witness) == (after.acceptance, after.witness)
    assert plan_for(model, "a >= 1").acceptance == fresh.acceptance


def test_values_are_judged_as_the_table_stores_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=500).astype(np.float32), "y": rng.normal(size=500)})
    model = Janus(random_state=0).fit(frame)
    rows = module._draw(model.model_, 100)["x"]
    assert (rows == rows.astype(np.float32)).all()


def test_a_model_with_plans_can_be_pickled():
    model = small_model("dense")
    rows = model.sample(20, where="a >= 1", random_state=0)
    again = pickle.loads(pickle.dumps(model))
    pd.testing.assert_frame_equal(again.sample(20, where="a >= 1", random_state=0), rows)


def test_enough_rows_are_far_above_what_rejection_needs():
    assert ENOUGH_ACCEPTED / GLANCE_ROWS[-1] > 0.05
