"""Real and synthetic values of one column in; common bins out, at round numbers or units of the calendar."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats

MOST_BINS = 40
TAIL = 0.005
"""Share of rows that may lie beyond either end of the axis, if that end is far out."""
FAR_OUT = 2.5
"""Outermost rows are left out if they stretch the axis by more than this factor."""
SPIKE = 0.25
"""A value with more than this share of the rows is described in words, because its bar would dwarf the others."""

SECOND = 1_000_000  # times are in microseconds
CLOCK = tuple(SECOND * n for n in (1, 5, 15, 60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800))
MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 12_000)


class Bins(NamedTuple):
    """Bin edges, and the frequent value that is described separately, if any."""

    edges: Floats
    spike: float | None = None


def bins_of(real: Floats, synthetic: Floats, *, moments: bool) -> Bins:
    """Bins for two samples of present values.

    Parameters
    ----------
    real, synthetic : array of float
        Values without NaN, in physical units; together they hold at least two different ones.
    moments : bool
        Values are microseconds since the epoch.

    Examples
    --------
    >>> bins_of(np.arange(100.0), np.arange(60.0), moments=False).edges[:3].tolist()
    [0.0, 5.0, 10.0]
    """
    pooled = np.concatenate([real, synthetic])
    spike = None if moments else spike_of(pooled)
    rest = pooled if spike is None else pooled[pooled != spike]
    low, high = _span(rest)
    return Bins(_moment_edges(low, high) if moments else _round_edges(rest, low, high), spike)


def shares_of(values: Floats, bins: Bins, n_rows: int) -> Floats:
    """Share of all rows in each bin; the last bin holds its upper edge."""
    kept = values if bins.spike is None else values[values != bins.spike]
    shares: Floats = np.histogram(kept, bins.edges)[0] / n_rows
    return shares


def share_beyond(values: Floats, bins: Bins, n_rows: int) -> float:
    """Share of all rows that no bin shows, the spike not counted."""
    kept = values if bins.spike is None else values[values != bins.spike]
    return float(np.count_nonzero((kept < bins.edges[0]) | (kept > bins.edges[-1]))) / n_rows


def spike_of(values: Floats) -> float | None:
    """Find the value that many rows share, if there are other values as well."""
    distinct, counts = np.unique(values, return_counts=True)
    top = int(counts.argmax())
    return float(distinct[top]) if len(distinct) > 2 and counts[top] > SPIKE * len(values) else None


def _span(values: Floats) -> tuple[float, float]:
    """Choose the ends of the axis: the whole range, unless a few rows stretch it."""
    low, high = float(values.min()), float(values.max())
    inner_low, inner_high = (float(q) for q in np.quantile(values, [TAIL, 1 - TAIL]))
    inner = inner_high - inner_low
    if inner > 0 and high / 2 - low / 2 > FAR_OUT * inner / 2:  # halves: the range itself may overflow
        far_low, far_high = inner_low - low > high - inner_high, high - inner_high >= inner_low - low
        low = inner_low if far_low or inner_low - low > inner else low
        high = inner_high if far_high or high - inner_high > inner else high
    return low, high


def _round_edges(values: Floats, low: float, high: float) -> Floats:
    """Multiples of 1, 2 or 5 times a power of ten; whole ones for whole values."""
    if not low < high:
        return np.array([low - 0.5, low + 0.5])
    step = _round_step((high / MOST_BINS - low / MOST_BINS) * 1.2)
    whole = bool(np.all(values == np.rint(values)))
    step = max(step, 1.0) if whole else step
    first, last = math.floor(low / step), math.floor(high / step) + 1
    if not whole and high == (last - 1) * step:
        last -= 1  # the upper edge belongs to the last bin
    edges: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    return edges - step / 2 if whole and step == 1 else edges  # whole numbers are in the middle of their bin


def _round_step(least: float) -> float:
    """Smallest round number that is not below ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= least * (1 - 1e-9))


def _moment_edges(low: float, high: float) -> Floats:
    """Edges at full seconds, days, months or years."""
    if high - low <= CLOCK[-1] * MOST_BINS:
        unit = next(unit for unit in CLOCK if (high - low) / unit <= MOST_BINS)
        first, last = math.floor(low / unit), math.floor(high / unit) + 1
        return np.arange(first, last + 1, dtype=np.float64) * unit
    start, stop = (int(np.datetime64(int(value), "us").astype("M8[M]").astype(np.int64)) for value in (low, high))
    unit = next((unit for unit in MONTHS if (stop - start) / unit <= MOST_BINS), MONTHS[-1])
    months = np.arange(start // unit, stop // unit + 2) * unit
    return months.astype("M8[M]").astype("M8[us]").astype(np.int64).astype(np.float64)
