"""Values of an ordered column in, bins out: frequent values become atoms, the remaining mass is cut at quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.encoding.lattice import Lattice

FEW_VALUES = 32
"""A column with at most this many distinct values may be a code (1, 2 or 4 doors) rather than a measurement."""
NOTHING: Floats = np.empty(0)
LEAST_ROWS = 5
"""Fewest rows of a bin that is not an atom (see docs/defaults.md, *Fine bins*)."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins in ascending order, each a run of the column's distinct values."""

    values: Floats
    """Distinct values, ascending."""
    counts: LongInts
    """Rows with each distinct value."""
    first: LongInts
    """Bin i holds distinct values ``first[i] … first[i + 1] − 1``."""

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def smallest(self) -> Floats:
        """Smallest value of each bin."""
        return self.values[self.first[:-1]]

    @property
    def largest(self) -> Floats:
        """Largest value of each bin."""
        return self.values[self.first[1:] - 1]


def cut_bins(
    values: Floats,
    n_bins: int,
    *,
    lattice: Lattice | None = None,
    equal_mass: bool = False,
    least: int = 1,
    moved: Floats = NOTHING,
) -> Bins:
    """Cut values into at most ``n_bins`` bins, each with at least ``least`` rows if there are as many.

    Few distinct values, or a lattice without gaps, get a bin per value. Otherwise a value with enough rows to fill a
    bin of the *remaining* mass becomes an atom, repeatedly until there is none, and the rest is cut at quantiles into
    the bins that are left. ``equal_mass`` is the plain quantile cut of the paper, without atoms. Values that were
    ``moved`` to the place of others do not make those any more frequent.
    """
    distinct, counts = np.unique(values, return_counts=True)
    if equal_mass:
        first = _quantile_cuts(counts, np.zeros(len(counts), bool), n_bins)
        return join_thin_bins(Bins(distinct, counts, first), least, moved=moved)
    if lattice is not None:
        distinct, counts = fill_gaps(distinct, counts, lattice, n_bins)
    gapless = lattice is not None and bool(np.all(np.diff(distinct) < 1.5 * lattice.step))
    frequent = _own_rows(distinct, counts, moved) >= least
    if len(distinct) <= FEW_VALUES and not gapless and 2 * counts[frequent].sum() >= len(values):
        distinct, counts = distinct[frequent], counts[frequent]  # rare codes count in the nearest bin
    few = len(distinct) <= FEW_VALUES and bool((_own_rows(distinct, counts, moved) >= least).all())
    if len(distinct) <= n_bins and (few or gapless):
        return join_thin_bins(Bins(distinct, counts, np.arange(len(distinct) + 1)), least, dense=gapless, moved=moved)
    atom = find_atoms(counts, n_bins)
    wanted = min(n_bins - int(atom.sum()), int(counts[~atom].sum()) // LEAST_ROWS)
    while True:  # an atom inside a quantile bin splits it; try fewer bins, then fewer atoms, until all fit
        first = _quantile_cuts(counts, atom, max(1, wanted))
        excess = len(first) - 1 - n_bins
        if excess <= 0:
            return join_thin_bins(Bins(distinct, counts, first), least, dense=gapless, moved=moved)
        if wanted > 1:
            wanted -= excess
        else:
            atom[np.flatnonzero(atom)[np.argmin(counts[atom])]] = False


def fill_gaps(distinct: Floats, counts: LongInts, lattice: Lattice, n_bins: int) -> tuple[Floats, LongInts]:
    """Add the unseen values of the lattice, with zero rows, if every value can have a bin of its own.

    A column with few distinct values may be a code, whose unseen values may not exist: its gaps are filled only if at
    least half of the lattice between its smallest and largest value was seen.
    """
    position = np.rint((distinct - distinct[0]) / lattice.step).astype(np.int64)
    n_points = int(position[-1]) + 1
    is_code = len(distinct) <= FEW_VALUES and n_points > 2 * len(distinct)
    if is_code or n_points > n_bins:
        return distinct, counts
    filled = np.zeros(n_points, np.int64)
    filled[position] = counts
    return lattice.snap(distinct[0] + lattice.step * np.arange(n_points)), filled


def find_atoms(counts: LongInts, n_bins: int) -> Bools:
    """Which values have at least as many rows as an average bin of the mass outside atoms."""
    atom = np.zeros(len(counts), bool)
    while atom.sum() < n_bins - 1:
        rest = counts[~atom].sum()
        fresh = ~atom & (counts * (n_bins - int(atom.sum())) >= rest) & (counts >= LEAST_ROWS)
        if not fresh.any():
            break
        atom |= fresh
    return atom


def join_thin_bins(bins: Bins, least: int, *, dense: bool = False, moved: Floats = NOTHING) -> Bins:
    """Bins of at least ``least`` rows each: the thinnest joins its smaller neighbour, until none is too thin.

    On a ``dense`` lattice any neighbour will do. Elsewhere a bin of a single value is an atom and stays one: a thin bin
    between two atoms is left out, and its values count in the nearest bin.
    """
    if least < 2:
        return bins
    own, first = _own_rows(bins.values, bins.counts, moved), bins.first[:-1]
    in_bins = np.where(np.diff(bins.first) > 1, np.add.reduceat(bins.counts, first), own[first])
    if in_bins.min() >= least:
        return bins
    groups = [list(range(start, stop)) for start, stop in pairwise(bins.first.tolist())]
    rows = in_bins.tolist()
    while len(groups) > 1 and min(rows) < least:
        i = int(np.argmin(rows))
        beside = [j for j in (i - 1, i + 1) if 0 <= j < len(groups)]
        others = [j for j in beside if dense or rows[j] < least or len(groups[j]) > 1]
        if others:
            j = min(others, key=rows.__getitem__)
            groups[j] = sorted(groups[i] + groups[j])
            rows[j] = int(bins.counts[groups[j]].sum())
        del groups[i], rows[i]
    kept = np.array([i for group in groups for i in group], np.int64)
    first = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    return Bins(bins.values[kept], bins.counts[kept], first)


def _own_rows(distinct: Floats, counts: LongInts, moved: Floats) -> LongInts:
    """Rows that have each value of their own accord; all rows where only moved ones do, since it is nobody's value."""
    if not len(moved):
        return counts
    values, n_moved = np.unique(moved, return_counts=True)
    own = counts.copy()
    at = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    same = distinct[at] == values
    own[at[same]] -= n_moved[same]
    return np.where(own == 0, counts, own)


def _quantile_cuts(counts: LongInts, atom: Bools, wanted: int) -> LongInts:
    """Index of each bin's first value, and the end: atoms alone, the rest in about ``wanted`` bins of equal mass."""
    mass = np.where(atom, 0, counts)
    middle = np.cumsum(mass) - mass / 2  # a value belongs to the bin that holds the middle of its mass
    bin_of_rest = np.minimum((middle * wanted / max(1, mass.sum())).astype(np.int64), wanted - 1)
    starts = np.ones(len(counts), bool)
    starts[1:] = (bin_of_rest[1:] != bin_of_rest[:-1]) | atom[1:] | atom[:-1]
    return np.append(np.flatnonzero(starts), len(counts))
