"""A column's codec in, its domain out: the set of values that the model can emit, and the algebra of such sets.

Domains hold *positions*: the integer m of a value ``(base + gap · m) / scale`` on a lattice, the index of a level, or
the value itself if the column is continuous. Neighbours and gaps are exact in positions; a ``Grid`` converts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.encoding import ColumnCodec, LevelCodec, OrderedCodec
from janus_synth.encoding.lattice import Lattice
from janus_synth.rules.holds import DOUBLE, ULPS, precision_of
from janus_synth.table import Column

Assignment = Mapping[int, float | None]
"""A position per column, None for null."""
UNITS = Lattice(0, 1, 1)
"""The lattice of level indices and of counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """Positions a column may take: sorted closed intervals that do not touch, and whether null is among them."""

    intervals: Floats
    """(n, 2) first and last position of each interval."""
    null: bool
    whole: bool
    """Positions are whole numbers."""

    @property
    def is_empty(self) -> bool:
        """Whether the domain is empty: no value and no null."""
        return not len(self.intervals) and not self.null

    @property
    def is_fixed(self) -> bool:
        """Whether exactly one value, or null, is left."""
        if self.null or len(self.intervals) != 1:
            return self.null and not len(self.intervals)
        return bool(self.intervals[0, 0] == self.intervals[0, 1])

    @property
    def low(self) -> float:
        """Smallest position."""
        return float(self.intervals[0, 0])

    @property
    def high(self) -> float:
        """Largest position."""
        return float(self.intervals[-1, 1])

    @property
    def size(self) -> float:
        """Number of values, null included; infinite for an interval of a continuous column."""
        widths = self.intervals[:, 1] - self.intervals[:, 0]
        if self.whole:
            return float(widths.sum()) + len(widths) + self.null
        return math.inf if widths.any() else float(len(widths) + self.null)

    def positions(self) -> Floats:
        """List all positions of a finite set in order; NaN at the end stands for null."""
        runs = [np.arange(low, high + 1) if self.whole else np.array([low]) for low, high in self.intervals.tolist()]
        return np.concatenate([*runs, np.full(int(self.null), np.nan)])

    def intersect(self, other: Domain) -> Domain:
        """Intersection; returns ``self`` if nothing is removed, so that callers can compare by identity."""
        null = self.null and other.null
        if len(other.intervals) == 1:
            return self.clip(*other.intervals[0].tolist(), null=null)
        a, b = self.intervals, other.intervals
        first, last = np.searchsorted(b[:, 1], a[:, 0]), np.searchsorted(b[:, 0], a[:, 1], side="right")
        count = last - first
        i = np.repeat(np.arange(len(a)), count)
        j = np.arange(len(i)) + np.repeat(first - np.cumsum(count) + count, count)
        intervals = np.column_stack([np.maximum(a[i, 0], b[j, 0]), np.minimum(a[i, 1], b[j, 1])])
        return self._narrowed_to(intervals, null)

    def clip(self, low: float, high: float, *, null: bool) -> Domain:
        """Keep the positions from ``low`` to ``high``, and null only if ``null`` is true."""
        null = self.null and null
        if len(self.intervals) and low <= self.intervals[0, 0] and self.intervals[-1, 1] <= high:
            return self if null == self.null else Domain(self.intervals, null, self.whole)
        first = np.searchsorted(self.intervals[:, 1], low)
        last = np.searchsorted(self.intervals[:, 0], high, side="right")
        intervals = np.clip(self.intervals[first:last], low, high) if low <= high else self.intervals[:0]
        return Domain(intervals, null, self.whole) if len(self.intervals) or null != self.null else self

    def _narrowed_to(self, intervals: Floats, null: bool) -> Domain:
        if null == self.null and intervals.shape == self.intervals.shape and np.array_equal(intervals, self.intervals):
            return self
        return Domain(intervals, null, self.whole)

    def unite(self, other: Domain) -> Domain:
        """Union."""
        intervals = np.concatenate([self.intervals, other.intervals])
        return merge_intervals(intervals, self.null or other.null, self.whole)

    def complement(self) -> Domain:
        """All other positions, without null."""
        first, last = self.intervals.T
        after, before = np.nextafter(last, np.inf), np.nextafter(first, -np.inf)
        if self.whole:  # beyond 2**53 the next number is more than 1 away
            after, before = np.maximum(after, last + 1), np.minimum(before, first - 1)
        low, high = np.append(-np.inf, after), np.append(before, np.inf)
        return Domain(np.column_stack([low, high])[low <= high], False, self.whole)

    def without_null(self) -> Domain:
        """Remove null."""
        return Domain(self.intervals, False, self.whole) if self.null else self

    def without(self, position: float | None) -> Domain:
        """Remove one position; None stands for null."""
        if position is None:
            return self.without_null()
        point = Domain(np.array([[position, position]]), False, self.whole)
        return Domain(self.intersect(point.complement()).intervals, self.null, self.whole)

    def at(self, position: float | None) -> Domain:
        """Return the domain of a single position; None stands for null."""
        if position is None:
            return Domain(np.empty((0, 2)), True, self.whole)
        return Domain(np.array([[position, position]]), False, self.whole)

    def contains(self, positions: Floats) -> Bools:
        """Which positions are in the domain; NaN stands for null."""
        at = np.searchsorted(self.intervals[:, 1], positions)
        padded = np.append(self.intervals[:, 0], np.inf)
        return np.where(np.isnan(positions), self.null, padded[at] <= positions)

    def nearest(self, position: float) -> float:
        """Return the nearest position of the domain."""
        inside = np.clip(position, self.intervals[:, 0], self.intervals[:, 1])
        near = float(inside[np.argmin(np.abs(inside - position))])
        return self.nearest(float(np.rint(near))) if self.whole and near != np.rint(near) else near


def merge_intervals(intervals: Floats, null: bool, whole: bool) -> Domain:
    """Build a domain from intervals in any order, which may overlap or be empty."""
    intervals = intervals[intervals[:, 0] <= intervals[:, 1]]
    if len(intervals) < 2:
        return Domain(intervals, null, whole)
    intervals = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(intervals[:, 1])
    starts = np.append(True, intervals[1:, 0] > reach[:-1] + (1.0 if whole else 0.0))
    ends = np.append(starts[1:], True)
    return Domain(np.column_stack([intervals[starts, 0], reach[ends]]), null, whole)


def next_position(position: float, whole: bool) -> float:
    """Return the next position."""
    return position + 1.0 if whole else math.nextafter(position, math.inf)


def previous_position(position: float, whole: bool) -> float:
    """Return the position before."""
    return position - 1.0 if whole else math.nextafter(position, -math.inf)


@dataclass(frozen=True, slots=True)
class Grid:
    """Converts positions of a column to values and back, within the rounding of stored values."""

    lattice: Lattice | None
    precision: float = DOUBLE

    @property
    def whole(self) -> bool:
        """Positions are whole numbers."""
        return self.lattice is not None

    def value(self, position: float) -> float:
        """Value at a position."""
        if self.lattice is None:
            return position
        return (self.lattice.base + self.lattice.gap * position) / self.lattice.scale

    def position(self, value: float) -> float:
        """Position of a value; off the lattice, it is not whole."""
        if self.lattice is None:
            return value
        return (value * self.lattice.scale - self.lattice.base) / self.lattice.gap

    def values(self, positions: Floats) -> Floats:
        """Values at some positions."""
        if self.lattice is None:
            return positions
        return (self.lattice.base + self.lattice.gap * positions) / self.lattice.scale

    def positions(self, values: Floats) -> Floats:
        """Positions of some values; off the lattice, they are not whole."""
        if self.lattice is None:
            return values
        return (values * self.lattice.scale - self.lattice.base) / self.lattice.gap

    def sign(self, position: float, number: float, precision: float = DOUBLE) -> int:
        """Compare the value at a position with a number as ``judge`` does: −1 below, 0 equal, 1 above."""
        x = self.value(position)
        slack = 0.0 if x.is_integer() and number.is_integer() else precision * abs(number) + self.precision * abs(x)
        gap = x - number
        return int(gap > ULPS * slack) - int(gap < -ULPS * slack)

    def edges(self, number: float, within: Domain, precision: float = DOUBLE) -> tuple[float, float]:
        """Last position of a domain below a number and first position above it, compared as ``judge`` does."""
        if not len(within.intervals) or self.sign(within.low, number, precision) > 0:
            return -math.inf, -math.inf
        if self.sign(within.high, number, precision) < 0:
            return math.inf, math.inf
        low, high = within.low, within.high
        if not self.whole:  # all values that compare equal lie this close
            close = 4 * ULPS * (precision + self.precision) * abs(number) + 5e-324
            low, high = max(low, number - close), min(high, number + close)
        below = self._last(low, high, lambda position: self.sign(position, number, precision) < 0)
        above = self._last(low, high, lambda position: self.sign(position, number, precision) <= 0)
        return below, next_position(above, self.whole)

    def _last(self, low: float, high: float, is_before: Callable[[float], bool]) -> float:
        """Bisect for the last position with ``is_before``; the one before ``low`` if there is none."""
        if not is_before(low):
            return previous_position(low, self.whole)
        if is_before(high):
            return high
        while True:
            middle = float(math.floor((low + high) / 2)) if self.whole else low / 2 + high / 2
            if not low < middle < high:
                return low
            low, high = (middle, high) if is_before(middle) else (low, middle)


def round_outwards(grid: Grid, low: float, high: float) -> tuple[float, float]:
    """Positions of two values, rounded so that no position between them is lost."""
    if grid.lattice is None:
        return low, high
    first, last = grid.position(low), grid.position(high)
    base, gap, scale = grid.lattice.base, grid.lattice.gap, grid.lattice.scale
    if math.isfinite(first):
        first = math.ceil(first - 1e-9 - 4 * DOUBLE * (abs(low) * scale + abs(base)) / gap)
    if math.isfinite(last):
        last = math.floor(last + 1e-9 + 4 * DOUBLE * (abs(high) * scale + abs(base)) / gap)
    return float(first), float(last)


def column_grid(column: Column, codec: ColumnCodec) -> Grid:
    """Grid of a column: its lattice and the rounding of its stored values."""
    lattice = codec.lattice if isinstance(codec, OrderedCodec) else UNITS
    return Grid(lattice, precision_of(column))


def column_domain(codec: ColumnCodec) -> Domain:
    """Domain of a column: all positions that the model can emit."""
    if isinstance(codec, LevelCodec):
        seen = np.flatnonzero(codec.weight > 0).astype(np.float64)
        return merge_intervals(np.column_stack([seen, seen]), codec.nullable, True)
    assert isinstance(codec, OrderedCodec)
    null, n_bins = bool(codec.allowed[-1]) or not codec.n_bins, codec.n_bins
    ends = np.array([(codec.smallest(k), codec.largest(k)) for k in range(n_bins)]).reshape(-1, 2)
    if codec.lattice is not None:
        positions = (ends * codec.lattice.scale - codec.lattice.base) / codec.lattice.gap
        return merge_intervals(np.rint(positions), null, True)
    wide = ends[:, 0] < ends[:, 1]  # bins end where their neighbours begin; atoms are single values
    ends[1:, 0] = np.where(wide[1:], np.maximum(ends[1:, 0], np.nextafter(codec.upper, np.inf)), ends[1:, 0])
    ends[:-1, 1] = np.where(wide[:-1], np.minimum(ends[:-1, 1], codec.upper), ends[:-1, 1])
    touching = np.nextafter(ends[:-1, 1], np.inf) >= ends[1:, 0]
    ends[:-1, 1] = np.where(touching, np.maximum(ends[:-1, 1], ends[1:, 0]), ends[:-1, 1])
    return merge_intervals(ends, null, False)
