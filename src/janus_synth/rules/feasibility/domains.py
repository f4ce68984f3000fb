"""A column's codec in, the set of values that the model can emit out; and the algebra of such sets.

Sets are kept in *places*: the whole number m of a value ``(base + gap · m) / scale`` on a lattice, the index of a
level, or the value itself where a column is continuous. On places, neighbours and gaps are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.encoding import ColumnCodec, LevelCodec, OrderedCodec
from janus_synth.encoding.lattice import Lattice
from janus_synth.rules.holds import DOUBLE, ULPS, precision_of
from janus_synth.table import Column

UNITS = Lattice(0, 1, 1)
"""The lattice of levels and of counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """Places a column may take: sorted closed intervals that do not touch, and whether null is among them."""

    pieces: Floats
    """(n, 2) first and last place of each interval."""
    null: bool
    whole: bool
    """Places are whole numbers."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left, not even null."""
        return not len(self.pieces) and not self.null

    @property
    def is_fixed(self) -> bool:
        """Whether exactly one value, or null, is left."""
        if self.null or len(self.pieces) != 1:
            return self.null and not len(self.pieces)
        return bool(self.pieces[0, 0] == self.pieces[0, 1])

    @property
    def low(self) -> float:
        """First place."""
        return float(self.pieces[0, 0])

    @property
    def high(self) -> float:
        """Last place."""
        return float(self.pieces[-1, 1])

    @property
    def size(self) -> float:
        """How many values there are, null included; infinite for an interval of a continuous column."""
        widths = self.pieces[:, 1] - self.pieces[:, 0]
        if self.whole:
            return float(widths.sum()) + len(widths) + self.null
        return math.inf if widths.any() else float(len(widths) + self.null)

    def places(self) -> Floats:
        """All places of a finite set, in order; NaN at the end for null."""
        runs = [np.arange(low, high + 1) if self.whole else np.array([low]) for low, high in self.pieces.tolist()]
        return np.concatenate([*runs, np.full(int(self.null), np.nan)])

    def meet(self, other: Domain) -> Domain:
        """What both hold; the same object if that is all of it."""
        null = self.null and other.null
        if len(other.pieces) == 1:
            return self.clip(*other.pieces[0].tolist(), null=null)
        a, b = self.pieces, other.pieces
        first, last = np.searchsorted(b[:, 1], a[:, 0]), np.searchsorted(b[:, 0], a[:, 1], side="right")
        count = last - first
        i = np.repeat(np.arange(len(a)), count)
        j = np.arange(len(i)) + np.repeat(first - np.cumsum(count) + count, count)
        pieces = np.column_stack([np.maximum(a[i, 0], b[j, 0]), np.minimum(a[i, 1], b[j, 1])])
        return self._replaced(pieces, null)

    def clip(self, low: float, high: float, *, null: bool) -> Domain:
        """The places from ``low`` to ``high``, and null if asked."""
        null = self.null and null
        if len(self.pieces) and low <= self.pieces[0, 0] and self.pieces[-1, 1] <= high:
            return self if null == self.null else Domain(self.pieces, null, self.whole)
        first = np.searchsorted(self.pieces[:, 1], low)
        last = np.searchsorted(self.pieces[:, 0], high, side="right")
        pieces = np.clip(self.pieces[first:last], low, high) if low <= high else self.pieces[:0]
        return Domain(pieces, null, self.whole) if len(self.pieces) or null != self.null else self

    def _replaced(self, pieces: Floats, null: bool) -> Domain:
        if null == self.null and pieces.shape == self.pieces.shape and np.array_equal(pieces, self.pieces):
            return self
        return Domain(pieces, null, self.whole)

    def join(self, other: Domain) -> Domain:
        """What either holds."""
        pieces = np.concatenate([self.pieces, other.pieces])
        return domain(pieces, self.null or other.null, self.whole)

    def complement(self) -> Domain:
        """All places outside; null is not among them."""
        first, last = self.pieces.T
        after, before = np.nextafter(last, np.inf), np.nextafter(first, -np.inf)
        if self.whole:  # beyond 2**53 the next number is more than 1 away
            after, before = np.maximum(after, last + 1), np.minimum(before, first - 1)
        low, high = np.append(-np.inf, after), np.append(before, np.inf)
        return Domain(np.column_stack([low, high])[low <= high], False, self.whole)

    def present(self) -> Domain:
        """The same without null."""
        return Domain(self.pieces, False, self.whole) if self.null else self

    def without(self, place: float | None) -> Domain:
        """The same without one place, or without null."""
        if place is None:
            return self.present()
        point = Domain(np.array([[place, place]]), False, self.whole)
        return Domain(self.meet(point.complement()).pieces, self.null, self.whole)

    def at(self, place: float | None) -> Domain:
        """Only this place, or only null."""
        if place is None:
            return Domain(np.empty((0, 2)), True, self.whole)
        return Domain(np.array([[place, place]]), False, self.whole)

    def holds(self, places: Floats) -> Bools:
        """Which places are in the set; NaN stands for null."""
        at = np.searchsorted(self.pieces[:, 1], places)
        padded = np.append(self.pieces[:, 0], np.inf)
        return np.where(np.isnan(places), self.null, padded[at] <= places)

    def nearest(self, place: float) -> float:
        """The place of the set that is nearest to one."""
        inside = np.clip(place, self.pieces[:, 0], self.pieces[:, 1])
        near = float(inside[np.argmin(np.abs(inside - place))])
        return self.nearest(float(np.rint(near))) if self.whole and near != np.rint(near) else near


def domain(pieces: Floats, null: bool, whole: bool) -> Domain:
    """A set from intervals in any order, that may overlap or be empty."""
    pieces = pieces[pieces[:, 0] <= pieces[:, 1]]
    if len(pieces) < 2:
        return Domain(pieces, null, whole)
    pieces = pieces[np.argsort(pieces[:, 0], kind="stable")]
    reach = np.maximum.accumulate(pieces[:, 1])
    starts = np.append(True, pieces[1:, 0] > reach[:-1] + (1.0 if whole else 0.0))
    ends = np.append(starts[1:], True)
    return Domain(np.column_stack([pieces[starts, 0], reach[ends]]), null, whole)


def after(place: float, whole: bool) -> float:
    """The next place."""
    return place + 1.0 if whole else math.nextafter(place, math.inf)


def before(place: float, whole: bool) -> float:
    """The place before."""
    return place - 1.0 if whole else math.nextafter(place, -math.inf)


@dataclass(frozen=True, slots=True)
class Grid:
    """How places of a column become values, and how finely the judge can tell them apart."""

    lattice: Lattice | None
    precision: float = DOUBLE

    @property
    def whole(self) -> bool:
        """Places are whole numbers."""
        return self.lattice is not None

    def value(self, place: float) -> float:
        """Value at a place."""
        if self.lattice is None:
            return place
        return (self.lattice.base + self.lattice.gap * place) / self.lattice.scale

    def place(self, value: float) -> float:
        """Place of a value, whole or not."""
        if self.lattice is None:
            return value
        return (value * self.lattice.scale - self.lattice.base) / self.lattice.gap

    def values(self, places: Floats) -> Floats:
        """Values at some places."""
        if self.lattice is None:
            return places
        return (self.lattice.base + self.lattice.gap * places) / self.lattice.scale

    def places(self, values: Floats) -> Floats:
        """Places of some values, whole or not."""
        if self.lattice is None:
            return values
        return (values * self.lattice.scale - self.lattice.base) / self.lattice.gap

    def sign(self, place: float, number: float, precision: float = DOUBLE) -> int:
        """How the judge compares the value at a place with a number: −1 below, 0 equal, 1 above."""
        x = self.value(place)
        slack = 0.0 if x.is_integer() and number.is_integer() else precision * abs(number) + self.precision * abs(x)
        gap = x - number
        return int(gap > ULPS * slack) - int(gap < -ULPS * slack)

    def edges(self, number: float, within: Domain, precision: float = DOUBLE) -> tuple[float, float]:
        """Last place that the judge finds below a number and first place above it, looking no further than a set."""
        if not len(within.pieces) or self.sign(within.low, number, precision) > 0:
            return -math.inf, -math.inf
        if self.sign(within.high, number, precision) < 0:
            return math.inf, math.inf
        low, high = within.low, within.high
        if not self.whole:  # all that is to be told apart lies this close
            close = 4 * ULPS * (precision + self.precision) * abs(number) + 5e-324
            low, high = max(low, number - close), min(high, number + close)
        below = self._last(low, high, lambda place: self.sign(place, number, precision) < 0)
        above = self._last(low, high, lambda place: self.sign(place, number, precision) <= 0)
        return below, after(above, self.whole)

    def _last(self, low: float, high: float, is_before: Callable[[float], bool]) -> float:
        """Last place from ``low`` to ``high`` before a turn, or the one before ``low``."""
        if not is_before(low):
            return before(low, self.whole)
        if is_before(high):
            return high
        while True:
            middle = float(math.floor((low + high) / 2)) if self.whole else low / 2 + high / 2
            if not low < middle < high:
                return low
            low, high = (middle, high) if is_before(middle) else (low, middle)


def grid_of(column: Column, codec: ColumnCodec) -> Grid:
    """Places and values of a column."""
    lattice = codec.lattice if isinstance(codec, OrderedCodec) else UNITS
    return Grid(lattice, precision_of(column))


def domain_of(codec: ColumnCodec) -> Domain:
    """What the model can emit for a column."""
    if isinstance(codec, LevelCodec):
        seen = np.flatnonzero(codec.weight > 0).astype(np.float64)
        return domain(np.column_stack([seen, seen]), codec.nullable, True)
    assert isinstance(codec, OrderedCodec)
    null, n_bins = bool(codec.allowed[-1]) or not codec.n_bins, codec.n_bins
    ends = np.array([(codec.smallest(k), codec.largest(k)) for k in range(n_bins)]).reshape(-1, 2)
    if codec.lattice is not None:
        places = (ends * codec.lattice.scale - codec.lattice.base) / codec.lattice.gap
        return domain(np.rint(places), null, True)
    wide = ends[:, 0] < ends[:, 1]  # bins end where their neighbours begin; atoms are what they are
    ends[1:, 0] = np.where(wide[1:], np.maximum(ends[1:, 0], np.nextafter(codec.upper, np.inf)), ends[1:, 0])
    ends[:-1, 1] = np.where(wide[:-1], np.minimum(ends[:-1, 1], codec.upper), ends[:-1, 1])
    touching = np.nextafter(ends[:-1, 1], np.inf) >= ends[1:, 0]
    ends[:-1, 1] = np.where(touching, np.maximum(ends[:-1, 1], ends[1:, 0]), ends[:-1, 1])
    return domain(ends, null, False)
