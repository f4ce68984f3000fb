"""Rows of a fair world in, rows as a bias makes them out: exactly the asked number of outcomes turned.

A direct bias turns outcomes at random among those that are eligible. A bias through a mediator moves the mediator, and
what lies below follows by each row's own noise; rows are moved in a random order until so many outcomes have turned, so
that who is moved does not depend on how the outcome would come out. What a rule forbids is drawn anew below the column
that changed, and a row for which nothing is left stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Bools, LongInts
from janus_synth.errors import BiasError
from janus_synth.fairness.mechanism import Mechanism
from janus_synth.fairness.mediator import Mediator
from janus_synth.model import Model
from janus_synth.questions.counterfactual import counterfactual_rows, keeps_rules, redraw_violations
from janus_synth.rules import BoundRule, judge
from janus_synth.sampling.truncation import as_cells
from janus_synth.sampling.forward import Physical
from janus_synth.sampling.particles import draw_column, new_particles
from janus_synth.sampling.request import make_request
from janus_synth.table import Table, same_cells


@dataclass(frozen=True, slots=True)
class Turning:
    """What planting one bias did."""

    table: Table
    moved: Bools
    """Rows in which any cell changed."""
    n_hit: int
    n_eligible: int
    n_turned: int
    """Outcomes turned, less those that turned the other way."""
    n_drawn: int
    """Rows whose outcome was turned, or whose mediator was drawn anew, which may leave it where it was."""
    depth: int
    """Draws of which a moved mediator is the worst; 0 for a direct bias."""


def turn(
    world: Model,
    mechanism: Mechanism,
    table: Table,
    rules: Sequence[BoundRule],
    *,
    mediator: Mediator | None,
    seed: int,
    n_jobs: int | None = None,
) -> Turning:
    """Plant one bias in rows of a world; a bias that is not direct comes with its mediator."""
    hit = judge(mechanism.hit, table)
    if not hit.any():
        raise BiasError(
            f"none of {table.n_rows:,} rows is hit: no row meets '{mechanism.hit}'. Choose a larger subgroup, or draw "
            "more rows."
        )
    n_eligible = int(mechanism.eligible(table).sum())
    if mechanism.bias.magnitude and not n_eligible:
        raise BiasError(
            f"there is nothing to turn: of {hit.sum():,} rows that are hit none has '{mechanism.source}'. Draw more "
            "rows, or choose another subgroup."
        )
    step = _Step(world, mechanism, table, rules, np.random.SeedSequence(seed), n_jobs)
    if not mechanism.quota(table):
        return Turning(table, np.zeros(table.n_rows, bool), int(hit.sum()), n_eligible, 0, 0, 0)
    changed, rows, depth = step.direct() if mediator is None else step.through(mediator)
    after = Table(table.schema, changed, table.n_rows)
    n_turned = int(mechanism.lost(table, after)[hit].sum())
    return Turning(after, differing_rows(table, after), int(hit.sum()), n_eligible, n_turned, len(rows), depth)


@dataclass(frozen=True, slots=True)
class _Step:
    """One bias on its way into a table."""

    world: Model
    mechanism: Mechanism
    table: Table
    rules: Sequence[BoundRule]
    seeds: np.random.SeedSequence
    n_jobs: int | None

    def direct(self) -> tuple[Physical, LongInts, int]:
        """Turn outcomes in a random order until the quota is met."""
        rng, column = np.random.default_rng(self.seeds.spawn(1)[0]), self.mechanism.bias.outcome
        waiting = rng.permutation(np.flatnonzero(self.mechanism.eligible(self.table)))
        quota, n_eligible = self.mechanism.quota(self.table), len(waiting)
        out, done = _copy(self.table), np.zeros(0, np.int64)
        while len(done) < quota and len(waiting):
            some, waiting = waiting[: quota - len(done)], waiting[quota - len(done) :]
            part = self.table.take(some)
            values, possible = values_given(self.world, part, column, self.mechanism.target, rng)
            after, kept = self._followed(part, column, values)
            kept &= possible
            for name, cells in after.items():
                out[name][some[kept]] = cells[kept]
            done = np.concatenate([done, some[kept]])
        if len(done) < quota:
            raise _unreachable(self.mechanism, len(done), n_eligible, "the rules forbid to turn more rows")
        return out, done, 0

    def through(self, mediator: Mediator) -> tuple[Physical, LongInts, int]:
        """Move mediators in a random order until the quota of outcomes has followed; if need be, move them further."""
        rng = np.random.default_rng(self.seeds.spawn(1)[0])
        rows = rng.permutation(np.flatnonzero(judge(self.mechanism.hit, self.table)))
        part, quota = self.table.take(rows), self.mechanism.quota(self.table)
        n_eligible = int(self.mechanism.eligible(self.table).sum())
        fixed = [rule for rule in self.rules if not set(rule.columns) & mediator.below]
        most, pick = 0, mediator.start(part)
        for depth in (1, 2, 4, 8, 16, 32, 64):
            pick.deepen(depth, lambda moved: keeps_rules(fixed, part, moved), rng)
            after, kept = self._followed(part, mediator.name, pick.values)
            lost = np.where(kept, self.mechanism.lost(part, Table(part.schema, after, part.n_rows)), 0)
            total = np.cumsum(lost)
            most = max(most, int(total.max(initial=0)))
            if most >= quota:
                last = int(np.argmax(total >= quota)) + 1
                chosen = np.flatnonzero(kept[:last])
                out = _copy(self.table)
                for name, cells in after.items():
                    out[name][rows[chosen]] = cells[chosen]
                return out, rows[chosen], depth
        why = f"{mediator.name!r} has no more influence on {self.mechanism.bias.outcome!r}"
        raise _unreachable(self.mechanism, most, n_eligible, why)

    def _followed(self, part: Table, column: str, values: Array) -> tuple[Physical, Bools]:
        """Rows with a column changed and what lies below following, and which of them keep all rules."""
        seed = int(self.seeds.spawn(1)[0].generate_state(1)[0])
        after = counterfactual_rows(self.world, part, {column: values}, seed=seed, n_jobs=self.n_jobs)
        after = redraw_violations(self.world, part, after, [column], self.rules, seed=seed)
        return after, keeps_rules(self.rules, part, after)


def differing_rows(one: Table, other: Table) -> Bools:
    """Rows in which two tables differ."""
    differ = np.zeros(one.n_rows, bool)
    for name in one.columns:
        differ |= ~same_cells(one[name], other[name])
    return differ


def _copy(table: Table) -> Physical:
    return {name: values.copy() for name, values in table.columns.items()}


def _unreachable(mechanism: Mechanism, most: int, n_eligible: int, why: str) -> BiasError:
    asked, sign = mechanism.bias.magnitude, -1 if mechanism.bias.magnitude < 0 else 1
    return BiasError(
        f"a magnitude of {asked:g} is out of reach: of {n_eligible:,} rows with '{mechanism.source}' at most {most:,} "
        f"can be turned ({sign * most / n_eligible:.3g}), since {why}."
    )


def values_given(
    model: Model, table: Table, column: str, rule: BoundRule, rng: np.random.Generator
) -> tuple[Array, Bools]:
    """Values of a column drawn given each row's parents and a condition on it; and where any is possible."""
    request = make_request(model, [rule])
    i, rows = model.codec.names.index(column), new_particles(request, table.n_rows)
    rows.x[:] = model.codec.encode(table)
    log_total = draw_column(request, rows, i, rng, lambda score, log_scale: None)
    possible = np.isfinite(log_total)
    values = as_cells(model.codec.columns[column], rows.values[i])
    return np.where(possible, values, table[column]), possible
