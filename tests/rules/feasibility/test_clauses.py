"""Spaces and problems: the columns and clauses they contain, and modified copies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility.clauses import FALSE, build_space
from janus_synth.rules.feasibility.domains import Domain
from janus_synth.rules.feasibility.propagation import narrow
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.table import read_table


@pytest.fixture(scope="module")
def fitted():
    table = read_table(pd.DataFrame({"x": [*range(10)] * 3, "y": [0.5, 1.5, None] * 10, "city": ["Rome", "Oslo"] * 15}))
    return table.schema, fit_codec(table, BinSettings())


def test_a_space_holds_each_column_once_in_order_of_appearance(fitted):
    space = build_space(["city", "x", "city"], *fitted)
    assert [column.name for column in space.columns] == ["city", "x"]
    assert [space.index(name) for name in ("city", "x")] == [0, 1]
    values = [grid.values(domain.positions()).tolist() for grid, domain in zip(space.grids, space.domains, strict=True)]
    assert values == [[0, 1], [*range(10)]]


def test_a_copy_with_another_domain_leaves_the_space_as_it_is(fitted):
    space = build_space(["x", "y"], *fitted)
    one = Domain(np.array([[3.0, 3.0]]), False, True)
    changed = space.with_domain(0, space.grids[0], one)
    assert changed.domains == (one, space.domains[1])
    assert space.domains[0].size == 10


def test_a_problem_can_be_restricted_to_some_rules(fitted):
    schema, codec = fitted
    rules = [bind(text, schema) for text in ("x > 3 and y < 1", "x < 8", "city == 'Rome'")]
    problem = build_problem(rules, build_space(schema.names, schema, codec))
    assert [clause.rule for clause in problem.clauses] == [0, 0, 1, 2]
    assert [clause.rule for clause in problem.restricted_to([0, 2]).clauses] == [0, 0, 2]
    assert problem.restricted_to([]).clauses == ()


def test_nothing_satisfies_the_empty_disjunction(fitted):
    space = build_space(["x"], *fitted)
    assert narrow(FALSE, dict(enumerate(space.domains)), space.grids) is None
