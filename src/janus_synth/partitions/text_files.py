"""Starts of text files in; how each is written, the types that all of them share, and the forms of their columns out.

Rows of a text file are read as a person would, like those of a file that is read at once: codes such as 007 stay text,
20240131 is a date, fields may be separated by semicolons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from janus_synth.table.files.dialect import Dialect, find_dialect
from janus_synth.table.files.places import DELIMITERS, Place
from janus_synth.table.files.text_columns import Forms, read_texts
from janus_synth.table.texts.eras import era_of

HEAD_BYTES = 1 << 22
"""Bytes of a text file from which the types of its columns are inferred."""
BLOCK_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class TextHead:
    """What the first rows of a text file say about its columns."""

    dialect: Dialect
    typed: Any
    """Arrow schema: types that the reader infers."""
    read: Any
    """Arrow schema: types of the columns as a person reads them."""
    forms: Forms
    """How the columns are written that the reader has a type for; empty if as by default."""

    @property
    def csv_format(self) -> Any:
        """Arrow format that reads the whole file."""
        import pyarrow.dataset as ds

        read = self.dialect.read_options(use_threads=False, block_size=BLOCK_BYTES)
        return ds.CsvFileFormat(parse_options=self.dialect.parse_options, read_options=read)

    def needs_text(self, name: str) -> bool:
        """Whether a column has to be read as text, because its type would lose something."""
        is_of_era = era_of(self.forms.get(name, {}).get("format") or "") is not None  # 2566-03-15
        return is_of_era or bool(self.typed.field(name).type != self.read.field(name).type)


def read_head(place: Place) -> TextHead:
    """Read the first rows of a file, once as the reader types them and once as texts."""
    import pyarrow as pa

    opened = partial(pa.input_stream, place.path, compression="gzip" if place.gzipped else None)
    dialect = find_dialect(opened, DELIMITERS[place.format], place.path)
    table = _first_rows(opened, dialect)
    if any(pa.types.is_binary(field.type) for field in table.schema):
        dialect = dialect.in_windows_1252(place.path)
        table = _first_rows(opened, dialect)
    names = [field.name for field in table.schema if not pa.types.is_string(field.type)]
    texts = _first_rows(opened, dialect, as_text=names).select(names)
    columns, forms = read_texts(table, texts)
    return TextHead(dialect, table.schema, columns.schema, {name: forms.get(name, {}) for name in names})


def schemas_to_compare(heads: Sequence[TextHead]) -> list[Any]:
    """Schemas by which files are compared.

    A column that is text in every file goes together whatever it says; one that is text in some files must be read as
    the same kind in all of them, such as numbers with a word for missing in one file only.
    """
    import pyarrow as pa

    mixed = {
        name
        for head in heads
        for name in head.typed.names
        if len({pa.types.is_string(_type(other, name)) for other in heads if name in other.typed.names}) == 2
    }
    return [
        pa.schema([head.read.field(field.name) if field.name in mixed else field for field in head.typed])
        for head in heads
    ]


def shared_schema(common: Any, heads: Sequence[TextHead]) -> Any:
    """The common schema with text for columns that are text in some file, or would lose something, or are empty."""
    import pyarrow as pa

    def is_text(name: str) -> bool:
        return any(head.needs_text(name) or pa.types.is_string(_type(head, name)) for head in heads)

    empty = {field.name for field in common if pa.types.is_null(field.type)}
    fields = [pa.field(f.name, pa.string()) if f.name in empty or is_text(f.name) else f for f in common]
    return pa.schema(fields)


def shared_forms(heads: Sequence[TextHead]) -> Forms:
    """Forms of the columns that the reader has a type for in every file; formats that files do not share are dropped.

    An empty form says that texts stay as they are.
    """
    names = [name for name in heads[0].forms if all(name in head.forms for head in heads)] if heads else []
    return {name: _join_forms([head.forms[name] for head in heads]) for name in names}


def _join_forms(forms: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first = forms[0]
    if all(form == first for form in forms):
        return first
    kinds = {form["kind"] for form in forms if form}
    if len(kinds) != 1:
        return {}
    joined: dict[str, Any] = {"kind": kinds.pop()}
    if all(form.get("format") == first.get("format") for form in forms) and first.get("format"):
        joined["format"] = first["format"]
    for field in ("missing", "others"):
        if words := list(dict.fromkeys(word for form in forms for word in form.get(field, ()))):
            joined[field] = words
    return joined


def _type(head: TextHead, name: str) -> Any:
    return head.typed.field(name).type


def _first_rows(opened: Any, dialect: Dialect, *, as_text: Sequence[str] = ()) -> Any:
    import pyarrow as pa
    import pyarrow.csv as csv

    read, parse = dialect.read_options(use_threads=False, block_size=HEAD_BYTES), dialect.parse_options
    convert = csv.ConvertOptions(column_types=dict.fromkeys(as_text, pa.string()))
    with csv.open_csv(opened(), read_options=read, parse_options=parse, convert_options=convert) as reader:
        batch = next(iter(reader), None)
        return pa.Table.from_batches([] if batch is None else [batch], reader.schema)
