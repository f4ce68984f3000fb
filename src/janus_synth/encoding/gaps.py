"""Gaps of a column: training values in, the intervals between them that hold no rows out.

Bins of equal mass hide a gap, and a smooth quantile function bridges it. So gaps that are much wider than the spacing
of the values around them are kept beside the bins. Their ends lie one spacing inwards: no training value is copied.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.encoding.lattice import Lattice

NEIGHBOURS = 32
"""Values on either side whose mean spacing a gap is compared with."""
LEAST_RATIO = 16.0
"""Least ratio of a gap to that spacing.

Exponential spacings, like those of a smooth column, exceed it once in (1 + 16 / 64)⁶⁴, about 1.6 million."""
MOST_GAPS = 64
"""Most gaps that are kept, those with the largest ratios."""
FEWEST = 5
"""Fewer rows than this beyond a gap, at either end of the column, are outliers: the gap has no end there."""

NO_GAPS: Floats = np.empty((0, 2))


def find_gaps(values: Floats, lattice: Lattice | None = None) -> Floats:
    """Gaps of a column's values as an array (gaps, 2) of lower and upper ends, ascending.

    Parameters
    ----------
    values : array of float
        Present values in any order.
    lattice : Lattice, optional
        Where the values lie; a step of the lattice is no gap.

    Examples
    --------
    >>> import numpy as np
    >>> find_gaps(np.concatenate([np.linspace(0, 1, 101), np.linspace(5, 6, 101)])).round(2).tolist()
    [[1.01, 4.99]]
    """
    distinct, counts = np.unique(values, return_counts=True)
    with np.errstate(over="ignore"):
        measurable = len(distinct) > 2 and np.isfinite(distinct[-1] - distinct[0])
    if not measurable:
        return NO_GAPS
    width, spacing = np.diff(distinct), spacing_around(distinct)
    if lattice is not None:
        spacing = np.maximum(spacing, lattice.step)
    ratio = np.divide(width, spacing, out=np.zeros_like(width), where=spacing > 0)
    chosen = np.flatnonzero(ratio >= LEAST_RATIO)
    chosen = np.sort(chosen[np.argsort(-ratio[chosen], kind="stable")[:MOST_GAPS]])
    below = np.cumsum(counts)[chosen]
    low = np.where(below < FEWEST, -np.inf, distinct[chosen] + spacing[chosen])
    high = np.where(len(values) - below < FEWEST, np.inf, distinct[chosen + 1] - spacing[chosen])
    return _joined(np.column_stack([low, high]))


def _joined(gaps: Floats) -> Floats:
    """Gaps in order, with those that overlap made one."""
    found: list[list[float]] = []
    for low, high in sorted(gaps.tolist()):
        if found and low <= found[-1][1]:
            found[-1][1] = max(found[-1][1], high)
        else:
            found.append([low, high])
    return np.array(found).reshape(-1, 2)


def width_below(gaps: Floats, values: Floats) -> Floats:
    """Width of all gaps below each value; a gap without an end counts nothing."""
    width = np.where(np.isfinite(gaps).all(axis=1), gaps[:, 1] - gaps[:, 0], 0.0)
    return np.concatenate([[0.0], np.cumsum(width)])[np.searchsorted(gaps[:, 1], values, side="right")]


def spacing_around(distinct: Floats) -> Floats:
    """Mean spacing of the values on either side of each interval, the larger of the two; a lone value has none."""
    n = len(distinct)
    at = np.arange(n - 1)
    first, last = np.maximum(at - NEIGHBOURS, 0), np.minimum(at + 1 + NEIGHBOURS, n - 1)
    n_left, n_right = at - first, last - (at + 1)
    left = (distinct[at] - distinct[first]) / np.maximum(n_left, 1)
    right = (distinct[last] - distinct[at + 1]) / np.maximum(n_right, 1)
    return np.maximum(left, right)


def gaps_without(gaps: Floats, values: Floats) -> Floats:
    """Gaps that remain when further values are seen: those that hold at least `FEWEST` of them are searched again."""
    parts = [NO_GAPS]
    for low, high in gaps:
        within = values[(values > low) & (values < high)]
        if len(within) < FEWEST:
            parts.append(np.array([[low, high]]))
        elif np.isfinite([low, high]).all():
            parts.append(find_gaps(np.concatenate([np.full(FEWEST, low), within, np.full(FEWEST, high)])))
    return np.concatenate(parts)


def shared_gaps(one: Floats, other: Floats) -> Floats:
    """Intervals that are gaps of both."""
    low = np.maximum(one[:, None, 0], other[None, :, 0]).ravel()
    high = np.minimum(one[:, None, 1], other[None, :, 1]).ravel()
    found = np.column_stack([low, high])[low < high]
    return found[np.argsort(found[:, 0], kind="stable")]


def distance_to_edge(gaps: Floats, values: Floats) -> Floats:
    """Distance of each value from the nearer end of the gap it lies in; 0 outside of all gaps."""
    if not len(gaps):
        return np.zeros(len(values))
    at = np.maximum(np.searchsorted(gaps[:, 0], values, side="right") - 1, 0)
    return np.asarray(np.maximum(np.minimum(values - gaps[at, 0], gaps[at, 1] - values), 0.0))


def occupied_ends(gaps: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Ends of intervals without the gaps that reach over them; an interval inside a gap is left as it is."""
    low, high = low.copy(), high.copy()
    for start, stop in gaps:
        partly: Bools = ~((start <= low) & (high <= stop))
        low = np.where(partly & (start <= low) & (low < stop), stop, low)
        high = np.where(partly & (start < high) & (high <= stop), start, high)
    return low, high
