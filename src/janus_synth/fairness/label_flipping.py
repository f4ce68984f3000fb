"""Label flipping: rows of a fair world in; the same rows with exactly the requested number of flipped outcomes out.

A direct bias flips the outcome of randomly chosen eligible rows. A bias through a mediator worsens the mediator, and
its descendants follow as counterfactuals with each row's own noise. Rows are changed in a random order until the quota
of outcomes has flipped, so that the choice of rows does not depend on their outcome. Where a rule would be violated,
the descendants of the changed column are redrawn; a row for which no values remain is not changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Array, Bools, LongInts
from janus_synth.coordinates import as_floats
from janus_synth.errors import BiasError
from janus_synth.fairness.bound_bias import BoundBias
from janus_synth.fairness.mediator import Mediator, WorstOfDraws
from janus_synth.model import Model
from janus_synth.questions.counterfactual import counterfactual_rows, keeps_rules, redraw_violations
from janus_synth.rules import BoundRule, judge
from janus_synth.sampling.particles import draw_column, new_particles, no_twist
from janus_synth.sampling.plan import rules_on_inputs
from janus_synth.sampling.request import make_request
from janus_synth.sampling.truncation import as_cells
from janus_synth.table import Table, same_cells

MOST_TRIES = 256
"""Draws of a computed outcome's hidden columns before a row counts as impossible to flip."""


@dataclass(frozen=True, slots=True)
class Flips:
    """Result of planting one bias."""

    table: Table
    moved: Bools
    """Rows in which any cell changed."""
    n_hit: int
    n_eligible: int
    n_turned: int
    """Flipped outcomes, minus those that flipped the other way."""
    n_drawn: int
    """Rows whose outcome was flipped, or whose mediator was redrawn, possibly without change."""
    depth: int
    """A changed mediator is the worst of this many draws; 0 for a direct bias."""


def plant_bias(
    world: Model,
    bound: BoundBias,
    table: Table,
    rules: Sequence[BoundRule],
    *,
    mediator: Mediator | None,
    seed: int,
    n_jobs: int | None = None,
) -> Flips:
    """Plant one bias in rows of a world; ``mediator`` is None for a direct bias."""
    hit = judge(bound.hit, table)
    if not hit.any():
        raise BiasError(
            f"the bias affects none of {table.n_rows:,} rows: no row satisfies '{bound.hit}'. Choose a larger "
            "subgroup, or draw more rows."
        )
    n_eligible = int(bound.eligible(table).sum())
    if bound.bias.magnitude and not n_eligible:
        raise BiasError(
            f"there is nothing to flip: of {hit.sum():,} affected rows none has '{bound.source}'. Draw more rows, or "
            "choose another subgroup."
        )
    planting = _Planting(world, bound, table, rules, np.random.SeedSequence(seed), n_jobs)
    if not bound.quota(table):
        return Flips(table, np.zeros(table.n_rows, bool), int(hit.sum()), n_eligible, 0, 0, 0)
    after, rows, depth = planting.flip_outcomes() if mediator is None else planting.worsen_mediator(mediator)
    n_turned = int(bound.flips(table, after)[hit].sum())
    return Flips(after, differing_rows(table, after), int(hit.sum()), n_eligible, n_turned, len(rows), depth)


@dataclass(frozen=True, slots=True)
class _Planting:
    """One bias being planted in a table."""

    world: Model
    bound: BoundBias
    table: Table
    rules: Sequence[BoundRule]
    seeds: np.random.SeedSequence
    n_jobs: int | None

    def flip_outcomes(self) -> tuple[Table, LongInts, int]:
        """Flip outcomes in a random order until the quota is met."""
        rng, column = np.random.default_rng(self.seeds.spawn(1)[0]), self.bound.bias.outcome
        waiting = rng.permutation(np.flatnonzero(self.bound.eligible(self.table)))
        quota, n_eligible = self.bound.quota(self.table), len(waiting)
        out, done = self.table.copy_columns(), np.zeros(0, np.int64)
        while len(done) < quota and len(waiting):
            some, waiting = waiting[: quota - len(done)], waiting[quota - len(done) :]
            part = self.table.take(some)
            values, possible = draw_given(self.world, part, column, self.bound.target, rng)
            after, kept = self._with_descendants(part, column, values)
            kept &= possible
            for name, cells in after.columns.items():
                out[name][some[kept]] = cells[kept]
            done = np.concatenate([done, some[kept]])
        if len(done) < quota:
            link, why = self.world.computed.get(column), "the rules do not allow more flips"
            if link is not None:
                why = f"the outcome is computed ({link}) and does not come out otherwise; links='off' learns it"
            raise _unreachable(self.bound, len(done), n_eligible, why)
        return self.table.with_columns(out), done, 0

    def worsen_mediator(self, mediator: Mediator) -> tuple[Table, LongInts, int]:
        """Worsen mediators in a random order until the quota of outcomes has flipped; if needed, worsen them more."""
        rng = np.random.default_rng(self.seeds.spawn(1)[0])
        rows = rng.permutation(np.flatnonzero(judge(self.bound.hit, self.table)))
        part, quota = self.table.take(rows), self.bound.quota(self.table)
        n_eligible = int(self.bound.eligible(self.table).sum())
        fixed = [rule for rule in self.rules if not set(rule.columns) & mediator.below]
        most, worst = 0, WorstOfDraws(mediator, part)
        for depth in (1, 2, 4, 8, 16, 32, 64):
            worst.extend(depth, lambda moved: keeps_rules(fixed, part, moved), rng)
            after, kept = self._with_descendants(part, mediator.name, worst.values)
            flips = np.where(kept, self.bound.flips(part, after), 0)
            total = np.cumsum(flips)
            most = max(most, int(total.max(initial=0)))
            if most >= quota:
                last = int(np.argmax(total >= quota)) + 1
                chosen = np.flatnonzero(kept[:last])
                out = self.table.copy_columns()
                for name, cells in after.columns.items():
                    out[name][rows[chosen]] = cells[chosen]
                return self.table.with_columns(out), rows[chosen], depth
        why = f"{mediator.name!r} has no more influence on {self.bound.bias.outcome!r}"
        raise _unreachable(self.bound, most, n_eligible, why)

    def _with_descendants(self, part: Table, column: str, values: Array) -> tuple[Table, Bools]:
        """Rows with a column changed and its descendants following, and which of them still satisfy all rules."""
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


def _unreachable(bound: BoundBias, most: int, n_eligible: int, why: str) -> BiasError:
    asked, sign = bound.bias.magnitude, -1 if bound.bias.magnitude < 0 else 1
    return BiasError(
        f"a magnitude of {asked:g} cannot be reached: of {n_eligible:,} rows with '{bound.source}' at most {most:,} "
        f"can be flipped ({sign * most / n_eligible:.3g}), since {why}."
    )


def draw_given(
    model: Model, table: Table, column: str, rule: BoundRule, rng: np.random.Generator
) -> tuple[Array, Bools]:
    """Draw a column given each row's parents and a condition on it; also return where a value is possible.

    Of a column that is computed from others the hidden columns are drawn, until the condition holds.
    """
    link = model.computed.get(column)
    rules = rules_on_inputs(model, (rule,)) if link is None else ()
    request = make_request(model, rules, also=range(len(model.bags)))
    i, rows = model.codec.names.index(column), new_particles(request, table.n_rows)
    rows.x[:] = model.codec.encode(table)
    for j, name in enumerate(model.codec.names):
        rows.values[j] = as_floats(table[name])
    drawn = [i] if link is None else [model.codec.names.index(name) for name in (*link.hidden, column)]
    possible, waiting = np.zeros(table.n_rows, bool), np.arange(table.n_rows)
    for _ in range(1 if link is None else MOST_TRIES):
        part = rows.take(waiting)
        log_total = np.sum([draw_column(request, part, j, rng, no_twist) for j in drawn], axis=0)
        values = as_cells(model.codec.columns[column], part.values[i])
        met = np.isfinite(log_total) & judge(rule, table.take(waiting).with_columns({column: values}))
        rows.put(waiting[met], part.take(np.flatnonzero(met)))
        possible[waiting[met]], waiting = True, waiting[~met]
        if not len(waiting):
            break
    values = as_cells(model.codec.columns[column], rows.values[i])
    return np.where(possible, values, table[column]), possible
