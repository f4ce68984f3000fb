"""Which links are chosen: one per column, no loops, nothing against the user's graph, and the cheapest member."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.coordinates.choose import atom_mass, choose_links, with_own_names
from janus_synth.coordinates.formulas import Sum
from janus_synth.coordinates.links import Link
from janus_synth.graph import Dag
from janus_synth.rules import as_rules, bind
from janus_synth.table import read_table

N = 500


def sums() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, b = rng.poisson(40, N), rng.poisson(25, N)
    return pd.DataFrame({"a": a, "b": b, "t": a + b, "twice": 2 * (a + b)})


def links_of(rows: pd.DataFrame, rules: tuple[str, ...] = (), **options: object) -> dict[str, Link]:
    table = read_table(rows)
    bound = [bind(rule, table.schema) for rule in as_rules(list(rules))] if rules else []
    return {link.column: link for link in choose_links(table, bound, **options)}


def test_links_form_no_loop_and_a_column_has_one():
    links = links_of(sums())
    assert len(links) == 2
    inputs = {name: set(link.visible_inputs) for name, link in links.items()}
    done: set[str] = set(sums()) - set(links)
    while ready := {name for name in inputs if name not in done and inputs[name] <= done}:
        done |= ready
    assert done == set(sums())


def test_a_sum_is_computed_rather_than_a_difference():
    links = links_of(sums()[["t", "a", "b"]])
    assert set(links) == {"t"}


def test_a_column_with_atoms_is_learnt_rather_than_computed():
    rng = np.random.default_rng(1)
    a = np.where(rng.random(N) < 0.4, 5.0, np.round(rng.gamma(3, 5, N), 2))
    b = np.round(rng.gamma(3, 5, N), 2)
    table = read_table(pd.DataFrame({"a": a, "b": b}))
    assert atom_mass(table, "a") > 0.35
    assert atom_mass(table, "b") < 0.1


def test_links_agree_with_a_given_graph():
    rows = sums()[["a", "b", "t"]]
    names = list(rows)
    assert set(links_of(rows, graph=Dag.from_edges(names, [("a", "t"), ("b", "t")]))) == {"t"}
    assert set(links_of(rows, graph=Dag.from_edges(names, [("a", "b"), ("t", "b")]))) == {"b"}
    assert links_of(rows, graph=Dag.from_edges(names, [("a", "t")])) == {}
    assert links_of(rows, graph=Dag.from_edges(names, [])) == {}


def test_barred_edges_are_kept_out():
    rows = sums()[["a", "b", "t"]]
    links = links_of(rows, barred=[("a", "t")])
    assert all((name, link.column) != ("a", "t") for link in links.values() for name in link.visible_inputs)


def test_only_rules_suggest_links_if_nothing_is_searched_for():
    rows = sums()[["a", "b", "t"]]
    assert links_of(rows, find=False) == {}
    assert set(links_of(rows, ("t == a + b",), find=False)) == {"t"}


@pytest.mark.parametrize("rules", [(), ("t == a + b",)])
def test_rules_and_search_find_the_same_equation_once(rules):
    assert set(links_of(sums()[["a", "b", "t"]], rules)) == {"t"}


def test_hidden_names_are_made_unique():
    one = Link("c", Sum((("a", 1.0),)), gap="x")
    clock = Link("at", Sum((("x", 1.0), ("y", 1.0)), decimals=0), parts=("x", "y"))
    found = with_own_names([one, clock], ["a", "c", "at", "x'"])
    names = [name for link in found for name in link.hidden]
    assert len(set(names)) == 3
    assert not set(names) & {"a", "c", "at", "x'"}
    assert found[1].formula.inputs == found[1].parts


def test_values_are_not_looked_up_by_keys_of_few_rows():
    """Pairs of keys and values that few rows have are left out, so that most rows must have keys of many rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"score": np.repeat(rng.permutation(40) / 7, 20), "a": np.repeat(rng.integers(0, 5, 40), 20)})
    table = read_table(frame)
    assert [str(link) for link in choose_links(table, least=20)] == ["a = looked up by score"]
    assert choose_links(table, least=21) == ()


def test_a_small_difference_of_large_numbers_is_not_computed():
    """The loan would have to be rounded, and what has been paid is small beside the loan and the balance."""
    rng = np.random.default_rng(0)
    loan = rng.integers(100, 4_000, 500)
    paid = np.round(loan * rng.beta(1, 9, 500), 2)
    frame = pd.DataFrame({"loan": loan, "balance": np.round(loan - paid, 2), "paid": paid})
    assert [str(link) for link in choose_links(read_table(frame))] == ["balance = loan - paid"]


def two_sums_of_a_total(n: int = 800) -> pd.DataFrame:
    """A bill of room and drugs is split between an insurer and a patient, who pays a share of it."""
    rng = np.random.default_rng(2)
    room, drugs = np.round(rng.gamma(3, 200, n), 2), np.round(rng.gamma(2, 80, n), 2)
    total = np.round(room + drugs, 2)
    patient = np.round(total * rng.choice([0.1, 0.2, 1.0], n, p=[0.5, 0.3, 0.2]), 2)
    insurer = np.round(total - patient, 2)
    return pd.DataFrame({"room": room, "drugs": drugs, "total": total, "insurer": insurer, "patient": patient})


@pytest.mark.parametrize("rules", [(), ("total == insurer + patient", "total == room + drugs")])
def test_every_equation_is_solved_whichever_stands_first(rules):
    rows = two_sums_of_a_total()
    for order in (list(rows), list(rows)[::-1]):
        links = links_of(rows[order], rules)
        solved = {frozenset((link.column, *link.visible_inputs)) for link in links.values()}
        assert {frozenset(("total", "room", "drugs")), frozenset(("total", "insurer", "patient"))} < solved
        assert len(links) == 3  # and one part is a multiple of the total
