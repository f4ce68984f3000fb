"""Causal part of the demo: a model with the true graph, and answers beside the truth."""

from __future__ import annotations

import pytest

from demo.small_demo import small_results
from janus_synth import Estimate, datasets
from janus_synth.datasets import hiring_graph
from janus_synth.demo.causal import DIRECT_BIAS, MIN_OBSERVED, EffectResult


def test_causes_are_asked_of_a_model_with_the_true_graph():
    results = small_results()
    causal = results.causal
    assert {name: set(parents) for name, parents in causal.janus.dag_.parents.items()} == {
        name: set(parents) for name, parents in hiring_graph().items()
    }
    assert list(causal.uncertainty.by_column["column"]) == list(hiring_graph())
    assert causal.uncertainty.suggested["epistemic"].is_monotonic_decreasing
    assert causal.uncertainty.suggested["epistemic"].min() > causal.uncertainty.epistemic
    for question in causal.effects:
        assert len(question.truth) == len(question.observed) == len(question.effect.values)
        assert all(mean.low <= mean.value <= mean.high for mean in question.effect.means)
        assert 0 <= question.n_covered <= len(question.truth)
    education = causal.effects[0]
    assert education.effect.effects[-1].low > 0  # a degree pays, in the model as in truth
    assert education.truth[-1] - education.truth[0] == pytest.approx(26_000, abs=2_000)


def test_counterfactuals_are_about_the_same_applicants():
    results = small_results()
    before, after, truth = results.causal.counterfactuals
    assert set(before["education"]) == {"school"}
    for other in (after, truth):
        assert set(other["education"]) == {"master"}
        for unmoved in ("applicant_id", "age", "sex", "commute_km"):
            assert other[unmoved].equals(before[unmoved])


def test_observed_means_are_those_of_enough_training_rows():
    results = small_results()
    for question in results.causal.effects:
        column, outcome = results.train[question.effect.treatment], results.train[question.effect.outcome]
        for value, observed in zip(question.effect.values, question.observed, strict=True):
            some = outcome[column == value]
            assert (observed == pytest.approx(some.mean())) if len(some) >= MIN_OBSERVED else observed != observed


def test_counterfactual_truths_are_those_of_the_equations():
    before, _, truth = small_results().causal.counterfactuals
    world = datasets.hiring(600, random_state=1, do={"education": "master"})[300:].reset_index(drop=True)
    assert truth.equals(world.loc[before.index])


def test_intervals_that_hold_the_truth_are_counted():
    question = small_results().causal.effects[0]
    means = tuple(Estimate(value, value - 1, value + 1) for value in (0.0, 5.0, 9.0))
    effect = type(question.effect)("t", "y", (1, 2, 3), means, means, 0.95)
    assert EffectResult(effect, (1.0, 7.0, 8.0), (0.0, 0.0, 0.0)).n_covered == 2


def test_the_certificate_is_about_the_direct_bias():
    certificate = small_results().bias.certificate
    assert [record.bias for record in certificate.records] == [DIRECT_BIAS]
    assert certificate.records[0].realised == pytest.approx(DIRECT_BIAS.magnitude, abs=0.01)
