"""Looking ahead: how likely the conditions still to come are met, given what a row already knows.

Value trees say it, for each column whose drawing settles a condition. There are two ways to make them: messages from
the leaves' backward histograms, sharp on sparse graphs, and evidence trees grown on a pilot of free rows, which do
not count evidence twice where many paths lead to the same column. Only efficiency is at stake, never correctness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.sampling.particles import Twist
from janus_synth.sampling.request import Request
from janus_synth.trees.compiled import CompiledTrees

DEFENCE = 0.05
"""A step never makes a condition less likely than this share of what it was before.

Value trees are coarse, and where they are wrongly sure that a region is out, hardly any particle goes there and the few
that do weigh as much as all others: estimates are too low almost always. A defensive mixture (Hesterberg 1995) bounds
the weights.
"""


class ValueTree(NamedTuple):
    """A tree of the chance that a column, once drawn, meets what is asked."""

    closes: int
    """The column whose drawing settles it."""
    walker: CompiledTrees
    """One tree with one value per leaf."""

    def chances(self, x: Codes, column: int, n_codes: int, log_before: Floats, *, ordered: bool) -> Floats:
        """(rows, codes) chance if the column takes each code, over the chance before it is drawn."""
        n = x.shape[1]
        if not self.walker.trees.uses[0, column]:  # the column settles a part of the condition, whatever its code
            return np.broadcast_to(np.exp(self.log_values(x) - log_before)[:, None], (n, n_codes))
        value, log_scale = np.ones((n, n_codes)), -log_before
        first, nothing = np.zeros(n, INDEX), np.zeros(n, CODE)
        self.walker.multiply(value, x, column, ordered=ordered, tree=first, of=nothing, log_scale=log_scale)
        value *= np.exp(log_scale)[:, None]
        return value

    def log_values(self, x: Codes) -> Floats:
        """Log chance of each row, given what is known of it."""
        with np.errstate(divide="ignore"):
            return np.log(self.walker.values(x))


@dataclass(frozen=True, slots=True)
class Lookahead:
    """What to look at as each column is drawn."""

    request: Request
    first: Mapping[int, float]
    """Chance of each column that settles a condition, when nothing is known."""
    looks: Mapping[int, tuple[ValueTree, ...]]
    """For each column, the trees to consult while it is drawn."""

    def initial_log_values(self, n: int) -> Floats:
        """(columns, rows) log chance of every condition when nothing is known."""
        looked = np.zeros((len(self.request.parents), n))
        for column, chance in self.first.items():
            looked[column] = np.log(chance)
        return looked

    def is_idle(self, column: int) -> bool:
        """Whether drawing a column settles nothing and foretells nothing, so that its parents alone decide."""
        return column not in self.request.constrained and column not in self.first and column not in self.looks

    def about(self, column: int) -> list[int]:
        """Conditions whose chance changes, or is settled, when a column is drawn."""
        return [column, *(look.closes for look in self.looks.get(column, ()))]

    def twist(self, x: Codes, column: int, looked: Floats) -> Twist:
        """Multiplier of the scores of a column's codes by what they promise."""
        ordered = self.request.ordered(column)

        def multiply(score: Floats, log_scale: Floats) -> None:
            for look in self.looks.get(column, ()):
                before = looked[look.closes]
                score *= look.chances(x, column, score.shape[1], before, ordered=ordered) + DEFENCE
                log_scale += before

        return multiply

    def update(self, looked: Floats, x: Codes, column: int) -> None:
        """Bring the log chances up to date after a column is drawn."""
        looked[column] = 0.0
        for look in self.looks.get(column, ()):
            before = looked[look.closes]
            looked[look.closes] = before + np.log(np.exp(look.log_values(x) - before) + DEFENCE)
