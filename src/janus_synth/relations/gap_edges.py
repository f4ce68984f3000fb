"""Gaps between two columns in; the log-probability out that none is below zero only by chance.

A smooth gap that reaches down to zero goes on below it. Rows are counted in two strips just above zero, and from them
follows how many rows a strip below would have. Small whole numbers are compared one by one.
"""

from __future__ import annotations

import math

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.encoding.lattice import find_lattice
from janus_synth.relations.chance import MIN_ROWS

MIN_UNITS = 3
"""Units of the last decimal that a strip has at least."""
LEAST_SECOND = 5
"""Rows one step above zero that the rows at zero are compared with, at least."""
WIDTHS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Widths of the strips above zero in which rows are counted, relative to the spread of the gap."""


def log_gap_by_chance(gap: Floats, unit: float) -> float:
    """Log-probability that a smooth gap has no row below zero; the better of two tests, corrected for the choice.

    Rounding moves each column by half a unit: the median may be one unit larger, and rows above one unit smaller.
    """
    beyond = int((gap > 2 * np.median(gap) + 3 * unit).sum())
    mirrored = -beyond * math.log(2)
    near = min(_log_strip(gap, unit, width) for width in WIDTHS)
    return min(mirrored, near) + math.log(1 + len(WIDTHS))


def log_offset_by_chance(gap: Floats, unit: float) -> float:
    """Log-probability that a smooth gap, which is positive, ends at its smallest value; corrected for the widths.

    Its logarithm is taken to be as smooth. That of a normal density of spread σ bends by (width / σ)² between strips.
    """
    smallest, spread, of_log = gap.min(), gap.std(), np.log(gap).std()
    if of_log == 0:
        return 0.0
    widths = {max(MIN_UNITS, math.floor(width * spread / unit)) * unit for width in WIDTHS}
    found = []
    for step in widths:
        first, second = _count_strips(gap - smallest, step)
        bend = (step / smallest / of_log) ** 2
        found.append(-first * math.log1p(0.5 * math.exp(-bend) * min(1.0, first / max(second, 1))))
    return min(found) + math.log(len(widths))


def log_numbers_by_chance(high: Floats, low: Floats) -> float:
    """Log-probability that small whole numbers are never below others only by chance, from rows where both are equal.

    They are compared with rows that are one step apart, among those with the same lower number. There the spread is
    their own: where the gap grows with the numbers, small ones are often equal by rounding. Densities of the numbers
    and of their logarithms are taken to be as smooth as normal ones, as in ``log_offset_by_chance``.
    """
    lattice = find_lattice(high - low)
    if lattice is None:
        return 0.0
    _, stratum = np.unique(low, return_inverse=True)
    steps = np.rint((high - low) / lattice.step)
    rows, first, second, total = (
        np.bincount(stratum, weights) for weights in (None, steps == 0, steps == 1, high / lattice.step)
    )
    mean = total / rows
    spread = np.sqrt(np.bincount(stratum, (high / lattice.step - mean[stratum]) ** 2) / rows)
    counted = (rows >= MIN_ROWS) & (second >= LEAST_SECOND) & (spread > 0)
    first, second, spread, mean = first[counted], second[counted], spread[counted], mean[counted]
    edge = np.unique(low)[counted] / lattice.step
    bend = (np.maximum(1.0, (mean + 1) / np.maximum(edge + 1, 1.0)) / spread) ** 2
    ratio = 0.5 * np.minimum(1.0, first / second) * np.exp(-bend)
    return -float((first * np.log1p(ratio)).sum())


def _log_strip(gap: Floats, unit: float, width: float) -> float:
    """Log-probability of no row in the strip below zero, given the rows of two strips above it.

    The density may fall towards zero as fast as between the two strips, and half as much again: the curvature of a
    normal density over a strip of at most 0.4 standard deviations is less. A strip is several units wide.
    """
    step = width * float(gap.std())
    if unit:
        step = math.floor(step / unit) * unit
        if step < MIN_UNITS * unit:
            return 0.0
    first, second = _count_strips(gap, step)
    return -first * math.log1p(0.5 * min(1.0, first / max(second, 1)))


def _count_strips(gap: Floats, step: float) -> tuple[int, int]:
    """Rows of the two strips above zero."""
    return int((gap < step).sum()), int(((gap >= step) & (gap < 2 * step)).sum())
