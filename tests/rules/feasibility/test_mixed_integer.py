"""The mixed-integer solver without propagation, against enumeration and on numerical edge cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility.clauses import build_space
from janus_synth.rules.feasibility.decide import satisfies
from janus_synth.rules.feasibility.mixed_integer import polish, solve_program
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.table import read_table
from rules.small_worlds import worlds_and_rules

some = settings(deadline=None, max_examples=150)


def solved(rules, space, seconds=10.0):
    """The solver's answer without any help from propagation."""
    problem = build_problem(rules, space)
    domains = dict(enumerate(problem.domains))
    nodes = [clause.node for clause in problem.clauses]
    answer = solve_program(nodes, range(len(problem.grids)), domains, problem.grids, seconds)
    return answer, nodes, domains, problem.grids


@some
@given(worlds_and_rules())
def test_the_solver_alone_finds_a_row_or_none(world_and_rules):
    world, rules = world_and_rules
    space = build_space(world.schema.names, world.schema, world.codec)
    answer, *_ = solved(rules, space)
    assert answer.infeasible != world.kept(rules, world.rows()).any()
    if not answer.infeasible:
        assert satisfies([rule.test for rule in rules], space, answer.positions)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    n = 500
    moment = pd.Timestamp("2024-01-01")
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 101, n),
            "y": rng.integers(0, 101, n),
            "z": rng.integers(0, 101, n),
            "h": rng.normal(170, 10, n),
            "g": rng.normal(100, 30, n),
            "a": moment + pd.to_timedelta(rng.integers(0, 10**13, n), unit="us"),
            "b": moment + pd.to_timedelta(rng.integers(0, 10**13, n), unit="us"),
            "c": moment + pd.to_timedelta(rng.integers(0, 10**13, n), unit="us"),
        }
    )
    table = read_table(frame)
    return table.schema, fit_codec(table, BinSettings())


@pytest.mark.parametrize(
    ("texts", "possible"),
    [
        (["x < y", "y < z", "z < x"], False),
        (["x < y", "y < z", "z < x + 3"], True),
        (["6 * x + 10 * y + 15 * z == 29"], False),
        (["6 * x + 10 * y + 15 * z == 31"], True),
        (["x != y", "y != z", "x != z", "x + y + z == 3"], True),
        (["x != y", "y != z", "x != z", "x + y + z == 2"], False),
        (["a < b", "b < c", "c < a"], False),
        (["a < b", "b < c", "c < a + microseconds(3)"], True),
        (["h < g", "g < h + 0.001", "h + g >= 340"], True),
        (["h <= g", "g <= x + 60", "h > x + 60"], False),
        (["increments(x, 7)", "increments(x, 11)", "0 < x < 77"], False),
        (["increments(x, 7)", "increments(x, 11)", "0 < x < 78"], True),
        (["not increments(h, 0.5)", "h == 170"], False),
    ],
)
def test_chains_sums_and_steps(numbers, texts, possible):
    schema, codec = numbers
    rules = [bind(text, schema) for text in texts]
    answer, *_ = solved(rules, build_space({name for rule in rules for name in rule.columns}, schema, codec))
    assert answer.infeasible == (not possible)
    assert (answer.positions is not None) == possible


def test_polishing_satisfies_sums_that_the_solver_satisfied_only_approximately(numbers):
    schema, codec = numbers
    rules = [bind(text, schema) for text in ("h + g == 300", "h - g == 50.5")]
    space = build_space(["h", "g"], schema, codec)
    answer, nodes, domains, grids = solved(rules, space)
    rough = {column: position + 1e-7 for column, position in answer.positions.items()}
    tests = [rule.test for rule in rules]
    assert not satisfies(tests, space, rough)
    assert satisfies(tests, space, polish(rough, nodes, domains, grids))


def test_running_out_of_time_proves_nothing(numbers):
    schema, codec = numbers
    rules = [bind(f"{k} * x + {k * k} * y + {7 * k % 5 + 1} * z != {50 + k}", schema) for k in range(2, 40)]
    answer, *_ = solved(rules, build_space(["x", "y", "z"], schema, codec), seconds=0.0)
    assert not answer.infeasible
