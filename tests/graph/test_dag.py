import importlib
import pickle

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.graph_strategies import dags
from janus_synth.errors import CycleError, MissingExtraError, StructureError, UnknownColumnError
from janus_synth.graph import Dag
from janus_synth.graph.dag import Reachability

DIAMOND = Dag.from_edges(
    ["loan", "age", "pay", "rent", "city"],
    [("age", "pay"), ("age", "rent"), ("pay", "loan"), ("rent", "loan")],
)


def test_order_puts_parents_first_and_otherwise_keeps_the_given_order():
    assert DIAMOND.order == ("age", "pay", "rent", "loan", "city")
    assert DIAMOND.columns == ("loan", "age", "pay", "rent", "city")


@settings(deadline=None)
@given(dags())
def test_parents_come_first_in_every_graph(dag):
    order = dag.order
    assert sorted(order) == sorted(dag.columns)
    assert all(order.index(parent) < order.index(child) for parent, child in dag.edges)


def test_ancestors_and_descendants_follow_paths():
    assert DIAMOND.ancestors("loan") == {"age", "pay", "rent"}
    assert DIAMOND.descendants("age") == {"pay", "rent", "loan"}
    assert DIAMOND.ancestors("city") == DIAMOND.descendants("city") == frozenset()
    assert DIAMOND.ancestors("pay", "rent") == {"age"}
    assert DIAMOND.descendants() == frozenset()


@settings(deadline=None)
@given(dags())
def test_descendants_are_ancestors_seen_from_above(dag):
    for column in dag:
        assert dag.descendants(column) == {other for other in dag if column in dag.ancestors(other)}


def test_children_are_one_step_away():
    assert DIAMOND.children("age") == ("pay", "rent")
    assert DIAMOND.children("loan") == ()


def test_surgery_removes_all_causes_and_leaves_the_rest():
    operated = DIAMOND.without_edges_into("loan", "pay")
    assert operated.edges == (("age", "rent"),)
    assert operated.columns == DIAMOND.columns
    assert DIAMOND.parents["loan"] == ("pay", "rent")  # the original is a value


def test_single_edges_can_go():
    assert ("age", "pay") not in DIAMOND.without_edges(("age", "pay")).edges
    assert DIAMOND.without_edges(("city", "pay")) == DIAMOND
    with pytest.raises(UnknownColumnError, match="'ages'"):
        DIAMOND.without_edges(("ages", "pay"))


def test_a_loop_is_named_along_its_edges():
    with pytest.raises(CycleError) as caught:
        Dag.from_edges("abcd", [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    loop = caught.value.loop
    assert sorted(loop) == ["a", "b", "c"]
    assert "".join(loop) in "abcabc"
    assert " → ".join([*loop, loop[0]]) in str(caught.value)


def test_a_column_is_not_its_own_parent():
    with pytest.raises(CycleError, match="a → a"):
        Dag({"a": ("a",)})


@pytest.mark.parametrize(
    "ask",
    [
        lambda: DIAMOND.ancestors("rents"),
        lambda: DIAMOND.descendants("rents"),
        lambda: DIAMOND.children("rents"),
        lambda: DIAMOND.without_edges_into("rents"),
        lambda: Dag.from_edges(DIAMOND.columns, [("rents", "loan")]),
        lambda: Dag.from_edges(DIAMOND.columns, [("loan", "rents")]),
    ],
)
def test_an_unknown_column_suggests_names(ask):
    with pytest.raises(UnknownColumnError, match="Did you mean 'rent'") as caught:
        ask()
    assert caught.value.closest[0] == "rent"


def test_a_parent_named_twice_is_refused_but_an_edge_may_be_repeated():
    with pytest.raises(StructureError, match="twice"):
        Dag({"a": (), "b": ("a", "a")})
    assert Dag.from_edges("ab", [("a", "b"), ("a", "b")]).parents["b"] == ("a",)


def test_equal_graphs_hash_alike_whatever_the_order_of_their_columns():
    one, other = Dag({"a": (), "b": ("a",)}), Dag({"b": ("a",), "a": ()})
    assert one == other
    assert hash(one) == hash(other)


def test_a_graph_does_not_follow_the_dict_it_came_from():
    parents = {"a": [], "b": ["a"]}
    dag = Dag(parents)
    parents["a"].append("b")
    assert dag.edges == (("a", "b"),)
    assert hash(dag) == hash(Dag({"a": (), "b": ("a",)}))


def test_graphs_survive_pickling():
    assert pickle.loads(pickle.dumps(DIAMOND)) == DIAMOND


def test_text_lists_parents_in_order():
    assert str(DIAMOND).splitlines() == ["age", "pay ← age", "rent ← age", "loan ← pay, rent", "city"]
    assert list(DIAMOND) == list(DIAMOND.columns)


def test_dot_quotes_names():
    drawing = Dag.from_edges(['say "x"', "b\\c"], [('say "x"', "b\\c")]).to_dot()
    assert drawing.startswith("digraph {")
    assert '"say \\"x\\"" -> "b\\\\c";' in drawing


def test_mermaid_numbers_columns_and_escapes_quotes():
    lines = Dag.from_edges(['say "x"', "b"], [('say "x"', "b")]).to_mermaid().splitlines()
    assert lines == ["graph LR", '  n0["say #quot;x#quot;"]', '  n1["b"]', "  n0 --> n1"]


def test_layers_follow_the_longest_path():
    assert DIAMOND.layers() == (("age", "city"), ("pay", "rent"), ("loan",))
    assert Dag({}).layers() == ()
    shortcut = Dag.from_edges("abc", [("a", "b"), ("b", "c"), ("a", "c")])
    assert shortcut.layers() == (("a",), ("b",), ("c",))


def test_networkx_gets_all_columns_and_edges():
    graph = DIAMOND.to_networkx()
    assert isinstance(graph, networkx.DiGraph)
    assert set(graph.nodes) == set(DIAMOND.columns)
    assert set(graph.edges) == set(DIAMOND.edges)


def test_without_networkx_the_extra_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[causal\]"):
        DIAMOND.to_networkx()


@settings(deadline=None)
@given(dags(), st.data())
def test_reachability_agrees_with_the_ancestors_of_the_finished_graph(dag, data):
    """Start from some of the edges, add the others in any order, and compare every pair of columns."""
    edges = data.draw(st.permutations(dag.edges))
    n_known = data.draw(st.integers(0, len(edges)))
    reach = Reachability(Dag.from_edges(dag.columns, edges[:n_known]).parents)
    for edge in edges[n_known:]:
        reach.add_edge(*edge)
    for start in dag.columns:
        for end in dag.columns:
            assert reach.has_path(start, end) == (start == end or start in dag.ancestors(end))
