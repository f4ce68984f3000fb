"""Memorisation: training, held-out and synthetic rows in; distances to training rows and shares of copies out."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.distances import point_map
from janus_synth.metrics.rows import Frame, Rows, Seed, align, equal_rows, stack, subsample

TIE = 1e-6  # rounding of distances, on columns of scale 1


def closer_to_train(
    train: Frame,
    test: Frame,
    synthetic: Frame,
    *,
    most_rows: int = 20_000,
    most_synthetic: int = 5_000,
    random_state: Seed = 0,
) -> float:
    """Share of synthetic rows that lie nearer to a training row than to any held-out row, ties counted half.

    Training and held-out rows are cut to equal numbers, so that rows as new as the held-out ones give 0.5 and copies of
    the training rows give 1. A copy of a training row that was cut counts as new: with much fewer held-out than
    training rows, copying is detected less. Distances are Euclidean over ranks and one-hot codes, with about equal
    weight for each column.

    Parameters
    ----------
    train, test, synthetic : DataFrame
        Rows the generator has seen, rows it has not, rows it made.
    most_rows : int
        Maximum number of training and of held-out rows.
    most_synthetic : int
        Maximum number of synthetic rows.
    random_state : int or Generator
        Seed of the subsamples.

    Returns
    -------
    float
        0.5 is ideal.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=600)})
    >>> closer_to_train(frame[:300], frame[300:], frame[:100])
    1.0
    """
    rng = np.random.default_rng(random_state)
    seen, unseen, drawn = align(train=train, test=test, synthetic=synthetic)
    seen, unseen = equal_rows(seen, unseen, seed=rng, most=most_rows)
    drawn = subsample(drawn, most_synthetic, rng)
    encode = point_map(seen, unseen)
    points = encode.points(drawn)
    to_seen, to_unseen = (_nearest_distance(points, encode.points(rows)) for rows in (seen, unseen))
    tie = np.abs(to_seen - to_unseen) <= TIE
    return float(np.mean(np.where(tie, 0.5, to_seen < to_unseen)))


def distance_to_train(
    train: Frame, rows: Frame, *, most_rows: int = 20_000, most_drawn: int = 5_000, random_state: Seed = 0
) -> float:
    """Mean distance from rows to the nearest training row.

    Distances are those of `closer_to_train`; compare with the value of held-out rows.

    Parameters
    ----------
    train, rows : DataFrame
        Rows the generator has seen, and rows it made or has not seen.
    most_rows : int
        Maximum number of training rows.
    most_drawn : int
        Maximum number of other rows.
    random_state : int or Generator
        Seed of the subsamples.

    Returns
    -------
    float
        0 if all rows are copies.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"x": ["a", "b"]})
    >>> distance_to_train(train, train), round(distance_to_train(train, pd.DataFrame({"x": ["a", "c"]})), 3)
    (0.0, 0.5)
    """
    rng = np.random.default_rng(random_state)
    seen, drawn = align(train=train, rows=rows)
    seen, drawn = subsample(seen, most_rows, rng), subsample(drawn, most_drawn, rng)
    encode = point_map(stack(seen, drawn))
    return float(_nearest_distance(encode.points(drawn), encode.points(seen)).mean())


def exact_copies(train: Frame, synthetic: Frame) -> float:
    """Share of synthetic rows that equal some training row in every column, missing equal to missing.

    Coarse tables contain equal rows by chance: compare with the share of held-out rows.

    Parameters
    ----------
    train, synthetic : DataFrame
        Tables with the same columns.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> import pandas as pd
    >>> exact_copies(pd.DataFrame({"x": [1.5, 2.0]}), pd.DataFrame({"x": [1.5, 3.0, 1.5, 1.0]}))
    0.5
    """
    seen, drawn = align(train=train, synthetic=synthetic)
    key = row_keys(stack(seen, drawn))
    return float(np.isin(key[seen.n_rows :], key[: seen.n_rows]).mean())


def _nearest_distance(points: Floats, among: Floats) -> Floats:
    """Distance from each point to the nearest of the others, recomputed so that copies are exactly at 0."""
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=1).fit(among).kneighbors(points, return_distance=False)[:, 0]
    return np.asarray(np.sqrt(((points - among[index]) ** 2).sum(axis=1)))


def row_keys(rows: Rows) -> LongInts:
    """One integer per row; equal rows, and only they, share it."""
    key = np.zeros(rows.n_rows, dtype=np.int64)
    for column in rows.columns:
        code = np.unique(rows[column.name], return_inverse=True)[1].astype(np.int64)
        # Renumbering the pairs keeps keys below n_rows, so that products do not overflow.
        key = np.unique(key * (int(code.max()) + 1) + code, return_inverse=True)[1].astype(np.int64)
    return key
