"""Small code tables for tests of trends: linear dependence, unordered clusters, spikes, levels."""

from __future__ import annotations

from math import sqrt

import numpy as np

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from strategies import CodeTable, related_codes


def table_of(**columns) -> CodeTable:
    """Encode columns of values: floats are numbers (NaN is missing), integers are unordered levels."""
    codecs = {}
    for name, values in columns.items():
        if values.dtype.kind == "f":
            codecs[name] = fit_ordered(values, n_bins=254, nullable=bool(np.isnan(values).any()))
        else:
            codecs[name] = fit_levels(values, n_levels=int(values.max()) + 1, ordered=False, nullable=False)
    x = np.stack([codec.encode(columns[name]) for name, codec in codecs.items()])
    return CodeTable(Codec(codecs), x)


def line_table(rng, n_rows, noise=0.6):
    """A standard normal column that depends linearly on another."""
    x = rng.normal(size=n_rows)
    return x, sqrt(1 - noise**2) * x + noise * rng.normal(size=n_rows)


def heaped_table(rng, n_rows):
    """Twelve categories with ten values each in random order, and a column of noise."""
    own = rng.permutation(120).reshape(12, 10).astype(float)
    category = rng.integers(0, 12, n_rows).astype(np.int32)
    return {"y": own[category, rng.integers(0, 10, n_rows)], "category": category, "noise": rng.normal(size=n_rows)}


def spiked_table(rng, n_rows):
    """A linear dependence with a heavy atom and missing values."""
    x, y = line_table(rng, n_rows)
    y = np.where(rng.random(n_rows) < 0.3, 0.5, y)
    return table_of(y=np.where(rng.random(n_rows) < 0.2, np.nan, y), x=x)


def levels_table(rng, n_rows):
    """A number, another one, an ordered category and an unordered one."""
    table = related_codes(rng, "oou", n_rows, n_values=9)
    levels = rng.integers(0, 6, n_rows).astype(np.int32)
    grades = fit_levels(levels, n_levels=6, ordered=True, nullable=False)
    return CodeTable(Codec({**table.codec.columns, "grade": grades}), np.vstack([table.x, grades.encode(levels)]))
