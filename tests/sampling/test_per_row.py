"""Rows for a table of conditions: their cells are kept, and all others follow the enumerated conditional."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import InfeasibleError
from janus_synth.sampling import per_row
from sampling.small_models import distance, every_row, small_model, small_table

FALSE_ALARM = 1e-6


@pytest.mark.statistical
@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("known", [{"a": 2, "c": "y"}, {"f": 4, "e": "y"}])
def test_rows_of_a_condition_follow_its_enumerated_conditional(known, planned, monkeypatch):
    n = 3_000
    monkeypatch.setattr(per_row, "PLAN_FROM", 1 if planned else 10**9)
    model, (rows, shares) = small_model("dense"), every_row("dense")
    for name, value in known.items():
        shares = shares * (rows[name] == value).to_numpy()
    other = {name: "z" if isinstance(value, str) else 1 for name, value in known.items()}
    drawn = model.sample_for(pd.DataFrame([known, other]), [n, 5], random_state=3)
    assert len(drawn) == n + 5
    gap, usual = distance(drawn[:n], rows, shares / shares.sum())
    assert gap <= usual + sqrt(log(1 / FALSE_ALARM) / (2 * n))


def test_thousands_of_conditions_take_no_plan_each(monkeypatch):
    rng = np.random.default_rng(0)
    wanted = small_table(400)[["a", "c", "e"]].sample(1_500, replace=True, random_state=1).reset_index(drop=True)
    wanted["c"] = wanted["c"].mask(rng.random(len(wanted)) < 0.4)
    model = small_model("dense")

    def refuse(*args, **kwargs):
        raise AssertionError("a plan was made")

    monkeypatch.setattr("janus_synth.janus.requests.plan_for", refuse)
    rows = model.sample_for(wanted, 2, index="condition", random_state=0)
    assert rows["condition"].tolist() == np.repeat(np.arange(1_500), 2).tolist()
    for name in wanted:
        asked = wanted[name].iloc[rows["condition"]].reset_index(drop=True)
        assert (asked.isna() | (asked == rows[name])).all()
    assert rows["d"].isna().any()


def test_rows_of_planned_and_imputed_conditions_keep_the_order_of_the_table(monkeypatch):
    monkeypatch.setattr(per_row, "PLAN_FROM", 40)
    wanted = pd.DataFrame({"a": [1, 2, 1, 3], "d": [None, None, None, 3.0]})
    rows = small_model("dense").sample_for(wanted, [30, 3, 30, 4], random_state=0)
    assert rows["a"].tolist() == [1] * 30 + [2] * 3 + [1] * 30 + [3] * 4
    assert (rows["d"][-4:] == 3).all()


def test_conditions_and_rules_hold_together():
    model = Janus(rules="a <= b", random_state=0).fit(small_table())
    rows = model.sample_for(pd.DataFrame({"b": [1, 2] * 20}), 5, where="f >= 2", random_state=0)
    assert (rows["a"] <= rows["b"]).all()
    assert (rows["f"] >= 2).all()


@pytest.mark.parametrize("planned", [False, True])
def test_a_condition_that_no_row_can_have_is_named_by_its_number(planned, monkeypatch):
    monkeypatch.setattr(per_row, "PLAN_FROM", 1 if planned else 10**9)
    model = Janus(rules="a <= b", random_state=0).fit(small_table())
    wanted = pd.DataFrame({"a": [1, 0, 3], "b": [2, 0, 1]})
    with pytest.raises(InfeasibleError, match="row 2"):
        model.sample_for(wanted, 5, random_state=0)
