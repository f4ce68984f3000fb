"""A table, whole or in pieces, in; one file of any format out."""

from __future__ import annotations

import contextlib
import gzip
import os
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, Protocol

from janus_synth.table.files.arrow_pieces import fitted, pattern_of, to_arrow
from janus_synth.table.files.csv_text import csv_header, csv_lines
from janus_synth.table.files.output import open_output
from janus_synth.table.files.places import DELIMITERS, Place, place_of

if TYPE_CHECKING:
    from janus_synth.table import Schema


def write_frames(
    frames: Iterable[Any], path: str | os.PathLike[str], *, schema: Schema, format: str | None = None
) -> None:
    """Write pieces of one table as they come, so that any number of rows fits in memory.

    Parameters
    ----------
    frames : iterable of DataFrame
        Pieces with the columns of ``schema``.
    path : path
        A file, which is complete or not there at all, or ``-`` for standard output.
    schema : Schema
        Fixes the types of all pieces, whatever the first one happens to hold.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default what the ending says.
    """
    place = place_of(path, format)
    pattern = pattern_of(schema)
    with open_output(place.path) as raw, _packed(raw, place) as sink, _piece_writer(sink, place, pattern) as writer:
        for frame in frames:
            writer.write(fitted(frame, pattern))


def write_frame(frame: Any, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write one table as it is, whatever its columns.

    Parameters
    ----------
    frame : DataFrame
        Of pandas, polars or pyarrow.
    path : path
        A file, which is complete or not there at all, or ``-`` for standard output.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default what the ending says.
    """
    place, table = place_of(path, format), to_arrow(frame)
    with open_output(place.path) as raw, _packed(raw, place) as sink, _piece_writer(sink, place, table) as writer:
        writer.write(table)


@contextlib.contextmanager
def _packed(raw: IO[bytes], place: Place) -> Iterator[IO[bytes] | gzip.GzipFile]:
    if not place.gzipped:
        yield raw
        return
    # No name and no time in the header: one seed, one file.
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as packed:
        yield packed


class Writer(Protocol):
    """Takes one arrow table after another."""

    def write(self, piece: Any) -> object:
        """Write one piece."""


@contextlib.contextmanager
def _piece_writer(sink: IO[bytes] | gzip.GzipFile, place: Place, pattern: Any) -> Iterator[Writer]:
    """Open a writer of the place's format, and close it however the pieces end."""
    if place.format in DELIMITERS:
        yield _TextWriter(sink, pattern.column_names, DELIMITERS[place.format])
    elif place.format == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(sink, pattern.schema) as parquet:
            yield parquet
    else:
        import pyarrow as pa

        with pa.ipc.new_file(sink, pattern.schema) as arrow:
            yield arrow


class _TextWriter:
    def __init__(self, sink: IO[bytes] | gzip.GzipFile, names: list[str], delimiter: str) -> None:
        self.sink, self.delimiter = sink, delimiter
        sink.write(csv_header(names, delimiter))

    def write(self, piece: Any) -> None:
        self.sink.write(csv_lines(piece, self.delimiter))
