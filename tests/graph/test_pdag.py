from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.graph_strategies import colliders, dags, knowledges, obeys, skeleton
from janus_synth.errors import UnknownColumnError
from janus_synth.graph import Knowledge, extend_to_dag, make_knowledge


def pattern(dag):
    """Keep the direction of colliders; all other edges are undirected."""
    directed = {(parent, child) for pair, child in colliders(dag) for parent in pair}
    return directed, {edge for edge in dag.edges if edge not in directed}


@settings(deadline=None)
@given(dags())
def test_patterns_extend_to_an_equivalent_graph(dag):
    extended = extend_to_dag(dag.columns, *pattern(dag), Knowledge(dag.columns))
    assert extended.columns == dag.columns
    assert skeleton(extended) == skeleton(dag)
    assert colliders(extended) == colliders(dag)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_patterns_extend_to_an_equivalent_graph_that_knows_what_is_true(data):
    dag = data.draw(dags())
    knowledge = data.draw(knowledges(dag=dag))
    extended = extend_to_dag(dag.columns, *pattern(dag), knowledge)
    assert obeys(extended, knowledge)
    assert skeleton(extended) == skeleton(dag)
    assert colliders(extended) == colliders(dag)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_any_marks_become_a_graph_that_obeys_knowledge(data):
    knowledge = data.draw(knowledges())
    ends = st.sampled_from(knowledge.columns)
    directed, undirected = (data.draw(st.lists(st.tuples(ends, ends), max_size=8)) for _ in range(2))
    extended = extend_to_dag(knowledge.columns, directed, undirected, knowledge)
    assert obeys(extended, knowledge)
    drawn = {frozenset(edge) for edge in (*directed, *undirected, *knowledge.required)}
    assert skeleton(extended) <= drawn
    shuffled = data.draw(st.permutations(directed)), data.draw(st.permutations(undirected))
    assert extend_to_dag(knowledge.columns, *shuffled, knowledge) == extended


@settings(deadline=None)
@given(st.data())
def test_without_knowledge_no_adjacency_is_lost(data):
    columns = "abcde"
    pairs = list(combinations(columns, 2))
    marks = {pair: data.draw(st.sampled_from(["none", "to", "from", "both", "line"])) for pair in pairs}
    directed = [pair for pair, mark in marks.items() if mark in ("to", "both")]
    directed += [pair[::-1] for pair, mark in marks.items() if mark in ("from", "both")]
    undirected = [pair for pair, mark in marks.items() if mark == "line"]
    extended = extend_to_dag(columns, directed, undirected, Knowledge(tuple(columns)))
    assert skeleton(extended) == {frozenset(pair) for pair, mark in marks.items() if mark != "none"}


def test_undirected_edges_point_to_later_columns_where_nothing_else_decides():
    assert extend_to_dag("abc", [], ["ab", "cb"], Knowledge(tuple("abc"))).edges == (("a", "b"), ("b", "c"))


def test_a_bidirected_edge_counts_as_undirected():
    assert extend_to_dag("ab", ["ab", "ba"], [], Knowledge(("a", "b"))).edges == (("a", "b"),)


def test_a_directed_edge_outranks_an_undirected_one():
    assert extend_to_dag("ab", ["ba"], ["ab"], Knowledge(("a", "b"))).edges == (("b", "a"),)


def test_a_loop_loses_one_direction_and_no_edge():
    extended = extend_to_dag("abc", ["ab", "bc", "ca"], [], Knowledge(tuple("abc")))
    assert len(extended.edges) == 3
    assert len(set(extended.edges) & {("a", "b"), ("b", "c"), ("c", "a")}) == 2


def test_a_loop_that_knowledge_holds_in_place_loses_an_edge():
    knowledge = make_knowledge("abc", forbidden=[["b", "a"], ["c", "b"], ["a", "c"]])
    extended = extend_to_dag("abc", [], ["ab", "bc", "ca"], knowledge)
    assert len(extended.edges) == 2
    assert obeys(extended, knowledge)


def test_knowledge_turns_drops_and_adds_edges():
    knowledge = make_knowledge("abcd", required=[("d", "a")], forbidden=[("b", "c"), ("c", "b")], tiers=["b", "a"])
    extended = extend_to_dag("abcd", ["ab", "bc"], [], knowledge)
    assert set(extended.edges) == {("b", "a"), ("d", "a")}


def test_knowledge_may_be_silent_about_columns():
    assert extend_to_dag("ab", [], ["ab"], Knowledge(())).edges == (("a", "b"),)


def test_unknown_columns_are_named():
    with pytest.raises(UnknownColumnError, match="'z'"):
        extend_to_dag("ab", ["az"], [], Knowledge(("a", "b")))
