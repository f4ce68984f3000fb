"""Files of one table in; partitions that are read batch by batch out. All files must have the same columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from janus_synth.errors import DataError
from janus_synth.table.files.places import DELIMITERS, NAMES, place_of
from janus_synth.table.files.text_columns import empty_to_null

BATCH_ROWS = 131_072
"""Rows that are in memory at a time, for each thread that reads."""
PARTITION_ROWS = 1_048_576
"""Row groups of a Parquet file are joined to partitions of about this many rows."""
HEAD_BYTES = 1 << 24
"""Bytes of a text file from which the types of its columns are inferred."""


@dataclass(frozen=True, slots=True)
class FilePartition:
    """A file, or some of its row groups."""

    label: str
    fragment: Any
    schema: Any
    n_rows: int | None = None
    is_text: bool = False
    """Whether dates, money and the like are texts in it."""

    def batches(self) -> Iterator[Any]:
        """The rows in batches, in the types that all files share."""
        import pyarrow as pa

        try:
            for batch in self.fragment.to_batches(schema=self.schema, batch_size=BATCH_ROWS, use_threads=False):
                if batch.num_rows:
                    yield _without_empty_text(pa.Table.from_batches([batch]))
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"cannot read {self.label}: {_one_line(error)}. Correct or remove the file.") from error


def file_partitions(data: Any) -> tuple[FilePartition, ...]:
    """Partitions of files, by their paths, or of a pyarrow Dataset."""
    fragments = _fragments_of_paths(data) if isinstance(data, list) else list(data.get_fragments())
    schemas = [_schema_of(fragment) for fragment in fragments]
    schema = _common_schema(fragments, schemas) if isinstance(data, list) else data.schema
    return tuple(part for fragment in fragments for part in _split(fragment, schema))


def _fragments_of_paths(paths: Sequence[str]) -> list[Any]:
    import pyarrow as pa
    import pyarrow.dataset as ds

    fragments = []
    for path in paths:
        place = place_of(path)
        if os.path.getsize(path) == 0:
            raise DataError(f"{path} is empty: not even a header. Remove the file, or write it again.")
        kind = (
            _text_format(place.format)
            if place.format in DELIMITERS
            else {"arrow": "ipc"}.get(place.format, place.format)
        )
        try:
            fragments += list(ds.dataset(path, format=kind).get_fragments())
        except (pa.ArrowException, OSError) as error:
            raise DataError(
                f"cannot read {path} as {NAMES[place.format]}: {_one_line(error)}. Correct or remove the file."
            ) from error
    return fragments


def _text_format(name: str) -> Any:
    import pyarrow.csv as csv
    import pyarrow.dataset as ds

    delimiter = next(mark for known, mark in DELIMITERS.items() if known == name)
    return ds.CsvFileFormat(
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        read_options=csv.ReadOptions(block_size=HEAD_BYTES),
    )


def _schema_of(fragment: Any) -> Any:
    import pyarrow as pa

    try:
        return fragment.physical_schema
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"cannot read {_label(fragment)}: {_one_line(error)}. Correct or remove the file.") from error


def _common_schema(fragments: Sequence[Any], schemas: Sequence[Any]) -> Any:
    """Types that hold the columns of all files; raise DataError for a file with other columns or types."""
    import pyarrow as pa

    common, first = schemas[0], _label(fragments[0])
    for fragment, schema in zip(fragments, schemas, strict=True):
        lacking = [name for name in common.names if name not in schema.names]
        new = [name for name in schema.names if name not in common.names]
        if lacking or new:
            what = f"lacks {', '.join(map(repr, lacking))}" if lacking else f"also has {', '.join(map(repr, new))}"
            raise DataError(f"{_label(fragment)} {what}, unlike {first}. Give files with the same columns.")
        try:
            common = pa.unify_schemas([common, schema], promote_options="permissive")
        except pa.ArrowException as error:
            raise DataError(
                f"{_label(fragment)} has other types than {first}: {_one_line(error)}. Write all files with the same "
                "types."
            ) from error
    return common.remove_metadata()


def _split(fragment: Any, schema: Any) -> list[FilePartition]:
    """Row groups of a Parquet file in groups of about ``PARTITION_ROWS`` rows; any other file as a whole."""
    if not hasattr(fragment, "row_groups"):
        is_text = fragment.format.default_extname == "csv"
        return [FilePartition(_label(fragment), fragment, schema, is_text=is_text)]
    parts: list[FilePartition] = []
    group: list[int] = []
    n_rows = 0
    for info in fragment.row_groups:
        group.append(info.id)
        n_rows += info.num_rows
        if n_rows >= PARTITION_ROWS:
            parts.append(FilePartition(_label(fragment), fragment.subset(row_group_ids=group), schema, n_rows))
            group, n_rows = [], 0
    if group or not parts:
        parts.append(FilePartition(_label(fragment), fragment.subset(row_group_ids=group), schema, n_rows))
    return parts


def _without_empty_text(table: Any) -> Any:
    """The table with null in the place of empty text, as in files that are read at once."""
    import pyarrow as pa

    return pa.table({name: empty_to_null(table[name]) for name in table.column_names})


def _label(fragment: Any) -> str:
    return str(getattr(fragment, "path", "") or "a fragment in memory")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300].rstrip(".")
