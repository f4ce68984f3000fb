"""Privacy by clusters: tables in; k-anonymity and δ-presence of k-means clusters out.

Both scores cluster rows by k-means for several numbers of clusters, as synthcity does under the same names. The
classical definitions use groups of equal rows, which a table with continuous columns does not have.
"""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.distances import point_map
from janus_synth.metrics.rows import Frame, Seed, align, equal_rows, subsample
from janus_synth.threads import one_thread

N_CLUSTERS = (2, 5, 10, 15)
N_STARTS = 3


def delta_presence(real: Frame, synthetic: Frame, *, most_rows: int = 5_000, random_state: Seed = 0) -> float:
    """Largest ratio of real to synthetic rows in a cluster of real rows.

    A large ratio means that synthetic rows avoid a cluster. If every cluster has its share, the synthetic rows do not
    reveal which real rows were present.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    most_rows : int
        Maximum number of rows of each table.
    random_state : int or Generator
        Seed of subsamples and clusters.

    Returns
    -------
    float
        1 is ideal; a cluster without any synthetic row counts as if it had one.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> real = pd.DataFrame({"x": np.repeat([0.0, 1.0], 50)})
    >>> delta_presence(real, real), delta_presence(real, real.replace(1.0, 0.0))
    (1.0, 50.0)
    """
    rng = np.random.default_rng(random_state)
    there, made = equal_rows(*align(real=real, synthetic=synthetic), seed=rng, most=most_rows)
    encode = point_map(there, made)
    points, others = encode.points(there), encode.points(made)
    worst = 1.0
    for n_clusters in N_CLUSTERS:
        labels, centres = _clusters(points, n_clusters, rng)
        here = np.bincount(labels, minlength=len(centres))
        beside = np.bincount(_nearest(others, centres), minlength=len(centres))
        worst = max(worst, float((here / np.maximum(beside, 1)).max()))
    return worst


def k_anonymity(table: Frame, *, most_rows: int = 5_000, random_state: Seed = 0) -> float:
    """Number of rows in the smallest cluster of a table: each row is hidden among at least so many.

    Parameters
    ----------
    table : DataFrame
        Any table.
    most_rows : int
        Maximum number of rows; more rows make larger clusters.
    random_state : int or Generator
        Seed of subsample and clusters.

    Returns
    -------
    float
        Larger is safer; compare tables of equal size.

    Examples
    --------
    >>> import pandas as pd
    >>> k_anonymity(pd.DataFrame({"x": ["a"] * 30 + ["b"] * 4}))
    4.0
    """
    rng = np.random.default_rng(random_state)
    (rows,) = align(table=table)
    rows = subsample(rows, most_rows, rng)
    points = point_map(rows).points(rows)
    sizes = [np.bincount(_clusters(points, n_clusters, rng)[0]) for n_clusters in N_CLUSTERS]
    return float(min(size[size > 0].min() for size in sizes))


def _clusters(points: Floats, n_clusters: int, rng: np.random.Generator) -> tuple[LongInts, Floats]:
    """Labels and centres of k-means; at most as many clusters as distinct points."""
    from sklearn.cluster import KMeans

    n_distinct = len(np.unique(points, axis=0))
    seed = int(rng.integers(2**31))
    with one_thread():
        found = KMeans(min(n_clusters, n_distinct), n_init=N_STARTS, random_state=seed).fit(points)
    return found.labels_.astype(np.int64), np.asarray(found.cluster_centers_, dtype=np.float64)


def _nearest(points: Floats, centres: Floats) -> LongInts:
    """Index of the nearest centre."""
    squared = (centres * centres).sum(axis=1)[None, :] - 2 * (points @ centres.T)
    return np.asarray(squared.argmin(axis=1), dtype=np.int64)
