from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.graph_strategies import LETTERS, knowledges, tier_of
from janus_synth.errors import CycleError, StructureError, UnknownColumnError
from janus_synth.graph import Knowledge, make_knowledge

COLUMNS = ("age", "pay", "rent", "city")


def respects(order, knowledge):
    """Whether an order puts required parents and lower tiers first."""
    place = {column: i for i, column in enumerate(order)}
    tiers = {column: tier_of(knowledge, column) for column in order}
    return all(place[parent] < place[child] for parent, child in knowledge.required) and all(
        place[one] < place[other]
        for one in order
        for other in order
        if None not in (tiers[one], tiers[other]) and tiers[one] < tiers[other]
    )


def test_an_edge_cannot_be_required_and_forbidden():
    with pytest.raises(StructureError, match="'age' → 'pay' is both required and forbidden"):
        make_knowledge(COLUMNS, required=[("age", "pay")], forbidden=[("age", "pay")])


def test_a_required_edge_cannot_run_against_the_tiers():
    with pytest.raises(StructureError, match="the tiers put 'age' before 'pay'"):
        make_knowledge(COLUMNS, required=[("pay", "age")], tiers=[["age"], ["pay"]])


def test_a_required_path_through_a_free_column_cannot_run_against_the_tiers():
    with pytest.raises(StructureError, match=r"'pay' → 'city' → 'age' leads .* the tiers put 'age' before 'pay'"):
        make_knowledge(COLUMNS, required=[("pay", "city"), ("city", "age")], tiers=[["age"], ["pay"]])


def test_required_edges_cannot_form_a_loop():
    with pytest.raises(CycleError) as caught:
        make_knowledge(COLUMNS, required=[("age", "pay"), ("pay", "rent"), ("rent", "age")])
    assert sorted(caught.value.loop) == ["age", "pay", "rent"]


def test_a_column_cannot_be_required_to_cause_itself():
    with pytest.raises(CycleError, match="age → age"):
        make_knowledge(COLUMNS, required=[("age", "age")])


@pytest.mark.parametrize(
    "knows",
    [{"required": [("ages", "pay")]}, {"forbidden": [("pay", "ages")]}, {"tiers": [["pay"], ["ages"]]}],
)
def test_unknown_columns_suggest_names(knows):
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        make_knowledge(COLUMNS, **knows)


def test_a_column_stands_in_one_tier():
    with pytest.raises(StructureError, match="'age' is in two tiers"):
        make_knowledge(COLUMNS, tiers=[["age", "pay"], ["age"]])


@pytest.mark.parametrize("edge", ["ab", ("age",), ("age", "pay", "rent"), 3, None, {"age", "pay"}])
@pytest.mark.parametrize("what", ["required", "forbidden"])
def test_malformed_edges_are_shown(what, edge):
    with pytest.raises(StructureError, match=f"{what} edges are pairs"):
        make_knowledge(COLUMNS, **{what: [edge]})


def test_malformed_tiers_are_shown():
    with pytest.raises(StructureError, match="tiers are lists of column names, not 3"):
        make_knowledge(COLUMNS, tiers=[3])


def test_a_tier_of_one_column_may_be_a_plain_name():
    assert make_knowledge(COLUMNS, tiers=["age", ["pay", "rent"]]).tiers == (("age",), ("pay", "rent"))


def test_edges_may_be_lists_and_may_be_named_twice():
    knowledge = make_knowledge(COLUMNS, required=[["age", "pay"], ("age", "pay")])
    assert knowledge.required_parents()["pay"] == ("age",)


def test_allowed_edges_follow_forbidden_ones_and_tiers():
    knowledge = make_knowledge(COLUMNS, forbidden=[("age", "city")], tiers=[["age"], ["pay", "rent"]])
    assert not knowledge.allows("age", "city")
    assert knowledge.allows("city", "age")
    assert not knowledge.allows("pay", "age")
    assert knowledge.allows("pay", "rent")
    assert knowledge.allows("rent", "pay")
    assert not knowledge.allows("age", "age")


def test_without_knowledge_the_order_stays():
    assert make_knowledge(COLUMNS).ordered(COLUMNS[::-1]) == COLUMNS[::-1]


def test_columns_in_no_tier_keep_their_place():
    knowledge = make_knowledge("xpyq", tiers=["q", "p"])
    assert knowledge.ordered("xpyq") == ("x", "q", "y", "p")


def test_required_edges_between_free_and_tiered_columns_keep_the_tiers():
    # Moving p behind x alone would leave q, of the later tier, in front of p.
    knowledge = make_knowledge("pqx", required=[("x", "p")], tiers=["p", "q"])
    assert knowledge.ordered("pqx") == ("x", "p", "q")


def test_a_part_of_the_columns_can_be_ordered():
    knowledge = make_knowledge(COLUMNS, required=[("age", "pay")], tiers=["rent", "city"])
    assert knowledge.ordered(["city", "pay", "rent"]) == ("rent", "pay", "city")
    with pytest.raises(UnknownColumnError, match="'rents'"):
        knowledge.ordered(["rents"])


@settings(deadline=None)
@given(st.data())
def test_orders_respect_tiers_and_required_edges(data):
    knowledge = data.draw(knowledges())
    order = knowledge.ordered(data.draw(st.permutations(knowledge.columns)))
    assert sorted(order) == sorted(knowledge.columns)
    assert respects(order, knowledge)


@settings(deadline=None)
@given(st.data())
def test_an_order_that_fits_is_left_alone(data):
    knowledge = data.draw(knowledges())
    order = knowledge.ordered(data.draw(st.permutations(knowledge.columns)))
    assert knowledge.ordered(order) == order


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_knowledge_is_refused_exactly_when_no_order_satisfies_it(data):
    columns = tuple(LETTERS[:4])
    pairs = st.tuples(st.sampled_from(columns), st.sampled_from(columns))
    required = tuple(data.draw(st.lists(pairs, max_size=4)))
    tier = data.draw(st.tuples(*(st.sampled_from([None, 0, 1, 2]) for _ in columns)))
    tiers = tuple(tuple(c for c, t in zip(columns, tier, strict=True) if t == number) for number in range(3))
    plain = Knowledge(columns, tiers=tiers)

    def satisfiable(order):
        place = {column: i for i, column in enumerate(order)}
        return respects(order, plain) and all(place[parent] < place[child] for parent, child in required)

    if any(satisfiable(order) for order in permutations(columns)):
        assert respects(Knowledge(columns, required, (), tiers).ordered(columns), plain)
    else:
        with pytest.raises(StructureError):
            Knowledge(columns, required, (), tiers)
