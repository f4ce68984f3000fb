"""Requests of users: a model and conditions in; a plan, a verdict or an estimate out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import InfeasibleError
from janus_synth.model import Model
from janus_synth.rules import BoundRule, Rule, as_rule, bind, judge
from janus_synth.rules.feasibility import check_feasible, require_feasible
from janus_synth.sampling.conditional import rows_from_witness
from janus_synth.sampling.forward import Physical, in_blocks
from janus_synth.sampling.imputation import impute_cells
from janus_synth.sampling.likelihood import log_prob
from janus_synth.sampling.particles import draw_remaining
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.probability import estimate_log_probability
from janus_synth.sampling.request import make_request
from janus_synth.streams import Stream
from janus_synth.table import Table, write_table

Where = str | Rule | Iterable[object] | None
"""A condition, several that must all hold, or none."""

PLAN_SEED = 20_240_229
"""Plans do not depend on the seed of the rows, so that one plan serves them all."""


def conditions(where: Where) -> tuple[Rule, ...]:
    """One or several conditions as rules."""
    if where is None:
        return ()
    if isinstance(where, str | Rule) or not isinstance(where, Iterable):
        return (as_rule(where),)
    return tuple(as_rule(part) for part in where)


def bound_rules(model: Model, where: Where = None) -> tuple[BoundRule, ...]:
    """The model's own rules and the conditions of a request, in the model's terms."""
    return tuple(bind(rule, model.schema) for rule in (*model.all_rules, *conditions(where)))


def plan_for(model: Model, where: Where = None) -> Plan:
    """A plan that meets the model's rules and a request; ``InfeasibleError`` if nothing can."""
    rules = bound_rules(model, where)
    found = require_feasible(rules, model.schema, model.codec)
    return Plan(make_request(model, rules, box=found.box), found.witness or {}, PLAN_SEED)


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a request can be met: true or false in a condition.

    Parameters
    ----------
    feasible : bool
        Whether some row keeps all rules.
    witness : DataFrame or None
        Such a row.
    conflict : tuple of str
        The smallest set of rules that clash.
    reason : str
        Why they clash, in words.
    """

    feasible: bool
    witness: Any
    conflict: tuple[str, ...]
    reason: str

    def __bool__(self) -> bool:
        return self.feasible

    def __str__(self) -> str:
        return "feasible" if self.feasible else self.reason


def check(model: Model, where: Where = None) -> Check:
    """Whether some row keeps the model's rules and meets a request, with a witness or the rules that clash."""
    rules = bound_rules(model, where)
    found = check_feasible(rules, model.schema, model.codec)
    if not found.feasible:
        return Check(False, None, tuple(map(str, found.conflict)), found.reason)
    rng = np.random.default_rng(PLAN_SEED)
    request = make_request(model, rules, box=found.box)
    columns = draw_remaining(request, rows_from_witness(request, found.witness or {}, 1, rng), rng)
    return Check(True, write_table(columns, model.schema, n_rows=1, rng=rng), (), "")


def conditional_log_prob(plan: Plan, table: Table, *, seed: int, n_jobs: int | None = None) -> Floats:
    """Log probability of each row among those that meet a plan's request; −inf for the others."""
    kept = np.ones(table.n_rows, bool)
    for rule in plan.request.rules:
        kept &= judge(rule, table)
    log_mass = estimate_log_probability(plan, seed=seed, n_jobs=n_jobs).log_value
    return np.where(kept, log_prob(plan.request.model, table) - log_mass, -np.inf)


def impute_table(
    model: Model,
    table: Table,
    where: Where = None,
    *,
    seed: int,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Physical:
    """Fill the missing cells of each row given its present ones, the rules kept."""
    rules = bound_rules(model, where)
    found = require_feasible(rules, model.schema, model.codec)
    request = make_request(model, rules, box=found.box, also=range(len(model.bags)))
    out = {name: table[name].copy() for name in model.codec.names}
    holes = np.flatnonzero(np.any([table.missing(name) for name in model.codec.names], axis=0))

    def draw(part: slice, rng: np.random.Generator) -> None:
        rows = holes[part]
        for name, values in impute_cells(request, table.take(rows), rng).items():
            out[name][rows] = values

    in_blocks(len(holes), draw, seed=seed, stream=Stream.IMPUTATION, n_jobs=n_jobs, on_rows=on_rows)
    _raise_if_broken(rules, Table(table.schema, out, table.n_rows))
    return out


def _raise_if_broken(rules: tuple[BoundRule, ...], filled: Table) -> None:
    """Say which rows no filling could save."""
    for rule in rules:
        broken = np.flatnonzero(~judge(rule, filled))
        if len(broken):
            raise InfeasibleError(
                f"{len(broken):,} of {filled.n_rows:,} rows cannot keep '{rule}' whatever fills their missing cells, "
                f"the first is row {broken[0]}. Correct their present cells, or leave the rows out.",
                conflict=(str(rule),),
            )
