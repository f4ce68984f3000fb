"""Log probabilities of rows: a model, or a plan for a request, and a table in; one number per row out."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats
from janus_synth.coordinates import Link, Scaled, as_cells, as_floats
from janus_synth.coordinates.links import COMPUTED, NULL, OWN
from janus_synth.encoding import ColumnCodec, OrderedCodec
from janus_synth.model import Model
from janus_synth.rules.holds import ULPS
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.probability import estimate_log_probability
from janus_synth.table import Table


def log_prob(model: Model, table: Table) -> Floats:
    """Log probability of each row: masses for discrete values, densities per unit for continuous ones."""
    return np.asarray(np.sum([*log_prob_by_column(model, table).values()], axis=0))


def log_prob_by_column(model: Model, table: Table) -> dict[str, Floats]:
    """Each column's term of the log probability, given its parents.

    Several values of a link's hidden columns may give the same row: a value of its own may equal the formula, and a gap
    matters only where its start is present. Their probabilities are added up, in the terms of the hidden columns.
    """
    x = model.codec.encode(table)
    parts = {}
    for name in model.codec.names:
        if name in model.computed:
            parts[name] = np.where(agrees_with_link(model, table, name), 0.0, -np.inf)
        elif model.schema[name].nulls_of is not None:  # no other column depends on it: summed over, it adds nothing
            parts[name] = np.zeros(table.n_rows)
        else:
            parts[name] = _log_prob_of(model, x, name, table[name])
    for link in model.computed.values():
        parts |= _hidden_parts(model, table, x, link, parts)
    return parts


def _log_prob_of(model: Model, x: Codes, name: str, cells: Array) -> Floats:
    """Log probability of some cells of a column, given the codes of its parents."""
    i, codec = model.codec.names.index(name), model.codec.columns[name]
    codes = codec.encode(cells)
    with np.errstate(divide="ignore"):
        code_part = np.log(model.bags[i].compiled(len(x)).probability_of(codes, x))
    return np.asarray(code_part + codec.log_density(cells, codes))


def _hidden_parts(model: Model, table: Table, x: Codes, link: Link, parts: dict[str, Floats]) -> dict[str, Floats]:
    """Terms of a link's hidden columns, summed over all values of them that give the same row."""
    if isinstance(link.formula, Scaled):
        return {link.formula.factor: _log_prob_of_factor(model, table, x, link, link.formula, parts)}
    if link.gap is not None:
        nothing = np.any([table.missing(name) for name in link.visible_inputs], axis=0)
        return {link.gap: np.where(nothing, 0.0, parts[link.gap])}
    if link.source is None or link.own is None:
        return {}
    values = {name: as_floats(table[name]) for name in (link.column, *link.visible_inputs)}
    column, n = values[link.column], table.n_rows
    same, null = link.agrees(values), np.isnan(column)
    source = [_log_prob_of(model, x, link.source, np.full(n, level, np.int32)) for level in (COMPUTED, OWN, NULL)]
    at = x.copy()
    at[model.codec.names.index(link.source)] = model.codec.columns[link.source].encode(np.array([OWN], np.int32))
    drawn = source[OWN] + _log_prob_of(model, at, link.own, table[link.column])
    empty = source[OWN] + _log_prob_of(model, at, link.own, as_cells(model.schema[link.own], np.full(n, np.nan)))
    computed = np.logaddexp(source[COMPUTED], empty)
    if _has_masses(model.codec.columns[link.own]):  # beside a probability a density counts for nothing
        computed = np.where(null, computed, np.logaddexp(computed, drawn))
    total = np.where(same, computed, np.where(null, source[NULL], drawn))
    total = np.where(same & null, np.logaddexp(total, source[NULL]), total)
    return {link.source: total, link.own: np.zeros(n)}


def _log_prob_of_factor(
    model: Model, table: Table, x: Codes, link: Link, formula: Scaled, parts: dict[str, Floats]
) -> Floats:
    """Log probability of all factors that give the row, with what columns that depend on the factor say of each."""
    values = {name: as_floats(table[name]) for name in (link.column, formula.source)}
    column, source = values[link.column], values[formula.source]
    open_rows = np.isnan(source)[:, None]  # any factor gives them, null included
    matches = np.hstack([formula.matches(column, source, link.precision) | open_rows, open_rows])
    total = parts[formula.factor].copy()
    rows = np.flatnonzero(matches.sum(axis=1) > 1)
    if not len(rows):
        return total
    place, codec = model.codec.names.index(formula.factor), model.codec.columns[formula.factor]
    children = [name for name, bag in zip(model.codec.names, model.bags, strict=True) if place in bag.parents]
    children = [name for name in children if name not in model.computed]
    logs = np.full((len(rows), len(formula.factors) + 1), -np.inf)
    for level in range(logs.shape[1]):
        cells, at = np.full(len(rows), level if level < len(formula.factors) else -1, np.int32), x[:, rows]
        at[place] = codec.encode(cells)
        logs[:, level] = _log_prob_of(model, at, formula.factor, cells)
        for child in children:
            logs[:, level] += _log_prob_of(model, at, child, table[child][rows])
    said = np.sum([parts[child][rows] for child in children], axis=0)
    total[rows] = np.logaddexp.reduce(np.where(matches[rows], logs, -np.inf), axis=1) - said
    return total


def _has_masses(codec: ColumnCodec) -> bool:
    """Whether all values of a column have probabilities, not densities."""
    return not isinstance(codec, OrderedCodec) or codec.lattice is not None


def agrees_with_link(model: Model, table: Table, name: str) -> Bools:
    """Mask of the rows in which a linked column has the value that its link computes."""
    link = model.computed[name]
    values = {column: as_floats(table[column]) for column in (name, *link.inputs)}
    if not link.hidden or isinstance(link.formula, Scaled):
        return link.agrees(values)
    computed = link.compute(values)
    slack = ULPS * link.precision * (np.abs(values[name]) + np.abs(computed))
    return np.asarray((np.abs(values[name] - computed) <= slack) | (np.isnan(values[name]) & np.isnan(computed)))


def log_prob_given(plan: Plan, table: Table, *, seed: int, n_jobs: int | None = None) -> Floats:
    """Term of a plan's request in the log probability of each row: −log of its probability, −inf if it is not met."""
    kept = rows_that_hold(plan.request.rules, table)
    log_mass = estimate_log_probability(plan, seed=seed, n_jobs=n_jobs).log_value
    return np.where(kept, -log_mass, -np.inf)
