"""An infeasible problem in, its minimal conflict set and a sentence for the user out.

The sentence names the rules that contradict each other, the columns that are computed, those whose domains are too
narrow, and what to change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from janus_synth.errors import RuleError
from janus_synth.rules.feasibility.clauses import Problem, Space
from janus_synth.rules.feasibility.decide import decide, is_ruled_out
from janus_synth.rules.feasibility.definitions import Definition, definitions, describe_definition
from janus_synth.rules.feasibility.remedies import NOTHING, SECONDS, join_words, suggest_remedies
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.rules.language.bind import BoundRule, bind
from janus_synth.rules.language.nodes import And
from janus_synth.table import Schema

MAX_REMEDIES = 2
"""Most remedies in one sentence."""


def minimal_conflict(problem: Problem, n_rules: int, *, drop_first: Collection[int] = ()) -> list[int]:
    """Numbers of rules that no row satisfies together, of which none can be left out (a minimal conflict set).

    Of several such sets, one without the rules to ``drop_first`` is preferred.
    """
    kept = sorted(range(n_rules), key=lambda number: number not in drop_first)
    if is_ruled_out(problem):  # cheap, and usually enough
        kept = _filter_by_deletion(kept, lambda some: is_ruled_out(problem.restricted_to(some)))
    return sorted(
        _filter_by_deletion(
            kept, lambda some: decide(problem.restricted_to(some), visits_per_clause=0.0).feasible is False
        )
    )


def _filter_by_deletion(kept: list[int], is_conflict: Callable[[list[int]], bool]) -> list[int]:
    """Deletion filter: leave out rules while the rest is still in conflict, long runs first and single rules last."""
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if is_conflict(fewer):
                kept = fewer
            else:
                at += size
        if size == 1:
            return kept
        size //= 2


def explain(
    conflict: Sequence[BoundRule],
    space: Space,
    schema: Schema,
    *,
    links: Sequence[BoundRule] = (),
    computed: Mapping[str, str] = NOTHING,
) -> str:
    """Say why no row satisfies a minimal conflict set, and what would help.

    ``links`` are definitions of computed columns; those of the conflict itself are stated as part of the reason.
    ``computed`` says how others are computed.
    """
    rules = [rule for rule in conflict if not isinstance(rule.source, Definition)]
    if rules and len(rules) < len(conflict):
        return _explain_definitions(rules, conflict, space)
    if len(conflict) != 1:
        return _reason(name_conflict(conflict), conflict, space, links, computed)
    parts = _conflicting_parts(conflict[0], space, schema)
    if len(parts) == 1:
        return explain(parts, space, schema, links=links, computed=computed)
    if parts:
        head = f"no row satisfies {quote(conflict[0])}, because {_quote_all(parts)} contradict each other"
        return _reason(head, parts, space, links, computed)
    return _reason(quote(conflict[0]), conflict, space, links, computed)


def name_conflict(rules: Sequence[BoundRule]) -> str:
    """Name the rules that no row satisfies together; a single one by its text alone."""
    if len(rules) == 1:
        return quote(rules[0])
    return f"no row satisfies {'both' if len(rules) == 2 else 'all of'} {_quote_all(rules)}"


def _explain_definitions(rules: Sequence[BoundRule], conflict: Sequence[BoundRule], space: Space) -> str:
    """Say how rules contradict definitions of computed columns."""
    found = definitions(conflict)
    facts = join_words([describe_definition(definition, space) for definition in found])
    text = f"{name_conflict(rules)}: {facts} in all training rows."
    others = join_words(list(dict.fromkeys(definition.others for definition in found)))
    remedies = [remedy[0].upper() + remedy[1:] for remedy in suggest_remedies(conflict, space)[:1]]
    advice = f"{'Or, to' if remedies else 'To'} allow {others}, fit with links='off'."
    return " ".join([text, *remedies, advice])


def quote(rule: BoundRule, max_length: int = 120) -> str:
    """Return a rule's text in quotes, shortened if it is long."""
    text = str(rule)
    mark = '"' if "'" in text else "'"
    return mark + (text if len(text) <= max_length else text[: max_length - 1] + "…") + mark


def _quote_all(rules: Sequence[BoundRule]) -> str:
    return join_words([quote(rule) for rule in rules])


def _conflicting_parts(rule: BoundRule, space: Space, schema: Schema) -> tuple[BoundRule, ...]:
    """Parts of a single conjunction that contradict each other; none if the rule is not a conjunction."""
    if not isinstance(rule.source, And):
        return ()
    try:
        parts = [bind(part, schema) for part in rule.source.parts]
    except RuleError:  # combinations learnt from another table cannot be bound again
        return ()
    problem = build_problem(parts, space)
    if decide(problem, seconds=SECONDS).feasible is not False:
        return ()
    return tuple(parts[number] for number in minimal_conflict(problem, len(parts)))


def _reason(
    head: str,
    rules: Sequence[BoundRule],
    space: Space,
    links: Sequence[BoundRule],
    computed: Mapping[str, str],
) -> str:
    """Append remedies to the statement of a conflict."""
    several = len(rules) > 1
    found = suggest_remedies(rules, space, links, computed)[:MAX_REMEDIES]
    if not found:
        return f"{head}. Drop one of them." if several else f"{head}: no row satisfies it.{_hint(rules[0], space)}"
    return f"{head}: {' Or: '.join(found)}{' Or drop one of the rules.' if several else ''}"


def _hint(rule: BoundRule, space: Space) -> str:
    """How to write a rule about a single boolean column; nothing for other rules."""
    columns = [column for column in space.columns if column.name in rule.columns]
    if len(columns) != 1 or columns[0].kind != "boolean":
        return ""
    name = columns[0].name
    return f" {name} is true or false: write {name} or not {name}."
