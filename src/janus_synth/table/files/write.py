"""A frame, or the pieces of one, in; a file of any format out.

CSV is written here: quotes only where needed, 1.0 for a float, ISO datetimes. The writer of pyarrow quotes every text
and header, and turns the float 1.0 into 1, which reads back as an integer.
"""

from __future__ import annotations

import contextlib
import gzip
import os
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, Protocol

from janus_synth.table.columns import FORMS, forms_of
from janus_synth.table.files.convert import fit_to_template, to_arrow, type_template
from janus_synth.table.files.places import DELIMITERS, Place, open_output, place_of
from janus_synth.table.files.text_columns import Forms
from janus_synth.table.files.text_output import default_texts, write_texts

if TYPE_CHECKING:
    from janus_synth.table import Schema


def write_frames(
    frames: Iterable[Any], path: str | os.PathLike[str], *, schema: Schema, format: str | None = None
) -> None:
    """Write the pieces of one table one by one, so that it never has to fit in memory.

    Parameters
    ----------
    frames : iterable of DataFrame
        Pieces with the columns of ``schema``.
    path : path
        A file, which appears only once it is complete, or ``-`` for standard output.
    schema : Schema
        Types of all pieces, independent of the values in the first one.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default the format of the ending.
    """
    place = place_of(path, format)
    template = type_template(schema)
    forms = forms_of(schema)
    with (
        open_output(place.path) as raw,
        _compressed(raw, place) as sink,
        _piece_writer(sink, place, template, forms) as writer,
    ):
        for frame in frames:
            writer.write(fit_to_template(frame, template))


def write_frame(
    frame: Any, path: str | os.PathLike[str], *, format: str | None = None, schema: Schema | None = None
) -> None:
    """Write one table with any columns, unchanged.

    Parameters
    ----------
    frame : DataFrame
        Of pandas, polars or pyarrow.
    path : path
        A file, which appears only once it is complete, or ``-`` for standard output.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default the format of the ending.
    schema : Schema, optional
        How texts of a CSV file look; by default as in the file that the frame was read from.
    """
    place, table = place_of(path, format), to_arrow(frame)
    forms = getattr(frame, "attrs", {}).get(FORMS, {}) | ({} if schema is None else forms_of(schema))
    with (
        open_output(place.path) as raw,
        _compressed(raw, place) as sink,
        _piece_writer(sink, place, table, forms) as writer,
    ):
        writer.write(table)


@contextlib.contextmanager
def _compressed(raw: IO[bytes], place: Place) -> Iterator[IO[bytes] | gzip.GzipFile]:
    if not place.gzipped:
        yield raw
        return
    # No name and no time in the header, so that equal tables give equal files.
    with gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0) as file:
        yield file


class Writer(Protocol):
    """Takes one arrow table after another."""

    def write(self, piece: Any) -> object:
        """Write one piece."""


@contextlib.contextmanager
def _piece_writer(sink: IO[bytes] | gzip.GzipFile, place: Place, template: Any, forms: Forms) -> Iterator[Writer]:
    """Open a writer of the place's format; it is closed even after an error."""
    if place.format in DELIMITERS:
        yield _TextWriter(sink, template.column_names, DELIMITERS[place.format], forms)
    elif place.format == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(sink, template.schema) as parquet:
            yield parquet
    else:
        import pyarrow as pa

        with pa.ipc.new_file(sink, template.schema) as arrow:
            yield arrow


class _TextWriter:
    def __init__(self, sink: IO[bytes] | gzip.GzipFile, names: list[str], delimiter: str, forms: Forms) -> None:
        self.sink, self.delimiter, self.forms = sink, delimiter, forms
        sink.write(csv_header(names, delimiter))

    def write(self, piece: Any) -> None:
        self.sink.write(csv_lines(write_texts(piece, self.forms), self.delimiter))


def csv_header(names: list[str], delimiter: str) -> bytes:
    """First line of the file."""
    import pyarrow as pa

    texts = _quoted(pa.array(names, pa.large_string()), delimiter).to_pylist()
    return (delimiter.join(texts) + "\n").encode()


def csv_lines(table: Any, delimiter: str) -> bytes:
    r"""One line per row; an empty field is null.

    Examples
    --------
    >>> import pyarrow as pa
    >>> csv_lines(pa.table({"x": [1.0, None], "name": ["Ann, Bob", "Eve"]}), ",")
    b'1.0,"Ann, Bob"\n,Eve\n'
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not table.num_rows:
        return b""
    columns = [_fields(column.combine_chunks(), delimiter) for column in table.columns]
    # Readers skip empty lines, so a lone null is written as an empty text in quotes.
    columns = [column.fill_null('""' if len(columns) == 1 else "") for column in columns]
    lines = pc.binary_join_element_wise(*columns, pa.scalar(delimiter, pa.large_string()))
    return ("\n".join(lines.to_pylist()) + "\n").encode()


def _fields(array: Any, delimiter: str) -> Any:
    import pyarrow as pa

    texts = default_texts(array)
    is_bare = pa.types.is_primitive(array.type) or pa.types.is_decimal(array.type)
    return texts if is_bare else _quoted(texts, delimiter)


def _quoted(texts: Any, delimiter: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing, quote = (pa.scalar(text, pa.large_string()) for text in ("", '"'))
    doubled = pc.replace_substring(texts, '"', '""')
    needed = pc.match_substring_regex(texts, rf'["\r\n{delimiter}]|^$')
    return pc.if_else(needed, pc.binary_join_element_wise(nothing, doubled, nothing, quote), texts)
