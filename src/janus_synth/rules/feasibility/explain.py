"""Rules that clash in, a sentence for the user out: which they are, whose domain is to blame, how to widen it."""

from __future__ import annotations

from collections.abc import Sequence

from janus_synth.errors import RuleError
from janus_synth.rules.feasibility.clauses import Space
from janus_synth.rules.feasibility.decide import clashing, decide
from janus_synth.rules.feasibility.remedies import SECONDS, listing, remedies
from janus_synth.rules.feasibility.translate import compile_rules
from janus_synth.rules.language.bind import BoundRule, bind
from janus_synth.rules.language.nodes import And
from janus_synth.table import Schema

MOST_REMEDIES = 2


def explain(conflict: Sequence[BoundRule], space: Space, schema: Schema) -> str:
    """Why no row satisfies some rules, of which none can be left out."""
    if len(conflict) != 1:
        both = "both" if len(conflict) == 2 else "all of"
        return _reason(f"no row satisfies {both} {_named(conflict)}", conflict, space)
    parts = _clashing_parts(conflict[0], space, schema)
    if len(parts) == 1:
        return explain(parts, space, schema)
    if parts:
        return _reason(f"no row satisfies {quoted(conflict[0])}, as {_named(parts)} clash", parts, space)
    return _reason(quoted(conflict[0]), conflict, space)


def quoted(rule: BoundRule, most: int = 120) -> str:
    """A rule's text in quotes, cut if it is long."""
    text = str(rule)
    mark = '"' if "'" in text else "'"
    return mark + (text if len(text) <= most else text[: most - 1] + "…") + mark


def _named(rules: Sequence[BoundRule]) -> str:
    return listing([quoted(rule) for rule in rules])


def _clashing_parts(rule: BoundRule, space: Space, schema: Schema) -> tuple[BoundRule, ...]:
    """Those conditions of a single rule that clash; none if it does not consist of several."""
    if not isinstance(rule.source, And):
        return ()
    try:
        parts = [bind(part, schema) for part in rule.source.parts]
    except RuleError:  # combinations that were learnt elsewhere
        return ()
    problem = compile_rules(parts, space)
    if decide(problem, seconds=SECONDS).feasible is not False:
        return ()
    return tuple(parts[number] for number in clashing(problem, range(len(parts))))


def _reason(head: str, rules: Sequence[BoundRule], space: Space) -> str:
    """What cannot be, then what would help."""
    several = len(rules) > 1
    found = remedies(rules, space)[:MOST_REMEDIES]
    if not found:
        return f"{head}. Drop one of them." if several else f"{head}: no row satisfies it."
    return f"{head}: {' Or: '.join(found)}{' Or drop one of the rules.' if several else ''}"
