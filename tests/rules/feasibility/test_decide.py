"""Deciding feasibility: independent parts are decided separately, and conflicts are reduced to minimal sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility import decide
from janus_synth.rules.feasibility.clauses import build_space
from janus_synth.rules.feasibility.decide import is_ruled_out, satisfies
from janus_synth.rules.feasibility.mixed_integer import Solution
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.table import read_table


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 101, 300) for name in "uvwxyz"})
    frame = frame.assign(h=rng.normal(size=300), city=rng.choice(["Rome", "Oslo", None], 300))
    table = read_table(frame)
    return table.schema, fit_codec(table, BinSettings())


def problem_of(people, *texts):
    schema, codec = people
    rules = [bind(text, schema) for text in texts]
    return build_problem(rules, build_space({name: None for rule in rules for name in rule.columns}, schema, codec))


def test_the_witness_satisfies_all_clauses(people):
    problem = problem_of(people, "x + y == 100", "u < v", "w > 3 or city == 'Rome'", "h > 0.5")
    verdict = decide.decide(problem)
    assert verdict.feasible
    assert satisfies([clause.test for clause in problem.clauses], problem.space, verdict.row)
    assert set(verdict.row) == set(range(len(problem.space.columns)))


def test_independent_parts_are_decided_separately(people, monkeypatch):
    coefficients = []

    def solve(nodes, columns, *rest):
        coefficients.append(len(columns))
        return Solution(None, infeasible=True)

    monkeypatch.setattr(decide, "solve_program", solve)
    monkeypatch.setattr(decide, "SHORT_SEARCH", -1)
    verdict = decide.decide(problem_of(people, "x + y <= 100", "u < v", "z > 3"), visits_per_clause=0.0)
    assert verdict.feasible is False
    assert coefficients == [2], "the first part is impossible; nothing else need be solved"


def test_the_solver_takes_over_where_the_search_gives_up(people, monkeypatch):
    calls = []
    solve = decide.solve_program
    monkeypatch.setattr(decide, "solve_program", lambda *given: calls.append(given) or solve(*given))
    texts = ("2 * x + 3 * y - z == 51", "x - y + 2 * w == 77", "3 * x + z + u == 120", "y + z - w == 1")
    problem = problem_of(people, *texts)
    verdict = decide.decide(problem, visits_per_clause=-1e9)
    assert verdict.feasible
    assert calls
    assert satisfies([clause.test for clause in problem.clauses], problem.space, verdict.row)


def test_propagation_alone_proves_simple_conflicts(people):
    assert is_ruled_out(problem_of(people, "x > 50", "y > 50", "x + y < 90"))
    assert not is_ruled_out(problem_of(people, "x + y + z == 50"))
