"""Rows for a table of conditions: partly known rows and numbers in; that many rows of the model for each of them out.

Equal conditions are drawn together. Where many rows share a condition, it gets a sampling plan; all others are drawn as
imputations of their open cells, a particle system per row, in one pass for all rows that know the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, LongInts
from janus_synth.errors import InfeasibleError
from janus_synth.model import Model
from janus_synth.rules import Rule
from janus_synth.sampling.conditional import sample_conditional
from janus_synth.sampling.imputation import impute_table
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.shares import value_rule
from janus_synth.streams import Stream, generator
from janus_synth.table import Table

PLAN_FROM = 1_000
"""Rows of one condition from which on it has a plan of its own, which costs as much as some hundred imputed rows."""
MOST_PLANS = 16
MOST_PATTERNS = 32
"""Sets of known columns that are drawn one by one; more of them are drawn together, which takes longer per row."""


class Group(NamedTuple):
    """Rows that are drawn together."""

    rows: LongInts
    """Positions among the rows that are wanted."""
    plan: Plan | None
    """How to draw them if they share all conditions; otherwise their open cells are imputed."""


def sample_for_rows(
    model: Model,
    known: Table,
    counts: LongInts,
    where: tuple[Rule, ...] = (),
    *,
    plan_of: Callable[[tuple[Rule, ...]], Plan],
    seed: int,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Table:
    """Draw rows for every row of a table of conditions.

    Parameters
    ----------
    model : Model
        The model.
    known : Table
        One condition per row: cells that are present must be those of the rows drawn for it. A missing cell is open;
        it is drawn as the model has it, nulls included.
    counts : array of int
        Rows to draw for each condition.
    where : tuple of Rule
        Conditions on all rows.
    plan_of : callable
        Makes the plan for some conditions.
    seed, n_jobs, on_rows
        As for `sample_conditional`.

    Returns
    -------
    Table
        The rows, in the order of their conditions.
    """
    of_condition = np.repeat(np.arange(known.n_rows), counts)
    wanted = known.take(of_condition)
    out = wanted.copy_columns()
    for number, group in enumerate(_groups(model, known, counts, of_condition, where, plan_of)):
        own_seed = int(generator(seed, Stream.CONDITIONS, number).integers(2**63))
        n = len(group.rows)
        if group.plan is not None:
            found = sample_conditional(group.plan, n, seed=own_seed, n_jobs=n_jobs, on_rows=on_rows)
        else:
            found = impute_table(
                model,
                wanted.take(group.rows),
                where,
                seed=own_seed,
                nulls_in=[name for name in model.codec.names if name not in model.hidden],
                numbers=of_condition[group.rows],
                n_jobs=n_jobs,
                on_rows=on_rows,
            )
        for name, cells in found.columns.items():
            is_open = wanted.missing(name)[group.rows]
            out[name][group.rows[is_open]] = cells[is_open]
    return Table(model.schema, out, len(of_condition))


def _groups(
    model: Model,
    known: Table,
    counts: LongInts,
    of_condition: LongInts,
    where: tuple[Rule, ...],
    plan_of: Callable[[tuple[Rule, ...]], Plan],
) -> Iterator[Group]:
    """Rows of frequent conditions one by one, then all others by the columns that they know."""
    names = [name for name in model.codec.names if name not in model.hidden]
    missing = np.stack([known.missing(name) for name in names], axis=1)
    planned = np.zeros(known.n_rows, bool)
    for same in _frequent(known, names, missing, counts):
        first = int(np.argmax(same))
        given = [value_rule(model.schema[name], known[name][first]) for name in names if not known.missing(name)[first]]
        try:
            plan = plan_of((*where, *given))
        except InfeasibleError as error:
            raise InfeasibleError(f"row {first}: {error}", conflict=error.conflict) from error
        if plan.request.rules:
            planned |= same
            yield Group(np.flatnonzero(same[of_condition]), plan)
    for pattern in _patterns(missing[~planned]):
        chosen = ~planned if pattern is None else ~planned & (missing == pattern).all(axis=1)
        rows = np.flatnonzero(chosen[of_condition])
        if len(rows):
            yield Group(rows, None)


def _frequent(known: Table, names: list[str], missing: Bools, counts: LongInts) -> list[Bools]:
    """For each condition that many rows are wanted for, a mask of the rows of the table that state it."""
    cells = np.stack([np.where(known.missing(name), 0.0, known[name]) for name in names], axis=1)
    _, which = np.unique(np.concatenate([cells, missing], axis=1), axis=0, return_inverse=True)
    totals = np.bincount(which.ravel(), counts)
    most = np.argsort(-totals, kind="stable")[:MOST_PLANS]
    return [which.ravel() == number for number in most[totals[most] >= PLAN_FROM]]


def _patterns(missing: Bools) -> list[Bools | None]:
    """Sets of open columns, or None for all rows together if there are too many of them."""
    found = list(np.unique(missing, axis=0))
    return found if len(found) <= MOST_PATTERNS else [None]
