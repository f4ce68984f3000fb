"""Cells to a pyarrow array of a given type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.table.arrow_types import is_text
from janus_synth.table.cells import Cells, DoesNotFit, to_floats, to_ticks
from janus_synth.table.columns import Column

DAY = 86_400_000_000


def write_arrow(cells: Cells, kind: Any) -> Any:
    """Build an array of the arrow type ``kind``; DoesNotFit if the values cannot be of that type."""
    import pyarrow as pa

    types, missing = pa.types, cells.missing()
    if types.is_dictionary(kind):
        return _dictionary(cells, kind)
    if types.is_boolean(kind):
        return pa.array(cells.numbers() >= 0.5, mask=missing)
    if types.is_integer(kind):
        return pa.array(cells.integers(kind.to_pandas_dtype()), mask=missing)
    if types.is_floating(kind):
        return pa.array(to_floats(cells.numbers(), kind.to_pandas_dtype()), mask=missing)
    if types.is_decimal(kind):
        return _decimals(cells.numbers(), missing, kind)
    if types.is_temporal(kind):
        return _temporal(cells, missing, kind)
    if types.is_null(kind):
        if not missing.all():
            raise DoesNotFit("a column of nulls holds no values")
        return pa.nulls(len(missing))
    if not is_text(kind):
        raise ValueError(kind)
    codes, texts = cells.texts()
    return pa.array(texts, type=kind).take(pa.array(codes, mask=codes < 0))


def _decimals(numbers: Array, missing: Array, kind: Any) -> Any:
    """Round to the scale and clip to the precision; each distinct value is converted once."""
    import pyarrow as pa

    step = Decimal(1).scaleb(-kind.scale)
    most = (10**kind.precision - 1) * step
    uniques, inverse = np.unique(numbers, return_inverse=True)
    context = _wide_context()
    exact = [max(-most, min(most, Decimal(repr(v)).quantize(step, context=context))) for v in uniques.tolist()]
    return pa.array(exact, type=kind).take(pa.array(inverse, mask=missing))


def _wide_context() -> Any:
    from decimal import Context

    return Context(prec=400)


def _temporal(cells: Cells, missing: Array, kind: Any) -> Any:
    import pyarrow as pa

    dated = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    numbers = cells.numbers(moments=dated)
    if pa.types.is_date32(kind):
        return pa.array(to_ticks(numbers, "D", bits=32).astype(np.int32), mask=missing).view(kind)
    if pa.types.is_date64(kind):
        return pa.array(to_ticks(numbers, "D") * 86_400_000, mask=missing).view(kind)
    if pa.types.is_time(kind):
        numbers = np.clip(numbers, 0, DAY - 1)
    ticks = to_ticks(numbers, kind.unit)
    if kind.bit_width == 32:
        ticks = np.minimum(ticks, DAY // {"s": 1_000_000, "ms": 1000}[kind.unit] - 1)
        return pa.array(ticks.astype(np.int32), mask=missing).view(kind)
    return pa.array(ticks, mask=missing).view(kind)


def _dictionary(cells: Cells, kind: Any) -> Any:
    """Write the levels as a column of the value type, which gives the dictionary."""
    import pyarrow as pa

    codes, levels = cells.levelled(as_text=is_text(kind.value_type))
    column = Column(cells.column.name, "categorical", cells.column.dtype, levels=levels)
    values = write_arrow(Cells(column, np.arange(len(levels)), levels), kind.value_type)
    index = kind.index_type
    if len(levels) > np.iinfo(index.to_pandas_dtype()).max:
        index = pa.int32()
    indices = pa.array(codes, mask=codes < 0).cast(index)
    return pa.DictionaryArray.from_arrays(indices, values, ordered=kind.ordered)
