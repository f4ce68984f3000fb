"""Files of one table in; partitions that are read batch by batch out. All files must have the same columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from janus_synth.errors import DataError
from janus_synth.partitions.bad_files import BadFiles, BadPartitionError
from janus_synth.partitions.coded_text import with_coded_text, without_views
from janus_synth.partitions.schemas import common_schema, one_line
from janus_synth.partitions.text_files import TextHead, read_head, schemas_to_compare, shared_forms, shared_schema
from janus_synth.table.files.places import DELIMITERS, place_of
from janus_synth.table.files.text_columns import Forms, empty_to_null

BATCH_ROWS = 131_072
"""Rows that are in memory at a time, for each thread that reads."""
PARTITION_ROWS = 1_048_576
"""Row groups of a Parquet file are joined to partitions of about this many rows."""
READING = {"use_threads": False, "batch_readahead": 1, "fragment_readahead": 1}
"""By default Arrow decodes sixteen batches ahead: 183 instead of 139 MB for a reader of adult."""


@dataclass(frozen=True, slots=True)
class FilePartition:
    """A file, or some of its row groups."""

    label: str
    fragment: Any
    schema: Any
    n_rows: int | None = None
    forms: Forms | None = None
    """Of a text file: how columns are written that have a type; dates, money and the like are texts in it."""

    def batches(self) -> Iterator[Any]:
        """The rows in batches, in the types that all files share."""
        yield from self._read(self.fragment, self.schema)

    def coded_batches(self) -> Iterator[Any]:
        """The same rows, text of Parquet files as dictionaries: half the time and memory of reading and encoding it."""
        yield from self._read(*with_coded_text(self.fragment, self.schema))

    def _read(self, fragment: Any, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        try:
            for batch in fragment.to_batches(schema=schema, batch_size=BATCH_ROWS, **READING):
                if batch.num_rows:
                    table = pa.Table.from_batches([batch])
                    yield table if self.forms is None else _without_empty_text(table)
        except (pa.ArrowException, OSError) as error:
            raise BadPartitionError(self.label, f"cannot be read: {one_line(error)}") from error


def file_partitions(data: Any, bad: BadFiles | None = None) -> tuple[FilePartition, ...]:
    """Partitions of files, by their paths, or of a pyarrow Dataset; ``bad`` says what to do about bad files."""
    import pyarrow as pa

    bad = bad or BadFiles()
    if not isinstance(data, list):
        return tuple(part for fragment in data.get_fragments() for part in _split(fragment, data.schema))
    files: list[TableFile] = []
    for path in data:
        try:
            files += _open(path)
        except BadPartitionError as error:
            bad.handle(error)
        except DataError as error:
            bad.handle(BadPartitionError(path, f"cannot be read: {error}"))
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            bad.handle(BadPartitionError(path, f"cannot be read: {one_line(error)}"))
    if not files:
        raise DataError(f"none of {len(data):,} files can be read: {bad.skipped[0]}. Check the files.")
    texts = schemas_to_compare([file.head for file in files if file.head is not None])
    schemas = [texts.pop(0) if file.head is not None else file.fragment.physical_schema for file in files]
    common, fitting = common_schema([(file.path, its) for file, its in zip(files, schemas, strict=True)], bad)
    heads = [head for i in fitting if (head := files[i].head) is not None]
    schema, forms = shared_schema(common, heads), shared_forms(heads)
    return tuple(part for i in fitting for part in _split(files[i].fragment, schema, forms if files[i].head else None))


class TableFile(NamedTuple):
    """A file that can be opened."""

    path: str
    fragment: Any
    head: TextHead | None
    """Of a text file."""


def _open(path: str) -> list[TableFile]:
    import pyarrow.dataset as ds

    place = place_of(path)
    if os.path.getsize(path) == 0:
        raise BadPartitionError(path, "is empty: not even a header", "Remove the file, or write it again.")
    head = read_head(place) if place.format in DELIMITERS else None
    kind = head.csv_format if head else {"arrow": "ipc"}.get(place.format, place.format)
    return [TableFile(path, fragment, head) for fragment in ds.dataset(path, format=kind).get_fragments()]


def _split(fragment: Any, schema: Any, forms: Forms | None = None) -> list[FilePartition]:
    """Row groups of a Parquet file in groups of about ``PARTITION_ROWS`` rows; any other file as a whole."""
    schema = without_views(schema)
    if not hasattr(fragment, "row_groups"):
        if forms is None and fragment.format.default_extname == "csv":
            forms = {}
        return [FilePartition(_label(fragment), fragment, schema, forms=forms)]
    groups: list[list[int]] = [[]]
    sizes = [0]
    for info in fragment.row_groups:
        if sizes[-1] >= PARTITION_ROWS:
            groups.append([])
            sizes.append(0)
        groups[-1].append(info.id)
        sizes[-1] += info.num_rows
    return [
        FilePartition(_label(fragment, ids if len(groups) > 1 else []), fragment.subset(row_group_ids=ids), schema, n)
        for ids, n in zip(groups, sizes, strict=True)
    ]


def _without_empty_text(table: Any) -> Any:
    """Rows of a text file with null in the place of empty text, as in files that are read at once."""
    import pyarrow as pa

    return pa.table({name: empty_to_null(table[name]) for name in table.column_names})


def _label(fragment: Any, groups: Sequence[int] = ()) -> str:
    name = str(getattr(fragment, "path", "") or "a fragment in memory")
    return f"{name} (row groups {groups[0]} to {groups[-1]})" if groups else name
