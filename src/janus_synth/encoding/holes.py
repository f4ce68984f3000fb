"""Bins of a column on a lattice in; the values between two atoms that may occur, too, out.

Among whole numbers of which most occur, one that few rows have, or none, is possible like its neighbours: delays of 59
and 61 minutes, but not of 60. So is an area of 1,697 between frequent areas of 1,690 and 1,700, if such areas are
spread evenly. Between two atoms these values would belong to no bin. Each becomes part of the nearest atom's bin. All
of a column share evenly the rows that have one, so that none says which of them occurred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.encoding.bins import FEW_VALUES, Bins
from janus_synth.encoding.gaps import spacing_around
from janus_synth.encoding.lattice import Lattice

SHORT = 4
"""Most values of a hole that needs no rows: where half of the values occur, longer runs without any are gaps."""
LEAST_FILLED = 0.5
"""Least share of the lattice that occurs around such a hole; elsewhere values are codes, or rounded more coarsely."""
LEAST_SEEN = 20
"""Fewest different values that must lie in all longer holes together, to tell whether they are spread evenly."""
UNSEEN = 0.5
"""Rows that all holes of a column get beside those that lie in them."""


class Holes(NamedTuple):
    """Values of the lattice between atoms, as numbers of them below and above the atom they belong to."""

    below: LongInts
    """(bins,)"""
    above: LongInts
    """(bins,)"""
    rows: float
    """Rows that each of the values stands for."""


def find_holes(bins: Bins, values: Floats, lattice: Lattice) -> Holes:
    """Values between two atoms that belong to a measurement rather than to a code.

    Parameters
    ----------
    bins : Bins
        Bins of the column; rare values between two atoms may be left out.
    values : array of float
        Training values, on the lattice.
    lattice : Lattice
        Where the values lie.

    Examples
    --------
    >>> from janus_synth.encoding.bins import cut_bins
    >>> from janus_synth.encoding.lattice import find_lattice
    >>> delays = np.repeat(np.arange(100.0), np.where(np.arange(100) < 60, 40, 6))
    >>> delays = delays[delays != 30]
    >>> bins = cut_bins(delays, 80, lattice=find_lattice(delays), least=5)
    >>> holes = find_holes(bins, delays, find_lattice(delays))
    >>> 30.0 in bins.values, bins.smallest[holes.above > 0].tolist(), holes.rows
    (False, [29.0], 0.5)
    """
    below, above = np.zeros(len(bins), np.int64), np.zeros(len(bins), np.int64)
    distinct, counts = np.unique(values, return_counts=True)
    if len(bins) < 2 or _is_code(distinct, lattice):
        return Holes(below, above, 0.0)
    is_atom = bins.smallest == bins.largest
    size = np.rint((bins.smallest[1:] - bins.largest[:-1]) / lattice.step).astype(np.int64) - 1
    at = np.flatnonzero(is_atom[1:] & is_atom[:-1] & (size > 0))
    lower, size = bins.largest[at], size[at]
    chosen = (size <= SHORT) & _is_filled_around(distinct, lower, lattice)
    home = np.searchsorted(lower, distinct) - 1  # of each value, the hole it may lie in
    within = (home >= 0) & (distinct < lower[home] + lattice.step * (size[home] + 0.5)) if len(at) else home > 0
    others = within & ~chosen[home] if len(at) else within
    if _is_even(counts[others], int(size[~chosen].sum())):
        chosen[:] = True
    n_values = int(size[chosen].sum())
    if not n_values:
        return Holes(below, above, 0.0)
    above[at[chosen]] = (size[chosen] + 1) // 2  # the value in the middle belongs to the lower atom
    below[at[chosen] + 1] = size[chosen] // 2
    return Holes(below, above, (int(counts[within & chosen[home]].sum()) + UNSEEN) / n_values)


def hole_knots(atom: float, below: int, above: int, rows: float, own: int, step: float) -> tuple[Floats, Floats]:
    """Knots and levels of a bin of an atom of ``own`` rows with the values of holes on either side."""
    knots = atom + step * np.array([-below - 0.5, -0.5, 0.5, above + 0.5])
    cumulative = np.cumsum([0.0, below * rows, own, above * rows])
    levels = cumulative / cumulative[-1]
    kept = np.array([below > 0, True, True, above > 0])
    return knots[kept], levels[kept]


def _is_code(distinct: Floats, lattice: Lattice) -> bool:
    """Whether values are few and most of the lattice between them never occurs."""
    n_points = (distinct[-1] - distinct[0]) / lattice.step + 1
    return len(distinct) <= FEW_VALUES and n_points > len(distinct) / LEAST_FILLED


def _is_filled_around(distinct: Floats, lower: Floats, lattice: Lattice) -> Bools:
    """Whether enough of the lattice occurs on both sides of what lies above each of the ``lower`` values."""
    spacing = spacing_around(distinct)[np.searchsorted(distinct, lower)]
    return np.asarray(spacing * LEAST_FILLED <= lattice.step * (1 + 1e-9))


def _is_even(counts: LongInts, n_values: int) -> bool:
    """Whether rare values are spread over ``n_values`` like single rows, not like codes that some rows share.

    Pairs of rows with the same value are about as many as if each row took any value, by three standard deviations.
    """
    if len(counts) < LEAST_SEEN:
        return False
    rows = int(counts.sum())
    pairs, expected = float((counts * (counts - 1) / 2).sum()), rows * (rows - 1) / 2 / n_values
    return bool(pairs <= expected + 3 * expected**0.5)
