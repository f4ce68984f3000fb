"""Values of an ordered column in, the same values with smoothed ends out: no extreme that few rows have is kept.

The largest ``least`` values become evenly spaced values above the rest (univariate microaggregation of both tails).
Their width follows the mean of the values they replace without the very largest, so that one outlier leaves no trace,
and ends below the second largest: an end that exactly one row exceeds would single it out.
An end that at least ``least`` rows share stays as it is, and a few values beyond such an end join it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.encoding.lattice import Lattice, find_lattice
from janus_synth.table import Column, Schema, Table

Declared = Schema | Mapping[str, Mapping[str, Any]] | None
"""What the user declared about columns."""


def smooth_extremes(values: Floats, least: int, lattice: Lattice | None = None) -> Floats:
    """Values whose two ends belong to no single row; missing cells stay missing.

    Parameters
    ----------
    values : array of float
        NaN is missing; with fewer than ``least`` values present, all become missing.
    least : int
        An end that at least this many rows share stays as it is.
    lattice : Lattice, optional
        Where the values lie; the new ones lie on it, too.

    Examples
    --------
    >>> smooth_extremes(np.array([1.0] * 5 + [2, 3, 4, 5, 6, 7, 8, 1000]), 5).round(1).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 4.8, 5.6, 6.2, 7.0, 7.6]
    """
    present = ~np.isnan(values)
    if least < 2 or not present.any():
        return values
    if present.sum() < least:
        return np.full(len(values), np.nan)
    step = 0.0 if lattice is None else lattice.step
    smooth: Floats = values.copy()
    smooth[present] = -_smooth_upper_end(-_smooth_upper_end(values[present], least, step), least, step)
    return smooth if lattice is None else lattice.snap(smooth)


def _smooth_upper_end(values: Floats, least: int, step: float) -> Floats:
    """The same values with a smoothed upper end, on a lattice a multiple of the step above a value of the rest."""
    n = min(least, max(1, len(values) // 2))
    kth = np.partition(values, len(values) - n)[len(values) - n]
    if (values == kth).sum() >= least:
        return np.asarray(np.minimum(values, kth))
    at = np.flatnonzero(values >= kth)
    at = at[np.argsort(values[at], kind="stable")]
    if len(at) == len(values):
        return np.full(len(values), values.mean())
    group, below = values[at], float(values[values < kth].max())
    threshold = below / 2 + group[0] / 2
    spread = threshold + _width(group, threshold) * (np.arange(len(group)) + 0.5) / len(group)
    smooth = values.copy()
    smooth[at] = below + step * np.floor((spread - below) / step) if step else spread
    return smooth


def has_rare_end(values: Floats, least: int) -> bool:
    """Whether fewer than ``least`` rows have the smallest or the largest value, of which there is one."""
    low, high = np.nanmin(values), np.nanmax(values)
    return bool(min((values == low).sum(), (values == high).sum()) < least)


def _width(group: Floats, threshold: float) -> float:
    """Width of evenly spaced values in place of a group: that of its mean without the largest, below the next."""
    inner = group[:-1] if len(group) > 2 else group
    with np.errstate(over="ignore"):
        width = 2 * len(group) / len(inner) * float(np.mean(inner - threshold))
        return min(width, float(group[-2] - threshold)) if len(group) > 1 else 0.0


def smooth_column(column: Column, values: Floats, least: int) -> Floats:
    """Values of an ordered column with smoothed ends, on the column's own lattice."""
    present = values[~np.isnan(values)]
    if least < 2 or not len(present) or not has_rare_end(present, least):
        return values
    lattice = find_lattice(present, single_precision="float32" in column.dtype.lower())
    smooth = smooth_extremes(values if lattice is None else lattice.snap(values), least, lattice)
    return np.rint(smooth) if column.kind == "datetime" else smooth  # whole microseconds


def smooth_domains(table: Table, least: int, declared: Declared = None) -> Table:
    """The same rows with domains that end at the smoothed ends; ends that the user declared stay."""
    if least < 2:
        return table
    columns = tuple(
        column if column.low is None else _with_smooth_ends(column, table[column.name], least, declared)
        for column in table.schema
    )
    return Table(replace(table.schema, columns=columns), table.columns, table.n_rows)


def _with_smooth_ends(column: Column, values: Floats, least: int, declared: Declared) -> Column:
    smooth = smooth_column(column, values, least)
    missing, kept = np.isnan(smooth), declared_ends(column.name, declared)
    low, high = (None, None) if missing.all() else (float(np.nanmin(smooth)), float(np.nanmax(smooth)))
    return replace(
        column,
        nullable=column.nullable or bool(missing.any()),
        low=column.low if "low" in kept else low,
        high=column.high if "high" in kept else high,
    )


def declared_ends(name: str, declared: Declared) -> list[str]:
    """Which ends of a column's domain the user declared."""
    if isinstance(declared, Schema):
        known = [column for column in declared if column.name == name]
        return [end for end in ("low", "high") if known and getattr(known[0], end) is not None]
    return [end for end in ("low", "high") if end in (declared or {}).get(name, {})]
