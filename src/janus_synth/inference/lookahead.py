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
from numpy.typing import NDArray

from janus_synth.inference.particles import Twist
from janus_synth.inference.request import Request
from janus_synth.inference.walker import Walker
from janus_synth.kernels.dtypes import CODE, INDEX

Codes = NDArray[np.uint16]
Floats = NDArray[np.float64]


class Look(NamedTuple):
    """A tree of the chance that a column, once drawn, meets what is asked."""

    closes: int
    """The column whose drawing settles it."""
    walker: Walker
    """One tree with one value per leaf."""


@dataclass(frozen=True, slots=True)
class Lookahead:
    """What to look at as each column is drawn."""

    request: Request
    first: Mapping[int, float]
    """Chance of each column that settles a condition, when nothing is known."""
    looks: Mapping[int, tuple[Look, ...]]
    """For each column, the trees to consult while it is drawn."""

    def first_look(self, n: int) -> Floats:
        """(columns, rows) log chance of every condition when nothing is known."""
        looked = np.zeros((len(self.request.parents), n))
        for column, chance in self.first.items():
            looked[column] = np.log(chance)
        return looked

    def about(self, column: int) -> list[int]:
        """Conditions whose chance changes, or is settled, when a column is drawn."""
        return [column, *(look.closes for look in self.looks.get(column, ()))]

    def twist(self, x: Codes, column: int) -> Twist:
        """Multiplier of the scores of a column's codes by what they promise."""

        def multiply(score: Floats, log_scale: Floats) -> None:
            first, nothing = np.zeros(len(score), INDEX), np.zeros(len(score), CODE)
            ordered = self.request.ordered(column)
            for look in self.looks.get(column, ()):
                look.walker.multiply(score, x, column, ordered=ordered, tree=first, of=nothing, log_scale=log_scale)

        return multiply

    def look_again(self, looked: Floats, x: Codes, column: int) -> None:
        """Bring the log chances up to date after a column is drawn."""
        looked[column] = 0.0
        for look in self.looks.get(column, ()):
            with np.errstate(divide="ignore"):
                looked[look.closes] = np.log(look.walker.values(x))
