"""Computed columns of partly drawn rows: values of the inputs in; value, code, and whether settled rules hold out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats
from janus_synth.rules import BoundRule, judge
from janus_synth.rules.compilation import columns_of
from janus_synth.rules.holds import SINGLE, precision_of
from janus_synth.sampling.request import Request
from janus_synth.sampling.truncation import as_cells
from janus_synth.table import Schema, Table
from janus_synth.table.cells import as_floats

if TYPE_CHECKING:
    from janus_synth.sampling.particles import Particles


def compute_column(request: Request, rows: Particles, column: int) -> None:
    """Compute value and code of a linked column in all rows."""
    index, link, codec = request.index, request.links[column], request.codec(column)
    values = link.compute({name: rows.values[index(name)] for name in link.inputs})
    rows.values[column] = as_stored(request, column, values)
    rows.x[column] = codec.encode(as_cells(codec, rows.values[column]))


def compute_and_weigh(request: Request, rows: Particles, column: int) -> Floats:
    """Compute a linked column; returns 0 for rows that keep the rules it settles, −inf for the others."""
    compute_column(request, rows, column)
    return np.where(settled_rules_hold(request, rows, column), 0.0, -np.inf)


def settled_rules_hold(request: Request, rows: Particles, column: int) -> Bools:
    """Mask of the rows that keep the rules which a computed column settles."""
    rules = request.settled.get(column, ())
    if not rules:
        return np.ones(rows.n, bool)
    names = dict.fromkeys(name for rule in rules for name in sorted(columns_of(rule.test)))
    return rows_that_hold(rules, values_table(request, rows.values, names))


def computed_rules_hold(request: Request, rows: Particles, columns: Sequence[int]) -> Bools:
    """Mask of the rows that keep all rules which name one of some columns that are computed; all must be drawn."""
    computed = {request.names[column] for column in columns if column in request.links}
    rules = tuple(rule for rule in request.rules if computed & columns_of(rule.test))
    if not rules:
        return np.ones(rows.n, bool)
    names = dict.fromkeys(name for rule in rules for name in sorted(columns_of(rule.test)))
    return rows_that_hold(rules, values_table(request, rows.values, names))


def decoded_values(request: Request, column: int, codes: Codes, u: Floats) -> Floats:
    """Values of a column at quantiles ``u`` of their codes, rounded as the table stores them."""
    codec = request.codec(column)
    return as_stored(request, column, as_floats(codec.decode(codes, u)))


def as_stored(request: Request, column: int, values: Floats) -> Floats:
    """Values rounded as the table stores them."""
    if precision_of(request.model.schema[request.names[column]]) == SINGLE:
        return values.astype(np.float32).astype(np.float64)
    return values


def values_table(request: Request, values: Floats, names: Iterable[str]) -> Table:
    """Some columns of drawn values (columns, rows), as a table that rules can be evaluated on."""
    model, index = request.model, request.index
    cells = {name: as_cells(model.codec.columns[name], values[index(name)]) for name in names}
    return Table(Schema(tuple(model.schema[name] for name in cells)), cells, values.shape[1])


def rows_that_hold(rules: tuple[BoundRule, ...], table: Table) -> Bools:
    """Mask of the rows that keep all rules."""
    kept = np.ones(table.n_rows, bool)
    for rule in rules:
        kept &= judge(rule, table)
    return kept
