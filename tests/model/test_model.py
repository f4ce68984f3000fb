"""The fitted model as a value: frozen, its bags by name, its rules together with those of interventions."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from janus_synth.rules import as_rule
from sampling.small_models import small_model


def test_bags_are_found_by_the_names_of_their_columns():
    model = small_model("sparse").model_
    for i, name in enumerate(model.codec.names):
        assert model.bag(name) is model.bags[i]
        assert model.bag(name).target == i
        assert {model.codec.names[parent] for parent in model.bag(name).parents} <= set(model.dag.parents[name])


def test_all_rules_are_the_rules_and_those_of_interventions():
    model, rule = small_model("sparse").model_, as_rule("a <= b")
    world = small_model("sparse").do({"c": "x"}).model_
    both = replace(world, rules=(rule,))
    assert both.all_rules == (rule, *world.interventions.values())
    assert model.all_rules == ()
    with pytest.raises(FrozenInstanceError):
        model.n_rows = 3
