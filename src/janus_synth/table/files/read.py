"""A table file in, a pandas frame out, in dtypes that lose nothing."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from janus_synth.errors import DataError
from janus_synth.table.columns import FORMS
from janus_synth.table.files.dialect import Dialect, find_dialect
from janus_synth.table.files.from_arrow import frame_of_arrow
from janus_synth.table.files.places import DELIMITERS, NAMES, Place, place_of
from janus_synth.table.files.text_columns import Forms, read_texts
from janus_synth.table.files.text_output import known_forms

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.table import Schema

MAGIC: dict[bytes, str] = {b"PAR1": "a Parquet", b"ARROW1": "an Arrow IPC", b"\x1f\x8b": "a gzip"}


def read_frame(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    as_text: Collection[str] = (),
    like: Schema | pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Read a table; integers and booleans with nulls keep their type.

    Texts of a CSV file that are dates, money, percentages and the like become dates and numbers. How the file writes
    them is kept in the frame's ``attrs``, from where it gets into the schema and into files that are written.

    Parameters
    ----------
    path : path
        A file, or ``-`` for standard input.
    format : {"csv", "tsv", "parquet", "arrow"}, optional
        By default the format of the ending.
    as_text : collection of str
        Columns of a CSV file that stay text, because a schema says how to read them.
    like : Schema or DataFrame, optional
        Schema of a model, or a table read before: texts of a CSV file are read as there.

    Raises
    ------
    DataError
        If the content is not of that format.
    OSError
        If there is no such file, or no permission to read it.
    """
    place = place_of(path, format)
    content = _content(place)
    _check_magic(place, content)
    forms: Forms = {}
    if place.format in DELIMITERS:
        known, texts = ({}, ()) if like is None else known_forms(like)
        table, forms = _read_text(place, content, {*as_text, *texts}, known)
    else:
        table = _READERS[place.format](place, content)
    _check_distinct(place, table.column_names)
    frame: pd.DataFrame = frame_of_arrow(table.replace_schema_metadata(None))
    if forms:
        frame.attrs[FORMS] = forms
    return frame


def _content(place: Place) -> Any:
    """Path of a file, which can be opened again, or all bytes of a stream, which can be read only once."""
    import pyarrow as pa

    if place.is_standard:
        return _require_content(pa.py_buffer(sys.stdin.buffer.read()), "standard input")
    path = place.path
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}. Check the name and the current folder.")
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder. Name one table file.")
    try:
        if not os.path.isfile(path):
            return _require_content(pa.py_buffer(Path(path).read_bytes()), path)
        if os.path.getsize(path) == 0:
            return _require_content(pa.py_buffer(b""), path)
        with open(path, "rb"):
            return path
    except PermissionError as error:
        raise PermissionError(f"no permission to read {path}. Check its owner and mode.") from error


def _require_content(content: Any, name: str) -> Any:
    if content.size == 0:
        raise DataError(f"{name} is empty: not even a header. Check how it was written.")
    return content


def _check_magic(place: Place, content: Any) -> None:
    """Raise DataError if the first bytes belong to another format."""
    wanted = {"parquet": b"PAR1", "arrow": b"ARROW1"}.get(place.format, b"\x1f\x8b" if place.gzipped else b"")
    start = _opened(place, content, raw=True).read(6)
    if start.startswith(b"PK\x03\x04"):
        raise DataError(f"{_shown(place)} holds an Excel workbook or a zip archive. Save the sheet as CSV.")
    for magic, name in MAGIC.items():
        if start.startswith(magic) and magic != wanted:
            raise DataError(
                f"{_shown(place)} holds {name} file, not {NAMES[place.format]}. Give it the right ending, or use "
                "--format."
            )


def _opened(place: Place, content: Any, *, raw: bool = False) -> Any:
    import pyarrow as pa

    return pa.input_stream(content, compression="gzip" if place.gzipped and not raw else None)


def _shown(place: Place) -> str:
    return "standard input" if place.is_standard else place.path


def _read_parquet(place: Place, content: Any) -> Any:
    import pyarrow.parquet as pq

    with (
        _name_file_in_errors(place),
        pq.ParquetFile(content) as file,
    ):  # read_table would turn 'a=1/' in a path into a column
        return file.read()


def _read_arrow(place: Place, content: Any) -> Any:
    import pyarrow as pa

    with _name_file_in_errors(place):
        stream = _opened(place, content)
        whole = stream.read(6) == b"ARROW1"
        reader = pa.ipc.open_file(content) if whole else pa.ipc.open_stream(_opened(place, content))
        return reader.read_all()


def _read_text(place: Place, content: Any, as_text: Collection[str], known: Forms) -> tuple[Any, Forms]:
    """Read CSV or TSV, and how it writes its columns; an empty field is null."""
    import pyarrow as pa

    with _name_file_in_errors(place):
        dialect = find_dialect(partial(_opened, place, content), DELIMITERS[place.format], _shown(place))
    table = _parse(place, content, dialect, {})
    if any(pa.types.is_binary(field.type) for field in table.schema):
        dialect = dialect.in_windows_1252(_shown(place))
        table = _parse(place, content, dialect, {})
    _check_distinct(place, table.column_names)
    typed = [field.name for field in table.schema if not pa.types.is_string(field.type)]
    texts = _parse(place, content, dialect, dict.fromkeys(typed, pa.string()), only=typed) if typed else pa.table({})
    return read_texts(table, texts, as_text, known)


def _parse(
    place: Place, content: Any, dialect: Dialect, types: dict[str, Any], *, only: list[str] | None = None
) -> Any:
    import pyarrow.csv as csv

    convert = csv.ConvertOptions(column_types=types, include_columns=only)
    with _name_file_in_errors(place):
        for threads in (True, False):  # a single thread reports the row number
            read, parse = dialect.read_options(use_threads=threads), dialect.parse_options
            try:
                return csv.read_csv(
                    _opened(place, content), read_options=read, parse_options=parse, convert_options=convert
                )
            except ValueError:
                if not threads:
                    raise


@contextlib.contextmanager
def _name_file_in_errors(place: Place) -> Iterator[None]:
    """Turn the errors of the readers into one line that names the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:300].rstrip(".")
        advice = "Correct the file, or name its format with --format"
        if "Expected 1 columns" in reason:
            advice = "If there are lines above the header, delete them, or begin them with #"
        raise DataError(f"cannot read {_shown(place)} as {NAMES[place.format]}: {reason}. {advice}.") from error


def _check_distinct(place: Place, names: list[str]) -> None:
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise DataError(
            f"{_shown(place)}: these column names occur more than once: {', '.join(map(repr, twice[:8]))}. "
            "Rename or drop the repeats."
        )


_READERS = {"parquet": _read_parquet, "arrow": _read_arrow}
