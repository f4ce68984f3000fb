"""Rules about rows: text or Python in, values out that are checked against a schema and judge any table."""

from janus_synth.rules.holds import holds, judge
from janus_synth.rules.language import nodes
from janus_synth.rules.language.bind import BoundRule, bind, learn
from janus_synth.rules.language.expressions import col, fixed_combinations, implies, increments, one_hot
from janus_synth.rules.language.nodes import Rule
from janus_synth.rules.language.parse import as_rule, parse_rule, parse_sum
from janus_synth.rules.language.serialise import from_json

__all__ = [
    "BoundRule",
    "Rule",
    "as_rule",
    "bind",
    "col",
    "fixed_combinations",
    "from_json",
    "holds",
    "implies",
    "increments",
    "judge",
    "learn",
    "nodes",
    "one_hot",
    "parse_rule",
    "parse_sum",
]
