"""How likely rows are under a model."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.model import Model
from janus_synth.table import Table


def log_prob(model: Model, table: Table) -> Floats:
    """Log probability of each row: masses for discrete values, densities per unit for continuous ones."""
    return np.asarray(np.sum([*log_prob_by_column(model, table).values()], axis=0))


def log_prob_by_column(model: Model, table: Table) -> dict[str, Floats]:
    """Each column's part in the log probability, given its parents."""
    x = model.codec.encode(table)
    parts = {}
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        with np.errstate(divide="ignore"):
            code_part = np.log(model.bags[i].compiled(len(x)).probability_of(x[i], x))
        parts[name] = code_part + codec.log_density(table[name], x[i])
    return parts
