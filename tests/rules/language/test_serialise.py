"""Rules as JSON: an equal rule comes back, and damaged dicts are rule errors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from janus_synth.errors import RuleError
from janus_synth.rules import from_json
from rules.rule_strategies import rules
from strategies import quick


@quick
@given(rules)
def test_json_gives_an_equal_rule(rule):
    assert from_json(json.loads(json.dumps(rule.to_json()))) == rule


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"node": "xor"},
        {"node": "null", "column": 3},
        {"node": "in", "column": "x", "values": [[1]]},
        {"node": "compare", "left": {"constant": 1}, "op": "<", "right": {"constant": 2}},
        {"node": "compare", "left": {"terms": [["x", True]]}, "op": "<", "right": {"constant": 2}},
        {"node": "compare", "left": {"terms": [["x", 1]]}, "op": "~", "right": {"constant": 2}},
        {"node": "and", "parts": []},
        {"node": "increments", "column": "x", "step": 0},
        "x > 3",
        None,
    ],
)
def test_malformed_json_is_a_rule_error(values):
    with pytest.raises(RuleError):
        from_json(values)


def test_deeply_nested_json_is_a_rule_error():
    values = {"node": "null", "column": "x"}
    for _ in range(300):
        values = {"node": "not", "part": values}
    with pytest.raises(RuleError, match="deeper than 100 levels"):
        from_json(values)
