"""Cells of a table as floats, and back: the only place that knows how both write a missing value.

Samplers and links hold numbers, microseconds and indices of levels as floats, with NaN for missing. A table has −1 for
a missing level.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Array, Floats


def as_floats(cells: Array) -> Floats:
    """Cells as floats: indices of levels with NaN for missing.

    Examples
    --------
    >>> as_floats(np.array([2, -1], np.int32))
    array([ 2., nan])
    """
    if cells.dtype.kind != "i":
        return np.asarray(cells, np.float64)
    return np.where(cells < 0, np.nan, cells.astype(np.float64))


def as_cells(values: Floats, *, discrete: bool) -> Array:
    """Floats as a table holds them: floats, or if ``discrete`` indices of levels with −1 for missing.

    Examples
    --------
    >>> as_cells(np.array([2.0, np.nan]), discrete=True)
    array([ 2, -1], dtype=int32)
    """
    return np.where(np.isnan(values), -1, values).astype(np.int32) if discrete else values
