"""Bound rules and a fitted codec in, whether any row can satisfy them out, with a witness or a minimal conflict set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from janus_synth.deadlines import OutOfTime, time_limit
from janus_synth.encoding import Codec
from janus_synth.errors import InfeasibleError, UndecidedError
from janus_synth.rules.feasibility.clauses import Space, build_space
from janus_synth.rules.feasibility.decide import Verdict, decide, decide_quickly, propagate
from janus_synth.rules.feasibility.definitions import Definition
from janus_synth.rules.feasibility.explain import explain, minimal_conflict, name_conflict, quote
from janus_synth.rules.feasibility.propagation import Domains
from janus_synth.rules.feasibility.remedies import NOTHING
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.nodes import FixedCombinations, leaves
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table import Schema

DECISION_SECONDS = 20.0
"""Time limit of a decision; a question that is still open is an ``UndecidedError``."""
REASON_SECONDS = 10.0
"""Time limit of a conflict set, which is not minimal if it takes longer, and again of the reason in words."""


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether some row within the columns' domains satisfies all rules.

    Attributes
    ----------
    feasible : bool
        The answer.
    witness : mapping of str to float or None, or None
        A row that satisfies the rules: physical values of the columns they name (numbers, microseconds, indices of
        levels), None for a null. None if there is no such row.
    conflict : tuple of BoundRule
        Minimal conflict set: rules that no row satisfies together, of which none can be left out. Empty if feasible.
    reason : str
        Why no row satisfies the rules, in words; empty if feasible.
    box : mapping of str to (float, float)
        Bounds of the numeric and datetime columns that the rules name, after propagation: no row that satisfies the
        rules lies outside. Columns that must be null are left out; empty if infeasible.
    """

    feasible: bool
    witness: Mapping[str, float | None] | None
    conflict: tuple[BoundRule, ...]
    reason: str
    box: Mapping[str, tuple[float, float]]

    def __bool__(self) -> bool:
        return self.feasible


def check_feasible(
    rules: Sequence[BoundRule],
    schema: Schema,
    codec: Codec,
    *,
    reasons: bool = True,
    computed: Mapping[str, str] = NOTHING,
) -> Feasibility:
    """Decide whether some row satisfies all rules with values that the model can emit.

    Propagation narrows the domains, then a search looks for a row. A mixed-integer program decides what is still open.

    Parameters
    ----------
    rules : sequence of BoundRule
        Rules that must hold together.
    schema : Schema
        The columns' kinds, types and levels.
    codec : Codec
        What the model can emit for each column.
    reasons : bool
        Find a smallest conflicting set and explain it; otherwise all rules are the conflict.
    computed : mapping of str to str
        Columns that are computed from others though no rule says so, and how; for the reasons.

    Returns
    -------
    Feasibility

    Raises
    ------
    UndecidedError
        If the question could not be decided in time.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.rules import bind
    >>> from janus_synth.encoding import BinSettings, fit_codec
    >>> from janus_synth.table import read_table
    >>> table = read_table(pd.DataFrame({"age": [*range(18, 91)] * 2, "years": [*range(73)] * 2}))
    >>> codec = fit_codec(table, BinSettings())
    >>> rules = [bind(text, table.schema) for text in ("years <= age - 18", "years > 70")]
    >>> found = check_feasible(rules, table.schema, codec)
    >>> found.feasible, found.box["age"]
    (True, (89.0, 90.0))
    >>> print(check_feasible([bind("age > 200", table.schema)], table.schema, codec).reason)
    'age > 200': column 'age' takes values from 18 to 90. Widen it with schema={'age': {'high': 201}}.
    """
    space = build_space((name for rule in rules for name in rule.columns), schema, codec)
    try:
        with time_limit(DECISION_SECONDS):
            problem = build_problem(rules, space)
            verdict = decide(problem)
    except OutOfTime:
        raise _undecided(rules) from None
    if verdict.feasible is None:
        raise _undecided(rules)
    if verdict.feasible:
        return Feasibility(True, _witness(verdict, space), (), "", _box(verdict.domains, space))
    if not reasons:
        return Feasibility(False, None, tuple(rules), "no row satisfies all rules.", MappingProxyType({}))
    links = [number for number, rule in enumerate(rules) if isinstance(rule.source, Definition)]
    with time_limit(REASON_SECONDS):
        conflict = tuple(rules[number] for number in minimal_conflict(problem, len(rules), drop_first=links))
    reason = _reason_in_time(conflict, space, schema, [rules[number] for number in links], computed)
    return Feasibility(False, None, conflict, reason, MappingProxyType({}))


def _reason_in_time(
    conflict: tuple[BoundRule, ...],
    space: Space,
    schema: Schema,
    links: Sequence[BoundRule],
    computed: Mapping[str, str],
) -> str:
    try:
        with time_limit(REASON_SECONDS):
            return explain(conflict, space, schema, links=links, computed=computed)
    except OutOfTime:
        return f"{name_conflict(conflict)}. Why was not found in time."


def _undecided(rules: Sequence[BoundRule]) -> UndecidedError:
    """Say which rules have the most conditions and combinations."""
    written = [rule for rule in rules if not isinstance(rule.source, Definition)]
    hard = sorted(written, key=_size, reverse=True)[:2]
    named = " and ".join(f"{quote(rule)} ({_size(rule):,} condition{'s' * (_size(rule) != 1)})" for rule in hard)
    return UndecidedError(
        f"the {len(rules)} rules are too hard to decide: neither a row that satisfies them nor a contradiction was "
        f"found within {DECISION_SECONDS:.0f} s. The longest {'is' if len(hard) == 1 else 'are'} {named}. "
        f"{_why_hard(written)}Simplify them, leave one out, or use narrower ranges.",
        hard=map(str, hard),
    )


def _why_hard(rules: Sequence[BoundRule]) -> str:
    """Say that products of columns are searched box by box."""
    curved = [rule for rule in rules if any(isinstance(leaf, CompareProducts) for leaf in leaves(rule.test))]
    if not curved:
        return ""
    named = " and ".join(map(quote, curved[:2]))
    return (
        f"Products and ratios of columns, as in {named}, are decided by intervals, which leaves some questions open. "
    )


def _size(rule: BoundRule) -> int:
    """Number of conditions of a rule, each known combination included."""
    return sum(len(leaf.rows or ()) if isinstance(leaf, FixedCombinations) else 1 for leaf in leaves(rule.test))


def require_feasible(
    rules: Sequence[BoundRule],
    schema: Schema,
    codec: Codec,
    *,
    reasons: bool = True,
    computed: Mapping[str, str] = NOTHING,
) -> Feasibility:
    """Like ``check_feasible``, but raise ``InfeasibleError`` with the conflict if no row satisfies the rules.

    Parameters
    ----------
    rules : sequence of BoundRule
        Rules that must hold together.
    schema : Schema
        The columns' kinds, types and levels.
    codec : Codec
        What the model can emit for each column.
    reasons, computed
        As for ``check_feasible``.
    """
    found = check_feasible(rules, schema, codec, reasons=reasons, computed=computed)
    if not found.feasible:
        raise InfeasibleError(found.reason, conflict=map(str, found.conflict))
    return found


def check_quickly(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> Feasibility | None:
    """Like ``check_feasible`` with a little effort and no reasons: None if provably no row satisfies the rules.

    If the question stays open, the answer is feasible without a witness: some row may satisfy the rules. The effort is
    a number of steps, so that the answer does not depend on the machine.
    """
    space = build_space((name for rule in rules for name in rule.columns), schema, codec)
    verdict = decide_quickly(build_problem(rules, space))
    if verdict.feasible is False:
        return None
    witness = _witness(verdict, space) if verdict.feasible else None
    return Feasibility(True, witness, (), "", _box(verdict.domains, space))


def may_hold(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> bool:
    """Whether propagation alone leaves a row possible that satisfies the rules."""
    space = build_space((name for rule in rules for name in rule.columns), schema, codec)
    return propagate(build_problem(rules, space)) is not None


def narrow_box(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> Mapping[str, tuple[float, float]] | None:
    """Bounds that rows which satisfy the rules keep, by propagation alone; None if it leaves no row.

    Raise ``UndecidedError`` if even that takes too long.
    """
    space = build_space((name for rule in rules for name in rule.columns), schema, codec)
    try:
        with time_limit(DECISION_SECONDS):
            domains = propagate(build_problem(rules, space))
    except OutOfTime:
        raise _undecided(rules) from None
    return None if domains is None else _box(domains, space)


def _witness(verdict: Verdict, space: Space) -> Mapping[str, float | None]:
    cells = ((column.name, space.grids[i], verdict.row[i]) for i, column in enumerate(space.columns))
    return MappingProxyType(
        {name: None if position is None else grid.value(position) for name, grid, position in cells}
    )


def _box(domains: Domains, space: Space) -> Mapping[str, tuple[float, float]]:
    bounds = {}
    for i, column in enumerate(space.columns):
        left, grid = domains[i], space.grids[i]
        if not column.is_discrete and len(left.intervals):
            bounds[column.name] = grid.value(left.low), grid.value(left.high)
    return MappingProxyType(bounds)
