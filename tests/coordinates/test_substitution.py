"""Substitution: in tables that keep their links, a rule holds exactly where its rewritten form does, nulls included."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from janus_synth.coordinates import (
    Link,
    Lookup,
    Scaled,
    Sum,
    rules_of_links,
    states_definition,
    substitute,
    with_hidden_columns,
)
from janus_synth.rules import as_rules, bind, judge
from janus_synth.rules.compilation import columns_of
from janus_synth.table import Column, Schema, Table, read_table
from strategies import seeds

N = 120
LEVELS = ("u", "v", "w")


def random_table(seed: int, *, nulls: bool) -> tuple[Table, tuple[Link, ...]]:
    """Columns a, b, k and those computed from them: t = a + b, d = 2 t − a + 1, g by k, e = a + gap, c = b in part."""
    rng = np.random.default_rng(seed)

    def thin(values: pd.Series) -> pd.Series:
        return values.mask(rng.random(N) < 0.15) if nulls else values

    a, b = (thin(pd.Series(rng.integers(0, 5, N)).astype(float)) for _ in range(2))
    k = thin(pd.Series(rng.choice(list("pqrs"), N)))
    area = {"p": "u", "q": "v", "r": "u", "s": "w"}
    frame = pd.DataFrame({"a": a, "b": b, "k": k})
    frame["t"] = frame["a"] + frame["b"]
    frame["d"] = 2 * frame["t"] - frame["a"] + 1
    frame["g"] = frame["k"].map(area).where(frame["k"].notna(), "w")
    frame["e"] = frame["a"] + thin(pd.Series(rng.integers(-2, 3, N)).astype(float))
    frame["c"] = frame["b"].where(rng.random(N) < 0.6, thin(pd.Series(rng.integers(0, 5, N)).astype(float)))
    declared = {name: {"kind": "numeric"} for name in "abtdec"}
    known = tuple(float(i) for i in range(4))
    links = (
        Link("t", Sum((("a", 1.0), ("b", 1.0)), decimals=0)),
        Link("d", Sum((("t", 2.0), ("a", -1.0)), 1.0, 0)),
        Link("g", Lookup("k", known, tuple(float(LEVELS.index(area[level])) for level in "pqrs"), 2.0)),
        Link("e", Sum((("a", 1.0),), decimals=0), gap="gap"),
        Link("c", Sum((("b", 1.0),), decimals=0), source="source", own="own"),
    )
    return with_hidden_columns(read_table(frame, declared), links), links


def random_rule(rng: np.random.Generator, depth: int = 2) -> str:
    """A rule about linked and other columns, as text."""
    match rng.integers(8) if depth else rng.integers(5):
        case 0:
            return f"{rng.choice(list('abtdec'))} {random_op(rng)} {rng.integers(-3, 12)}"
        case 1:
            one, other = rng.choice(list("abtdec"), 2, replace=False)
            return f"{one} {random_op(rng)} {rng.choice(['', '2 * '])}{other} + {rng.integers(-3, 4)}"
        case 2:
            word = rng.choice(["in", "not in"])
            return f"g {word} {[str(level) for level in rng.choice(LEVELS, rng.integers(1, 3), replace=False)]}"
        case 3:
            word = rng.choice(["in", "not in"])
            return f"{rng.choice(list('tde'))} {word} {rng.integers(-2, 10, 3).tolist()}"
        case 4:
            return f"{rng.choice(list('abtdecg'))} is {rng.choice(['', 'not '])}null"
        case 5:
            return f"({random_rule(rng, depth - 1)}) and ({random_rule(rng, depth - 1)})"
        case 6:
            return f"({random_rule(rng, depth - 1)}) or ({random_rule(rng, depth - 1)})"
    return f"implies({random_rule(rng, depth - 1)}, {random_rule(rng, depth - 1)})"


def random_op(rng: np.random.Generator) -> str:
    return str(rng.choice(["<", "<=", ">", ">=", "==", "!="]))


@settings(deadline=None, max_examples=400)
@given(seeds, st.booleans())
def test_a_rule_holds_exactly_where_its_rewritten_form_does(seed, nulls):
    table, links = random_table(seed % 20, nulls=nulls)
    text = random_rule(np.random.default_rng(seed))
    rule = bind(as_rules(text)[0], table.schema)
    expected = judge(rule, table)
    found = np.ones(table.n_rows, bool)
    for part in substitute(rule, links, table.schema):
        found &= judge(part, table)
    np.testing.assert_array_equal(found, expected, err_msg=text)


def test_sums_are_replaced_down_to_columns_that_are_learnt():
    table, links = random_table(0, nulls=False)
    (rule,) = substitute(bind(as_rules("d >= 4")[0], table.schema), links, table.schema)
    assert set(rule.columns) == {"d"}  # what the user wrote
    assert columns_of(rule.test) == {"a", "b"}


@pytest.mark.parametrize("text", ["t == a + b", "t - a >= b", "d == a + 2 * b + 1", "t >= 0", "e - a <= 5"])
def test_what_links_and_domains_guarantee_is_dropped(text):
    table, links = random_table(0, nulls=False)
    assert substitute(bind(as_rules(text)[0], table.schema), links, table.schema) == ()


def test_what_links_contradict_holds_nowhere():
    table, links = random_table(0, nulls=False)
    (rule,) = substitute(bind(as_rules("t > a + b")[0], table.schema), links, table.schema)
    assert not judge(rule, table).any()


@pytest.mark.parametrize("nulls", [False, True])
def test_definitions_hold_in_all_rows(nulls):
    table, links = random_table(1, nulls=nulls)
    rules = rules_of_links(links, table.schema)
    assert len(rules) == 4
    for rule in rules:
        assert judge(rule, table).all(), str(rule)


def test_definitions_by_source_hold_where_no_cell_is_null():
    table, links = random_table(1, nulls=True)
    complete = ~np.any([table.missing(name) for name in "abtdec"], axis=0)
    rules = rules_of_links(links, table.schema, present=True)
    assert len(rules) == 5
    for rule in rules:
        assert judge(rule, table)[complete].all(), str(rule)


@pytest.mark.parametrize("nulls", [False, True])
def test_rules_that_only_state_a_definition_are_recognised(nulls):
    table, links = random_table(2, nulls=nulls)

    def states(text: str) -> bool:
        return states_definition(bind(as_rules(text)[0], table.schema), links[0], table.schema)

    assert states("t == a + b")
    assert states("t >= a + b and t <= a + b")
    assert not states("t >= 0")  # a matter of the domain
    assert not states("t == a + b and a <= 3")
    assert not states("a + b <= 7")


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
def test_rules_about_rounded_sums_hold_where_they_did(op):
    """A tip of 20 % of 5.26 is 1.05, not 1.052: bounds at 1.05 must not be moved to the fare without rounding."""
    rng = np.random.default_rng(0)
    fare = rng.integers(100, 999, 300) / 100
    table = read_table(pd.DataFrame({"fare": fare, "tip": np.round(0.2 * fare, 2)}))
    link = Link("tip", Sum((("fare", 0.2),), decimals=2, rounds=True), precision=2.0**-52)
    for text in (f"tip {op} 1.05", f"tip {op} 0.2 * fare", f"tip in [1.05, 1.06] or tip {op} 1.5"):
        rule = bind(as_rules(text)[0], table.schema)
        parts = substitute(rule, (link,), table.schema)
        found = np.all([judge(part, table) for part in parts], axis=0) if parts else np.ones(300, bool)
        np.testing.assert_array_equal(found, judge(rule, table), err_msg=text)
    (definition,) = rules_of_links((link,), table.schema)
    assert judge(definition, table).all()


def test_bounds_of_a_multiple_reach_the_inputs_of_its_source():
    columns = [Column(name, "numeric", "float64", low=0.0, high=100.0) for name in ("a", "b", "net", "tax")]
    factor = Column("rate", "categorical", "str", levels=("0.5", "0.0"))
    schema = Schema((*columns, factor))
    links = [
        Link("net", Sum((("a", 1.0), ("b", -1.0)))),
        Link("tax", Scaled("net", "rate", (0.5, 0.0), 0), parts=("rate",)),
    ]
    (rule,) = substitute(bind("tax >= 10", schema), links, schema)
    rng = np.random.default_rng(0)
    values = {"a": rng.uniform(0, 100, 500), "b": rng.uniform(0, 100, 500), "rate": rng.integers(0, 2, 500)}
    values["net"] = values["a"] - values["b"]
    values["tax"] = np.round(values["net"] * np.where(values["rate"] == 0, 0.5, 0.0))
    table = Table(schema, {**values, "rate": values["rate"].astype(np.int32)}, 500)
    assert {"a", "b", "rate"} <= set(columns_of(rule.test))
    np.testing.assert_array_equal(judge(rule, table), values["tax"] >= 10)


def test_bounds_of_rounded_months_of_days_between_timestamps():
    """Weights of microseconds are tiny beside those of months, and none is lost; bounds that rounding leaves hold."""
    columns = [Column(name, "datetime", "datetime64[us]", low=0.0, high=1e15) for name in ("start", "end")]
    columns += [Column(name, "numeric", "float64", low=0.0, high=1e4) for name in ("days", "months")]
    schema = Schema(tuple(columns))
    day = 86_400e6
    links = (
        Link("days", Sum((("end", 1 / day), ("start", -1 / day)), decimals=0)),
        Link("months", Sum((("days", 1 / 30.4375),), decimals=1, rounds=True)),
    )

    def rewritten(text: str) -> tuple:
        return substitute(bind(as_rules(text)[0], schema), links, schema)

    assert rewritten("-0.05 <= months - 0.03285420944558522 * days <= 0.05") == ()
    assert rewritten("2 * months - 0.06570841889117044 * days <= 0.1") == ()
    (narrower,) = rewritten("months - 0.03285420944558522 * days <= 0.04")
    assert columns_of(narrower.test) == {"months", "end", "start"}
    (other,) = rewritten("months - 0.04 * days <= 0.05")
    assert columns_of(other.test) == {"months", "end", "start"}
