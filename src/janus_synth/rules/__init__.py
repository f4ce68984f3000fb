"""Rules about rows: text or ``col()`` in, values out that are checked against a schema and evaluated on any table.

``language`` reads and binds rules, ``holds`` evaluates them, ``feasibility`` decides whether any row can satisfy them
and ``compilation`` turns them into programs that samplers run.
"""

from janus_synth.rules.holds import holds, judge
from janus_synth.rules.importers import rules_from
from janus_synth.rules.language import (
    BoundRule,
    Rule,
    Where,
    as_rule,
    as_rules,
    bind,
    col,
    fixed_combinations,
    from_json,
    iff,
    implies,
    increments,
    learn,
    maximum,
    minimum,
    nodes,
    one_hot,
    parse_rule,
    parse_sum,
    unique,
)

__all__ = [
    "BoundRule",
    "Rule",
    "Where",
    "as_rule",
    "as_rules",
    "bind",
    "col",
    "fixed_combinations",
    "from_json",
    "holds",
    "iff",
    "implies",
    "increments",
    "judge",
    "learn",
    "maximum",
    "minimum",
    "nodes",
    "one_hot",
    "parse_rule",
    "parse_sum",
    "rules_from",
    "unique",
]
