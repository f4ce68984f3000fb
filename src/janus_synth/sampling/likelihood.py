"""Log probabilities of rows: a model, or a plan for a request, and a table in; one number per row out."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.coordinates import as_floats
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
    """Each column's term of the log probability, given its parents."""
    x = model.codec.encode(table)
    parts = {}
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        if name in model.computed:
            parts[name] = np.where(agrees_with_link(model, table, name), 0.0, -np.inf)
            continue
        with np.errstate(divide="ignore"):
            code_part = np.log(model.bags[i].compiled(len(x)).probability_of(x[i], x))
        parts[name] = code_part + codec.log_density(table[name], x[i])
    return parts


def agrees_with_link(model: Model, table: Table, name: str) -> Bools:
    """Mask of the rows in which a linked column has the value that its link computes."""
    link = model.computed[name]
    values = {column: as_floats(table[column]) for column in (name, *link.inputs)}
    if not link.hidden:
        return link.agrees(values)
    computed = link.compute(values)
    slack = ULPS * link.precision * (np.abs(values[name]) + np.abs(computed))
    return np.asarray((np.abs(values[name] - computed) <= slack) | (np.isnan(values[name]) & np.isnan(computed)))


def conditional_log_prob(plan: Plan, table: Table, *, seed: int, n_jobs: int | None = None) -> Floats:
    """Log probability of each row given that a plan's request is met; −inf for rows that do not meet it."""
    kept = rows_that_hold(plan.request.rules, table)
    log_mass = estimate_log_probability(plan, seed=seed, n_jobs=n_jobs).log_value
    return np.where(kept, log_prob(plan.request.model, table) - log_mass, -np.inf)
