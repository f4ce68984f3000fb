"""Feasibility against enumeration on small tables, and on columns that cannot be enumerated."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.errors import InfeasibleError, JanusError
from janus_synth.rules import bind, judge
from janus_synth.rules.feasibility.check import check_feasible, require_feasible
from janus_synth.rules.feasibility.clauses import build_space
from janus_synth.table import read_table
from rules.small_worlds import World, worlds_and_rules

DAY = 86_400_000_000


@settings(deadline=None, max_examples=400)
@given(worlds_and_rules())
def test_a_request_is_feasible_if_some_row_satisfies_it(world_and_rules):
    world, rules = world_and_rules
    rows = world.rows()
    kept = world.kept(rules, rows)
    found = check_feasible(rules, world.schema, world.codec)
    assert found.feasible == kept.any()
    if found.feasible:
        assert (found.conflict, found.reason) == ((), "")
        assert set(found.witness) == {name for rule in rules for name in rule.columns}
        assert world.kept(rules, world.row(found.witness)).all()
        for name, cell in found.witness.items():
            assert rows.missing(name).any() if cell is None else cell in rows[name]
        for name, (low, high) in found.box.items():
            values = rows[name][kept & ~rows.missing(name)]
            assert ((low <= values) & (values <= high)).all()
        return
    assert found.witness is None
    assert found.reason
    assert not world.kept(found.conflict, rows).any()
    for i in range(len(found.conflict)):
        assert world.kept(found.conflict[:i] + found.conflict[i + 1 :], rows).any()


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(0)
    n = 600
    moment = pd.Timestamp("2024-01-01")
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 101, n),
            "y": rng.integers(0, 101, n),
            "z": rng.integers(0, 101, n),
            "h": rng.normal(170, 10, n),
            "g": rng.normal(100, 30, n),
            "k": rng.normal(0, 1, n),
            "s": rng.normal(10, 3, n).astype("float32"),
            "r": rng.normal(10, 3, n).astype("float32"),
            "cents": rng.normal(5000, 900, n).round(2).astype("float32"),
            "a": moment + pd.to_timedelta(rng.integers(0, 10**13, n), unit="us"),
            "b": moment + pd.to_timedelta(rng.integers(0, 10**13, n), unit="us"),
            "day": moment + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "nights": rng.integers(0, 30, n),
            "big": rng.integers(0, 2**50, n),
            "p": rng.choice([0.1234567891, 0.7654321012, 1.1111111], n),
            "q": rng.choice([0.3, 0.88888889012, 1.2345678901], n),
            "flag": rng.random(n) < 0.5,
            "city": rng.choice(["Rome", "Oslo", None], n),
        }
    )
    table = read_table(frame)
    return World(table.schema, fit_codec(table, BinSettings()))


def ask(world, *texts):
    return check_feasible([bind(text, world.schema) for text in texts], world.schema, world.codec)


def check_witness(world, found, texts):
    assert found.feasible
    for text in texts:
        assert judge(bind(text, world.schema), world.row(found.witness)).all()
    space = build_space(found.witness, world.schema, world.codec)
    for column, grid, held in zip(space.columns, space.grids, space.domains, strict=True):
        cell = found.witness[column.name]
        position = np.nan if cell is None else grid.position(cell)
        assert held.contains(np.array([np.rint(position) if grid.whole else position]))[0]


@pytest.mark.parametrize(
    "texts",
    [
        ["h + g == 300", "h - g == 50"],
        ["h + g + k == 300", "h - g == 50", "2 * k == h - 174"],
        ["h == g", "g == k + 150", "k > 0.5"],
        ["h < g", "g < h + 1e-12"],
        ["h < g", "g < h + 0.001"],
        ["h == 170.123", "g == 2 * h - 250.5"],
        ["h - g == 50 or h - g == 60", "h + g == 290.5", "h > 175"],
        ["s == r", "s > 10"],
        ["s + r == 20", "s - r == 1.5"],
        ["s < r", "r < s + 0.001"],
        ["cents == 5000.01", "cents != 5000"],
        ["b == a + microseconds(1)"],
        ["a < b", "b < a + microseconds(2)"],
        ["b == a + days(nights)", "nights == 7", "a > '2024-03-01'"],
        ["day == a", "b - a == days(3)", "day > '2024-02-02'"],
        ["big + x == 1e15", "big > 999_999_999_999_950"],
        ["p + q == 1.65432099132"],
        ["p < q", "q < 0.5"],
        ["x / 3 == y", "y > 20"],
        ["0.1 * x + 0.2 * y == 0.3 * z", "x > 3", "z == 50"],
        ["6 * x + 10 * y + 15 * z == 31"],
        ["increments(x, 7)", "increments(x, 11)", "x > 0"],
        ["increments(h, 0.7)", "169.3 < h < 169.5"],
        ["x + y == 100", "x - y == 4", "y + z == 50"],
        ["implies(flag, x + y > 150)", "flag or x > y", "x + z < 60", "city is null"],
        ["x + h > 200", "city in ['Rome']", "implies(city == 'Rome', x == 31)"],
    ],
)
def test_a_row_is_found(world, texts):
    check_witness(world, ask(world, *texts), texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["h + g == 300", "h - g == 50", "h > 175.0001"],
        ["h < g", "g < h"],
        ["h <= g", "g <= k + 150", "h > k + 150"],
        ["s < r", "r < s"],
        ["cents > 5000", "cents < 5000.005"],
        ["b > a", "b < a + microseconds(1)"],
        ["b > a", "a > day", "day > b"],
        ["b - a == days(3)", "b - day == hours(5)", "a - day == microseconds(17)"],
        ["p == q"],
        ["p + q == 1.65"],
        ["6 * x + 10 * y + 15 * z == 29"],
        ["x != y", "y != z", "x != z", "x < 2", "y < 2", "z < 2"],
        ["x < y", "y < z", "z < x"],
        ["increments(x, 7)", "increments(x, 11)", "x > 0", "x < 77"],
        ["increments(h, 0.7)", "h > 169.5", "h < 169.6"],
        ["increments(h, 0.7)", "not increments(h, 0.35)"],
        ["implies(flag, x > 50)", "flag or x < 20", "20 <= x <= 50"],
    ],
)
def test_these_rules_form_a_minimal_conflict_set(world, texts):
    found = ask(world, *texts)
    assert not found.feasible
    assert len(found.conflict) == len(texts), "none can be left out"
    for text in texts:
        check_witness(world, ask(world, *(other for other in texts if other != text)), set(texts) - {text})


def test_an_empty_list_of_rules_is_feasible(world):
    found = check_feasible([], world.schema, world.codec)
    assert (found.feasible, found.conflict, found.reason) == (True, (), "")
    assert (dict(found.witness), dict(found.box)) == ({}, {})


def test_the_box_is_in_physical_units(world):
    found = ask(world, "a >= day", "day >= '2024-04-01'", "x + 95 <= y", "h > g + 5", "g == 160", "city is null")
    assert set(found.box) == {"a", "day", "x", "y", "h", "g"}
    assert (found.box["x"], found.box["y"]) == ((0, 5), (95, 100))
    assert found.box["a"][0] == found.box["day"][0] == pd.Timestamp("2024-04-01").value / 1000
    assert found.box["h"][0] == pytest.approx(165)


def test_a_column_that_must_be_null_has_no_box():
    table = read_table(pd.DataFrame({"x": [1.0, 2.0, None], "y": [1, 2, 3]}))
    found = ask(World(table.schema, fit_codec(table, BinSettings())), "x is null or y > 5", "y > 1")
    assert (dict(found.witness)["x"], set(found.box)) == (None, {"y"})


def test_an_infeasible_request_is_an_error_that_names_the_rules(world):
    rules = [bind(text, world.schema) for text in ("x > 60", "y > 3", "x < 50")]
    with pytest.raises(InfeasibleError, match="no row satisfies both 'x > 60' and 'x < 50'") as error:
        require_feasible(rules, world.schema, world.codec)
    assert error.value.conflict == ("x > 60", "x < 50")
    assert require_feasible(rules[:2], world.schema, world.codec).feasible


def test_an_undecided_request_is_an_error(world, monkeypatch):
    from janus_synth.rules.feasibility import decide, mixed_integer, search

    monkeypatch.setattr(decide, "solve_program", lambda *_: mixed_integer.Solution(None, infeasible=False))
    monkeypatch.setattr(decide, "search_row", lambda *_, **__: search.SearchResult(None, exhausted=False))
    with pytest.raises(JanusError, match="too hard to decide"):
        ask(world, "x + y == 7")


def test_three_thousand_rules_are_decided_quickly():
    rng = np.random.default_rng(0)
    table = read_table(pd.DataFrame({f"x{i}": rng.integers(0, 1000, 500) for i in range(40)}))
    small = World(table.schema, fit_codec(table, BinSettings()))
    pairs = [sorted(rng.choice(40, 2, replace=False)) for _ in range(3000)]
    texts = [f"implies(x{a} > {rng.integers(300, 900)}, x{b} >= {rng.integers(0, 300)})" for a, b in pairs[:1500]]
    texts += [f"x{a} <= x{b} + 5" for a, b in pairs[1500:]]
    rules = [bind(text, small.schema) for text in texts]
    started = time.perf_counter()
    found = check_feasible(rules, small.schema, small.codec)
    elapsed = time.perf_counter() - started
    assert all(judge(rule, small.row(found.witness)).all() for rule in rules)
    assert elapsed < 10, "about one second on a quiet machine"
    clash = bind("x0 > x39 + 500", small.schema)
    found = check_feasible([*rules, clash], small.schema, small.codec)
    assert clash in found.conflict
    assert len(found.conflict) < 6
