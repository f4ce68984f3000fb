"""A first glance at how common requests are: a model and rules in; how many unconstrained rows keep all rules out.

The rows are the same for all requests to a model, so that a common request pays for judging them alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Bools
from janus_synth.coordinates import as_floats
from janus_synth.model import Model
from janus_synth.rules import BoundRule
from janus_synth.rules.compilation import columns_of
from janus_synth.rules.holds import SINGLE, precision_of
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.forward import sample_rows
from janus_synth.sampling.rejection import Acceptance
from janus_synth.streams import PLAN_SEED, PlanStream, generator
from janus_synth.table import Table

GLANCE_ROWS = (256, 1_024)
"""Unconstrained rows on which a request is judged: the larger number if too few of the smaller one keep its rules."""
ENOUGH_ACCEPTED = 64
"""Accepted rows that estimate an acceptance rate within a quarter."""
Witness = dict[str, float | None]
"""Values of the rules' columns that satisfy all rules."""


class Glance:
    """Unconstrained rows of a model, drawn on first use and kept."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._rows: dict[int, Table] = {}

    def judge(self, rules: tuple[BoundRule, ...]) -> tuple[Acceptance, Witness] | None:
        """How many rows keep the rules, and the values of one that does; None if too few do."""
        for n in GLANCE_ROWS:
            if n not in self._rows:
                self._rows[n] = _draw(self._model, n)
            rows = self._rows[n]
            accepted = rows_that_hold(rules, rows)
            if (found := Acceptance(int(accepted.sum()), n)).n_accepted >= ENOUGH_ACCEPTED:
                return found, first_accepted(rules, rows, accepted)
        return None


def first_accepted(rules: Sequence[BoundRule], rows: Table, accepted: Bools) -> Witness:
    """Values of the rules' columns in the first accepted row."""
    first = slice(at := int(accepted.argmax()), at + 1)
    names = dict.fromkeys(name for rule in rules for name in sorted(columns_of(rule.test)))
    values = {name: float(as_floats(rows[name][first])[0]) for name in names}
    return {name: None if np.isnan(value) else value for name, value in values.items()}


def _draw(model: Model, n: int) -> Table:
    """Unconstrained rows, rounded as the table stores them."""
    seed = int(generator(PLAN_SEED, PlanStream.GLANCE).integers(2**63))
    rows = sample_rows(model, n, seed=seed, n_jobs=1)
    single = {column.name for column in model.schema.learnt if precision_of(column) == SINGLE}
    columns = {
        name: values.astype(np.float32).astype(values.dtype) if name in single and values.dtype.kind == "f" else values
        for name, values in rows.columns.items()
    }
    return Table(rows.schema, columns, n)
