"""Numbers and datetimes in, codes of bins out; codes back to values by the quantile function inside each bin."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, LongInts
from janus_synth.encoding.bins import LEAST_ROWS, NOTHING, Bins, cut_bins
from janus_synth.encoding.gaps import NO_GAPS, find_gaps
from janus_synth.encoding.holes import find_holes, hole_knots
from janus_synth.encoding.lattice import Lattice, find_lattice
from janus_synth.encoding.smooth_quantiles import smooth_quantiles

N_KNOTS = 17
"""Points of the quantile function kept per bin, its two ends among them."""
ROWS_PER_KNOT = 4


@dataclass(frozen=True, slots=True)
class OrderedCodec:
    """Bins of an ordered column; the code after the last bin is *missing*.

    Inside bin k the quantile function is linear between the points ``(level[k, t], knot[k, t])``, so the mass of an
    interval and a draw truncated to it have closed forms. On a lattice the knots lie half a step off its values, and a
    draw is rounded onto it.
    """

    upper: Floats
    """(K − 1,) boundaries: a value belongs to the first bin whose upper bound it does not exceed."""
    knot: Floats
    """(K, N_KNOTS) values, ascending; an atom's are all equal."""
    level: Floats
    """(K, N_KNOTS) shares of the bin's mass below each knot, from 0 to 1."""
    lattice: Lattice | None
    nullable: bool
    gaps: Floats = field(default_factory=lambda: NO_GAPS)
    """(gaps, 2) ends of the wide intervals between values that hold no rows, ascending."""

    @property
    def ordered(self) -> bool:
        """Neighbouring codes are neighbouring values."""
        return True

    @property
    def n_bins(self) -> int:
        """Bins of present values."""
        return len(self.knot)

    @property
    def atoms(self) -> Floats:
        """Values that are bins of their own."""
        return np.asarray(self.knot[self.knot[:, 0] == self.knot[:, -1], 0])

    @property
    def n_codes(self) -> int:
        """Bins and the code for missing."""
        return self.n_bins + 1

    @property
    def allowed(self) -> Bools:
        """Codes that rows may take: every bin, seen or not, and missing where the column has it."""
        allowed = np.ones(self.n_codes, bool)
        allowed[-1] = self.nullable
        return allowed

    def encode(self, values: Floats) -> Codes:
        """Bin of each value; values outside all bins get the nearest."""
        from janus_synth.kernels.decoding import bins_of_values

        codes = np.empty(len(values), np.uint16)
        lattice = self.lattice or Lattice(0, 1, 0)  # scale 0 means no lattice
        grid = float(lattice.base), float(lattice.gap), float(lattice.scale)
        bins_of_values(np.ascontiguousarray(values, np.float64), self.upper, self.n_bins, *grid, codes)
        return codes

    def decode(self, codes: Codes, u: Floats, out: Floats | None = None) -> Floats:
        """Quantile ``u`` of each code's bin; NaN for missing. ``out`` receives them if it is given."""
        from janus_synth.kernels.decoding import values_in_bins

        values = np.empty(len(codes)) if out is None else out
        lattice = self.lattice or Lattice(0, 1, 0)  # scale 0 means no lattice
        grid = float(lattice.base), float(lattice.gap), float(lattice.scale)
        values_in_bins(codes, u, self.level, self.knot, self.upper, *grid, values)
        return values

    def smallest(self, code: int) -> float:
        """Lower end of a bin, on the lattice where there is one."""
        return self._end(code, 0, 1.0)

    def largest(self, code: int) -> float:
        """Upper end of a bin, on the lattice where there is one."""
        return self._end(code, -1, -1.0)

    def _end(self, code: int, side: int, inward: float) -> float:
        end = float(self.knot[code, side])
        if self.lattice is None or self.knot[code, 0] == self.knot[code, -1]:
            return end
        return float(self.lattice.snap(np.array(end + inward * self.lattice.step / 2)))

    def log_density(self, values: Floats, codes: Codes) -> Floats:
        """Log density of each value inside its bin: per unit where continuous, a probability on atoms and lattices."""
        out = np.zeros(len(values))
        present = ~np.isnan(values)
        if self.n_bins == 0:  # every cell was missing
            return np.where(present, -np.inf, 0.0)
        v, bins = values[present], codes[present]
        lowest, highest = self.knot[bins, 0], self.knot[bins, -1]
        if self.lattice is None:
            dense = self._slope(bins, v)
            at_atom = np.isclose(v, lowest, rtol=1e-12, atol=0.0)
        else:
            half = self.lattice.step / 2
            slack = np.minimum(half / 2, np.maximum(half * 1e-3, np.abs(v) * 6e-8))  # rounding of 32-bit storage
            on_it = np.abs(v - self.lattice.snap(v)) <= slack
            dense = np.where(on_it, self.share_below(bins, v + half) - self.share_below(bins, v - half), 0.0)
            at_atom = np.abs(v - lowest) <= slack
        with np.errstate(divide="ignore"):
            out[present] = np.log(np.where(lowest == highest, at_atom.astype(float), dense))
        return out

    def share_below(self, bins: Codes, values: Floats) -> Floats:
        """Share of each bin's mass below a value."""
        left, right, below, above = self._segment(bins, values)
        along = np.clip((values - left) / np.where(right > left, right - left, 1.0), 0.0, 1.0)
        return np.where(values >= self.knot[bins, -1], 1.0, below + along * (above - below))

    def _slope(self, bins: Codes, values: Floats) -> Floats:
        left, right, below, above = self._segment(bins, values)
        inside = (values >= self.knot[bins, 0]) & (values <= self.knot[bins, -1]) & (right > left)
        return np.where(inside, (above - below) / np.where(right > left, right - left, 1.0), 0.0)

    def _segment(self, bins: Codes, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Knots and levels around each value; for the largest value the last segment of positive width."""
        knots, levels = self.knot[bins], self.level[bins]
        below_top = np.minimum(values, np.nextafter(knots[:, -1], -np.inf))
        segment = np.clip((knots <= below_top[:, None]).sum(axis=1) - 1, 0, N_KNOTS - 2)
        rows = np.arange(len(values))
        return (
            knots[rows, segment],
            knots[rows, segment + 1],
            levels[rows, segment],
            levels[rows, segment + 1],
        )


def fit_ordered(
    values: Floats,
    *,
    n_bins: int,
    within: str = "smooth",
    equal_mass: bool = False,
    low: float | None = None,
    high: float | None = None,
    nullable: bool = False,
    single_precision: bool = False,
    least: int = 1,
    moved: Floats = NOTHING,
) -> OrderedCodec:
    """Fit bins, and a quantile function inside each, to a column's values.

    Parameters
    ----------
    values : array of float
        NaN is missing; at least one value is present.
    n_bins : int
        Most bins.
    within : {"smooth", "knots", "uniform"}
        Distribution inside a bin: smoothed quantiles where the column is smooth, sample quantiles, or uniform.
    equal_mass : bool
        Plain quantile bins without atoms, as in the paper.
    low, high : float, optional
        The declared domain; where it extends beyond the values seen, an empty bin covers the rest.
    nullable : bool
        Whether missing belongs to the domain.
    single_precision : bool
        The values were stored as 32-bit floats, so 0.1 is only approximate.
    least : int
        Fewest rows of a value that is a bin of its own.
    moved : array of float
        Those of the values that are not the column's own, but smoothed ends.
    """
    present = values[~np.isnan(values)]
    if not len(present):
        return OrderedCodec(np.empty(0), np.empty((0, N_KNOTS)), np.empty((0, N_KNOTS)), None, nullable)
    lattice = find_lattice(present, single_precision=single_precision)
    if lattice is not None:
        present = lattice.snap(present)
    bins = cut_bins(present, n_bins, lattice=lattice, equal_mass=equal_mass, least=least, moved=moved)
    lower, upper = _supports(bins, lattice)
    boundary = _boundaries(bins, upper)
    knot, level = np.empty((len(bins), N_KNOTS)), np.empty((len(bins), N_KNOTS))
    is_smooth = np.zeros(len(bins), bool)
    if lattice is None and within == "smooth" and not equal_mass:
        is_smooth = _smooth(bins, lower, upper, boundary, knot, level)
    is_atom = bins.smallest == bins.largest  # never smooth
    knot[is_atom], level[is_atom] = bins.smallest[is_atom, None], np.linspace(0, 1, N_KNOTS)
    for i in np.flatnonzero(~is_atom & ~is_smooth).tolist():
        knot[i], level[i] = _bin_knots(
            bins, i, lower[i], upper[i], lattice, uniform=within == "uniform", least=least
        )  # fmt: skip
    if lattice is not None and not equal_mass:
        _add_holes(bins, present, lattice, knot, level)
    if low is not None and low < bins.values[0]:
        boundary, knot, level = _widen_below(boundary, knot, level, low, bins.values[0], lattice)
    if high is not None and high > bins.values[-1]:
        boundary, knot, level = _widen_above(boundary, knot, level, bins.values[-1], high, lattice)
    return OrderedCodec(boundary, knot, level, lattice, nullable, find_gaps(present, lattice))


def _supports(bins: Bins, lattice: Lattice | None) -> tuple[Floats, Floats]:
    """Lower and upper end of each bin's support.

    An atom is a point. Other bins extend to a neighbouring atom, or half way to a neighbouring bin; on a lattice they
    consist of whole cells, where a cell is a value with half a step on either side. No end is a single
    row's value.
    """
    smallest, largest = bins.smallest, bins.largest
    atom = smallest == largest
    half = 0.0 if lattice is None else lattice.step / 2
    lower, upper = smallest - half, largest + half
    middle = _between(largest[:-1], smallest[1:], lattice)
    meet_below = np.where(atom[:-1], largest[:-1] + half, middle)
    meet_above = np.where(atom[1:], smallest[1:] - half, middle)
    lower[1:], upper[:-1] = meet_below, meet_above
    return np.where(atom, smallest, lower), np.where(atom, largest, upper)


def _between(left: Floats, right: Floats, lattice: Lattice | None) -> Floats:
    """Half way between values; on a lattice the border of two cells that is nearest to it."""
    middle = left / 2 + right / 2
    if lattice is None:
        return middle
    half = lattice.step / 2
    return np.clip(lattice.snap(middle - half) + half, left + half, right - half)


def _boundaries(bins: Bins, upper: Floats) -> Floats:
    """Upper bound of every bin but the last, for encoding."""
    atom = bins.smallest == bins.largest
    nearest = bins.largest[:-1] / 2 + bins.smallest[1:] / 2
    bound = np.where(atom[:-1] & atom[1:], nearest, upper[:-1])
    just_below = np.nextafter(bins.smallest[1:], -np.inf)  # so that an atom's value belongs to the atom
    return np.minimum(bound, just_below)


def _smooth(bins: Bins, lower: Floats, upper: Floats, boundary: Floats, knot: Floats, level: Floats) -> Bools:
    """Replace runs of bins between atoms by bins of equal mass of a smooth quantile function, where one fits.

    Writes ``boundary``, ``knot`` and ``level`` of such bins; returns which they are.
    """
    atom, is_smooth = bins.smallest == bins.largest, np.zeros(len(bins), bool)
    ends = np.flatnonzero(np.diff(np.concatenate([[1], atom, [1]])))  # starts and ends of runs, alternating
    for first, stop in zip(ends[::2], ends[1::2], strict=True):
        run = slice(bins.first[first], bins.first[stop])
        curve = smooth_quantiles(np.repeat(bins.values[run], bins.counts[run]), lower[first], upper[stop - 1])
        if curve is None:
            continue
        n_bins = stop - first
        level[first:stop, 0], level[first:stop, -1] = 0.0, 1.0
        level[first:stop, 1:-1] = knot_levels(N_KNOTS - 2, first=False, last=False)
        for i in {0, len(bins) - 1} & {first, stop - 1}:
            level[i, 1:-1] = knot_levels(N_KNOTS - 2, first=i == 0, last=i == len(bins) - 1)
        knot[first:stop] = curve((np.arange(n_bins)[:, None] + level[first:stop]) / n_bins)
        boundary[first : stop - 1] = knot[first : stop - 1, -1]
        is_smooth[first:stop] = True
    return is_smooth


def _add_holes(bins: Bins, values: Floats, lattice: Lattice, knot: Floats, level: Floats) -> None:
    """Write ``knot`` and ``level`` of atoms that values of the lattice beside them belong to."""
    holes = find_holes(bins, values, lattice)
    for i in np.flatnonzero(holes.below + holes.above).tolist():
        start = bins.first[i]
        own = int(bins.counts[start])
        knots, levels = hole_knots(
            bins.values[start], holes.below[i], holes.above[i], holes.rows, own, lattice.step
        )  # fmt: skip
        knot[i], level[i] = knots[-1], 1.0
        knot[i, : len(knots)], level[i, : len(knots)] = knots, levels


def _bin_knots(
    bins: Bins, i: int, lower: float, upper: float, lattice: Lattice | None, *, uniform: bool, least: int
) -> tuple[Floats, Floats]:
    """Knots and levels of a bin of several values, padded to N_KNOTS at its upper end."""
    run = slice(bins.first[i], bins.first[i + 1])
    values, counts = bins.values[run], bins.counts[run]
    knots, levels = np.full(N_KNOTS, upper), np.ones(N_KNOTS)
    knots[0], levels[0] = lower, 0.0
    if not uniform:
        inner, below = _inner_knots(values, counts, lattice, first=i == 0, last=i == len(bins) - 1, least=least)
        knots[1 : len(inner) + 1], levels[1 : len(inner) + 1] = inner, below
    return knots, levels


def _inner_knots(
    values: Floats, counts: LongInts, lattice: Lattice | None, *, first: bool, last: bool, least: int
) -> tuple[Floats, Floats]:
    """Midpoints between neighbouring values, where the share below is known exactly, as knots."""
    n = int(counts.sum())
    if lattice is not None:
        cells = round((values[-1] - values[0]) / lattice.step) + 1
        if cells < N_KNOTS - 1:  # few cells: keep the mass of each, and give unseen ones a little
            return _cell_knots(values, counts, cells, lattice, least)
    points = _between(values[:-1], values[1:], lattice)
    below = np.cumsum(counts)[:-1] / n
    n_inner = min(max(n // ROWS_PER_KNOT, 1), N_KNOTS - 2)
    if len(points) <= n_inner:
        return points, below
    wanted = knot_levels(n_inner, first=first, last=last)
    chosen = np.minimum(np.searchsorted(below, wanted), len(below) - 1)  # ascending
    chosen = chosen[np.diff(chosen, prepend=-1) > 0]
    return points[chosen], below[chosen]


def _cell_knots(values: Floats, counts: LongInts, cells: int, lattice: Lattice, least: int) -> tuple[Floats, Floats]:
    """A knot between every two cells of a lattice bin; cells of few rows share theirs, unless all is kept."""
    weight = np.zeros(cells)
    weight[np.rint((values - values[0]) / lattice.step).astype(int)] = counts
    thin = (
        weight < LEAST_ROWS
    )  # in small tables too, where ``least`` is lower: a bin's shape would be that of single rows
    if least > 1 and thin.any():
        weight[thin] = weight[thin].mean()
    if (weight == 0).any():
        weight += 0.5  # unseen values may still occur
    return values[0] + lattice.step * (np.arange(cells - 1) + 0.5), np.cumsum(weight)[:-1] / weight.sum()


@cache
def knot_levels(n: int, *, first: bool, last: bool) -> Floats:
    """Evenly spaced levels; in the first and last bin denser towards the tail. Read-only."""
    towards_end = 1 - 2.0 ** -np.linspace(0.5, max(1.0, n / 2), n)
    levels = towards_end if last else np.sort(1 - towards_end)
    if first == last:
        levels = np.arange(1, n + 1) / (n + 1)
    levels.flags.writeable = False
    return levels


def _widen_below(
    boundary: Floats, knot: Floats, level: Floats, low: float, smallest: float, lattice: Lattice | None
) -> tuple[Floats, Floats, Floats]:
    """Add an empty bin from the declared lower end to the smallest value."""
    half, start = 0.0, low
    if lattice is not None:
        half, start = lattice.step / 2, float(lattice.ceil(low))
        if start > smallest - half:
            return boundary, knot, level
    knots, levels = _uniform_knots(start - half, smallest - half)
    return (
        np.insert(boundary, 0, np.nextafter(smallest - half, -np.inf)),
        np.vstack([knots, knot]),
        np.vstack([levels, level]),
    )


def _widen_above(
    boundary: Floats, knot: Floats, level: Floats, largest: float, high: float, lattice: Lattice | None
) -> tuple[Floats, Floats, Floats]:
    """Add an empty bin from the largest value to the declared upper end."""
    half, stop = 0.0, high
    if lattice is not None:
        half, stop = lattice.step / 2, float(lattice.floor(high))
        if stop < largest + half:
            return boundary, knot, level
    knots, levels = _uniform_knots(largest + half, stop + half)
    return np.append(boundary, largest + half), np.vstack([knot, knots]), np.vstack([level, levels])


def _uniform_knots(low: float, high: float) -> tuple[Floats, Floats]:
    """Knots and levels of a bin with a uniform distribution."""
    levels = np.linspace(0, 1, N_KNOTS)
    return np.minimum(low + levels * (high - low), high), levels  # rounding may not leave the domain
