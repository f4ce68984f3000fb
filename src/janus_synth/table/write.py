"""Physical arrays to a native frame, with the schema's dtypes and column order."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import DataError, SchemaError, require_extra
from janus_synth.table.arrow_types import type_from_text
from janus_synth.table.cells import Cells, DoesNotFit, cells_of
from janus_synth.table.columns import Column
from janus_synth.table.identifiers import fresh_numbers, fresh_texts
from janus_synth.table.schema import Schema
from janus_synth.table.templates import template_of_texts


def write_table(
    table_columns: Mapping[str, Array],
    schema: Schema,
    *,
    n_rows: int,
    rng: np.random.Generator | None = None,
    first_identifier: int = 0,
) -> Any:
    """Build a frame from physical arrays.

    Parameters
    ----------
    table_columns : mapping of str to array
        One physical array per learnt column, as in a ``Table``.
    schema : Schema
        Columns, dtypes and the kind of frame to build. A dtype that cannot hold missing values gives way
        to its nullable twin where there are some.
    n_rows : int
        Length of every array.
    rng : numpy.random.Generator, optional
        Source of random identifiers; fresh entropy by default.
    first_identifier : int
        How many rows were written before, so that numbered identifiers go on from there.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Examples
    --------
    >>> schema = Schema((Column("id", "identifier", "int64", template="{101}"),
    ...                  Column("age", "numeric", "int8"),
    ...                  Column("city", "categorical", "category", levels=("Oslo", "Rome"))))
    >>> write_table({"age": np.array([31.2, 45.0]), "city": np.array([1, -1])}, schema, n_rows=2)
        id  age  city
    0  101   31  Rome
    1  102   45   NaN
    """
    generator = np.random.default_rng() if rng is None else rng
    if lacking := [column.name for column in schema.learnt if column.name not in table_columns]:
        raise DataError(f"there is no array for {', '.join(map(repr, lacking))}.")
    cells = [
        cells_of(column, table_columns[column.name], n_rows)
        if column.is_learnt
        else _fresh(column, n_rows, generator, first_identifier)
        for column in schema
    ]
    return {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}[schema.frame](cells, n_rows)


def _fresh(column: Column, n_rows: int, rng: np.random.Generator, first: int) -> Cells:
    template = column.template or template_of_texts(column.name, ())
    numbers = fresh_numbers(template, n_rows, first=first)
    if numbers is not None:
        return Cells(column, numbers, None)
    texts = fresh_texts(template, n_rows, rng, first=first)
    return Cells(column, np.arange(n_rows), tuple(texts))


def _pandas(cells: list[Cells], n_rows: int) -> Any:
    from janus_synth.table.write_pandas import build_frame, write_column

    with ThreadPoolExecutor() as pool:  # most of the work is arrow's and numpy's, outside the interpreter's lock
        columns = list(pool.map(write_column, cells))
    return build_frame({cell.column.name: column for cell, column in zip(cells, columns, strict=True)}, n_rows)


def _pyarrow(cells: list[Cells], n_rows: int) -> Any:
    import pyarrow as pa

    fields, arrays = [], []
    for cell in cells:
        text, required = cell.column.dtype.removesuffix(" not null"), cell.column.dtype.endswith(" not null")
        array = _arrow_column(cell, text)
        fields.append(pa.field(cell.column.name, array.type, nullable=not required or bool(array.null_count)))
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields))


def _polars(cells: list[Cells], n_rows: int) -> Any:
    pl = require_extra("polars", "polars", purpose="writing polars frames, which this schema asks for,")
    from janus_synth.table.polars_types import arrow_text, dtype_from_text

    series = []
    for cell in cells:
        column = cell.column
        try:
            dtype = dtype_from_text(column.dtype, tuple(cell.texts()[1]) if column.dtype == "Enum" else ())
        except ValueError:
            raise _no_dtype(column, "polars") from None
        array = _arrow_column(cell, arrow_text(column.dtype))
        fits = array.type == type_from_text(arrow_text(column.dtype))
        made = pl.Series(column.name, array)
        series.append(made.cast(dtype) if fits and made.dtype != dtype else made)
    return pl.DataFrame({made.name: made for made in series})


def _arrow_column(cells: Cells, text: str) -> Any:
    """Array of an arrow type, or text where a later level does not fit it."""
    import pyarrow as pa

    from janus_synth.table.write_arrow import write_arrow

    try:
        return write_arrow(cells, type_from_text(text))
    except DoesNotFit:
        return write_arrow(cells, pa.large_string() if text == "large_string" else pa.string())
    except (ValueError, KeyError) as error:
        raise _no_dtype(cells.column, "pyarrow") from error


def _no_dtype(column: Column, library: str) -> SchemaError:
    return SchemaError(f"column {column.name!r}: {library} has no dtype {column.dtype!r}.", column=column.name)
