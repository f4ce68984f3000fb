"""Mean outcomes under interventions, by simulation: bags of trees and units in, a mean per setting out.

The treatment is set, the columns between treatment and outcome are redrawn, and the outcome is averaged. All settings
use the same units and the same uniform numbers, so that differences have little simulation error. An outcome that is
null is drawn again: nulls are taken to be missing at random given the outcome's parents, as in estimates from rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Codes, Floats, LongInts
from janus_synth.errors import RuleError
from janus_synth.model import Model
from janus_synth.questions.adjustment import causal_columns
from janus_synth.rules import BoundRule, Rule, bind, judge
from janus_synth.sampling.forward import compute_cells
from janus_synth.table import Table
from janus_synth.trees import Bag

N_TRIES = 12
"""Draws of an outcome until it is not null; units for which all are null do not count."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is measured: a column's values, or whether a condition holds."""

    columns: tuple[str, ...]
    rule: BoundRule | None

    def measure(self, table: Table) -> Floats:
        """Return a number per row; NaN for null."""
        if self.rule is not None:
            return judge(self.rule, table).astype(float)
        values = table[self.columns[0]]
        return np.where(values < 0, np.nan, values) if values.dtype.kind == "i" else values


def read_outcome(model: Model, outcome: str | Rule) -> Outcome:
    """Read the name of a numeric or boolean column, or a condition."""
    if isinstance(outcome, str) and outcome in model.codec.names:
        column = model.schema[outcome]
        if column.kind == "categorical":
            level = column.levels[0] if column.levels else "…"
            raise RuleError(
                f"column {outcome!r} is categorical and has no mean. Give a condition instead, such as "
                f"'{outcome} == {level!r}'."
            )
        return Outcome((outcome,), None)
    rule = bind(outcome, model.schema)
    return Outcome(tuple(dict.fromkeys(rule.columns)), rule)


def mediating_columns(model: Model, treatment: str, outcome: tuple[str, ...]) -> frozenset[int]:
    """Columns on a directed path from the treatment to the outcome, the outcome included."""
    on_path = causal_columns(model.dag, treatment, outcome)
    return frozenset(i for i, name in enumerate(model.codec.names) if name in on_path)


@dataclass(frozen=True, slots=True)
class InterventionalMeans:
    """Mean outcomes E[outcome | do(treatment = setting)] for several settings, computed with any bags."""

    model: Model
    treatment: str
    outcome: Outcome
    settings: Sequence[Array]
    changing: frozenset[int]

    def means(
        self, bags: Sequence[Bag], units: Table, rng: np.random.Generator, some: LongInts | None = None
    ) -> Floats:
        """Mean outcome of all units, or of some, under each setting, with common random numbers."""
        chosen = np.arange(units.n_rows) if some is None else some
        units = units.take(chosen)
        uniforms = self._uniforms(units, rng)
        found = [self._redraw(bags, units, values[chosen], uniforms) for values in self.settings]
        return np.array([self._mean(units, columns) for columns in found])

    def nested_means(
        self,
        bags: Sequence[Bag],
        units: Table,
        rng: np.random.Generator,
        mediators: Sequence[str],
        some: LongInts | None = None,
    ) -> Floats:
        """Mean outcomes under the first setting, under the second with mediators as under the first, and the second."""
        chosen = np.arange(units.n_rows) if some is None else some
        units = units.take(chosen)
        uniforms = self._uniforms(units, rng)
        first, second = (values[chosen] for values in self.settings)
        before = self._redraw(bags, units, first, uniforms)
        held = {name: before[name] for name in mediators}
        crossed = self._redraw(bags, units, second, uniforms, held)
        after = self._redraw(bags, units, second, uniforms)
        return np.array([self._mean(units, columns) for columns in (before, crossed, after)])

    def _uniforms(self, units: Table, rng: np.random.Generator) -> dict[int, Floats]:
        return {i: rng.random((self._tries(i), units.n_rows)) for i in sorted(self.changing)}

    def _tries(self, i: int) -> int:
        """Draws of a column: several of an outcome that may be null."""
        measured = self.outcome.rule is None and self.model.codec.names[i] == self.outcome.columns[0]
        return N_TRIES if measured and self.model.bags[i].leaves.allowed[-1] else 1

    def _redraw(
        self,
        bags: Sequence[Bag],
        units: Table,
        setting: Array,
        uniforms: Mapping[int, Floats],
        held: Mapping[str, Array] | None = None,
    ) -> dict[str, Array]:
        """Columns after the treatment was set, parents first; those that are held keep what they are given."""
        codec, names = self.model.codec, self.model.codec.names
        x = codec.encode(units)
        x[names.index(self.treatment)] = codec.columns[self.treatment].encode(setting)
        columns = {self.treatment: setting}
        for name in self.model.dag.order:
            i = names.index(name)
            if i not in self.changing:
                continue
            if held is not None and name in held:
                columns[name] = held[name]
                x[i] = codec.columns[name].encode(held[name])
            elif name in self.model.computed:
                columns[name] = compute_cells(self.model, self.model.computed[name], {**units.columns, **columns})
                x[i] = codec.columns[name].encode(columns[name])
            else:
                u = uniforms[i][0].copy()
                bags[i].draw(x, u)
                _draw_until_known(bags[i], i, int(codec.n_codes[i]) - 1, x, u, uniforms[i][1:])
                columns[name] = codec.columns[name].decode(x[i], u)
        return columns

    def _mean(self, units: Table, columns: Mapping[str, Array]) -> float:
        return float(np.nanmean(self.outcome.measure(units.with_columns(columns))))


def _draw_until_known(bag: Bag, i: int, null: int, x: Codes, u: Floats, further: Floats) -> None:
    """Draw column ``i`` again in rows in which it is null, as often as there are further uniform numbers."""
    for fresh in further:
        rows = np.flatnonzero(x[i] == null)
        if not len(rows):
            return
        some, again = np.ascontiguousarray(x[:, rows]), fresh[rows]
        bag.draw(some, again)
        x[i, rows], u[rows] = some[i], again
