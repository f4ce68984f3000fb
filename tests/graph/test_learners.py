import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.graph_strategies import knowledges, obeys
from janus_synth.errors import CycleError, StructureError, UnknownColumnError
from janus_synth.graph import Dag, Knowledge, chain, forest, make_knowledge, read_graph

COLUMNS = ("age", "pay", "rent")
NOTHING = Knowledge(COLUMNS)


def table(gains):
    """Importances looked up by (parent, child), zero elsewhere."""
    return lambda child, candidates: np.array([gains.get((parent, child), 0.0) for parent in candidates])


def test_in_a_chain_every_earlier_column_is_a_parent():
    assert chain(NOTHING, ("pay", "age", "rent")).parents == {
        "age": ("pay",),
        "pay": (),
        "rent": ("pay", "age"),
    }


def test_a_chain_keeps_the_columns_in_the_order_of_the_table():
    assert chain(NOTHING, ("rent", "pay", "age")).columns == COLUMNS


def test_a_chain_leaves_out_forbidden_edges_and_moves_required_ones_to_the_front():
    knowledge = make_knowledge(COLUMNS, required=[("rent", "age")], forbidden=[("pay", "rent")])
    assert set(chain(knowledge, COLUMNS).edges) == {("rent", "age"), ("pay", "age")}


def test_a_chain_needs_every_column():
    with pytest.raises(StructureError, match="leaves out 'age', 'rent'"):
        chain(NOTHING, ("pay",))
    with pytest.raises(UnknownColumnError, match="'wage'"):
        chain(NOTHING, ("wage", *COLUMNS))


@settings(deadline=None)
@given(st.data())
def test_chains_obey_knowledge(data):
    knowledge = data.draw(knowledges())
    assert obeys(chain(knowledge, data.draw(st.permutations(knowledge.columns))), knowledge)


def test_a_forest_keeps_the_stronger_direction():
    dag = forest(NOTHING, table({("age", "pay"): 3.0, ("pay", "age"): 2.0, ("rent", "pay"): 1.0}))
    assert set(dag.edges) == {("age", "pay"), ("rent", "pay")}


def test_a_forest_drops_the_weakest_edge_of_a_loop():
    dag = forest(NOTHING, table({("age", "pay"): 3.0, ("pay", "rent"): 2.0, ("rent", "age"): 1.0}))
    assert set(dag.edges) == {("age", "pay"), ("pay", "rent")}


def test_a_forest_keeps_the_strongest_parents_when_they_are_too_many():
    gains = table({("age", "rent"): 1.0, ("pay", "rent"): 2.0})
    assert forest(NOTHING, gains, most_parents=1).parents["rent"] == ("pay",)


def test_a_forest_without_evidence_has_no_edges():
    gains = table({("age", "pay"): -1.0, ("pay", "rent"): float("nan")})
    assert forest(NOTHING, gains).edges == ()


def test_ties_fall_to_the_order_of_the_table():
    assert forest(NOTHING, table({("age", "pay"): 1.0, ("pay", "age"): 1.0})).edges == (("age", "pay"),)


def test_a_forest_makes_no_detour_to_an_earlier_tier():
    knowledge = make_knowledge(COLUMNS, tiers=["age", "pay"])
    dag = forest(knowledge, table({("pay", "rent"): 2.0, ("rent", "age"): 1.0}))
    assert dag.edges == (("pay", "rent"),)


def test_a_forest_is_asked_about_allowed_parents_only():
    asked = {}

    def importance(child, candidates):
        asked[child] = tuple(candidates)
        return np.ones(len(candidates))

    forest(make_knowledge(COLUMNS, forbidden=[("pay", "age"), ("rent", "age")]), importance)
    assert asked == {"pay": ("age", "rent"), "rent": ("age", "pay")}


@settings(deadline=None)
@given(st.data())
def test_forests_are_acyclic_and_obey_knowledge(data):
    knowledge = data.draw(knowledges())
    most = data.draw(st.integers(1, 4))
    gains = st.floats(-1, 5) | st.integers(0, 2).map(float)  # the second makes ties
    matrix = {(p, c): data.draw(gains) for p in knowledge.columns for c in knowledge.columns}
    dag = forest(knowledge, table(matrix), most_parents=most)  # a Dag is acyclic by construction
    assert obeys(dag, knowledge)
    required = knowledge.required_parents()
    for column, parents in dag.parents.items():
        assert len(parents) <= max(most, len(required[column]))
        assert all(matrix[parent, column] > 0 or parent in required[column] for parent in parents)


GRAPHS = {
    "edge list": [("age", "pay"), ["pay", "rent"]],
    "dict": {"pay": ["age"], "rent": "pay"},
    "dict of sets": {"age": set(), "pay": {"age"}, "rent": ("pay",)},
    "dag": Dag({"age": (), "pay": ("age",), "rent": ("pay",)}),
    "networkx": networkx.DiGraph([("age", "pay"), ("pay", "rent")]),
    "networkx multigraph": networkx.MultiDiGraph([("age", "pay"), ("age", "pay"), ("pay", "rent")]),
}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_graphs_come_in_many_shapes(graph):
    dag = read_graph(graph, NOTHING)
    assert dag.columns == COLUMNS
    assert dag.edges == (("age", "pay"), ("pay", "rent"))


def test_an_empty_graph_is_a_graph():
    assert read_graph([], NOTHING).edges == read_graph({}, NOTHING).edges == ()


def test_required_edges_join_the_graph():
    knowledge = make_knowledge(COLUMNS, required=[("age", "rent")])
    assert read_graph([("age", "pay")], knowledge).edges == (("age", "pay"), ("age", "rent"))


def test_an_undirected_networkx_graph_is_refused():
    with pytest.raises(StructureError, match="undirected"):
        read_graph(networkx.Graph([("age", "pay")]), NOTHING)


@pytest.mark.parametrize("graph", ["forst", 3, None, 2.5])
def test_what_is_no_graph_is_refused_with_a_list_of_what_is(graph):
    with pytest.raises(StructureError, match="neither a learner"):
        read_graph(graph, NOTHING)


@pytest.mark.parametrize("graph", [["age"], [("age",)], [("age", "pay", "rent")], [3]])
def test_malformed_edges_are_shown(graph):
    with pytest.raises(StructureError, match="pairs"):
        read_graph(graph, NOTHING)


def test_malformed_parents_are_shown():
    with pytest.raises(StructureError, match="parents of 'pay' are a list of columns, not 3"):
        read_graph({"pay": 3}, NOTHING)


LONELY = networkx.DiGraph()
LONELY.add_node("ages")


@pytest.mark.parametrize(
    "graph",
    [
        [("ages", "pay")],
        [("pay", "ages")],
        {"ages": ["pay"]},
        {"ages": []},
        {"pay": ["ages"]},
        Dag({"ages": ()}),
        networkx.DiGraph([("ages", "pay")]),
        LONELY,
    ],
)
def test_unknown_columns_suggest_names(graph):
    with pytest.raises(UnknownColumnError, match=r"the table has no column 'ages'\. Did you mean 'age'"):
        read_graph(graph, NOTHING)


def test_loops_are_named():
    with pytest.raises(CycleError) as caught:
        read_graph([("age", "pay"), ("pay", "age")], NOTHING)
    assert sorted(caught.value.loop) == ["age", "pay"]


def test_a_graph_with_a_forbidden_edge_is_refused():
    with pytest.raises(StructureError, match="'age' → 'pay', which is forbidden"):
        read_graph([("age", "pay")], make_knowledge(COLUMNS, forbidden=[("age", "pay")]))


@pytest.mark.parametrize("graph", [[("pay", "age")], [("pay", "rent"), ("rent", "age")]])
def test_a_graph_against_the_tiers_is_refused(graph):
    with pytest.raises(StructureError, match="the tiers put 'age' before 'pay'"):
        read_graph(graph, make_knowledge(COLUMNS, tiers=["age", "pay"]))
