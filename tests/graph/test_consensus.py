"""Sets of graphs: confidences are counts, and the consensus keeps what most graphs say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.graph_strategies import dags, knowledges, obeys, skeleton
from janus_synth import Dag
from janus_synth.graph import Knowledge, consensus_graph, distinct_graphs, edge_confidences


def test_equal_graphs_are_counted_together_whatever_the_order_of_parents():
    one, same = Dag({"a": (), "b": (), "c": ("a", "b")}), Dag({"a": (), "b": (), "c": ("b", "a")})
    other = Dag({"a": (), "b": ("a",), "c": ()})
    found, weights = distinct_graphs([other, one, same])
    assert found == (one, other)
    assert weights == pytest.approx((2 / 3, 1 / 3))


@given(st.lists(dags(), min_size=1, max_size=1))
@settings(deadline=None)
def test_the_consensus_of_one_graph_is_that_graph(graphs):
    (dag,) = graphs
    found = consensus_graph(edge_confidences(graphs, [1.0]), Knowledge(dag.columns))
    assert set(found.edges) == set(dag.edges)


def test_confidences_are_shares_of_graphs():
    rng = np.random.default_rng(0)
    graphs = [_random_dag(rng) for _ in range(40)]
    found = edge_confidences(*distinct_graphs(graphs))
    for parent in "abcd":
        for child in "abcd":
            share = np.mean([(parent, child) in dag.edges for dag in graphs])
            assert found.get((parent, child), 0.0) == pytest.approx(share)
    assert [*found.values()] == sorted(found.values(), reverse=True)


def _random_dag(rng):
    order = rng.permutation(list("abcd"))
    pairs = [(order[i], order[j]) for i in range(4) for j in range(i + 1, 4)]
    return Dag.from_edges("abcd", [pair for pair in pairs if rng.random() < 0.5])


def test_columns_are_joined_if_most_graphs_join_them_in_any_direction():
    confidence = {("a", "b"): 0.4, ("b", "a"): 0.35, ("b", "c"): 0.3, ("c", "b"): 0.15}
    assert consensus_graph(confidence, Knowledge(("a", "b", "c"))).edges == (("a", "b"),)


def test_a_loop_of_majorities_is_opened_where_it_is_weakest():
    confidence = {("a", "b"): 0.9, ("b", "c"): 0.8, ("c", "a"): 0.6, ("a", "c"): 0.1}
    found = consensus_graph(confidence, Knowledge(("a", "b", "c")))
    assert set(found.edges) == {("a", "b"), ("b", "c"), ("a", "c")}


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_background_knowledge_is_kept(data):
    knowledge = data.draw(knowledges())
    pairs = [(a, b) for a in knowledge.columns for b in knowledge.columns if a != b]
    confidence = {pair: data.draw(st.floats(0, 0.5)) for pair in pairs if knowledge.allows(*pair)}
    found = consensus_graph(confidence, knowledge)
    assert obeys(found, knowledge)
    unlikely = {frozenset(p) for p in pairs if confidence.get(p, 0) + confidence.get(p[::-1], 0) < 0.5}
    assert not skeleton(found) & (unlikely - {frozenset(edge) for edge in knowledge.required})
