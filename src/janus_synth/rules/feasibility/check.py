"""Bound rules and a fitted codec in, whether any row can keep them out: with a row, or with the rules that clash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from janus_synth.encoding import Codec
from janus_synth.errors import InfeasibleError, JanusError
from janus_synth.rules.feasibility.clauses import Space, space_of
from janus_synth.rules.feasibility.decide import Verdict, clashing, decide, is_ruled_out
from janus_synth.rules.feasibility.explain import explain
from janus_synth.rules.feasibility.translate import compile_rules
from janus_synth.rules.language.bind import BoundRule
from janus_synth.table import Schema

EXPLORING_SECONDS = 1.0
"""Time for the solver where an undecided answer will do."""


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
        Rules that clash, of which none can be left out; empty if feasible.
    reason : str
        Why not, in words; empty if feasible.
    box : mapping of str to (float, float)
        Bounds of the numeric and datetime columns named, as far as propagation narrows them: no row that satisfies
        the rules lies outside. Columns that can only be null are left out; empty if infeasible.
    """

    feasible: bool
    witness: Mapping[str, float | None] | None
    conflict: tuple[BoundRule, ...]
    reason: str
    box: Mapping[str, tuple[float, float]]

    def __bool__(self) -> bool:
        return self.feasible


def check_feasible(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> Feasibility:
    """Decide whether some row satisfies all rules with values that the model can emit.

    Domains are propagated first, then a row is sought; what is still open is decided by a mixed-integer program.

    Parameters
    ----------
    rules : sequence of BoundRule
        What must hold together.
    schema : Schema
        The columns' kinds, types and levels.
    codec : Codec
        What the model can emit for each column.

    Returns
    -------
    Feasibility

    Raises
    ------
    JanusError
        If the rules are too hard to decide.

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
    space = space_of((name for rule in rules for name in rule.columns), schema, codec)
    problem = compile_rules(rules, space)
    verdict = decide(problem)
    if verdict.feasible is None:
        raise JanusError(
            f"the {len(rules)} rules are too hard to decide: neither a row that satisfies them nor a contradiction was "
            "found in time. Simplify them, or ask for narrower ranges."
        )
    if verdict.feasible:
        return Feasibility(True, _witness(verdict, space), (), "", _box(verdict, space))
    conflict = tuple(rules[number] for number in clashing(problem, range(len(rules))))
    return Feasibility(False, None, conflict, explain(conflict, space, schema), MappingProxyType({}))


def require_feasible(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> Feasibility:
    """The same, with an InfeasibleError that names the clashing rules if no row satisfies them.

    Parameters
    ----------
    rules : sequence of BoundRule
        What must hold together.
    schema : Schema
        The columns' kinds, types and levels.
    codec : Codec
        What the model can emit for each column.
    """
    found = check_feasible(rules, schema, codec)
    if not found.feasible:
        raise InfeasibleError(found.reason, conflict=map(str, found.conflict))
    return found


def explore(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> Feasibility | None:
    """The same without words and without patience: None if provably no row satisfies the rules.

    Where a row is not found quickly, the answer is feasible without a witness: some row may satisfy the rules.
    """
    space = space_of((name for rule in rules for name in rule.columns), schema, codec)
    verdict = decide(compile_rules(rules, space), seconds=EXPLORING_SECONDS)
    if verdict.feasible is False:
        return None
    witness = _witness(verdict, space) if verdict.feasible else None
    return Feasibility(True, witness, (), "", _box(verdict, space))


def may_hold(rules: Sequence[BoundRule], schema: Schema, codec: Codec) -> bool:
    """Whether propagation alone leaves room for a row that satisfies the rules."""
    space = space_of((name for rule in rules for name in rule.columns), schema, codec)
    return not is_ruled_out(compile_rules(rules, space))


def _witness(verdict: Verdict, space: Space) -> Mapping[str, float | None]:
    cells = ((column.name, space.grids[i], verdict.row[i]) for i, column in enumerate(space.columns))
    return MappingProxyType({name: None if place is None else grid.value(place) for name, grid, place in cells})


def _box(verdict: Verdict, space: Space) -> Mapping[str, tuple[float, float]]:
    bounds = {}
    for i, column in enumerate(space.columns):
        left, grid = verdict.domains[i], space.grids[i]
        if not column.is_discrete and len(left.pieces):
            bounds[column.name] = grid.value(left.low), grid.value(left.high)
    return MappingProxyType(bounds)
