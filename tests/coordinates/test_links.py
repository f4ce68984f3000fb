"""Links: what is measured computes the column again, JSON, and the rules that state a link."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from janus_synth.coordinates import (
    CalendarPart,
    Link,
    Lookup,
    PairLookup,
    Product,
    Scaled,
    Sum,
    as_cells,
    as_floats,
    link_precision,
)
from janus_synth.coordinates.formulas import Band
from janus_synth.coordinates.links import COMPUTED, NULL, OWN
from janus_synth.errors import SchemaError
from janus_synth.rules import BoundRule, judge
from janus_synth.table import Schema, Table, read_table
from strategies import quick, seeds

DAY = 86_400_000_000


def with_nulls(rng: np.random.Generator, values: np.ndarray, share: float = 0.15) -> np.ndarray:
    return np.where(rng.random(len(values)) < share, np.nan, values)


def cents(rng: np.random.Generator, n: int = 60) -> np.ndarray:
    return with_nulls(rng, rng.integers(-500, 500, n) / 100)


# Measure and compute


@quick
@given(seeds)
def test_a_gap_is_the_difference_and_computes_the_column_again(seed):
    rng = np.random.default_rng(seed)
    start = cents(rng)
    end = np.where(np.isnan(start), np.nan, with_nulls(rng, np.round(np.nan_to_num(start) + cents(rng), 2)))
    link = Link("end", Sum((("start", 1.0),), decimals=2), gap="gap")
    measured = link.measure({"start": start, "end": end})
    assert list(measured) == ["gap"]
    np.testing.assert_array_equal(measured["gap"], (pd.Series(end) - start).round(2) + 0.0)
    np.testing.assert_array_equal(link.compute({"start": start, **measured}), end)


@quick
@given(seeds)
def test_a_source_says_where_the_value_is_a_copy(seed):
    rng = np.random.default_rng(seed)
    a = cents(rng)
    b = np.where(rng.random(len(a)) < 0.5, np.round(2 * a, 2) + 0.0, cents(rng))
    link = Link("b", Sum((("a", 2.0),), decimals=2), source="source", own="own")
    measured = link.measure({"a": a, "b": b})
    twice = pd.Series(a) * 2
    same = (b == twice.round(2)) | (np.isnan(b) & np.isnan(a))
    expected = np.where(same, COMPUTED, np.where(np.isnan(b), NULL, OWN))
    np.testing.assert_array_equal(measured["source"], expected)
    np.testing.assert_array_equal(measured["own"], np.where(expected == OWN, b, np.nan))
    np.testing.assert_array_equal(link.compute({"a": a, **measured}), b)


@quick
@given(seeds)
def test_a_column_may_be_computed_or_null(seed):
    rng = np.random.default_rng(seed)
    a = cents(rng)
    b = np.where(rng.random(len(a)) < 0.5, np.round(2 * a, 2) + 0.0, np.nan)
    link = Link("b", Sum((("a", 2.0),), decimals=2), source="source")
    values = {"a": a, "b": b}
    measured = link.measure(values)
    assert list(measured) == ["source"]
    np.testing.assert_array_equal(measured["source"], np.where(np.isnan(b) & ~np.isnan(a), NULL, COMPUTED))
    np.testing.assert_array_equal(link.compute({"a": a, **measured}), b)
    assert not link.contradicts(values).any()
    off = b + 0.01
    assert (link.contradicts({"a": a, "b": off}) == ~np.isnan(off)).all()
    assert link.is_exact
    assert str(link) == "b = 2 * a, or null"
    assert Link.from_json(json.loads(json.dumps(link.to_json()))) == link


@quick
@given(seeds)
def test_parts_of_a_timestamp_are_its_date_and_time_of_day(seed):
    rng = np.random.default_rng(seed)
    stamps = pd.to_datetime(rng.integers(-(10**15), 2 * 10**15, 50), unit="us")
    at = with_nulls(rng, stamps.as_unit("us").asi8.astype(float))
    link = Link("at", Sum((("date", 1.0), ("time", 1.0)), decimals=0), parts=("date", "time"))
    measured = link.measure({"at": at})
    date = stamps.normalize()
    null = np.isnan(at)
    np.testing.assert_array_equal(measured["date"], np.where(null, np.nan, date.as_unit("us").asi8))
    np.testing.assert_array_equal(measured["time"], np.where(null, np.nan, (stamps - date).as_unit("us").asi8))
    np.testing.assert_array_equal(link.compute(measured), at)


def test_cells_that_are_not_known_yet_leave_hidden_columns_unknown():
    link = Link("b", Sum((("a", 1.0),)), source="source", own="own")
    nan = np.nan
    found = link.measure({"a": np.array([1, nan, 1, nan, 1.0]), "b": np.array([1, 1, nan, nan, 2.0])}, complete=False)
    np.testing.assert_array_equal(found["source"], [COMPUTED, nan, nan, nan, OWN])
    np.testing.assert_array_equal(found["own"], [nan, nan, nan, nan, 2.0])


def test_a_value_of_its_own_that_is_missing_is_computed():
    link = Link("b", Sum((("a", 1.0),)), source="source", own="own")
    found = link.compute({"a": np.array([7.0, 7, 7]), "source": np.array([OWN, OWN, NULL]), "own": [np.nan, 1.0, 1.0]})
    np.testing.assert_array_equal(found, [7.0, 1.0, np.nan])


# Agreement


def test_either_way_of_rounding_a_half_agrees():
    link = Link("t", Product("p", "q", decimals=2))
    values = {"p": np.full(4, 0.05), "q": np.full(4, 0.5), "t": np.array([0.02, 0.03, 0.01, 0.04])}
    assert link.agrees(values).tolist() == [True, True, False, False]


def test_whole_numbers_agree_only_if_equal_and_nulls_with_nulls():
    link = Link("t", Sum((("a", 1.0),), decimals=0))
    nan = np.nan
    values = {"a": np.array([1, 2**52, nan, nan, 1]), "t": np.array([1, 2**52 + 1, nan, 1, nan])}
    assert link.agrees(values).tolist() == [True, False, True, False, False]


def test_values_in_single_precision_agree_within_their_rounding():
    rng = np.random.default_rng(0)
    a, b = (rng.random(500).astype(np.float32) for _ in range(2))
    frame = pd.DataFrame({"a": a, "b": b, "t": a + b})
    schema = Schema.detect(frame)
    link = Link("t", Sum((("a", 1.0), ("b", 1.0))), precision=link_precision(schema, ("t", "a", "b")))
    values = {name: frame[name].to_numpy(float) for name in frame}
    assert link.agrees(values).all()
    assert not link.agrees({**values, "t": values["t"] * 1.001}).any()


def test_precision_is_zero_for_whole_numbers_and_levels():
    schema = Schema.detect(pd.DataFrame({"n": range(40), "x": np.arange(40) / 7, "c": list("ab") * 20}))
    assert link_precision(schema, ("n", "c")) == 0.0
    assert link_precision(schema, ("n", "x")) > 0.0


# Rules


@quick
@given(seeds)
def test_the_rule_of_a_link_holds_exactly_where_the_link_does(seed):
    rng = np.random.default_rng(seed)
    links = [
        (Link("t", Sum((("a", 2.0), ("b", -1.0)), 1.0, 0)), True),
        (Link("t", Lookup("a", (0.0, 1.0, 2.0, 3.0), (1.0, None, 0.0, 2.0), 1.0)), True),
        (Link("t", Sum((("a", 1.0),), decimals=0), gap="b"), True),
        (Link("t", Product("a", "b", decimals=0)), False),
        (Link("t", Sum((("a", 1.0),), decimals=0), source="source", own="b"), False),
    ]
    frame = pd.DataFrame({name: with_nulls(rng, rng.integers(0, 4, 60).astype(float)) for name in "abt"})
    frame["source"] = 0
    declared = {name: {"kind": "numeric"} for name in "abt"}
    table = read_table(frame, declared)
    for link, has_rule in links:
        rule = link.rule()
        assert (rule is not None) == has_rule
        if rule is None:
            continue
        values = {name: frame[name].to_numpy(float) for name in frame}
        computed = link.compute(values)
        same = values["t"] == computed
        if isinstance(link.formula, Lookup):  # a null is a value of its own there
            same |= np.isnan(values["t"]) & np.isnan(computed)
        np.testing.assert_array_equal(judge(BoundRule(rule, rule), table), same)


@quick
@given(seeds)
def test_a_factor_is_one_that_gives_the_value(seed):
    rng = np.random.default_rng(seed)
    net, factors = rng.integers(0, 400, 80) / 100, np.array([0.19, 0.07, 0.0])
    net = with_nulls(rng, net)
    tax = with_nulls(rng, np.floor(100 * net * rng.choice(factors, 80) + 0.5) / 100)  # halves go up
    link = Link("tax", Scaled("net", "rate", tuple(factors), 2), parts=("rate",))
    values = {"net": net, "tax": tax}
    rate = link.measure(values)["rate"]
    there = ~np.isnan(tax)
    chosen = factors[rate[there].astype(int)]
    assert (np.abs(tax[there] - chosen * net[there]) < 0.005 + 1e-9).all()
    np.testing.assert_array_equal(np.isnan(rate), np.isnan(tax) & ~np.isnan(net))
    unsure = link.measure(values, complete=False)["rate"]
    several = (np.abs(tax[:, None] - net[:, None] * factors) < 0.005 + 1e-9).sum(axis=1) > 1
    np.testing.assert_array_equal(np.isnan(unsure), np.isnan(tax) | np.isnan(net) | several)
    assert not link.contradicts(values).any()
    wrong = {**values, "tax": tax + 3.0}
    np.testing.assert_array_equal(link.contradicts(wrong), ~np.isnan(wrong["tax"]))


# Text and JSON

LINKS = [
    Link("t", Sum((("a", 1.0), ("b", 1.0)), decimals=2), precision=2.0**-52),
    Link("end", Sum((("start", 1.0),), decimals=0), gap="gap"),
    Link("b", Sum((("a", 2.0),)), source="source", own="own"),
    Link("at", Sum((("date", 1.0), ("time", 1.0)), decimals=0), parts=("date", "time")),
    Link("city", Lookup("zone", (0.0,), (1.0,))),
    Link("month", CalendarPart("at", "month", "Europe/Berlin")),
    Link("group", Band("age", (18.0,), (0.0, 1.0))),
    Link("tax", Scaled("net", "tax / net", (0.19, 0.07), 2), parts=("tax / net",)),
    Link("tariff", PairLookup(("zone", "night"), ((0.0,), (0.0, 1.0)), (1.0, None))),
]


@pytest.mark.parametrize("link", LINKS, ids=str)
def test_a_link_survives_json(link):
    again = Link.from_json(json.loads(json.dumps(link.to_json())))
    assert again == link
    assert str(again) == str(link)


GOOD = LINKS[1].to_json()


@pytest.mark.parametrize(
    "values",
    [
        None,
        [],
        {},
        {"column": "a"},
        {**GOOD, "extra": 1},
        {**GOOD, "column": 3},
        {**GOOD, "column": None},
        {**GOOD, "formula": "start"},
        {**GOOD, "formula": None},
        {**GOOD, "gap": 5},
        {**GOOD, "gap": "end"},
        {**GOOD, "gap": "start"},
        {**GOOD, "own": "o"},
        {**GOOD, "source": "s", "own": "s"},
        {**GOOD, "source": "s", "own": 1},
        {**GOOD, "precision": "high"},
        {**GOOD, "precision": -1.0},
        {**GOOD, "precision": float("nan")},
        {**GOOD, "parts": "start"},
        {**GOOD, "parts": ["start"]},
        {**GOOD, "parts": ["date", "time"]},
        {**GOOD, "parts": 4},
        {**LINKS[-2].to_json(), "parts": []},
        {**LINKS[-2].to_json(), "parts": ["net"]},
        {"column": "start", "formula": GOOD["formula"]},
    ],
    ids=str,
)
def test_malformed_links_are_refused(values):
    with pytest.raises(SchemaError):
        Link.from_json(values)


# Cells


def test_cells_and_floats_are_inverse():
    table = read_table(pd.DataFrame({"x": [1.5, None, 3.0], "c": ["u", None, "v"], "f": [True, False, None]}))
    for column in table.schema:
        cells = table[column.name]
        again = as_cells(column, as_floats(cells))
        np.testing.assert_array_equal(again, cells)
        assert again.dtype == cells.dtype
    assert isinstance(table, Table)
