"""NOTEARS: known linear models are recovered, gradients against differences, background knowledge is kept."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.graph_strategies import knowledges, obeys, skeleton
from janus_synth import Dag
from janus_synth.errors import StructureError
from janus_synth.graph import Knowledge, notears_graph
from janus_synth.graph.notears import acyclic_weights, column_scores


def linear_model(rng, d=8, n_edges=9):
    """Coefficients of an acyclic linear model whose noise has variance 1, and its covariance, in closed form."""
    order, weights = rng.permutation(d), np.zeros((d, d))
    pairs = [*combinations(order, 2)]
    for i in rng.choice(len(pairs), n_edges, replace=False):
        weights[pairs[i]] = rng.choice([-1, 1]) * rng.uniform(0.8, 1.6)
    through = np.linalg.inv(np.eye(d) - weights)
    return weights, through.T @ through


def penalised_loss(weights, covariance):
    """Expected squared error of the model, and the penalty of the paper."""
    left = np.eye(len(weights)) - weights
    return 0.5 * np.trace(left.T @ covariance @ left) + 0.1 * np.abs(weights).sum()


def codes_of(values):
    """Codes of 200 bins of equal mass."""
    ranks = np.argsort(np.argsort(values, axis=0), axis=0)
    return np.ascontiguousarray((ranks * 200 // len(values)).T, np.uint16)


@pytest.mark.parametrize("seed", range(6))
def test_a_linear_model_with_noise_of_equal_variance_is_recovered(seed):
    """Its graph is identified by the covariance (Loh and Bühlmann, 2014)."""
    weights, covariance = linear_model(np.random.default_rng(seed))
    found = acyclic_weights(covariance, ~np.eye(8, dtype=bool))
    assert set(zip(*np.nonzero(np.abs(found) > 0.3), strict=True)) == set(zip(*np.nonzero(weights), strict=True))
    assert penalised_loss(found, covariance) <= penalised_loss(weights, covariance)


@pytest.mark.parametrize("seed", range(4))
def test_a_linear_model_is_found_in_rows_of_any_units_if_the_order_is_known(seed):
    """Without the order all adjacencies are found, but wrong directions may add some."""
    rng = np.random.default_rng(seed)
    tree = [(int(rng.integers(child)), child) for child in range(1, 7)]
    x = rng.normal(size=(3_000, 7))
    for parent, child in tree:
        x[:, child] += 1.2 * x[:, parent]
    names = tuple("abcdefg")
    codes, edges = codes_of(np.exp(x)), {(names[parent], names[child]) for parent, child in tree}
    ordered = notears_graph(codes, [True] * 7, Knowledge(names, tiers=tuple((name,) for name in names)))
    assert set(ordered.edges) == edges
    assert skeleton(notears_graph(codes, [True] * 7, Knowledge(names))) >= set(map(frozenset, edges))


def test_a_chain_of_levels_is_found():
    rng = np.random.default_rng(1)
    a = rng.integers(3, size=3_000)
    b = np.where(rng.random(3_000) < 0.8, (2 * a + 1) % 3, rng.integers(3, size=3_000))
    c = np.where(rng.random(3_000) < 0.8, (2 * b + 1) % 3, rng.integers(3, size=3_000))
    dag = notears_graph(np.array([a, b, c], np.uint16), [False] * 3, Knowledge(("a", "b", "c")))
    assert skeleton(dag) == {frozenset("ab"), frozenset("bc")}


def test_scores_have_unit_variance_and_constants_are_zero():
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(50, size=400), rng.integers(4, size=400), np.zeros(400)], np.uint16)
    scores = column_scores(codes, [True, False, False])
    assert np.allclose(scores.mean(axis=0), 0)
    assert np.allclose(scores.std(axis=0), [1, 1, 0])
    assert len(np.unique(scores[:, 1])) == 4


@given(st.data())
@settings(deadline=None, max_examples=15)
def test_background_knowledge_is_kept(data):
    knowledge = data.draw(knowledges())
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    n = len(knowledge.columns)
    x = rng.normal(size=(100, n)) @ rng.normal(size=(n, n))
    dag = notears_graph(codes_of(x), [True] * n, knowledge)
    assert isinstance(dag, Dag)
    assert obeys(dag, knowledge)


def test_columns_without_dependence_have_no_edges():
    codes = np.random.default_rng(0).integers(20, size=(5, 2_000)).astype(np.uint16)
    assert notears_graph(codes, [True] * 5, Knowledge(tuple("abcde"))).edges == ()


def test_copies_get_one_edge():
    column = np.random.default_rng(0).integers(20, size=500).astype(np.uint16)
    dag = notears_graph(np.array([column, column]), [True, True], Knowledge(("one", "two")))
    assert len(dag.edges) == 1


def test_the_same_seed_gives_the_same_graph():
    codes = codes_of(np.random.default_rng(0).normal(size=(400, 4)) @ np.random.default_rng(1).normal(size=(4, 4)))
    knowledge = Knowledge(tuple("abcd"))
    graphs = {notears_graph(codes, [True] * 4, knowledge, max_rows=200, seed=3) for _ in range(2)}
    assert len(graphs) == 1


def test_bad_input_is_an_error():
    codes = np.zeros((2, 50), np.uint16)
    with pytest.raises(StructureError, match="do not fit 3 columns"):
        notears_graph(codes, [True, True], Knowledge(("a", "b", "c")))
    with pytest.raises(StructureError, match="at least 10 rows"):
        notears_graph(codes[:, :5], [True, True], Knowledge(("a", "b")))
