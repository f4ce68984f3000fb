"""Random sample of rows from many partitions: every row has a random number, and those with the smallest are kept.

Samples of partitions can be joined in any order, with the same result. The sample is uniform over all rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.partitions.coded_text import concat_rows, with_plain_text
from janus_synth.streams import Stream, generator


@dataclass(frozen=True, slots=True)
class RowSample:
    """Rows with the smallest random numbers, and where they come from."""

    rows: Any
    """Arrow table."""
    number: Floats
    """(rows,) the random number of each row."""
    partition: LongInts
    """(rows,) which partition each row is from."""
    position: LongInts
    """(rows,) which row of its partition it is."""

    def smallest(self, size: int) -> RowSample:
        """At most ``size`` rows, those with the smallest numbers, in the order of partitions and rows."""
        order = np.lexsort((self.position, self.partition, self.number))[:size]
        kept = order[np.lexsort((self.position[order], self.partition[order]))]
        return RowSample(self.rows.take(kept), self.number[kept], self.partition[kept], self.position[kept])


def join_samples(samples: Iterable[RowSample], size: int) -> RowSample:
    """Sample of all rows from samples of parts of them."""
    parts = list(samples)
    joined = RowSample(
        concat_rows([part.rows for part in parts]),
        np.concatenate([part.number for part in parts]),
        np.concatenate([part.partition for part in parts]),
        np.concatenate([part.position for part in parts]),
    )
    return joined.smallest(size)


def number_limit(size: int, n_rows: int) -> float:
    """Number that the ``size`` smallest of ``n_rows`` random numbers stay below, but with a chance of 10⁻¹⁵.

    Eight standard deviations above the expected size: a partition then keeps few rows beyond its share.

    Examples
    --------
    >>> round(number_limit(200_000, 10**9), 7)
    0.0002036
    """
    return np.inf if n_rows <= size else (size + 8.0 * size**0.5 + 20.0) / n_rows


class Sampler:
    """Sample of one partition while its batches are read; memory is bounded by twice the size of the sample.

    Rows with numbers from ``limit`` on are left out, which `number_limit` says will not be needed. Columns that are
    text in ``schema``, but dictionaries in batches, are text in the sample.
    """

    def __init__(self, partition: int, *, size: int, seed: int, limit: float = np.inf, schema: Any = None) -> None:
        self._random = generator(seed, Stream.PARTITIONS, partition)
        self._partition, self._size, self._schema = partition, size, schema
        self._kept: list[RowSample] = []
        self._n_kept = self._n_seen = 0
        self._largest = limit

    def add(self, batch: Any) -> None:
        """Read the rows of a batch."""
        number = self._random.random(batch.num_rows)
        chosen = np.flatnonzero(number < self._largest)
        position = self._n_seen + chosen
        self._n_seen += batch.num_rows
        if len(chosen):
            partition = np.full(len(chosen), self._partition)
            rows = batch.take(chosen)
            rows = rows if self._schema is None else with_plain_text(rows, self._schema)
            self._kept.append(RowSample(rows, number[chosen], partition, position))
            self._n_kept += len(chosen)
        if self._n_kept > 2 * self._size:
            self._reduce()

    def _reduce(self) -> None:
        kept = join_samples(self._kept, self._size)
        self._kept, self._n_kept = [kept], len(kept.number)
        if self._n_kept == self._size:
            self._largest = float(kept.number.max())

    def result(self) -> RowSample | None:
        """The sample, or None of a partition without rows."""
        return join_samples(self._kept, self._size) if self._kept else None
