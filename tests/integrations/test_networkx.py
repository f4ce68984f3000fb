from __future__ import annotations

import pytest

from janus_synth import Dag, Janus, datasets
from janus_synth.errors import CycleError, DataError
from janus_synth.integrations import from_networkx, to_networkx
from janus_synth.integrations.networkx import graph_of

nx = pytest.importorskip("networkx")
DAG = Dag({"age": (), "sex": (), "pay": ("age", "sex"), "loan": ("pay",)})


def test_there_and_back():
    graph = to_networkx(DAG)
    assert set(graph.edges) == set(DAG.edges)
    assert from_networkx(graph) == DAG


def test_columns_without_edges_stay():
    assert from_networkx(nx.empty_graph(["a", "b"], create_using=nx.DiGraph)) == Dag({"a": (), "b": ()})


def test_hidden_columns_are_replaced_by_their_parents():
    model = Janus(n_trees=1, structure=datasets.hiring_graph(), random_state=0).fit(
        datasets.hiring(800, random_state=0)
    )
    assert model.model_.hidden
    graph = graph_of(model)
    assert set(graph.columns) == {column.name for column in model.schema_.learnt}
    whole = model.dag_
    for child in graph.columns:  # what is above a column stays above it, hidden columns aside
        assert graph.ancestors(child) == whole.ancestors(child) - set(model.model_.hidden)


def test_a_graph_can_be_learnt_with():
    rows = datasets.hiring(100, random_state=0)[["age", "sex"]]
    model = Janus(n_trees=1, structure=from_networkx(nx.DiGraph([("sex", "age")])), random_state=0).fit(rows)
    assert set(model.dag_.edges) <= {("sex", "age")}


def test_graphs_that_no_model_can_have_are_refused():
    with pytest.raises(DataError, match="undirected"):
        from_networkx(nx.Graph([("a", "b")]))
    with pytest.raises(CycleError):
        from_networkx(nx.DiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(DataError, match="neither a Janus nor a Dag"):
        graph_of("a -> b")
