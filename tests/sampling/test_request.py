"""Requests to a whole model: rules and conditions hold together, contradictions and bad conditions are errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, col, fixed_combinations, holds, one_hot
from janus_synth.errors import InfeasibleError, RuleError, UnknownColumnError
from janus_synth.rules import bind
from janus_synth.sampling import plan_for, sample_conditional
from janus_synth.sampling.request import make_request
from rules.offers import offers_frame


@pytest.fixture(scope="module")
def offers() -> pd.DataFrame:
    return offers_frame()


def test_known_combinations_are_those_of_the_training_rows(offers):
    model = Janus(rules=fixed_combinations("city", "country"), random_state=0).fit(offers)
    seen = set(map(tuple, offers[["city", "country"]].to_numpy()))
    rows = model.sample(3_000, where="country != 'Germany'", random_state=1)
    assert set(map(tuple, rows[["city", "country"]].to_numpy())) == {pair for pair in seen if pair[1] != "Germany"}
    shares = rows["city"].value_counts(normalize=True)
    truth = offers.loc[offers["country"] != "Germany", "city"].value_counts(normalize=True)
    assert (shares - truth).abs().max() < 0.06


def test_one_hot_columns_stay_one_hot():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(np.eye(4, dtype=int)[rng.integers(0, 4, 600)], columns=list("abcd"))
    frame["y"] = frame["a"] + rng.normal(size=600)
    model = Janus(rules=one_hot("a", "b", "c", "d"), random_state=0).fit(frame)
    rows = model.sample(2_000, where=col("y") > 0.5, random_state=0)
    assert (rows[list("abcd")].sum(axis=1) == 1).all()
    assert (rows["y"] > 0.5).all()
    assert rows[list("abcd")].any().all()


def test_a_plan_does_not_outlive_the_model_it_was_made_for(offers):
    model = Janus(random_state=0).fit(offers)
    before = model.sample(200, where="city == 'Rome'", random_state=1)
    model.update(offers.assign(requested=30_000), forget=True)
    after = model.sample(200, where="city == 'Rome'", random_state=1)
    assert before["requested"].nunique() > after["requested"].nunique()


def test_rules_and_conditions_that_contradict_each_other_are_named(offers):
    with pytest.warns(UserWarning, match="break"):
        model = Janus(rules=["offered is not null", "offered >= requested"], random_state=0).fit(offers)
    verdict = model.check("offered < 40_000 and requested > 60_000")
    assert not verdict
    assert set(verdict.conflict) == {"offered >= requested", "offered < 40000 and requested > 60000"}
    with pytest.raises(InfeasibleError) as caught:
        model.sample(1, where="offered < 40_000 and requested > 60_000")
    assert set(caught.value.conflict) == set(verdict.conflict)
    assert model.probability("offered < 40_000 and requested > 60_000").value == 0.0


def test_a_witness_is_a_row_that_satisfies_everything(offers):
    model = Janus(rules=fixed_combinations("city", "country"), random_state=0).fit(offers)
    verdict = model.check("offered >= requested + 10_000 and country == 'Norway'")
    assert verdict
    assert list(verdict.witness.columns) == list(offers.columns)
    assert holds("offered >= requested + 10_000 and city == 'Oslo'", verdict.witness).all()


@pytest.mark.parametrize(
    ("where", "error", "said"),
    [
        ("reqested > 3", UnknownColumnError, "requested"),
        ("requested == 'much'", RuleError, "numeric"),
        ("", RuleError, "empty"),
        ("city == 'Paris'", RuleError, "no level 'Paris'"),
        ("requested > 1_000_000", InfeasibleError, "takes values from"),
        ("requested == 30_500", InfeasibleError, "steps of"),
        ("city is null", InfeasibleError, "never missing"),
        ("__import__('os')", RuleError, None),
        (42, RuleError, "not int"),
    ],
)
def test_bad_conditions_are_errors(where, error, said, offers):
    model = Janus(random_state=0).fit(offers)
    with pytest.raises(error, match=said):
        model.sample(5, where=where)


def test_thousands_of_conditions_are_accepted(offers):
    model = Janus(random_state=0).fit(offers)
    rules = [f"offered >= requested - {i}" for i in range(1_500)] + [f"requested != {i}.5" for i in range(1_500)]
    rows = model.sample(200, where=rules, random_state=0)
    assert (rows["offered"] >= rows["requested"]).all()


def test_every_kind_of_frame_comes_back_under_conditions(offers):
    import polars as pl

    model = Janus(random_state=0).fit(pl.from_pandas(offers))
    rows = model.sample(300, where="offered >= requested and city == 'Rome'", random_state=0)
    assert isinstance(rows, pl.DataFrame)
    assert rows.filter((pl.col("offered") < pl.col("requested")) | (pl.col("city") != "Rome")).height == 0
    full = model.complete(
        pl.DataFrame({"city": ["Rome", None], "requested": [50_000, None]}), nulls="fill", random_state=0
    )
    assert isinstance(full, pl.DataFrame)
    assert full.null_count().to_numpy().sum() == 0


def test_rejection_evaluates_rules_and_compiles_no_solver(offers):
    plan = plan_for(Janus(random_state=0).fit(offers).model_, "requested >= 30_000 and offered < requested + 10_000")
    sample_conditional(plan, 500, seed=1)
    assert plan.by_rejection
    assert not {"own_sets", "own_masses", "columns", "programs", "truncations"} & vars(plan.request).keys()


def test_solver_knows_each_column_within_its_own_conditions_and_the_box(offers):
    model = Janus(random_state=0).fit(offers).model_
    rules = [bind("requested >= 40_000", model.schema), bind("offered < requested", model.schema)]
    request = make_request(model, rules, box={"offered": (-np.inf, 50_000.0)})
    requested, offered = request.index("requested"), request.index("offered")
    assert request.constrained == {requested, offered} == request.own_sets.keys() | request.programs.keys()
    assert request.columns.box[requested, 0] == 40_000
    assert request.columns.box[offered, 1] == 50_000
    assert request.partners == {requested: {offered}, offered: {requested}}
