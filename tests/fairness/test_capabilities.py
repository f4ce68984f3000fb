"""One test for each of the six capabilities that, by the paper, no other generator combines."""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyClassifier

from fairness.small_tables import changed, loan_model
from janus_synth import Janus, datasets, holds
from janus_synth.fairness import Bias, audit, equal_treatment, plant

N = 4_000


def test_the_truth_about_a_planted_bias_is_known():
    """For every row: whether its outcome was flipped, and its value without the bias."""
    planted = plant(loan_model(), Bias("sex", "male", "approved", True, 0.25), N, effect_units=0)
    biased, fair = planted.frame, planted.fair
    women = fair["sex"] == "female"
    lost = women & fair["approved"] & ~biased["approved"]
    assert lost.sum() == round(0.25 * (women & fair["approved"]).sum())
    assert (planted.turned == lost).all()
    assert planted.certificate.records[0].n_turned == lost.sum()


def test_the_causal_path_is_controlled():
    """A direct bias does not change the mediator; a bias through it changes the outcome only where it changed."""
    direct = plant(loan_model(), Bias("sex", "male", "approved", True, 0.1), N, effect_units=0)
    proxy = plant(loan_model(), Bias("sex", "male", "approved", True, 0.1, path="school"), N, effect_units=0)
    assert not changed(direct.frame["school"], direct.fair["school"]).any()
    moved = changed(proxy.frame["school"], proxy.fair["school"])
    assert moved.any()
    assert not (proxy.turned & ~moved).any()


def test_a_bias_can_be_reversed_and_a_learnt_one_removed():
    reversed_ = plant(loan_model(), Bias("sex", "male", "approved", True, -0.3), N, effect_units=0)
    women = reversed_.fair["sex"] == "female"
    refused = women & ~reversed_.fair["approved"]
    gained = refused & reversed_.frame["approved"]
    assert gained.sum() == round(0.3 * refused.sum())
    removed = plant(loan_model(), Bias("sex", "male", "approved", True, 0.0), N).certificate.effects[0]
    assert removed.value("learnt", "direct") > 0.05
    assert removed.value("biased", "direct") == 0


def test_fairness_inside_rows_is_enforced():
    rows, rule = datasets.hiring(1_500, random_state=0), "offered_salary >= requested_salary"
    model = Janus(random_state=0).fit(rows)
    real, _, kept, rejected = equal_treatment(model, rows, rule, "sex", "male", n=1_000).rows
    assert real.satisfied < 0.85
    assert real.gap > 0.1
    assert (kept.satisfied, kept.gap, kept.tries) == (1, 0, 1)
    assert rejected.satisfied == 1
    assert rejected.tries > 1
    assert holds(rule, model.sample(1_000, where=rule, random_state=1)).all()


def test_degenerate_solutions_are_detected():
    """Decisions with perfect parity that are useless."""
    planted = plant(loan_model(), Bias("sex", "male", "approved", True, 0.3), N, effect_units=0)
    found = audit(DummyClassifier(strategy="constant", constant=0), planted, n_splits=2)
    assert found.main.gap.value == 0
    assert found.degenerate


def test_a_bias_can_be_restricted_to_a_subgroup():
    bias = Bias(["sex", "race"], {"sex": "male", "race": "blue"}, "approved", True, 0.5, subgroup="region == 'south'")
    planted = plant(loan_model(), bias, N, effect_units=0)
    fair = planted.fair
    hit = (fair["sex"] == "female") & (fair["race"] != "blue") & (fair["region"] == "south")
    assert not (planted.turned & ~np.asarray(hit)).any()
    assert planted.turned.sum() == round(0.5 * (hit & fair["approved"]).sum())
