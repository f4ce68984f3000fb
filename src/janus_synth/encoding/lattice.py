"""Find the grid a column's values live on (integers, cents, days) and put values back on it exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts

MOST_DECIMALS = 6
MOST_INTEGER = 2.0**62


@dataclass(frozen=True, slots=True)
class Lattice:
    """Values ``(base + gap · m) / scale`` for whole m; all three are whole numbers, so decimals come out exact."""

    base: int
    gap: int
    scale: int

    @property
    def step(self) -> float:
        """Distance between neighbouring values."""
        return self.gap / self.scale

    def snap(self, values: Floats) -> Floats:
        """Nearest value on the lattice."""
        m = np.rint((values * self.scale - self.base) / self.gap)
        return (self.base + self.gap * m) / self.scale

    def ceil(self, value: float) -> float:
        """Smallest value on the lattice that is not below ``value``."""
        m = math.ceil((value * self.scale - self.base) / self.gap - 1e-9)
        return (self.base + self.gap * m) / self.scale

    def floor(self, value: float) -> float:
        """Largest value on the lattice that is not above ``value``."""
        m = math.floor((value * self.scale - self.base) / self.gap + 1e-9)
        return (self.base + self.gap * m) / self.scale

    def to_list(self) -> list[int]:
        """Plain numbers for a file."""
        return [self.base, self.gap, self.scale]


def find_lattice(values: Floats, *, single_precision: bool = False) -> Lattice | None:
    """Coarsest lattice that holds every value, or None for a continuous column.

    Examples
    --------
    >>> find_lattice(np.array([0.25, 0.75, 2.0])).step
    0.25
    """
    distinct = np.unique(values)
    stored = np.float32 if single_precision else np.float64
    finest = float(np.spacing(stored(np.abs(distinct).max(initial=0.0))))
    for decimals in range(MOST_DECIMALS + 1):
        scaled = distinct * 10.0**decimals
        largest = float(np.abs(scaled).max(initial=0.0))
        if largest >= MOST_INTEGER:
            return None
        whole = np.rint(scaled)
        if single_precision:
            close = (whole / 10.0**decimals).astype(np.float32) == distinct.astype(np.float32)
        else:  # rounding errors of sums such as 0.1 + 0.2, and never half a step
            close = np.abs(scaled - whole) <= np.minimum(2e-15 * np.abs(scaled), 0.05)
        if close.all() and (len(distinct) == 1 or whole[0] < whole[-1]):
            lattice = _lattice_of_integers(whole.astype(np.int64), 10**decimals)
            return lattice if lattice.step >= 4 * finest else None  # floats have gaps of their own
    return None


def _lattice_of_integers(whole: LongInts, scale: int) -> Lattice:
    gap = int(np.gcd.reduce(np.diff(whole))) if len(whole) > 1 else 0
    gap = gap or scale  # a constant column: any step does, one unit is the natural one
    return Lattice(base=int(whole[0]), gap=gap, scale=scale)
