"""A frame to a ``Table``: kinds detected and overridden, or matched to a schema that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.table.columns import Column
from janus_synth.table.convert import as_boolean, as_floats, as_levels, match_levels
from janus_synth.table.data import Table
from janus_synth.table.detect import detect_column, template_of
from janus_synth.table.frames import FrameKind, check_names, check_shape, column_names, read_column, unwrap
from janus_synth.table.moments import moment_format
from janus_synth.table.reading import Reading
from janus_synth.table.schema import Schema

Overrides = Mapping[str, Mapping[str, object]]


def read_table(frame: Any, schema: Schema | Overrides | None = None, *, columns: Sequence[str] | None = None) -> Table:
    """Read a frame into physical arrays.

    Parameters
    ----------
    frame : DataFrame or Table
        pandas, polars or pyarrow; it is not changed. NaN counts as missing, in polars and pyarrow too.
    schema : Schema or mapping, optional
        A Schema to read against: columns are matched by name, levels it does not know are appended,
        and the domains it declares are left as they are. Or overrides per column for detection, such
        as ``{"zip": {"kind": "categorical"}, "age": {"low": 0, "high": 120}}``.
    columns : sequence of str, optional
        Read and require only these.

    Returns
    -------
    Table
        Its schema is the one found, or the one given with what these rows add to it.

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
    kind, native = unwrap(frame)
    n_rows = check_shape(native)
    if isinstance(schema, Schema):
        found = _read_known(kind, native, schema if columns is None else schema.select(tuple(columns)))
        frame_out = schema.frame
    else:
        found = _read_new(kind, native, schema or {}, columns)
        frame_out = kind
    arrays = {column.name: array for column, array in found if array is not None}
    return Table(Schema(tuple(column for column, _ in found), frame_out), arrays, n_rows)


Found = list[tuple[Column, Array | None]]


def _read_new(kind: FrameKind, frame: Any, overrides: Overrides, columns: Sequence[str] | None) -> Found:
    names = column_names(kind, frame)
    check_names(names if columns is None else [name for name in names if name in columns])
    if not isinstance(overrides, Mapping):
        raise SchemaError("give a Schema or a mapping such as {'zip': {'kind': 'categorical'}} as the schema.")
    for name in overrides:
        if name not in names:
            raise UnknownColumnError(name, [str(known) for known in names], where="the frame")
    _require(names, columns or ())
    return [
        detect_column(read_column(kind, frame, name), overrides.get(name, {}))
        for name in (names if columns is None else columns)
    ]


def _read_known(kind: FrameKind, frame: Any, schema: Schema) -> Found:
    names = column_names(kind, frame)
    check_names([name for name in names if name in schema])
    _require(names, [column.name for column in schema.learnt])
    return [
        _read_as(read_column(kind, frame, column.name), column) if column.name in names else (column, None)
        for column in schema
    ]


def _require(names: Sequence[Any], wanted: Sequence[str]) -> None:
    if lacking := [name for name in wanted if name not in names]:
        hint = UnknownColumnError(lacking[0], [str(name) for name in names], where="The frame")
        raise DataError(f"these columns are needed and not there: {', '.join(map(repr, lacking))}. {hint}")


def _read_as(reading: Reading, column: Column) -> tuple[Column, Array | None]:
    """Read as a known column, which grows by what is new: levels, missing cells, a domain not yet known."""
    if column.kind == "identifier":
        template = column.template or template_of(reading)
        return replace(column, template=template), None
    column = replace(column, nullable=column.nullable or bool(reading.missing.any()))
    if column.kind in ("numeric", "datetime"):
        floats = as_floats(reading, column.kind)
        return replace(column, **_domain(column, floats), template=_format(reading, column)), floats
    if column.kind == "boolean":
        return column, as_boolean(reading).values
    coded = as_levels(reading)
    known = column.levels or (coded.levels if coded.declared else ())
    codes, unseen = match_levels(coded, known, column.kind)
    return replace(column, levels=known + unseen), codes


def _domain(column: Column, floats: Floats) -> dict[str, Any]:
    if np.isnan(floats).all():
        return {}
    seen = {"low": float(np.nanmin(floats)), "high": float(np.nanmax(floats))}
    return {field: value for field, value in seen.items() if getattr(column, field) is None}


def _format(reading: Reading, column: Column) -> str | None:
    """Format of moments that are kept as text."""
    if column.kind == "datetime" and column.template is None and reading.plain_text and reading.dtype == column.dtype:
        return moment_format([str(level) for level in reading.levels])
    return column.template
