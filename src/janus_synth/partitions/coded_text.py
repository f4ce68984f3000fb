"""Text as dictionaries: a Parquet file in; its rows, read without making texts of its codes, out, and back to text.

Parquet stores text as codes and a dictionary. Rows that are only counted, or mostly left out of a sample, need no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from janus_synth.table.arrow import is_text


def coded_batches(partition: Any) -> Iterator[Any]:
    """Rows of a partition, its text as dictionaries where that is how it is stored."""
    read = getattr(partition, "coded_batches", partition.batches)
    yield from read()


def with_coded_text(fragment: Any, schema: Any) -> tuple[Any, Any]:
    """The fragment and the schema with dictionaries in the place of text, if it is a Parquet file; else unchanged.

    A column whose type is not that of the other files stays as it is.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    if not isinstance(fragment, ds.ParquetFileFragment) or not fragment.path:
        return fragment, schema
    found, format = fragment.physical_schema, fragment.format
    names = {f.name for f in schema if is_text(f.type) and f.name in found.names and found.field(f.name).type == f.type}
    options = ds.ParquetReadOptions(
        dictionary_columns=names | set(format.read_options.dictionary_columns),
        coerce_int96_timestamp_unit=format.read_options.coerce_int96_timestamp_unit,
    )
    scan = format.default_fragment_scan_options
    coded = ds.ParquetFileFormat(read_options=options, default_fragment_scan_options=scan).make_fragment(
        fragment.path,
        filesystem=fragment.filesystem,
        partition_expression=fragment.partition_expression,
        row_groups=[group.id for group in fragment.row_groups],
    )
    return coded, pa.schema([coded.physical_schema.field(f.name) if f.name in names else f for f in schema])


def without_views(schema: Any) -> Any:
    """The schema with large_string in the place of string_view, of which Arrow cannot take rows."""
    import pyarrow as pa

    views = pa.types.is_string_view
    return pa.schema([f.with_type(pa.large_string()) if views(f.type) else f for f in schema], schema.metadata)


def with_plain_text(table: Any, schema: Any) -> Any:
    """Rows with texts in the place of dictionaries, in the columns that are text in ``schema``."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and is_text(schema.field(field.name).type):
            table = table.set_column(i, schema.field(field.name), table[i].cast(schema.field(field.name).type))
    return table


def concat_rows(tables: Sequence[Any]) -> Any:
    """Rows of several tables; columns that are categories in some and text in others, or have an order, become text."""
    import pyarrow as pa

    kinds: dict[str, set[Any]] = {}
    for table in tables:
        for field in table.schema:
            kinds.setdefault(field.name, set()).add(field.type)
    mixed = {name for name, its in kinds.items() if any(are_mixed_text(one, other) for one in its for other in its)}
    return pa.concat_tables([_decode_columns(table, mixed) for table in tables], promote_options="permissive")


def are_mixed_text(one: Any, other: Any) -> bool:
    """Whether types are text and categories of text, or categories with and without an order."""
    import pyarrow as pa

    coded = [kind for kind in (one, other) if pa.types.is_dictionary(kind)]
    if not coded or not all(is_text(kind.value_type if kind in coded else kind) for kind in (one, other)):
        return False
    return len(coded) == 1 or bool(one.ordered != other.ordered)


def _decode_columns(table: Any, names: set[str]) -> Any:
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if field.name in names and pa.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table[i].cast(field.type.value_type))
    return table
