"""The rule language: text or ``col()`` and a schema in, rules bound to the schema out.

``parse_rule`` and ``col`` build nodes, which are plain values. ``learn`` fills in combinations from training rows, and
``bind`` checks names and types and turns constants into the physical units of a table.
"""

from janus_synth.rules.language.bind import BoundRule, bind
from janus_synth.rules.language.dates import InCalendar
from janus_synth.rules.language.expressions import (
    Expression,
    col,
    fixed_combinations,
    iff,
    implies,
    increments,
    maximum,
    minimum,
    one_hot,
)
from janus_synth.rules.language.keys import Unique, require_no_keys, split_keys, unique
from janus_synth.rules.language.learn import learn
from janus_synth.rules.language.linear import Linear, Term, distinct
from janus_synth.rules.language.nodes import (
    OPS,
    And,
    Compare,
    FixedCombinations,
    Implies,
    Increments,
    IsIn,
    IsNull,
    Not,
    Or,
    Rule,
    all_of,
    any_of,
    leaves,
)
from janus_synth.rules.language.parse import Where, as_rule, as_rules, parse_rule, parse_sum
from janus_synth.rules.language.serialise import from_json

__all__ = [
    "OPS",
    "And",
    "BoundRule",
    "Compare",
    "Expression",
    "FixedCombinations",
    "Implies",
    "InCalendar",
    "Increments",
    "IsIn",
    "IsNull",
    "Linear",
    "Not",
    "Or",
    "Rule",
    "Term",
    "Unique",
    "Where",
    "all_of",
    "any_of",
    "as_rule",
    "as_rules",
    "bind",
    "col",
    "distinct",
    "fixed_combinations",
    "from_json",
    "iff",
    "implies",
    "increments",
    "learn",
    "leaves",
    "maximum",
    "minimum",
    "one_hot",
    "parse_rule",
    "parse_sum",
    "require_no_keys",
    "split_keys",
    "unique",
]
