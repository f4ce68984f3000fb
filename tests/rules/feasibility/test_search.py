"""Backtracking search for a witness: hints, backtracking, proofs of infeasibility, and no use of rounding tolerance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility.clauses import build_space
from janus_synth.rules.feasibility.decide import satisfies
from janus_synth.rules.feasibility.propagation import Network
from janus_synth.rules.feasibility.search import search_row
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.table import read_table


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 11, 300) for name in "xyz"})
    frame = frame.assign(h=rng.normal(size=300), g=rng.normal(size=300), k=rng.normal(size=300))
    frame["city"] = rng.choice(["Rome", "Oslo", None], 300)
    table = read_table(frame)
    return table.schema, fit_codec(table, BinSettings())


def look(people, *texts, accepts=None, max_visits=5_000, **options):
    """Search result, and the row as values."""
    schema, codec = people
    rules = [bind(text, schema) for text in texts]
    space = build_space({name: None for rule in rules for name in rule.columns}, schema, codec)
    problem = build_problem(rules, space)
    network = Network(problem.clauses, problem.grids)
    domains = network.propagate(dict(enumerate(problem.domains)))
    tests = [rule.test for rule in rules]

    def positions(row):
        return {i: row[i].low if len(row[i].intervals) else None for i in range(len(space.columns))}

    found = search_row(
        network,
        domains,
        range(len(problem.grids)),
        accepts or (lambda row: satisfies(tests, space, positions(row))),
        max_visits=max_visits,
        **options,
    )
    return found, None if found.row is None else list(positions(found.row).values())


def test_the_first_row_is_in_the_middle(people):
    _, row = look(people, "x >= 0", "h > -100")
    assert row[0] == 5
    assert abs(row[1]) < 1


def test_hints_are_followed_where_they_can_be(people):
    _, row = look(people, "x + y == 9", hints={0: 2.0, 1: 7.0})
    assert row == [2, 7]
    _, row = look(people, "x + y == 9", hints={0: 40.0})
    assert row == [9, 0]
    _, row = look(people, "implies(x > 3, city is null)", hints={0: 8.0, 1: None})
    assert row == [8, None]


def test_the_search_backtracks_until_a_row_is_accepted(people):
    seen = []

    def accepts(row):
        seen.append((row[0].low, row[1].low))
        return row[0].low == 3

    found, _ = look(people, "x + y == 9", accepts=accepts)
    assert found.row is not None
    assert len(set(seen)) == len(seen) > 1, "no row is tried twice"


def test_an_exhausted_search_proves_infeasibility(people):
    found, _ = look(people, "x != y", "y != z", "x != z", "x < 2", "y < 2", "z < 2")
    assert found == (None, True)
    found, _ = look(people, "x + y == 9", accepts=lambda row: False)
    assert found == (None, True)


def test_a_search_that_gives_up_proves_nothing(people):
    found, _ = look(people, "x + y + z >= 3", accepts=lambda row: False, max_visits=20)
    assert found == (None, False)
    found, _ = look(people, "h < g", accepts=lambda row: False, max_visits=1_000)
    assert found == (None, False)
    found, _ = look(people, "x + y + z >= 3", seconds=0.0)
    assert found == (None, False)


def test_rows_that_satisfy_a_rule_only_by_rounding_do_not_count(people):
    schema, codec = people
    texts = ("h <= g", "g <= k", "h > k")
    g = 0.5
    while g - 0.5 <= 2.0**-51 * (g + 0.5):  # the rounding tolerance above k
        g = np.nextafter(g, 1)
    h = g * (1 + 6 * 2.0**-52)
    row = {0: h, 1: np.nextafter(g, 0), 2: 0.5}
    assert satisfies([bind(text, schema).test for text in texts], build_space("hgk", schema, codec), row), (
        "the judge forgives"
    )
    assert look(people, *texts, max_visits=3_000)[1] is None
