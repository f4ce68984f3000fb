"""Values of a column in, the lattice they lie on out (integers, cents, days), which rounds further values onto it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts

MAX_DECIMALS = 6
MAX_INTEGER = 2.0**62


@dataclass(frozen=True, slots=True)
class Lattice:
    """Values ``(base + gap · m) / scale`` for integer m; all three are integers, so decimals are exact."""

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
        """Base, gap and scale, for a file."""
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
    for decimals in range(MAX_DECIMALS + 1):
        scaled = distinct * 10.0**decimals
        largest = float(np.abs(scaled).max(initial=0.0))
        if largest >= MAX_INTEGER:
            return None
        whole = np.rint(scaled)
        if single_precision:
            close = (whole / 10.0**decimals).astype(np.float32) == distinct.astype(np.float32)
        else:  # allow rounding errors as in 0.1 + 0.2, but nowhere near half a step
            close = np.abs(scaled - whole) <= np.minimum(2e-15 * np.abs(scaled), 0.05)
        if close.all() and (len(distinct) == 1 or whole[0] < whole[-1]):
            lattice = _lattice_of_integers(whole.astype(np.int64), 10**decimals)
            return (
                lattice if lattice.step >= 4 * finest else None
            )  # a finer lattice would only be the spacing of floats
    return None


def _lattice_of_integers(whole: LongInts, scale: int) -> Lattice:
    gap = int(np.gcd.reduce(np.diff(whole))) if len(whole) > 1 else 0
    gap = gap or scale  # a constant column: any step would do, so take one unit
    return Lattice(base=int(whole[0]), gap=gap, scale=scale)
