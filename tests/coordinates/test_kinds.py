"""Formulas of all kinds survive JSON, and malformed JSON is refused."""

from __future__ import annotations

import json

import pytest

from janus_synth.coordinates.clock import Clock
from janus_synth.coordinates.formulas import Band, CalendarPart, Lookup, Product, Sum
from janus_synth.coordinates.kinds import formula_from_json, formula_to_json
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.scaled import Scaled
from janus_synth.errors import SchemaError

FORMULAS = [
    Sum((("a", 1.0), ("b", -2.5)), 3.0, 2),
    Sum((("a", 1.0),)),
    Lookup("key", (0.0, 1.0, 4.0), (2.0, None, 1.0), 7.0),
    CalendarPart("at", "weekday", "Europe/Berlin", (0.0, 6.0), (1.0, 0.0)),
    CalendarPart("at", "hhmm"),
    Clock("at", "late", 2400),
    Clock("at"),
    Product("a", "b", -1, 3),
    Product("a", "b", -2, 1, 12.5, ("c",)),
    Band("a", (1.0, 2.0), (0.0, 2.0, 1.0)),
    Scaled("a", "rate", (0.19, 0.0, 0.07), 2),
    PairLookup(("a", "b"), ((0.0, 2.0), (1.0,)), (3.0, None)),
]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: type(formula).__name__)
def test_a_formula_survives_json(formula):
    again = formula_from_json(json.loads(json.dumps(formula_to_json(formula))))
    assert again == formula
    assert str(again) == str(formula)
    assert hash(again) == hash(formula)


GOOD = formula_to_json(FORMULAS[0])
MALFORMED = [
    {},
    {"kind": "magic"},
    {**GOOD, "kind": ["sum"]},
    {**GOOD, "more": 1},
    {"kind": "sum"},
    {**GOOD, "terms": []},
    {**GOOD, "terms": "ab"},
    {**GOOD, "terms": [["a", "b"]]},
    {**GOOD, "terms": [["a"]]},
    {**GOOD, "terms": [[1, 1.0]]},
    {**GOOD, "terms": [["a", float("nan")]]},
    {**GOOD, "constant": None},
    {**GOOD, "constant": "1"},
    {**GOOD, "decimals": 1.5},
    {**GOOD, "decimals": "2"},
    {**GOOD, "decimals": True},
    {**GOOD, "decimals": 400},
    {"kind": "lookup", "key": "k", "known": [1.0], "values": [], "missing": None},
    {"kind": "lookup", "key": "k", "known": [], "values": [], "missing": None},
    {"kind": "lookup", "key": "k", "known": [2.0, 1.0], "values": [1.0, 1.0], "missing": None},
    {"kind": "lookup", "key": "k", "known": [1.0, 1.0], "values": [1.0, 2.0], "missing": None},
    {"kind": "lookup", "key": "k", "known": [None], "values": [1.0], "missing": None},
    {"kind": "lookup", "key": "k", "known": [1.0], "values": ["x"], "missing": None},
    {"kind": "lookup", "key": "k", "known": [1.0], "values": [1.0], "missing": "x"},
    {"kind": "lookup", "key": 3, "known": [1.0], "values": [1.0], "missing": None},
    {"kind": "calendar", "timestamp": "at", "part": "era", "zone": None, "known": [], "values": []},
    {"kind": "calendar", "timestamp": "at", "part": "day", "zone": "Mars/Olympus", "known": [], "values": []},
    {"kind": "calendar", "timestamp": "at", "part": "day", "zone": 3, "known": [], "values": []},
    {"kind": "calendar", "timestamp": "at", "part": "day", "zone": None, "known": [1.0], "values": []},
    {"kind": "calendar", "timestamp": None, "part": "day", "zone": None, "known": [], "values": []},
    {"kind": "product", "first": "a", "second": "b", "power": 5, "decimals": None},
    {"kind": "product", "first": "a", "second": 1, "power": 1, "decimals": None},
    {"kind": "scaled", "source": "a", "factor": "f", "factors": [0.1], "decimals": 2},
    {"kind": "scaled", "source": "a", "factor": "f", "factors": [0.1, 0.1], "decimals": 2},
    {"kind": "scaled", "source": "a", "factor": "f", "factors": [0.1, None], "decimals": 2},
    {"kind": "scaled", "source": "a", "factor": 3, "factors": [0.1, 0.2], "decimals": 2},
    {"kind": "scaled", "source": "a", "factor": "f", "factors": [0.1, 0.2], "decimals": 2.5},
    {"kind": "pair lookup", "keys": ["a"], "known": [[1.0], [1.0]], "values": [1.0]},
    {"kind": "pair lookup", "keys": ["a", 2], "known": [[1.0], [1.0]], "values": [1.0]},
    {"kind": "pair lookup", "keys": ["a", "b"], "known": [[1.0]], "values": [1.0]},
    {"kind": "pair lookup", "keys": ["a", "b"], "known": [[2.0, 1.0], [1.0]], "values": [1.0, 1.0]},
    {"kind": "pair lookup", "keys": ["a", "b"], "known": [[1.0, 2.0], [1.0]], "values": [1.0]},
    {"kind": "pair lookup", "keys": ["a", "b"], "known": [[], []], "values": []},
    {"kind": "pair lookup", "keys": ["a", "b"], "known": 3, "values": [1.0]},
    {"kind": "band", "source": "a", "edges": [1.0], "values": [1.0]},
    {"kind": "band", "source": "a", "edges": [2.0, 1.0], "values": [0.0, 1.0, 2.0]},
    {"kind": "band", "source": "a", "edges": ["x"], "values": [0.0, 1.0]},
    {"kind": "band", "source": "a", "edges": [1.0], "values": [0.0, None]},
]


@pytest.mark.parametrize("values", MALFORMED, ids=str)
def test_malformed_json_is_refused(values):
    with pytest.raises(SchemaError):
        formula_from_json(values)


@pytest.mark.parametrize("values", [None, [], "sum", 3])
def test_json_that_is_no_object_is_refused(values):
    with pytest.raises(SchemaError):
        formula_from_json(values)
