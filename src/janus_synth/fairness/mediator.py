"""A mediator of a bias: its values scored by the favourable rate they lead to, and redrawn to worse ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.encoding import LevelCodec
from janus_synth.fairness.bound_bias import BoundBias
from janus_synth.model import Model
from janus_synth.questions.interventional_means import InterventionalMeans, Outcome, mediating_columns
from janus_synth.rules import Rule, col
from janus_synth.sampling.forward import redraw_column, sample_rows
from janus_synth.table import Table, shown_value

SCORE_ROWS = 250_000
"""Total number of units to score all values of a mediator, split evenly among them."""
MIN_UNITS, MAX_UNITS = 200, 4_000
"""Bounds on the units per value."""
SCORE_SEED = 20_261_116
"""Fixed: the scores are a property of the world and do not depend on the seed of a sample."""


class Mediator:
    """A mediator with the interventional rate of favourable outcomes under each of its values."""

    def __init__(self, world: Model, bound: BoundBias) -> None:
        self.world, self.name = world, bound.bias.path
        self.codec = world.codec.columns[self.name]
        self.below = world.dag.descendants(self.name)
        self.worse_is_low = bound.bias.magnitude >= 0
        self.score = _scores(world, bound)
        """(codes,) favourable rate; NaN for null, which no row is changed to."""

    def badness(self, values: Array) -> Floats:
        """How far values act in the direction of the bias; −inf for null."""
        score = self.score[self.codec.encode(values)]
        return np.nan_to_num(-score if self.worse_is_low else score, nan=-np.inf)

    def better_half(self, table: Table) -> Rule:
        """Return the rule that the mediator is in the better half of its values, by the rows of a table."""
        values = table[self.name][~table.missing(self.name)]
        score = self.score[self.codec.encode(values)]
        its, column = col(self.name), self.world.schema[self.name]
        if isinstance(self.codec, LevelCodec) and column.is_discrete:
            levels, counts = np.unique(values, return_counts=True)
            own = np.array([np.nanmean(score[values == level]) for level in levels])
            best = np.argsort(-own, kind="stable")
            kept = best[: max(1, int(np.searchsorted(np.cumsum(counts[best]), len(values) / 2)) + 1)]
            kept = kept[: max(1, len(levels) - 1)]
            return its.isin([column.levels[levels[i]] for i in sorted(kept)])
        middle = shown_value(column, float(np.quantile(values, 0.5, method="higher")))
        rises = np.nanmean(score[values >= np.median(values)]) >= np.nanmean(score[values <= np.median(values)])
        return its >= middle if rises else its <= middle


def _scores(world: Model, bound: BoundBias) -> Floats:
    """Rate of favourable outcomes with the mediator set to each of its codes by intervention."""
    name, outcome = bound.bias.path, bound.bias.outcome
    codec = world.codec.columns[name]
    seen = np.asarray(world.bag(name).leaves.forward.sum(axis=0)).ravel()[:-1] > 0
    codes = np.flatnonzero(seen)
    n = int(np.clip(SCORE_ROWS // max(len(codes), 1), MIN_UNITS, MAX_UNITS))
    units = sample_rows(world, n, seed=SCORE_SEED)
    settings = [codec.decode(np.full(n, code, np.uint16), np.full(n, 0.5)) for code in codes]
    question = InterventionalMeans(
        world, name, Outcome((outcome,), bound.favourable), settings, mediating_columns(world, name, (outcome,))
    )
    score = np.full(codec.n_codes, np.nan)
    score[codes] = question.means(world.bags, units, np.random.default_rng(SCORE_SEED))
    return score


class WorstOfDraws:
    """Values of a mediator that are each the worst of a growing number of draws and the original."""

    def __init__(self, mediator: Mediator, table: Table) -> None:
        self.mediator, self.table, self.drawn = mediator, table, 0
        self.values = table[mediator.name].copy()
        self.bad = mediator.badness(self.values)
        self.present = ~table.missing(mediator.name)

    def extend(self, depth: int, allowed: Callable[[Table], Bools] | None, rng: np.random.Generator) -> None:
        """Draw until each value is the worst of ``depth`` draws and the original, among those that are allowed."""
        for _ in range(depth - self.drawn):
            drawn = redraw_column(self.mediator.world, self.table, self.mediator.name, seed=int(rng.integers(2**31)))
            bad = self.mediator.badness(drawn)
            worse = (bad > self.bad) & self.present
            if allowed is not None:
                worse &= allowed(self.table.with_columns({self.mediator.name: drawn}))
            self.values[worse], self.bad[worse] = drawn[worse], bad[worse]
        self.drawn = depth
