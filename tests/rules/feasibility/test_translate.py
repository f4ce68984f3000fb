"""Translation of rules into clauses, against ``judge`` on every row of small tables and near edges of intervals."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings

from janus_synth.encoding import Codec
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.rules import BoundRule, bind, judge
from janus_synth.rules.feasibility.clauses import Conjunction, Disjunction, InDomain, InTable, LinearBound, build_space
from janus_synth.rules.feasibility.translate import build_problem, rational
from janus_synth.table import Column, Schema, Table
from rules.small_worlds import positions_of, worlds_and_rules

some = settings(deadline=None, max_examples=100)


def node_holds(node, positions):
    """Evaluate an exact node on rows, by its definition."""
    match node:
        case InDomain(column, allowed):
            return allowed.contains(positions[column])
        case Conjunction(parts, _):
            return reduce(
                np.logical_and, [node_holds(part, positions) for part in parts], np.ones(len(positions[0]), bool)
            )
        case Disjunction(parts, _):
            return reduce(
                np.logical_or, [node_holds(part, positions) for part in parts], np.zeros(len(positions[0]), bool)
            )
        case InTable(columns, cells):
            rows = np.stack([positions[column] for column in columns], axis=1)
            same = (rows[:, None] == cells[None]) | (np.isnan(rows[:, None]) & np.isnan(cells[None]))
            return same.all(axis=2).any(axis=1)
        case LinearBound(columns, coefficients):
            total = sum(size * positions[column] for column, size in zip(columns, coefficients, strict=True))
            return (node.low <= total) & (total <= node.high)
    raise TypeError(node)


def is_plain(node, n_columns):
    """Whether a node is exact and needs no helper."""
    if isinstance(node, Conjunction | Disjunction):
        return all(is_plain(part, n_columns) for part in node.parts)
    return max(node.columns, default=0) < n_columns and (not isinstance(node, LinearBound) or node.exact)


@some
@given(worlds_and_rules(3))
def test_clauses_hold_in_the_rows_that_satisfy_the_rules(world_and_rules):
    world, rules = world_and_rules
    space = build_space(world.schema.names, world.schema, world.codec)
    problem = build_problem(rules, space)
    rows = world.rows()
    positions = positions_of(space, rows)
    for clause in problem.clauses:
        if is_plain(clause.node, len(space.columns)):
            expected = judge(BoundRule(clause.test, clause.test), rows)
            assert node_holds(clause.node, positions).tolist() == expected.tolist()


@pytest.fixture(scope="module")
def smooth():
    rng = np.random.default_rng(0)
    columns = {"x": ("float64", 100.0), "s": ("float32", 100.0), "big": ("float32", 3e7), "far": ("float64", 3e15)}
    schema = Schema(tuple(Column(name, "numeric", dtype) for name, (dtype, _) in columns.items()))
    fitted = {name: fit_ordered(size * (0.5 + rng.random(400)), n_bins=20) for name, (_, size) in columns.items()}
    return schema, Codec(fitted)


@pytest.mark.parametrize("name", ["x", "s", "big", "far"])
@pytest.mark.parametrize("rule", ["{} < {}", "{} <= {}", "{} > {}", "{} >= {}", "{} == {}", "{} != {}", "{} in [{}]"])
@pytest.mark.parametrize("negated", [False, True])
def test_sets_of_a_continuous_column_contain_all_valid_values(smooth, name, rule, negated):
    schema, codec = smooth
    size = codec.columns[name].largest(codec.columns[name].n_bins - 1)
    for number in (size * 0.7, float(round(size * 0.7)), size * 3):
        text = rule.format(name, repr(number))
        bound = bind(f"not ({text})" if negated else text, schema)
        node = build_problem([bound], build_space([name], schema, codec)).clauses[0].node
        spread = number * 2.0 ** -np.arange(3, 53)
        whole = np.arange(-20.0, 21) + np.rint(number)
        cells = np.concatenate([[number], number - spread, number + spread, whole])
        cells = cells[build_problem([], build_space([name], schema, codec)).domains[0].contains(cells)]
        table = Table(schema.select([name]), {name: cells}, len(cells))
        kept = node.domain.contains(cells)
        judged = judge(bound, table)
        assert (kept | ~judged).all()
        if abs(number) < 2**20:
            assert kept.tolist() == judged.tolist()


def test_sums_on_lattices_are_whole_numbers():
    schema = Schema(tuple(Column(name, "numeric", "float64") for name in "abc"))
    cents, tens, free = 0.01 * np.arange(500), 10.0 * np.arange(40), np.random.default_rng(0).normal(size=100)
    codec = Codec({n: fit_ordered(v, n_bins=20) for n, v in zip("abc", (cents, tens, free), strict=True)})
    space = build_space("abc", schema, codec)

    def node(text):
        return build_problem([bind(text, schema)], space).clauses[0].node

    total = node("a + 0.1 * b <= 3.005")
    assert (total.exact, total.coefficients, total.low, total.high) == (True, (1, 100), -math.inf, 300)
    assert node("a + 0.1 * b < 3").high == 299
    assert node("a / 3 == b").coefficients == (1, -3000)
    assert node("2 * b + 100 * a == 0.5").parts == (), "an impossible sum"
    assert not node("a + c <= 3").exact


def test_floats_are_read_as_simple_fractions():
    numbers = [0.1, 0.1 + 0.2, 1 / 3, 1e20, math.pi, 1e-9]
    assert [*map(rational, numbers)] == [Fraction(1, 10), Fraction(3, 10), Fraction(1, 3), 10**20, None, None]
