"""Imputation: rows with missing cells in, the same rows completed out, rules kept.

Every missing cell is drawn given the present cells of its row: several sequential imputations of each row with
importance weights, one of them chosen by weight, then Gibbs sweeps over the missing cells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.coordinates import rules_of_links, substitute
from janus_synth.coordinates.clock import Clock
from janus_synth.errors import InfeasibleError
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.model import Model
from janus_synth.rules import BoundRule, Where, judge
from janus_synth.rules.feasibility import require_feasible
from janus_synth.rules.language.notation import format_name
from janus_synth.sampling.computing import compute_and_weigh
from janus_synth.sampling.forward import Columns, compute_cells, in_blocks, prepare_bags
from janus_synth.sampling.gibbs import likelihood_of_children, move_block
from janus_synth.sampling.nulls import NonNullTwist, codes_left_empty, open_columns
from janus_synth.sampling.particles import Particles, draw_column, draw_trees, new_particles
from janus_synth.sampling.plan import bound_rules, rules_on_inputs, with_links
from janus_synth.sampling.request import Request, make_request
from janus_synth.sampling.truncation import as_cells
from janus_synth.streams import Stream
from janus_synth.table import Table, shown_value
from janus_synth.table.cells import as_floats

COPIES = 8
"""Sequential imputations of each row to choose from."""
COPIES_OF_INVERSIONS = 64
"""The same where inputs are inferred from a computed column: its equation leaves few values, which no sweep changes."""
SWEEPS_PER_STEP = 6
"""Gibbs sweeps for each column on the longest path of imputed columns: evidence moves up by about one column per sweep.
On a chain of eight rare booleans with only the last known, the total variation from the enumerated conditional is 0.24
with 4 sweeps, 0.07 with 16 and 0.01 with 32; a single missing cell needs few."""
MOST_SWEEPS = 64
LOG_OF_EMPTY = -1e6
"""Added to the log weight of an imputation that computes a null: chosen only where all others compute one, too."""


def impute_cells(
    request: Request,
    table: Table,
    rng: np.random.Generator,
    missing: Mapping[str, Bools] | None = None,
    *,
    copies: int = COPIES,
    nulls_in: Collection[str] = (),
) -> Columns:
    """Columns with some cells imputed, by default the missing ones; all other cells stay as they are.

    Null is drawn only where the rules allow nothing else, except for the columns of ``nulls_in``.
    """
    if missing is None:
        missing = {name: table.missing(name) for name in request.names}
    rows = new_particles(request, table.n_rows)
    for i, name in enumerate(request.names):
        codec, present = request.codec(i), ~missing[name]
        rows.x[i, present] = codec.encode(table[name])[present]
        rows.values[i] = as_floats(table[name])
    filled = impute(request, rows, rng, copies=copies, open_to_null=open_columns(request, nulls_in))
    columns: Columns = {}
    for i, name in enumerate(request.names):
        codec, here = request.codec(i), missing[name]
        column, u = table[name].copy(), rng.random(filled.n)
        if i in request.valued:
            column[here] = as_cells(codec, filled.values[i, here])
        elif i in request.order:
            column[here] = codec.decode(filled.x[i, here], u[here])
        columns[name] = column
    return _draw_below(request, filled, columns, rng)


def _draw_below(request: Request, rows: Particles, columns: Columns, rng: np.random.Generator) -> Columns:
    """Draw the columns outside of the request from their parents; they are missing in all rows."""
    for name in request.model.dag.order:
        i = request.index(name)
        if i in request.order:
            continue
        if i in request.links:
            columns[name] = compute_cells(request.model, request.links[i], columns)
            rows.x[i] = request.codec(i).encode(columns[name])
            continue
        rows.x[i], u = 0, rng.random(rows.n)
        request.model.bags[i].draw(rows.x, u)
        columns[name] = request.codec(i).decode(rows.x[i], u)
    return columns


def impute(
    request: Request,
    rows: Particles,
    rng: np.random.Generator,
    *,
    copies: int = COPIES,
    open_to_null: frozenset[int] = frozenset(),
) -> Particles:
    """Impute the unknown cells of the request's columns.

    Null is drawn only where the rules allow nothing else, except for the columns of ``open_to_null``.
    """
    missing, ruleless = rows.x == UNKNOWN, without_rules(request)
    filled = _best_of(_first_imputations(request, rows, copies, rng, open_to_null, ruleless), copies, rng)
    moves = list(_moves(request, missing, ruleless))
    for _ in range(_n_sweeps(request, np.flatnonzero(missing.any(axis=1)))):
        for move in moves:
            for block in move.blocks:
                _move_where(request, filled, block, rng, open_to_null)
            _draw_where(request, filled, move.column, move.free, rng, open_to_null)
            draw_trees(request, filled, move.column, rng, move.known)
    return filled


class Block(NamedTuple):
    """A missing column and the missing columns that are computed from it, in some rows."""

    columns: tuple[int, ...]
    rows: LongInts


class Move(NamedTuple):
    """What one sweep does with a column, the same in all sweeps."""

    column: int
    blocks: tuple[Block, ...]
    """Rows in which it is redrawn together with the columns computed from it."""
    free: LongInts
    """Rows in which it is redrawn alone."""
    known: LongInts
    """Rows in which only its tree is redrawn."""


def _moves(request: Request, missing: Bools, ruleless: frozenset[int]) -> Iterator[Move]:
    """The moves of one sweep; ``ruleless`` are the computed columns that no rule keeps as they are."""
    for column in request.order:
        if column in request.links:
            continue
        computed = request.computed_from(column)
        # Such a column was chosen to agree with a known one, and no rule would keep it so.
        held = (~missing[[other for other in computed if other in ruleless]]).any(axis=0)
        movable = missing[column] & ~held
        blocks = tuple(_blocks(column, computed, missing, movable))
        alone = movable & ~missing[list(computed)].any(axis=0)
        yield Move(column, blocks, np.flatnonzero(alone), np.flatnonzero(~missing[column]))


def _blocks(column: int, computed: tuple[int, ...], missing: Bools, movable: Bools) -> Iterator[Block]:
    """Group the rows in which a column may move by the columns computed from it that are missing, too.

    A column that is computed from it and present stays as it is; its definition is among the request's rules.
    """
    if not computed:
        return
    pattern = missing[list(computed)] & movable
    for which in np.unique(pattern, axis=1).T:
        if which.any():
            rows = np.flatnonzero((pattern == which[:, None]).all(axis=0))
            chosen = tuple(other for other, is_missing in zip(computed, which, strict=True) if is_missing)
            yield Block((column, *chosen), rows)


def without_rules(request: Request) -> frozenset[int]:
    """Computed columns whose definition the rule language cannot express: calendar parts, and times of day.

    Ask once for all sweeps: the rule of a table of combinations takes milliseconds to write down.
    """
    return frozenset(i for i, link in request.links.items() if link.rule_without_nulls() is None)


def _agrees(request: Request, rows: Particles, column: int, at: LongInts) -> Bools:
    """Whether a computed column has the value of its link in some rows."""
    link, index = request.links[column], request.index
    return link.agrees({name: rows.values[index(name)][at] for name in (link.column, *link.inputs)})


def _move_where(
    request: Request, rows: Particles, block: Block, rng: np.random.Generator, open_to_null: frozenset[int]
) -> None:
    """Move a block in some rows."""
    part = rows.take(block.rows)
    empty = {column: codes_left_empty(request, column, open_to_null) for column in block.columns}
    move_block(request, part, block.columns, rng, empty)
    rows.put(block.rows, part)


def _n_sweeps(request: Request, imputed: LongInts) -> int:
    """Sweeps that bring evidence from the lowest to the highest of the imputed columns, several times over."""
    depth: dict[int, int] = {}
    for column in request.order:
        if column in imputed:
            depth[column] = 1 + max((depth[parent] for parent in request.parents[column] if parent in depth), default=0)
    return min(SWEEPS_PER_STEP * max(depth.values(), default=0), MOST_SWEEPS)


def _first_imputations(
    request: Request,
    rows: Particles,
    n_copies: int,
    rng: np.random.Generator,
    open_to_null: frozenset[int],
    ruleless: frozenset[int],
) -> Particles:
    """Weighted copies of the rows, imputed in topological order given the known cells of parents and children."""
    copies = rows.take(np.repeat(np.arange(rows.n), n_copies))
    for column in request.order:
        copies.tree[column] = request.trees(column).any_trees(copies.n, rng)
    for column in request.order:
        unknown = copies.x[column] == UNKNOWN
        known, missing = np.flatnonzero(~unknown), np.flatnonzero(unknown)
        if column in request.links:
            copies.log_weight[missing] += _compute_where(request, copies, column, missing)
            if column not in open_to_null:
                copies.log_weight[missing[np.isnan(copies.values[column, missing])]] += LOG_OF_EMPTY
            if column in ruleless:
                copies.log_weight[known[~_agrees(request, copies, column, known)]] += LOG_OF_EMPTY
            continue
        copies.log_weight[missing] += _draw_where(request, copies, column, missing, rng, open_to_null)
        copies.log_weight[known] += draw_trees(request, copies, column, rng, known)
    return copies


def _best_of(copies: Particles, n_copies: int, rng: np.random.Generator) -> Particles:
    """Draw one copy of each row in proportion to its weight."""
    log_weight = np.nan_to_num(copies.log_weight, nan=-1e300, neginf=-1e300).reshape(-1, n_copies)
    chosen = np.argmax(log_weight + rng.gumbel(size=log_weight.shape), axis=1)
    return copies.take(np.arange(len(chosen)) * n_copies + chosen)


def _compute_where(request: Request, rows: Particles, column: int, at: LongInts) -> Floats:
    """Compute a linked column of some rows; returns 0, or −inf where it breaks a rule that it settles."""
    if not len(at):
        return np.zeros(0)
    part = rows.take(at)
    log_weight = compute_and_weigh(request, part, column)
    rows.put(at, part)
    return log_weight


def _draw_where(
    request: Request,
    rows: Particles,
    column: int,
    at: LongInts,
    rng: np.random.Generator,
    open_to_null: frozenset[int],
) -> Floats:
    """Draw a column of some rows; returns the logs of their incremental importance weights."""
    if not len(at):
        return np.zeros(0)
    part = rows.take(at)
    excluded = codes_left_empty(request, column, open_to_null)
    twist = NonNullTwist(likelihood_of_children(request, part, column), excluded)
    log_total = draw_column(request, part, column, rng, twist)
    rows.put(at, part)
    with np.errstate(invalid="ignore"):
        return log_total - twist.log_factor(part.x[column])


def impute_table(
    model: Model,
    table: Table,
    where: Where = None,
    *,
    seed: int,
    nulls_in: Collection[str] = (),
    numbers: LongInts | None = None,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Table:
    """Impute the missing cells of each row given its present ones, the rules kept.

    A cell stays null only if the rules allow nothing else, except in the columns of ``nulls_in``, where null is drawn
    as often as the model has it. ``numbers`` are those that messages give to the rows.
    """
    rules = bound_rules(model, where)
    box = require_feasible(with_links(model, rules), model.schema, model.codec).box
    prepare_bags(model)
    table = with_inferred_inputs(model, table)
    out = table.copy_columns()
    incomplete = np.any([table.missing(name) for name in model.codec.names], axis=0)
    inverted = has_inputs_to_infer(model, table)
    links = definitions_on_inputs(model)
    for every, extra, stream, copies in (
        (np.flatnonzero(incomplete & ~inverted), (), Stream.IMPUTATION, COPIES),
        (np.flatnonzero(incomplete & inverted), links, Stream.INVERSION, COPIES_OF_INVERSIONS),
    ):
        if not len(every):
            continue
        evidence = columns_with_evidence(model, table.take(every), nulls_in)
        request = make_request(model, (*rules_on_inputs(model, rules), *extra), box=box, also=evidence)

        draw = partial(_impute_part, request, table, every, out, copies, frozenset(nulls_in))

        in_blocks(len(every), draw, seed=seed, stream=stream, n_jobs=n_jobs, on_rows=on_rows)
    filled = table.with_columns(out)
    _raise_if_broken(rules, filled, np.arange(filled.n_rows) if numbers is None else numbers)
    return filled


def definitions_on_inputs(model: Model) -> tuple[BoundRule, ...]:
    """Definitions of the computed columns, as they are and in terms of inputs that are not computed themselves.

    If ``due == total`` and ``total == net + tax``, a due amount that is known says what net and tax add up to.
    """
    links = tuple(model.computed.values())
    found: dict[BoundRule, None] = {}
    for link in links:
        others = [other for other in links if other is not link]
        for rule in rules_of_links((link,), model.schema, present=True):
            found |= dict.fromkeys((rule, *substitute(rule, others, model.schema)))
    return tuple(found)


def _impute_part(
    request: Request,
    table: Table,
    every: LongInts,
    out: Columns,
    copies: int,
    nulls_in: frozenset[str],
    part: slice,
    rng: np.random.Generator,
) -> None:
    """Impute some of the incomplete rows and write them to ``out``."""
    rows = every[part]
    for name, values in impute_cells(request, table.take(rows), rng, copies=copies, nulls_in=nulls_in).items():
        out[name][rows] = values


def columns_with_evidence(model: Model, table: Table, nulls_in: Collection[str]) -> list[int]:
    """Columns that say something about others: known in some row, or to be filled although the model has nulls there.

    With rules and ancestors they are the columns that need importance weights and sweeps. All others are drawn from
    their parents once these are known, which is exact and hundreds of times faster.
    """
    hidden_open = {name for link in model.links if link.column in nulls_in for name in link.hidden}
    found = []
    for i, name in enumerate(model.codec.names):
        missing = table.missing(name)
        is_filled = model.schema[name].nullable and name not in nulls_in and name not in hidden_open
        if not missing.all() or is_filled:
            found.append(i)
    return found


def with_inferred_inputs(model: Model, table: Table) -> Table:
    """The same rows with the inputs that times of day determine; draws would hit them once in a day of minutes."""
    for name, link in model.computed.items():
        if isinstance(link.formula, Clock) and link.formula.minutes is not None:
            low = model.schema[link.formula.minutes].low
            values = {each: as_floats(table[each]) for each in link.formula.inputs}
            found = link.formula.inferred(values, as_floats(table[name]), -720.0 if low is None else np.floor(low))
            table = table.with_columns(found)
    return table


def has_inputs_to_infer(model: Model, table: Table) -> Bools:
    """Mask of the rows in which a computed column is present and one of its inputs is missing."""
    found = np.zeros(table.n_rows, bool)
    for name, link in model.computed.items():
        lacking = np.any([table.missing(other) for other in link.inputs], axis=0)
        found |= ~table.missing(name) & lacking
    return found


def _raise_if_broken(rules: tuple[BoundRule, ...], filled: Table, numbers: LongInts) -> None:
    """Raise InfeasibleError if a completed row violates a rule: its present cells leave no way to satisfy it."""
    for rule in rules:
        broken = np.flatnonzero(~judge(rule, filled))
        if len(broken):
            raise InfeasibleError(
                f"{len(broken):,} of {filled.n_rows:,} rows cannot keep '{rule}' whatever fills their missing cells, "
                f"the first is row {numbers[broken[0]]}{_beyond_domains(rule, filled, int(broken[0]))}. "
                "Correct their present cells, or leave the rows out.",
                conflict=(str(rule),),
            )


def _beyond_domains(rule: BoundRule, table: Table, row: int) -> str:
    """What to say of cells that lie outside of all values that the model gives: others cannot match them."""
    found = []
    for name in rule.columns:
        column, cell = table.schema[name], float(table[name][row])
        if column.is_discrete or column.low is None or column.high is None or column.low <= cell <= column.high:
            continue
        if not np.isnan(cell):
            value, low, high = (shown_value(column, each) for each in (cell, column.low, column.high))
            found.append(f"{format_name(name)} is {value} there, outside of the model's {low} to {high}")
    return f" ({'; '.join(found)})" if found else ""
