"""A schema and codecs from a file in; an error out unless the values that a model emits can be written and read again.

A schema that was edited by hand may name a dtype, levels or a kind that do not fit what was learnt. A few cells of each
column are written in the schema's dtypes and read back; what comes back must be what was written.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from janus_synth.arrays import Array
from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.errors import ModelFileError
from janus_synth.table import Column, Schema, Table, read_table, write_table

MOST_LEVELS = 64
"""Levels of a column that are tried."""
NEAR = 2.0**-20
"""Relative difference that single precision and the text of a number may leave."""


def check_dtypes(schema: Schema, codec: Codec, hidden: Collection[str]) -> None:
    """Raise ModelFileError unless the values of each column survive being written; hidden ones never are."""
    columns = [column for column in schema.columns if column.name not in hidden]
    for column in columns:
        _check_domain(column, codec.columns.get(column.name))
    try:
        if _survives(columns, schema.frame, codec.columns):
            return
    except ImportError:  # the library of the frame is absent, and rows cannot be written anyway
        return
    except Exception:  # find out which column it is
        pass
    for column in columns:
        try:
            if _survives([column], schema.frame, codec.columns):
                continue
            problem = "they come back as other values"
        except Exception as error:
            problem = " ".join(str(error).split()) or type(error).__name__
        raise ModelFileError(
            f"column {column.name!r} is {column.kind}, and its values cannot be written as {column.dtype!r}: "
            f"{problem}. Correct the dtype in the schema, or save the model again."
        )


def _check_domain(column: Column, codec: ColumnCodec | None) -> None:
    """Raise ModelFileError if values that were learnt lie beyond the domain that the schema declares."""
    if not isinstance(codec, OrderedCodec) or not codec.n_bins or column.low is None or column.high is None:
        return
    low, high = codec.smallest(0), codec.largest(codec.n_bins - 1)
    slack = NEAR * max(abs(low), abs(high), high - low)
    if low < column.low - slack or high > column.high + slack:
        raise ModelFileError(
            f"column {column.name!r} has a domain that is narrower than the values that were learnt. Correct low and "
            "high in the schema, or save the model again."
        )


def _survives(columns: Sequence[Column], frame: str, codecs: Mapping[str, ColumnCodec]) -> bool:
    """Whether some cells of each column are the same after they were written and read again."""
    learnt = [column for column in columns if column.is_learnt]
    cells = [_probes(column, codecs[column.name]) for column in learnt]
    n = max(map(len, cells), default=1)
    padded = {column.name: np.resize(each, n) for column, each in zip(learnt, cells, strict=True)}
    schema = Schema(tuple(columns), frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a value that does not fit is noticed below
        written = write_table(Table(schema, padded, n))
        again = read_table(written, Schema(tuple(learnt), frame), columns=[column.name for column in learnt])
    return all(_is_same(column, padded[column.name], again) for column in learnt)


def _probes(column: Column, codec: ColumnCodec) -> Array:
    """Cells that a model emits: the ends, null if it is emitted, and the first levels."""
    if isinstance(codec, OrderedCodec):
        values = [codec.smallest(0), codec.largest(codec.n_bins - 1)] if codec.n_bins else []
    else:
        assert isinstance(codec, LevelCodec)
        values = list(range(min(len(column.levels), MOST_LEVELS)))
    if codec.nullable or not values:
        values.append(column.missing_value)
    return np.array(values, np.int32 if column.is_discrete else np.float64)


def _is_same(column: Column, before: Array, table: Table) -> bool:
    """Whether cells equal those of a table; the text of a format may be shorter than the value."""
    after = table[column.name]
    if column.generalised:  # the rest of each code is made anew, and may belong to another group
        return True
    if column.format is not None:
        return bool((np.isnan(before) == table.missing(column.name)).all()) if not column.is_discrete else True
    if column.is_discrete:
        return np.array_equal(before, after)
    return bool(np.allclose(before, after, rtol=NEAR, atol=0.0, equal_nan=True))
