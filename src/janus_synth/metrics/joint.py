"""Maximum mean discrepancy: two tables in, one distance between their joint distributions out."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.metrics.distances import point_map
from janus_synth.metrics.rows import Frame, Seed, align, equal_rows

MOST_FOR_MEDIAN = 500  # points of each table: half a million pairs estimate a median well enough


def mmd_squared(real: Frame, synthetic: Frame, *, most_rows: int = 2_000, random_state: Seed = 0) -> float:
    """Squared maximum mean discrepancy with a Gaussian kernel, the unbiased estimate.

    Rows become points by rank and one-hot codes; the kernel's width is the median distance between points.
    Unbiased means that two samples of one distribution give 0 on average, so that small negative values are normal.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    most_rows : int
        Maximum number of rows of each table; time and memory grow with the square.
    random_state : int or Generator
        Seed of the subsample.

    Returns
    -------
    float
        0 is ideal; NaN with fewer than two rows.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> real, alike, shifted = (pd.DataFrame({"x": rng.normal(mean, 1, 300)}) for mean in (0, 0, 2))
    >>> bool(abs(mmd_squared(real, alike)) < 0.01 < mmd_squared(real, shifted))
    True
    """
    pair = equal_rows(*align(real=real, synthetic=synthetic), seed=random_state, most=most_rows)
    if pair[0].n_rows < 2:
        return float("nan")
    encode = point_map(*pair)
    return gaussian_mmd_squared(*(encode.points(rows) for rows in pair))


def gaussian_mmd_squared(x: Floats, y: Floats) -> float:
    """Unbiased MMD² of two sets of points under exp(−d² / 2σ²), σ the median distance of the pool.

    Parameters
    ----------
    x, y : array of float, shape (n, d) and (m, d)
        At least two points each.

    Examples
    --------
    >>> gaussian_mmd_squared(np.zeros((5, 2)), np.ones((5, 2))) > 0.5
    True
    """
    bandwidth = _median_squared_distance(x, y)
    if bandwidth == 0.0:
        return 0.0
    alike_x, alike_y = (_mean_without_self(_kernel(points, points, bandwidth)) for points in (x, y))
    return alike_x + alike_y - 2 * float(_kernel(x, y, bandwidth).mean())


def _median_squared_distance(x: Floats, y: Floats) -> float:
    """Median over pairs of the pool, thinned evenly; the mean where most points coincide."""
    pool = np.vstack([points[:: -(-len(points) // MOST_FOR_MEDIAN)] for points in (x, y)])
    pairs = _squared_distances(pool, pool)[np.triu_indices(len(pool), 1)]
    return float(np.median(pairs)) or float(_squared_distances(x, y).mean())


def _kernel(x: Floats, y: Floats, bandwidth: float) -> Floats:
    return np.asarray(np.exp(_squared_distances(x, y) / (-2 * bandwidth)))


def _mean_without_self(kernel: Floats) -> float:
    n = len(kernel)
    return float((kernel.sum() - np.trace(kernel)) / (n * (n - 1)))


def _squared_distances(x: Floats, y: Floats) -> Floats:
    squared = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)[None, :] - 2 * (x @ y.T)
    # Rounding gives tiny positive distances where points coincide; they must not become the median distance.
    return np.asarray(np.where(squared > 1e-12, squared, 0.0))
