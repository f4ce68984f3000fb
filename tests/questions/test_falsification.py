"""Graphs against rows: implied independences against d-separation, verdicts in worlds whose graph is known."""

from __future__ import annotations

from itertools import combinations

import networkx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from threadpoolctl import threadpool_info, threadpool_limits

from graph.graph_strategies import dags
from janus_synth import Dag
from janus_synth.errors import DataError
from janus_synth.questions.falsification import (
    Falsification,
    Independence,
    falsify_graph,
    holm,
    local_independences,
    markov_equivalent,
)
from janus_synth.table import read_table

TRUTH = [("age", "pay"), ("school", "pay"), ("pay", "loan"), ("age", "house"), ("loan", "house"), ("city", "school")]


def people(n, seed=0):
    """Rows of a world whose graph is ``TRUTH``; numbers, levels and nulls."""
    rng = np.random.default_rng(seed)
    age, city = rng.gamma(4, 10, n), rng.choice(["Oslo", "Rome", "Riga"], n, p=[0.5, 0.3, 0.2])
    school = rng.random(n) < np.where(city == "Oslo", 0.7, 0.3)
    pay = np.log(age) + school + 0.5 * rng.normal(size=n)
    loan = rng.random(n) < 1 / (1 + np.exp(-2 * (pay - pay.mean())))
    house = np.where(loan, 0.05 * age, -0.02 * age) + rng.normal(size=n)
    frame = pd.DataFrame({"age": age, "city": city, "school": school, "pay": pay, "loan": loan, "house": house})
    return frame.assign(pay=frame["pay"].where(rng.random(n) > 0.05))


def falsify(edges, frame, **changes):
    table = read_table(frame, None)
    ordered = {column.name: not column.is_discrete for column in table.schema.learnt}
    return falsify_graph(Dag.from_edges(frame.columns, edges), table, ordered, **changes)


def separated(dag, one, other, given):
    return networkx.is_d_separator(dag.to_networkx(), {one}, {other}, set(given))


# What a graph implies


@given(dags())
@settings(deadline=None, max_examples=30)
def test_implied_independences_are_d_separations(dag):
    found = local_independences(dag)
    assert all(separated(dag, claim.one, claim.other, claim.given) for claim in found)
    apart = {frozenset(pair) for pair in combinations(dag.columns, 2)} - {frozenset(edge) for edge in dag.edges}
    assert {frozenset(claim[:2]) for claim in found} == apart  # each pair without an edge is tested at least once


@pytest.mark.parametrize("seed", range(12))
def test_equivalent_graphs_have_the_same_d_separations(seed):
    rng = np.random.default_rng(seed)
    graphs = [_random_dag(rng) for _ in range(6)]
    for one, other in combinations(graphs, 2):
        assert markov_equivalent(one, other) == (_all_separations(one) == _all_separations(other))


def _random_dag(rng):
    order = rng.permutation(list("abcd"))
    return Dag.from_edges("abcd", [pair for pair in combinations(order, 2) if rng.random() < 0.6])


def _all_separations(dag):
    found = set()
    for one, other in combinations(dag.columns, 2):
        rest = [column for column in dag.columns if column not in (one, other)]
        for size in range(3):
            found |= {(one, other, z) for z in combinations(rest, size) if separated(dag, one, other, z)}
    return found


def test_adjusted_p_values_are_holms():
    from scipy import stats

    p = np.array([0.04, 0.001, 0.2, 0.011, 0.011])
    expected = [max(min(1, (5 - k) * q) for k, q in enumerate(np.sort(p)[: i + 1])) for i in range(5)]
    assert holm(p)[np.argsort(p, kind="stable")] == pytest.approx(expected)
    assert (holm(p) >= stats.false_discovery_control(p)).all()
    assert len(holm(np.array([]))) == 0


# Verdicts


def test_the_true_graph_is_consistent_with_its_rows():
    found = falsify(TRUTH, people(1_500))
    assert found.verdict == "consistent"
    assert (found.edge_adjusted < 0.05).all()
    assert str(found).startswith("consistent: the graph fits better")
    assert "6 of 6 edges carry dependence" in str(found)


def test_a_missing_edge_is_named():
    found = falsify([edge for edge in TRUTH if edge != ("school", "pay")], people(1_500))
    assert found.verdict == "doubtful"
    worst = found.independences[int(np.argmin(found.p_values))]
    assert {worst.one, worst.other} <= {"school", "pay", "city", "loan"}
    assert "pay ⟂ school | age" in str(found)


def test_an_edge_without_dependence_is_named():
    found = falsify([*TRUTH, ("city", "house")], people(1_500))
    assert found.verdict == "consistent"
    assert "city → house" in str(found)
    (idle,) = (edge for edge, p in zip(found.edges, found.edge_adjusted, strict=True) if p >= 0.05)
    assert idle == ("city", "house")


def test_a_graph_of_permuted_columns_is_rejected():
    new = dict(age="loan", city="age", school="house", pay="city", loan="pay", house="school")
    found = falsify([(new[parent], new[child]) for parent, child in TRUTH], people(1_500))
    assert found.verdict == "rejected"
    assert found.p_permuted > 0.05


@pytest.mark.parametrize(
    ("p_values", "permuted", "verdict"),
    [
        ([0.03, 0.2, 0.5], [0.0, 0.3, 0.6], "untestable"),  # nothing fails after adjustment: no evidence against it
        ([0.001, 0.2, 0.5], [0.0, 0.3, 0.6], "rejected"),
        ([0.03, 0.2, 0.5], [0.6] * 30, "consistent"),
        ([0.001, 0.2, 0.5], [0.6] * 30, "doubtful"),
    ],
)
def test_a_graph_is_rejected_only_if_its_own_independences_fail(p_values, permuted, verdict):
    pairs = tuple(Independence("a", name, ()) for name in "bcd")
    p, none = np.array(p_values), np.zeros(0)
    found = Falsification(pairs, p, holm(p), (), none, none, np.array(permuted), 0.0, 0.05, 500, 500)
    assert found.verdict == verdict
    assert str(found).startswith(verdict)


@pytest.mark.statistical
def test_permuted_graphs_are_rarely_taken_for_true():
    """A permuted graph passes with probability 0.05; more than 7 of 30 have probability 1e-4."""
    frame, passed = people(400), 0
    for seed in range(30):
        columns = np.random.default_rng(seed).permutation(frame.columns)
        new = dict(zip(frame.columns, columns, strict=True))
        found = falsify([(new[a], new[b]) for a, b in TRUTH], frame, n_permutations=20, seed=seed)
        passed += found.p_permuted <= 0.05
    assert passed <= 7


def test_a_complete_graph_and_a_short_chain_cannot_be_tested():
    frame = people(300)[["age", "pay", "loan"]]
    assert falsify([*combinations(frame.columns, 2)], frame).verdict == "untestable"
    found = falsify([("age", "pay"), ("pay", "loan")], frame)
    assert found.equivalent > 0.05
    assert str(found).startswith("untestable: rows cannot tell")


def test_larger_tables_are_subsampled_and_the_answer_says_so():
    found = falsify(TRUTH, people(900), max_rows=500, n_permutations=5)
    assert (found.n_rows, found.n_given) == (500, 900)
    assert "500 of 900 rows" in str(found)


def test_the_same_seed_gives_the_same_answer():
    one, other = (falsify(TRUTH, people(400), max_rows=300, n_permutations=8, seed=4).to_frame() for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


def test_the_frame_holds_every_test():
    found = falsify([*TRUTH, ("city", "house")], people(600), n_permutations=0)
    frame = found.to_frame()
    assert len(frame) == len(found.independences) + 7
    assert frame["claim"].value_counts()["dependent"] == 7
    independent = frame[frame["claim"] == "independent"]
    assert independent["p_value"].is_monotonic_increasing
    assert (independent["holds"] == (independent["adjusted"] >= 0.05)).all()


def test_too_few_rows_are_an_error():
    with pytest.raises(DataError, match="at least 100"):
        falsify(TRUTH, people(99))


def test_linear_algebra_has_one_thread():
    """Many small decompositions: its own threads took ten times the CPU."""
    seen = set()

    def watch(_: int) -> None:
        seen.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

    with threadpool_limits(2, user_api="blas"):
        falsify(TRUTH, people(300), n_permutations=2, on_graph=watch)
    assert seen <= {1}
