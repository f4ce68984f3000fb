"""Checks of requests against enumeration: either a witness that satisfies everything, or rules that conflict."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth import holds
from janus_synth.sampling.check import Check, check
from sampling.small_models import every_row, small_model
from sampling.test_conditional import EVERY_KIND, with_combinations

IMPOSSIBLE = ["a > 2 and a < 1", "a > 200", "a + b < -1", "c == 'x' and c == 'y'", "d is null and d > 0", "b == a + 99"]


@pytest.mark.parametrize("rule", EVERY_KIND)
def test_a_possible_request_has_a_witness(rule):
    model, where = small_model("dense"), with_combinations(rule)
    found = check(model.model_, where)
    all_rows, shares = every_row("dense")
    assert bool(found) == bool((shares * holds(where, all_rows, model.schema_)).any())
    assert len(found.witness) == 1
    assert list(found.witness) == list(all_rows)
    assert holds(where, found.witness, model.schema_).all()
    assert np.isfinite(model.log_prob(found.witness)).all()
    assert str(found) == "feasible"
    quick = check(model.model_, where, witness=False)
    assert bool(quick) == bool(found)
    assert quick.witness is None


@pytest.mark.parametrize("rule", IMPOSSIBLE)
def test_an_impossible_request_has_a_conflict(rule):
    model, (all_rows, shares) = small_model("dense"), every_row("dense")
    assert not (shares * holds(rule, all_rows, model.schema_)).any()
    found = check(model.model_, rule)
    assert not found
    assert found.witness is None
    assert found.conflict
    assert str(found) == found.reason != ""


def test_a_check_is_true_if_feasible_and_false_otherwise():
    assert Check(True, None, (), "")
    assert "feasible" in Check(True, None, (), "")._repr_html_()
    assert not Check(False, None, ("a",), "because")
