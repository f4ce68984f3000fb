"""A source larger than memory in; its partitions out, each read as a series of Arrow tables.

A partition can be read again and again, and sent to another process.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from janus_synth.errors import DataError
from janus_synth.partitions.bad_files import BadFiles
from janus_synth.partitions.files import BATCH_ROWS, file_partitions
from janus_synth.partitions.schemas import common_schema
from janus_synth.table import frame_kind
from janus_synth.table.files import to_arrow
from janus_synth.table.sources import library_of

FrameKind = Literal["pandas", "polars", "pyarrow"]


class Partition(Protocol):
    """A part of a source that one worker reads from its first to its last row."""

    @property
    def label(self) -> str:
        """Name for messages: a file, or a number."""
        ...

    def batches(self) -> Iterator[Any]:
        """The rows as Arrow tables, in the same order every time."""
        ...


@dataclass(frozen=True, slots=True)
class FramePartition:
    """Rows in memory."""

    label: str
    frame: Any

    def batches(self) -> Iterator[Any]:
        """The rows in batches."""
        yield from in_batches(to_arrow(self.frame))


@dataclass(frozen=True, slots=True)
class LazyPartition:
    """All rows of a polars LazyFrame; its own engine reads them in batches."""

    label: str
    frame: Any

    def batches(self) -> Iterator[Any]:
        """The rows in batches, in the order of the frame."""
        for batch in self.frame.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True):
            yield batch.to_arrow()


@dataclass(frozen=True, slots=True)
class RelationPartition:
    """All rows of a DuckDB relation, which is computed anew for every pass."""

    label: str
    relation: Any

    def batches(self) -> Iterator[Any]:
        """The rows in batches."""
        import pyarrow as pa

        name = "to_arrow_reader" if hasattr(self.relation, "to_arrow_reader") else "fetch_arrow_reader"  # before 1.4
        for batch in getattr(self.relation, name)(BATCH_ROWS):
            yield pa.Table.from_batches([batch])


@dataclass(frozen=True, slots=True)
class DaskPartition:
    """One partition of a Dask frame, computed where it is read."""

    label: str
    part: Any

    def batches(self) -> Iterator[Any]:
        """The rows in batches."""
        yield from in_batches(to_arrow(self.part.compute(scheduler="synchronous").reset_index(drop=True)))


def partitions_of(data: Any, bad: BadFiles | None = None) -> tuple[FrameKind, tuple[Partition, ...]]:
    """Kind of frame that rows of a source come back as, and the partitions of the source in their order.

    Parameters
    ----------
    data : source
        A path or list of paths, pyarrow Dataset, polars LazyFrame, DuckDB relation, Dask frame, or list of frames.
        A path may be a folder or have wildcards: ``"data/*.parquet"``.
    bad : BadFiles, optional
        What to do about files that cannot be read, and frames with other columns; by default they are an error.

    Raises
    ------
    DataError
        If there is no file, or files differ in their columns; the message names the file.

    Examples
    --------
    >>> import pandas as pd
    >>> kind, parts = partitions_of([pd.DataFrame({"age": [31]}), pd.DataFrame({"age": [45]})])
    >>> kind, [part.label for part in parts]
    ('pandas', ['frame 0', 'frame 1'])
    """
    if isinstance(data, str | os.PathLike):
        return "pandas", file_partitions(find_files(data), bad)
    if isinstance(data, list | tuple):
        if all(isinstance(part, str | os.PathLike) for part in data):
            return "pandas", file_partitions([name for part in data for name in find_files(part)], bad)
        frames = [FramePartition(f"frame {i}", part) for i, part in enumerate(data)]
        schemas = [(part.label, to_arrow(part.frame[:0]).schema) for part in frames]
        _, fitting = common_schema(schemas, bad or BadFiles())
        return frame_kind(data[0]), tuple(frames[i] for i in fitting)
    match library_of(data):
        case "polars.LazyFrame":
            return "polars", (LazyPartition("the lazy frame", data),)
        case "duckdb.DuckDBPyRelation":
            return "pandas", (RelationPartition("the relation", data),)
        case "dask.DataFrame":
            return "pandas", tuple(DaskPartition(f"partition {i}", part) for i, part in enumerate(data.partitions))
    return "pyarrow", file_partitions(data, bad)


def find_files(path: str | os.PathLike[str]) -> list[str]:
    """Files of a path in alphabetical order: a file itself, those of a folder, or those that a pattern matches."""
    text = os.fspath(path)
    if os.path.isfile(text):
        return [text]
    if os.path.isdir(text):
        found = [entry.path for entry in os.scandir(text) if entry.is_file() and not entry.name.startswith((".", "_"))]
    else:
        found = [name for name in glob.glob(text, recursive=True) if os.path.isfile(name)]
    if not found:
        raise DataError(f"no file matches {text}. Check the path and the current folder.")
    return sorted(found)


def in_batches(table: Any) -> Iterator[Any]:
    """Parts of an Arrow table that are no longer than a batch."""
    for start in range(0, table.num_rows, BATCH_ROWS):
        yield table.slice(start, BATCH_ROWS)
