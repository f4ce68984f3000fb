"""A frame in, a ``Table`` out: columns detected, or matched by name to a schema that is already known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.errors import DataError
from janus_synth.table.codes import read_groups
from janus_synth.table.columns import Column
from janus_synth.table.datetimes import infer_datetime_format
from janus_synth.table.detect import DetectedColumns, Overrides, check_present, detect_columns, template_of
from janus_synth.table.frames import FrameKind, check_names, check_shape, column_names, read_column, unwrap
from janus_synth.table.personal import learn_person
from janus_synth.table.raw_columns import RawColumn, as_boolean, as_floats, as_levels, mark_missing, match_levels
from janus_synth.table.schema import Schema
from janus_synth.table.table import Table


def read_table(frame: Any, schema: Schema | Overrides | None = None, *, columns: Sequence[str] | None = None) -> Table:
    """Read a frame into a table.

    Parameters
    ----------
    frame : DataFrame or Table
        pandas, polars or pyarrow; it is not modified. NaN counts as missing, in polars and pyarrow too.
    schema : Schema or mapping, optional
        A Schema to read against: columns are matched by name, unknown levels are appended, and declared
        domains stay as they are. Or fields to set by hand instead of detecting them, per column, such
        as ``{"zip": {"kind": "categorical"}, "age": {"low": 0, "high": 120}}``.
    columns : sequence of str, optional
        Read and require only these.

    Returns
    -------
    Table
        Its schema is the one detected, or the one given, extended by new levels and missing cells.

    Examples
    --------
    >>> import pandas as pd
    >>> table = read_table(pd.DataFrame({"age": [31, 45], "city": ["Rome", "Oslo"]}))
    >>> table["city"], table.schema["city"].levels
    (array([1, 0], dtype=int32), ('Oslo', 'Rome'))
    >>> later = read_table(pd.DataFrame({"age": [60], "city": ["Bonn"]}), table.schema)
    >>> later["city"], later.schema["city"].levels
    (array([2], dtype=int32), ('Oslo', 'Rome', 'Bonn'))
    """
    if isinstance(schema, Schema):
        kind, native = unwrap(frame)
        n_rows = check_shape(native)
        found = _read_known(kind, native, schema if columns is None else schema.select(tuple(columns)))
        written_kind = schema.frame
    else:
        written_kind, found, n_rows = detect_columns(frame, schema or {}, columns)
    arrays = {column.name: array for column, array in found if array is not None}
    return Table(Schema(tuple(column for column, _ in found), written_kind), arrays, n_rows)


def read_partial(frame: Any, schema: Schema) -> Table:
    """Read a frame that may lack columns of the schema; those are missing in every row."""
    kind, native = unwrap(frame)
    names = set(column_names(kind, native))
    present = [column.name for column in schema.learnt if column.name in names]
    if not present:
        raise DataError(f"the frame has none of the columns {', '.join(repr(c.name) for c in schema.learnt)}.")
    table = read_table(frame, schema, columns=present)
    columns = [table.schema[column.name] if column.name in present else column for column in schema]
    arrays = {
        column.name: table[column.name] if column.name in present else np.full(table.n_rows, column.missing_value)
        for column in schema.learnt
    }
    return Table(Schema(tuple(columns), schema.frame), arrays, table.n_rows)


def _read_known(kind: FrameKind, frame: Any, schema: Schema) -> DetectedColumns:
    names = column_names(kind, frame)
    check_names([name for name in names if name in schema])
    check_present(names, [column.name for column in schema.learnt])
    return [
        _read_known_column(read_column(kind, frame, column.name), column) if column.name in names else (column, None)
        for column in schema
    ]


def _read_known_column(raw: RawColumn, column: Column) -> tuple[Column, Array | None]:
    """Read a known column and extend it by new levels, missing cells and a domain that is still unknown."""
    if column.kind == "identifier":
        template = column.template or template_of(raw)
        return replace(column, template=template), None
    raw = mark_missing(raw, column.missing, column.format)
    if column.kind == "personal":
        return learn_person(raw, column), None
    column = replace(column, nullable=column.nullable or bool(raw.missing.any()))
    if column.kind in ("numeric", "datetime"):
        floats = as_floats(raw, column.kind, column.format)
        return replace(column, **_domain(column, floats), format=_text_format(raw, column)), floats
    if column.kind == "boolean":
        return column, as_boolean(raw, column.format).values
    indexed = read_groups(as_levels(raw), column) if column.generalised else as_levels(raw)
    known = column.levels or (indexed.levels if indexed.declared else ())
    indices, unseen = match_levels(indexed, known, column.kind)
    return replace(column, levels=known + unseen), indices


def _domain(column: Column, floats: Floats) -> dict[str, Any]:
    if np.isnan(floats).all():
        return {}
    seen = {"low": float(np.nanmin(floats)), "high": float(np.nanmax(floats))}
    return {field: value for field, value in seen.items() if getattr(column, field) is None}


def _text_format(raw: RawColumn, column: Column) -> str | None:
    """Format of datetimes that are kept as text."""
    if column.kind == "datetime" and column.format is None and raw.plain_text and raw.dtype == column.dtype:
        return infer_datetime_format([str(level) for level in raw.levels])
    return column.format
