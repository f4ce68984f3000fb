"""First pass over a source: a partition in; the number of its rows, a random sample of them, and their levels out.

Scans of partitions can be joined in any order, with the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from janus_synth.partitions.bad_files import BadPartitionError
from janus_synth.partitions.coded_text import coded_batches
from janus_synth.partitions.sample import RowSample, Sampler, join_samples
from janus_synth.partitions.sources import Partition
from janus_synth.table import Level

MOST_LEVELS = 20_000
"""Columns of text with more levels than this keep only those of the sampled rows by name."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What the first pass learns about some partitions."""

    n_rows: int
    sample: RowSample | None
    levels: Mapping[str, frozenset[Level] | None]
    """Levels of the columns of text; None if there are too many."""
    counting: frozenset[str]
    """Columns of whole numbers that count rows one by one."""
    labels: tuple[str, ...] = field(default=())
    """Partitions without rows."""
    null: tuple[str, ...] = field(default=())
    """Partitions in which every cell is null."""


Declared = Mapping[str, frozenset[Level]]
"""Levels that a user declared, by column."""


def scan_partition(
    partition: Partition,
    number: int,
    *,
    size: int,
    seed: int,
    declared: Declared | None = None,
    limit: float = np.inf,
) -> Scan:
    """Scan one partition, the ``number``-th of its source, and sample at most ``size`` of its rows.

    Raises
    ------
    BadPartitionError
        If the partition cannot be read, or has levels that are not among those declared.
    """
    sampler = Sampler(number, size=size, seed=seed, limit=limit, schema=getattr(partition, "schema", None))
    levels: dict[str, set[Level] | None] = {}
    counting: set[str] | None = None
    n_rows, is_null = 0, True
    for batch in coded_batches(partition):
        is_null = is_null and all(column.null_count == batch.num_rows for column in batch.columns)
        sampler.add(batch)
        n_rows += batch.num_rows
        for name in batch.column_names:
            _add_levels(levels, name, batch[name])
        found = {name for name in batch.column_names if _counts_rows(batch[name])}
        counting = found if counting is None else counting & found
    for name, known in (declared or {}).items():
        _check_levels(partition.label, name, levels.get(name) or set(), known)
    frozen = {name: None if found is None else frozenset(found) for name, found in levels.items()}
    label = (partition.label,)
    empty, null = (() if n_rows else label), (label if n_rows and is_null else ())
    return Scan(n_rows, sampler.result(), frozen, frozenset(counting or ()), empty, null)


def _check_levels(label: str, name: str, found: set[Level], known: frozenset[Level]) -> None:
    if new := sorted(map(str, found - known)):
        reason = f"has {new[0]!r} in column {name!r}, which is not among its declared levels"
        raise BadPartitionError(label, reason, "Add it to the levels, or correct the file.")


def join_scans(scans: Iterable[Scan], size: int) -> Scan:
    """What several scans say together."""
    parts = list(scans)
    names = Counter(name for part in parts for name in part.levels)
    levels: dict[str, frozenset[Level] | None] = {}
    for name in sorted(names):
        found = [part.levels[name] for part in parts if name in part.levels]
        joined = None if None in found else frozenset().union(*(each for each in found if each is not None))
        levels[name] = joined if joined is not None and len(joined) <= MOST_LEVELS else None
    filled = [part for part in parts if part.sample is not None]
    sample = join_samples((part.sample for part in filled if part.sample is not None), size) if filled else None
    counting = frozenset.intersection(*(part.counting for part in filled)) if filled else frozenset()
    empty = tuple(sorted(label for part in parts for label in part.labels))
    null = tuple(sorted(label for part in parts for label in part.null))
    return Scan(sum(part.n_rows for part in parts), sample, levels, counting, empty, null)


def _add_levels(levels: dict[str, set[Level] | None], name: str, column: Any) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        return
    known = levels.setdefault(name, set())
    if known is None:
        return
    known |= {level for level in pc.unique(column).cast(kind).to_pylist() if level is not None}
    if len(known) > MOST_LEVELS:
        levels[name] = None


def _counts_rows(column: Any) -> bool:
    """Whether each whole number is one more than that of the row before."""
    import pyarrow as pa

    if not pa.types.is_integer(column.type) or column.null_count or len(column) < 2:
        return False
    values = column.to_numpy()
    return bool((np.diff(values) == 1).all())
