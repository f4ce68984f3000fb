"""Predictions of columns that take part in links: rows in, probabilities of the target's codes out.

A target that is computed from present columns is certain. Otherwise P(value | rest) ∝ P(row with this value), summed
over hidden columns, for every value if the target has few; a target with more values is imputed several times, and
the probabilities are shares of these draws, none of them null.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.coordinates import Link, as_cells, as_floats, measure_hidden
from janus_synth.encoding import ColumnCodec, LevelCodec, OrderedCodec
from janus_synth.errors import DataError
from janus_synth.model import Model
from janus_synth.rules import bind
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.imputation import impute_table
from janus_synth.sampling.likelihood import log_prob
from janus_synth.table import Schema, Table

DRAWS = 100
"""Imputations of each row where the target has many values."""
SEED = 0


def is_linked(model: Model, target: str) -> bool:
    """Whether a column is computed, or others are computed from it."""
    return any(target in (link.column, *link.inputs) for link in model.computed.values())


def linked_probabilities(model: Model, table: Table, target: str) -> Floats:
    """(rows, codes) probabilities of a target's codes; ``table`` has all other columns of the user."""
    codec, link = model.codec.columns[target], model.computed.get(target)
    if link is not None and not link.hidden:
        return _point_masses(model, table, link)
    values = listed_values(codec)
    if values is None:
        return _by_imputation(model, table, target)
    logs = np.column_stack([_log_prob_with(model, table, target, value) for value in values])
    most = logs.max(axis=1, keepdims=True)
    if np.isneginf(most).any():
        row = int(np.flatnonzero(np.isneginf(most[:, 0]))[0])
        raise DataError(f"no value of {target!r} fits the other cells of row {row}, under the links and rules.")
    weights = np.exp(logs - most)
    out = np.zeros((table.n_rows, codec.n_codes))
    np.add.at(out.T, codec.encode(as_cells(model.schema[target], values)), weights.T)
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def listed_values(codec: ColumnCodec) -> Floats | None:
    """Every value of a column, NaN for null; None if bins hold more than one value."""
    if isinstance(codec, LevelCodec):
        values = np.flatnonzero(codec.weight > 0).astype(float)
    elif isinstance(codec, OrderedCodec) and (codec.knot[:, 0] == codec.knot[:, -1]).all():
        values = codec.knot[:, 0]
    else:
        return None
    return np.append(values, np.nan) if codec.allowed[-1] else values


def _log_prob_with(model: Model, table: Table, target: str, value: float) -> Floats:
    """Log probability of each row if the target has a value; −inf where a rule is broken."""
    rows = _with_target(model, table, target, np.full(table.n_rows, value))
    rows = measure_hidden(rows, model.schema, model.links)
    kept = rows_that_hold(tuple(bind(rule, model.schema) for rule in model.all_rules), rows)
    return np.where(kept, log_prob(model, rows), -np.inf)


def _with_target(model: Model, table: Table, target: str, values: Floats) -> Table:
    cells: dict[str, Array] = {**table.columns, target: as_cells(model.schema[target], values)}
    known = {column.name: column for column in table.schema}
    columns = (known.get(column.name, column) for column in model.visible_schema.learnt)
    return Table(Schema(tuple(columns), model.schema.frame), cells, table.n_rows)


def _point_masses(model: Model, table: Table, link: Link) -> Floats:
    """Certainty of the code that a link computes."""
    values = link.compute({name: as_floats(table[name]) for name in link.inputs})
    codec = model.codec.columns[link.column]
    return np.eye(codec.n_codes)[codec.encode(as_cells(model.schema[link.column], values))]


def _by_imputation(model: Model, table: Table, target: str) -> Floats:
    """Shares of imputed values of the target."""
    empty = _with_target(model, table, target, np.full(table.n_rows, np.nan))
    partial = measure_hidden(empty, model.schema, model.links, complete=False)
    copies = partial.take(np.repeat(np.arange(table.n_rows), DRAWS))
    codec = model.codec.columns[target]
    codes = codec.encode(impute_table(model, copies, seed=SEED)[target]).reshape(table.n_rows, DRAWS)
    return np.stack([np.bincount(row, minlength=codec.n_codes) for row in codes]) / DRAWS
