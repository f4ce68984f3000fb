"""A table and a link in; the share of rows whose value is a spike that computing the column would lose out.

Many trials end at one date, whatever their start: the end as a start plus a learnt duration would spread that date over
days. The duration as a difference keeps it. A spike is a value far more frequent than its neighbours, in rows whose
inputs differ: where they are alike, such as zeros that add up to zero, inputs that are learnt bring the spike back.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.coordinates.links import Link
from janus_synth.table import Table
from janus_synth.table.cells import as_floats

LEAST = 0.05
"""Share of rows of a spike, at least: amounts that are often round have many smaller ones."""
TIMES_NEIGHBOURS = 5.0
"""How much more frequent a spike is than the values beside it, on average."""
NEIGHBOURS = 5
"""Distinct values on either side that are compared."""
MOST_ALIKE = 0.5
"""Share of the rows of a spike that may have the same inputs."""


def lost_spikes(table: Table, link: Link) -> float:
    """Share of rows whose value is a spike although their inputs differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.coordinates.formulas import Sum
    >>> from janus_synth.table import read_table
    >>> start = np.arange(400.0) % 199
    >>> end = np.minimum(start + np.arange(400) % 83, 150)
    >>> table = read_table(pd.DataFrame({"start": start, "end": end, "days": end - start}))
    >>> lost_spikes(table, Link("end", Sum((("start", 1.0), ("days", 1.0)))))
    0.45
    """
    if table.schema[link.column].is_discrete:
        return 0.0
    values = as_floats(table[link.column])
    inputs = np.column_stack([as_floats(table[name]) for name in link.visible_inputs])
    present = ~np.isnan(values)
    return sum(
        share
        for value, share in spikes(values[present])
        if _share_of_most_frequent(inputs[present & (values == value)]) < MOST_ALIKE
    )


def spikes(values: Floats) -> list[tuple[float, float]]:
    """Values far more frequent than their neighbours, each with its share of the rows.

    Examples
    --------
    >>> spikes(np.concatenate([np.arange(60.0), np.full(40, 30.0)]))
    [(30.0, 0.41)]
    """
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= 2 * NEIGHBOURS:
        return []
    shares = counts / counts.sum()
    found = []
    for i in np.flatnonzero(shares >= LEAST):
        beside = np.r_[shares[max(0, i - NEIGHBOURS) : i], shares[i + 1 : i + 1 + NEIGHBOURS]]
        if shares[i] > TIMES_NEIGHBOURS * beside.mean():
            found.append((float(distinct[i]), float(shares[i])))
    return found


def _share_of_most_frequent(rows: Floats) -> float:
    _, counts = np.unique(rows, axis=0, return_counts=True)
    return float(counts.max() / counts.sum())
