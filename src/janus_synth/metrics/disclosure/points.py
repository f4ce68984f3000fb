"""Aligned rows in; targets to attack, and their nearest synthetic rows by any set of columns, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.distances import point_map
from janus_synth.metrics.privacy import row_keys
from janus_synth.metrics.rows import Rows
from janus_synth.threads import one_thread


@dataclass(frozen=True, slots=True)
class Scene:
    """What all attacks share.

    Attributes
    ----------
    synthetic : Rows
        Distinct synthetic rows: all that an attacker has.
    train, test : Rows
        All training rows, and all unseen rows.
    targets, controls : Rows
        Training rows and unseen rows to attack.
    level : float
        Confidence level of the intervals.
    rng : Generator
        Of the choices that an attack makes.
    """

    synthetic: Rows
    train: Rows
    test: Rows
    targets: Rows
    controls: Rows
    level: float
    rng: np.random.Generator


def distinct(rows: Rows) -> Rows:
    """Keep one of each set of equal rows, in order: what appears twice is no better known."""
    first = np.unique(row_keys(rows), return_index=True)[1]
    return rows.take(np.sort(first).astype(np.int64))


def only(rows: Rows, names: Sequence[str]) -> Rows:
    """Keep these columns."""
    return Rows(tuple(rows.column(name) for name in names), {name: rows[name] for name in names}, rows.n_rows)


def halves(rows: Rows, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Split rows at random into two halves."""
    order = rng.permutation(rows.n_rows)
    middle = rows.n_rows // 2
    return rows.take(np.sort(order[:middle])), rows.take(np.sort(order[middle:]))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Rows that were nearest, and how far they are, in increasing order of distance."""

    index: LongInts
    distance: Floats


def nearest(rows: Rows, among: Rows, n_neighbours: int, *, scale: Rows | None = None) -> Neighbours:
    """Find the nearest of other rows, with ranks and codes fitted to ``scale``, by default the other rows.

    The scale never comes from the attacked rows: training and unseen rows are treated alike.
    """
    from sklearn.neighbors import NearestNeighbors

    encode = point_map(among if scale is None else scale)
    points, others = encode.points(rows), encode.points(among)
    found = NearestNeighbors(n_neighbors=min(n_neighbours, len(others)), algorithm="brute").fit(others)
    with one_thread():
        index = found.kneighbors(points, return_distance=False)
    # Recomputed, so that copies are exactly at 0.
    distance = np.sqrt(((points[:, None, :] - others[index]) ** 2).sum(axis=2))
    return Neighbours(index.astype(np.int64), distance)
