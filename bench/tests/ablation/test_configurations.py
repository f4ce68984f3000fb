"""Configurations differ in what they say they differ in: the fitted models are looked into, not their arguments."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from janus_bench.ablation.configurations import CONFIGURATIONS, PAIRS, POINT, configurations_named
from janus_bench.constrained.asking import Limits, Request, reject
from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.models.random_sem import ModelKey
from janus_synth.errors import DataError

KEY = ModelKey(10, 1)
SEM = KEY.sem()
TRAIN = SEM.draw(500, KEY.rng(1))


@cache
def fitted(key):
    return CONFIGURATIONS[CONFIGURATIONS[key].fitted_as].make(SEM).fit(TRAIN, seed=0)


def model_of(key):
    return fitted(key)._fitted().model_


def bags_of(key):
    return model_of(key).bags


def hard_condition(n=200, *, share=0.1, **limits):
    name = SEM.numbers[0]
    bound = float(TRAIN[name].quantile(1 - share))
    return Request(n, Condition((Bound(name, ">=", bound),)), seed=3, limits=Limits(**limits))


def rare_condition(n=200):
    """Two columns far out at once, each where the model still has rows."""
    bounds = [Bound(name, ">=", float(TRAIN[name].quantile(0.93))) for name in SEM.numbers[:2]]
    return Request(n, Condition(tuple(bounds)), seed=3, limits=Limits())


def test_a_bag_has_eight_trees_and_one_tree_is_one():
    # A column without parents needs no more than one tree.
    assert {bag.splits.n_trees for bag in bags_of("janus") if bag.parents.size} == {8}
    assert {bag.splits.n_trees for bag in bags_of("one-tree")} == {1}


def test_without_the_hierarchical_prior_leaves_lean_on_nothing_and_codes_hang_flat():
    assert all(bag.leaves.hierarchical for bag in bags_of("janus"))
    assert not any(bag.leaves.hierarchical for bag in bags_of("flat"))
    numbers = [model_of("flat").codec.names.index(name) for name in SEM.numbers]
    for i in numbers:
        assert bags_of("flat")[i].leaves.tree.n_slots < bags_of("janus")[i].leaves.tree.n_slots


@pytest.mark.parametrize(("full", "less"), [("janus", "point"), ("paper", "paper-point")])
def test_point_estimates_are_shares_of_a_leafs_rows(full, less):
    def off(key):
        """Largest distance of a leaf's distribution of an unordered column from the shares of its rows."""
        names = model_of(key).codec.names
        found = []
        for bag in (bags_of(key)[names.index(name)] for name in SEM.categories):
            counts = np.asarray(bag.leaves.forward.todense(), float)
            found.append(np.abs(bag.shares - counts / counts.sum(axis=1, keepdims=True)).max())
        return max(found)

    assert {bag.leaves.prior_strength for bag in bags_of(less)} == {POINT}
    assert off(less) < 1e-5
    assert off(full) > 1e-3


def test_histogram_leaves_have_no_trends_and_coarse_bins_are_fifty():
    assert any(bag.trends is not None for bag in bags_of("janus"))
    for key in ("histogram", "coarse", "paper"):
        assert all(bag.trends is None for bag in bags_of(key))
    numbers = [model_of("janus").codec.names.index(name) for name in SEM.numbers]
    assert model_of("coarse").codec.n_codes[numbers].max() <= 51
    assert model_of("histogram").codec.n_codes[numbers].max() > 51


def test_graphs_are_dense_in_table_order_sparse_or_true():
    order = list(TRAIN)
    chain = model_of("chain").dag
    assert all(order.index(parent) < order.index(child) for parent, child in chain.edges)
    assert any(order.index(parent) > order.index(child) for parent, child in model_of("janus").dag.edges)
    assert len(model_of("forest").dag.edges) < len(chain.edges)
    assert set(model_of("given").dag.edges) == set(SEM.edges)
    assert model_of("given").graph_given
    assert not model_of("janus").graph_given


def test_hybrid_splitting_splits_where_the_target_has_nothing_to_gain():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"cause": rng.choice(list("abcd"), 400), "other": rng.choice(list("xy"), 400)})

    def leaves(key):
        one = CONFIGURATIONS[key].make(SEM)
        arguments = {**one.arguments, "structure": [("cause", "other")]}
        model = type(one)("", **arguments).fit(table, seed=0)._fitted().model_
        return model.bag("other").splits.n_leaves

    assert leaves("paper-unmixed") == 1
    assert leaves("paper") > 1


def test_rows_without_sweeps_obey_and_were_not_swept(monkeypatch):
    request = rare_condition()  # a common one would be met by rejection
    rows = CONFIGURATIONS["no-sweeps"].ask(fitted("no-sweeps"), request).rows
    assert len(rows) == request.n
    assert request.condition.mask(rows).all()

    def refuse(*arguments, **settings):
        raise AssertionError("a sweep")

    monkeypatch.setattr("janus_synth.sampling.conditional.gibbs_sweep", refuse)
    CONFIGURATIONS["no-sweeps"].ask(fitted("no-sweeps"), request)
    with pytest.raises(AssertionError, match="a sweep"):
        CONFIGURATIONS["janus"].ask(fitted("janus"), request)


def test_free_rows_without_sweeps_are_those_of_janus():
    pd.testing.assert_frame_equal(fitted("no-sweeps").sample(50, seed=1), fitted("janus").sample(50, seed=1))


def test_rejection_and_back_filling_ask_the_same_fit_and_both_obey():
    request = hard_condition(most_draws=100_000)
    for key, rejecting in PAIRS.items():
        assert CONFIGURATIONS[key].fitted_as == CONFIGURATIONS[rejecting].fitted_as
        assert CONFIGURATIONS[rejecting].ask is reject
        for one in (key, rejecting):
            answer = CONFIGURATIONS[one].ask(fitted(one), request)
            assert len(answer.rows) == request.n
            assert request.condition.mask(answer.rows).all()
    assert answer.n_drawn > 5 * request.n  # a tenth obeys
    short = reject(fitted("reject"), hard_condition(most_draws=500))
    assert 0 < len(short.rows) < request.n
    assert short.n_drawn == 500


def test_what_differs_in_the_asking_alone_shares_a_fit():
    shared = {key: one.fitted_as for key, one in CONFIGURATIONS.items() if one.fitted_as != key}
    assert shared == {"greedy": "janus", "reject": "janus", "paper-reject": "paper", "paper-exact": "paper"}


def test_every_configuration_is_held_against_one_that_comes_along():
    names = [one.name for one in CONFIGURATIONS.values()]
    assert len(set(names)) == len(names)
    for key, one in CONFIGURATIONS.items():
        assert CONFIGURATIONS[one.base].base == one.base
        assert [found.key for found in configurations_named([key])] == list(dict.fromkeys([one.base, key]))


def test_an_unknown_configuration_is_refused():
    with pytest.raises(DataError, match="Did you mean 'greedy'"):
        configurations_named(["gredy"])
