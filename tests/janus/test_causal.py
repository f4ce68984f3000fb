"""Causal methods of the public class: they forward to questions, refuse bad arguments, and warn of learnt graphs."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import LearntGraphWarning
from janus_synth.questions.effect import average_effect
from janus_synth.questions.intervention import intervene
from sampling.small_models import small_model, small_table


def test_do_is_a_new_model_and_leaves_the_old_one():
    model = small_model("sparse")
    before = model.model_
    world = model.do({"a": 2})
    assert model.model_ is before
    assert dict(world.model_.dag.parents) == dict(intervene(before, {"a": 2}).dag.parents)
    assert (world.sample(200, random_state=0)["a"] == 2).all()


def test_an_effect_is_that_of_the_question():
    model = small_model("sparse")
    found = model.effect("a", "f", [0, 3], n=500, level=0.9, random_state=4)
    growth = model._fit_settings().growth
    assert found == average_effect(model.model_, "a", "f", [0, 3], n=500, level=0.9, seed=4, growth=growth)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 99}, "n is 99"),
        ({"level": 0.3}, "level is 0.3"),
        ({"values": "ab"}, "give a list"),
        ({"values": []}, "give a list"),
    ],
)
def test_bad_arguments_of_an_effect_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        small_model("sparse").effect(**{"treatment": "a", "outcome": "f", "values": [0, 1], **change})


def test_several_counterfactuals_differ_in_their_draws_and_are_reproducible():
    model, rows = small_model("sparse"), small_table(60, seed=8).dropna()
    first, second = model.counterfactual(rows, do={"a": "a + 1"}, n_draws=2, random_state=3)
    (again,) = model.counterfactual(rows, do={"a": "a + 1"}, n_draws=1, random_state=3)
    pd.testing.assert_frame_equal(first, again)
    assert not second.equals(first)
    for frame in (first, second):
        np.testing.assert_array_equal(frame["a"], np.minimum(rows["a"] + 1, frame["a"].max()))
        assert frame.index.equals(rows.index)


def test_a_learnt_graph_is_warned_of_once_per_model():
    model = Janus(n_trees=1, random_state=0).fit(small_table(80))
    with pytest.warns(LearntGraphWarning, match="trust_graph=True"):
        model.do({"a": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.do({"a": 2})
        Janus(n_trees=1, random_state=0, trust_graph=True).fit(small_table(80)).do({"a": 1})
        small_model("sparse").do({"a": 1})
