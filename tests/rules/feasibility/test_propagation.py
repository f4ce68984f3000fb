"""Propagation is sound (it removes no row that satisfies the rules) and decides requests that need no search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility.clauses import InTable, build_space
from janus_synth.rules.feasibility.domains import Domain
from janus_synth.rules.feasibility.propagation import Network, has_contradicting_bounds, narrow
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.table import read_table
from rules.small_worlds import positions_of, worlds_and_rules

some = settings(deadline=None, max_examples=100)


@some
@given(worlds_and_rules())
def test_no_row_that_satisfies_the_rules_is_lost(world_and_rules):
    world, rules = world_and_rules
    space = build_space(world.schema.names, world.schema, world.codec)
    problem = build_problem(rules, space)
    rows = world.rows()
    kept = world.kept(rules, rows)
    found = Network(problem.clauses, problem.grids).propagate(dict(enumerate(problem.domains)))
    if found is None or has_contradicting_bounds(problem.clauses):
        assert not kept.any()
        return
    for i, positions in enumerate(positions_of(space, rows)):
        assert found[i].contains(positions[kept]).all()


@some
@given(worlds_and_rules())
def test_rules_about_one_column_are_decided(world_and_rules):
    world, rules = world_and_rules
    rules = [rule for rule in rules if len(set(rule.columns)) == 1 and "increments" not in str(rule)]
    space = build_space(world.schema.names, world.schema, world.codec)
    problem = build_problem(rules, space)
    found = Network(problem.clauses, problem.grids).propagate(dict(enumerate(problem.domains)))
    assert (found is not None) == world.kept(rules, world.rows()).any()


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 101, 500),
            "y": rng.integers(0, 101, 500),
            "h": rng.normal(170, 10, 500),
            "g": rng.normal(170, 10, 500),
            "city": rng.choice(["Rome", "Oslo", None], 500),
        }
    )
    table = read_table(frame)
    return table.schema, fit_codec(table, BinSettings())


def left(people, *texts):
    """The domain that propagation leaves for each column."""
    schema, codec = people
    space = build_space(schema.names, schema, codec)
    problem = build_problem([bind(text, schema) for text in texts], space)
    found = Network(problem.clauses, problem.grids).propagate(dict(enumerate(problem.domains)))
    return None if found is None else {column.name: found[i] for i, column in enumerate(space.columns)}


def test_bounds_travel_along_sums(people):
    found = left(people, "x + 20 < y", "y <= 50", "2 * x >= 41")
    assert (found["x"].low, found["x"].high) == (21, 29)
    assert (found["y"].low, found["y"].high) == (42, 50)


def test_the_only_possible_alternative_of_a_disjunction_must_hold(people):
    found = left(people, "x > 200 or (y < 10 and city is not null)")
    assert (found["y"].high, found["city"].null) == (9, False)


def test_values_excluded_by_every_alternative_are_removed(people):
    found = left(people, "(x < 10 and y > 3) or (x > 90 and city == 'Rome')")
    assert found["x"].intervals.tolist() == [[0, 9], [91, 100]]
    assert found["y"].size == 101


def test_a_comparison_of_a_sum_excludes_nulls(people):
    assert left(people, "city is null or x > y")["city"].null
    assert left(people, "x + y > 3")["x"].null is False


def test_bounds_of_continuous_columns_are_no_tighter_than_the_rule_evaluator(people):
    found = left(people, "h <= g - 5", "g <= 175")
    assert 170 <= found["h"].high <= 170 + 1e-9


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["x < y", "y < x"], True),
        (["x <= y", "y <= x"], False),
        (["h < g", "g < h"], True),
        (["h < g", "g <= h"], True),
        (["h <= g", "g <= h"], False),
        (["h > g", "h - g <= 5", "h - g >= 5"], False),
        (["2 * h - 2 * g > 10", "h - g < 5"], True),
        (["x + y + h > 3"], False),
    ],
)
def test_bounds_of_one_sum_can_contradict(people, texts, expected):
    schema, codec = people
    problem = build_problem([bind(text, schema) for text in texts], build_space(schema.names, schema, codec))
    assert has_contradicting_bounds(problem.clauses) == expected


def test_known_combinations_leave_null_where_one_of_them_has_it():
    """Of (0, null), (1, 2) and (5, 5) the last is impossible: each column keeps the values of the others, null too."""
    cells = np.array([[0.0, np.nan], [1.0, 2.0], [5.0, 5.0]])
    first, second = (Domain(np.array([[0.0, last]]), True, True) for last in (3.0, 9.0))
    found = narrow(InTable((0, 1), cells), {0: first, 1: second}, ())
    assert (found[0].intervals.tolist(), found[0].null) == ([[0.0, 1.0]], False)
    assert (found[1].intervals.tolist(), found[1].null) == ([[2.0, 2.0]], True)
