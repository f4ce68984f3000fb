"""A ``Table`` in, a frame out, with the dtypes and column order of its schema; or a user's frame with changed cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools
from janus_synth.table.arrow import write_arrow_frame, write_polars_frame
from janus_synth.table.codes import write_codes
from janus_synth.table.columns import Column
from janus_synth.table.frames import unwrap
from janus_synth.table.identifiers import fresh_numbers, fresh_texts, template_of_texts
from janus_synth.table.output_columns import OutputColumn, output_column
from janus_synth.table.personal import write_people
from janus_synth.table.table import Table, same_cells
from janus_synth.table.write_pandas import write_pandas_frame


def write_table(
    table: Table,
    *,
    rng: np.random.Generator | None = None,
    first_identifier: int = 0,
    nulls: Mapping[str, Array] | None = None,
) -> Any:
    """Build a frame of the kind and dtypes that the table's schema names.

    A dtype that cannot hold missing values is replaced by its nullable counterpart where there are some.

    Parameters
    ----------
    table : Table
        Its rows; they get fresh identifiers.
    rng : numpy.random.Generator, optional
        Source of random identifiers; fresh entropy by default.
    first_identifier : int
        How many rows were written before, so that numbered identifiers count on from there.
    nulls : mapping of str to array, optional
        Which cells of personal columns are null (see ``janus_synth.table.nulls``); others are null at random.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Examples
    --------
    >>> from janus_synth.table import Column, Schema
    >>> schema = Schema((Column("id", "identifier", "int64", template="{101}"),
    ...                  Column("age", "numeric", "int8"),
    ...                  Column("city", "categorical", "category", levels=("Oslo", "Rome"))))
    >>> write_table(Table.from_columns(schema, {"age": np.array([31.2, 45.0]), "city": np.array([1, -1])}))
        id  age  city
    0  101   31  Rome
    1  102   45   NaN
    """
    schema, n_rows, arrays = table.schema, table.n_rows, table.columns
    generator = np.random.default_rng() if rng is None else rng
    people = write_people(schema.columns, n_rows, generator, first=first_identifier, nulls=nulls)
    seed = int(generator.integers(2**63)) if any(column.generalised for column in schema) else 0
    columns = [
        _learnt(column, arrays[column.name], n_rows, seed, first_identifier)
        if column.is_learnt
        else people.get(column.name) or _fresh_identifiers(column, n_rows, generator, first_identifier)
        for column in schema
    ]
    if schema.frame == "pandas":
        return write_pandas_frame(columns, n_rows)
    return write_polars_frame(columns) if schema.frame == "polars" else write_arrow_frame(columns)


def _learnt(column: Column, values: Array, n_rows: int, seed: int, first: int) -> OutputColumn:
    """Cells of a learnt column, with fresh codes in the place of groups."""
    cells = output_column(column, values, n_rows)
    return write_codes(column, cells.values, seed=seed, first=first) if column.generalised else cells


def _fresh_identifiers(column: Column, n_rows: int, rng: np.random.Generator, first: int) -> OutputColumn:
    template = column.template or template_of_texts(column.name, ())
    numbers = fresh_numbers(template, n_rows, first=first)
    if numbers is not None:
        return OutputColumn(column, numbers, None)
    texts = fresh_texts(template, n_rows, rng, first=first)
    return OutputColumn(column, np.arange(n_rows), tuple(texts))


def patch_frame(frame: Any, before: Table, filled: Table, rng: np.random.Generator) -> Any:
    """Frame with its missing cells filled; complete columns, further columns and the index stay as they are.

    A frame of another kind than the schema's comes back in the schema's kind, with the schema's columns only.
    """
    import narwhals as nw

    kind, native = unwrap(frame)
    schema, written = filled.schema, write_table(filled, rng=rng)
    if kind != schema.frame:
        return written
    old, new = nw.from_native(native, eager_only=True), nw.from_native(written, eager_only=True)
    if kind == "pandas":
        written.index = native.index
    incomplete = [column.name for column in schema.learnt if before.missing(column.name).any()]
    absent = [name for name in new.columns if name not in old.columns]
    filled_in = {name: new[name] for name in dict.fromkeys(incomplete + absent)}
    for name in incomplete:  # codes that are there stay: a model knows only their groups
        if schema[name].generalised and name in old.columns and old[name].dtype == new[name].dtype:
            filled_in[name] = old[name].zip_with(_mask(~before.missing(name), old[name]), new[name])
    return old.with_columns(*filled_in.values()).to_native()


def rewrite_frame(frame: Any, before: Table, after: Table) -> Any:
    """Frame with the cells that changed; all others, further columns and the index stay as they are.

    A frame of another kind than the schema's comes back in the schema's kind, with the schema's columns only.
    """
    import narwhals as nw

    kind, native = unwrap(frame)
    written = write_table(after)
    if kind != before.schema.frame:
        return written
    old, new = nw.from_native(native, eager_only=True), nw.from_native(written, eager_only=True)
    if kind == "pandas":
        written.index = native.index
    columns = []
    for column in before.schema.learnt:
        same = same_cells(before[column.name], after[column.name])
        if same.all():
            continue
        mine, theirs = old[column.name], new[column.name]
        if mine.dtype == theirs.dtype and same.any():  # the user's cells may be more precise than a Table's
            theirs = mine.zip_with(_mask(same, mine), theirs)
        columns.append(theirs)
    return old.with_columns(*columns).to_native() if columns else native


def _mask(rows: Bools, like: Any) -> Any:
    """Boolean column beside another one, with its index in pandas."""
    import narwhals as nw

    mask = nw.new_series(like.name, rows, nw.Boolean, backend=like.implementation)
    if like.implementation.is_pandas():
        mask.to_native().index = like.to_native().index
    return mask
