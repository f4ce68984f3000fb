"""Columns of pyarrow and polars: to ``RawColumn`` and back, and the text that names each of their types.

polars columns are converted through arrow arrays; ``_POLARS_TO_ARROW`` names the arrow type that carries each polars
dtype.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import SchemaError, require_extra
from janus_synth.table.columns import Column
from janus_synth.table.datetimes import DAY
from janus_synth.table.output_columns import DoesNotFit, OutputColumn, to_floats, to_ticks
from janus_synth.table.raw_columns import (
    RawColumn,
    cells_as_levels,
    raise_unsupported,
    raw_booleans,
    raw_levels,
    raw_numbers,
    raw_times,
)

TICKS_PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}
DAY_SECONDS = 86_400

_DICTIONARY = re.compile(r"dictionary<values=(?P<values>.+), indices=(?P<indices>\w+), ordered=(?P<ordered>[01])>")
_DECIMAL = re.compile(r"(?P<width>decimal\d+)\((?P<precision>\d+), (?P<scale>-?\d+)\)")
_ZONED = re.compile(r"timestamp\[(?P<unit>s|ms|us|ns), tz=(?P<zone>.+)\]")
_POLARS_TO_ARROW = {
    "Int8": "int8",
    "Int16": "int16",
    "Int32": "int32",
    "Int64": "int64",
    "Int128": "int64",
    "UInt8": "uint8",
    "UInt16": "uint16",
    "UInt32": "uint32",
    "UInt64": "uint64",
    "UInt128": "uint64",
    "Float16": "float",
    "Float32": "float",
    "Float64": "double",
    "Boolean": "bool",
    "String": "large_string",
    "Date": "date32[day]",
    "Time": "time64[ns]",
    "Categorical": "dictionary<values=large_string, indices=uint32, ordered=0>",
    "Enum": "large_string",
    "Null": "null",
}
_POLARS_TIME = re.compile(r"(?P<name>Datetime|Duration)\[(?P<unit>ms|us|ns)(?:, (?P<zone>.+))?\]")
_POLARS_DECIMAL = re.compile(r"Decimal\[(?P<precision>\d+), (?P<scale>\d+)\]")


def read_arrow(name: str, array: Any, dtype: str | None = None) -> RawColumn:
    """Read an Array or ChunkedArray; ``dtype`` is the text to keep, by default the arrow type's own."""
    import pyarrow as pa

    kind, text = array.type, dtype or str(array.type)
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks() if array.num_chunks else pa.array([], kind)
    has_nulls = array.null_count > 0
    missing = array.is_null().to_numpy(zero_copy_only=False) if has_nulls else np.zeros(len(array), bool)
    if pa.types.is_null(kind):
        return raw_levels(name, text, np.full(len(array), -1), ())
    if pa.types.is_boolean(kind):
        return raw_booleans(name, text, _filled(array, False), missing)
    if pa.types.is_integer(kind):
        return raw_numbers(name, text, _filled(array, 0), missing)
    if pa.types.is_floating(kind):
        return raw_numbers(name, text, array.to_numpy(zero_copy_only=False).astype(np.float64), missing)
    if pa.types.is_decimal(kind):
        return raw_numbers(name, text, _filled(array.cast(pa.float64()), 0.0), missing)
    if pa.types.is_temporal(kind):
        return _read_times(name, text, array, missing)
    if pa.types.is_dictionary(kind):
        return _read_dictionary(name, text, array)
    if is_text(kind):
        return _read_text(name, text, array)
    raise_unsupported(name, f"cells of type {kind}")


def _filled(array: Any, value: Any) -> Array:
    import pyarrow as pa

    full = array.fill_null(pa.scalar(value, array.type)) if array.null_count else array
    filled: Array = full.to_numpy(zero_copy_only=False)
    return filled


def _read_times(name: str, text: str, array: Any, missing: Array) -> RawColumn:
    import pyarrow as pa

    kind = array.type
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    ticks = _filled(array.view(width), 0).astype(np.int64)
    if pa.types.is_date32(kind):
        return raw_times(name, text, ticks * DAY_SECONDS, missing, per_second=1)
    if pa.types.is_date64(kind):
        return raw_times(name, text, ticks, missing, per_second=1000)
    if pa.types.is_interval(kind):
        raise_unsupported(name, f"cells of type {kind}")
    per_second = TICKS_PER_SECOND[kind.unit]
    if pa.types.is_timestamp(kind):
        return raw_times(name, text, ticks, missing, per_second=per_second)
    return raw_times(name, text, ticks, missing, per_second=per_second, kind="numeric")


def _read_text(name: str, text: str, array: Any) -> RawColumn:
    import pyarrow as pa

    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        array = array.cast(pa.large_string())
    encoded = array.dictionary_encode()
    indices = _filled(encoded.indices, -1)
    return raw_levels(name, text, indices, tuple(encoded.dictionary.to_pylist()), plain_text=True)


def _read_dictionary(name: str, text: str, array: Any) -> RawColumn:
    """Read the dictionary as a column of its own, which gives the levels."""
    import pyarrow as pa

    values = cells_as_levels(read_arrow(name, array.dictionary))
    levels = tuple(dict.fromkeys(value for value in values if value is not None))
    place = {level: index for index, level in enumerate(levels)}
    lookup = np.array([*(-1 if value is None else place[value] for value in values), -1], dtype=np.int32)
    indices = lookup[_filled(array.indices.cast(pa.int64()), -1)]
    return raw_levels(name, text, indices, levels, declared=True, ordered=bool(array.type.ordered))


def read_polars(name: str, series: Any) -> RawColumn:
    """Read a polars Series, through an arrow array where possible."""
    import polars as pl

    dtype = series.dtype
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary, pl.Unknown):
        raise_unsupported(name, f"cells of type {dtype}")
    text = polars_dtype_text(dtype)
    if isinstance(dtype, pl.Enum):
        indices = series.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
        return raw_levels(name, text, indices, tuple(dtype.categories.to_list()), declared=True)
    if isinstance(dtype, pl.Categorical):
        read = read_arrow(name, series.cast(pl.String).to_arrow(), text)
        return raw_levels(name, text, read.values, read.levels)
    if text in ("Int128", "UInt128"):
        series = series.cast(pl.Float64)
    return read_arrow(name, series.to_arrow(), text)


def write_arrow(cells: OutputColumn, kind: Any) -> Any:
    """Build an array of the arrow type ``kind``; raise DoesNotFit if the values are not of that type."""
    import pyarrow as pa

    types, missing = pa.types, cells.missing()
    if types.is_dictionary(kind):
        return _write_dictionary(cells, kind)
    if types.is_boolean(kind):
        return pa.array(cells.numbers() >= 0.5, mask=missing)
    if types.is_integer(kind):
        return pa.array(cells.integers(kind.to_pandas_dtype()), mask=missing)
    if types.is_floating(kind):
        return pa.array(to_floats(cells.numbers(), kind.to_pandas_dtype()), mask=missing)
    if types.is_decimal(kind):
        return _write_decimals(cells.numbers(), missing, kind)
    if types.is_temporal(kind):
        return _write_times(cells, missing, kind)
    if types.is_null(kind):
        if not missing.all():
            raise DoesNotFit("a column of nulls cannot hold values")
        return pa.nulls(len(missing))
    if not is_text(kind):
        raise ValueError(kind)
    indices, texts = cells.texts()
    return pa.array(texts, type=kind).take(pa.array(indices, mask=indices < 0))


def _write_decimals(numbers: Array, missing: Array, kind: Any) -> Any:
    """Round to the scale and clip to the precision; each distinct value is converted once."""
    import pyarrow as pa

    step = Decimal(1).scaleb(-kind.scale)
    most = (10**kind.precision - 1) * step
    uniques, inverse = np.unique(numbers, return_inverse=True)
    context = Context(prec=400)
    exact = [max(-most, min(most, Decimal(repr(v)).quantize(step, context=context))) for v in uniques.tolist()]
    return pa.array(exact, type=kind).take(pa.array(inverse, mask=missing))


def _write_times(cells: OutputColumn, missing: Array, kind: Any) -> Any:
    import pyarrow as pa

    dated = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    numbers = cells.numbers(datetimes=dated)
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


def _write_dictionary(cells: OutputColumn, kind: Any) -> Any:
    """Write the levels as a column of the value type, which gives the dictionary."""
    import pyarrow as pa

    indices, levels = cells.level_indices(as_text=is_text(kind.value_type))
    column = Column(cells.column.name, "categorical", cells.column.dtype, levels=levels)
    values = write_arrow(OutputColumn(column, np.arange(len(levels)), levels), kind.value_type)
    index = kind.index_type
    if len(levels) > np.iinfo(index.to_pandas_dtype()).max:
        index = pa.int32()
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=indices < 0).cast(index), values, ordered=kind.ordered)


def write_arrow_frame(columns: list[OutputColumn]) -> Any:
    """Table of finished columns; a field that forbids nulls allows them once there are some."""
    import pyarrow as pa

    fields, arrays = [], []
    for cells in columns:
        text, required = cells.column.dtype.removesuffix(" not null"), cells.column.dtype.endswith(" not null")
        array = _arrow_column(cells, text)
        fields.append(pa.field(cells.column.name, array.type, nullable=not required or bool(array.null_count)))
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields))


def write_polars_frame(columns: list[OutputColumn]) -> Any:
    """DataFrame of finished columns."""
    pl = require_extra("polars", "polars", purpose="writing polars frames, as this schema says,")
    series = []
    for cells in columns:
        column = cells.column
        try:
            dtype = polars_dtype(column.dtype, tuple(cells.texts()[1]) if column.dtype == "Enum" else ())
        except ValueError:
            raise _no_dtype(column, "polars") from None
        array = _arrow_column(cells, _arrow_text(column.dtype))
        fits = array.type == arrow_type(_arrow_text(column.dtype))
        made = pl.Series(column.name, array)
        series.append(made.cast(dtype) if fits and made.dtype != dtype else made)
    return pl.DataFrame({made.name: made for made in series})


def _arrow_column(cells: OutputColumn, text: str) -> Any:
    """Array of an arrow type, or text where a level does not fit it."""
    import pyarrow as pa

    try:
        return write_arrow(cells, arrow_type(text))
    except DoesNotFit:
        return write_arrow(cells, pa.large_string() if text == "large_string" else pa.string())
    except (ValueError, KeyError) as error:
        raise _no_dtype(cells.column, "pyarrow") from error


def _no_dtype(column: Column, library: str) -> SchemaError:
    return SchemaError(f"column {column.name!r}: {library} has no dtype {column.dtype!r}.", column=column.name)


def arrow_type(text: str) -> Any:
    """Arrow type of a text; raise ValueError if there is none.

    Examples
    --------
    >>> arrow_type("timestamp[us, tz=Europe/Paris]")
    TimestampType(timestamp[us, tz=Europe/Paris])
    """
    import pyarrow as pa

    if match := _DICTIONARY.fullmatch(text):
        return pa.dictionary(arrow_type(match["indices"]), arrow_type(match["values"]), ordered=match["ordered"] == "1")
    if match := _DECIMAL.fullmatch(text):
        return getattr(pa, match["width"])(int(match["precision"]), int(match["scale"]))
    if match := _ZONED.fullmatch(text):
        return pa.timestamp(match["unit"], tz=match["zone"])
    return pa.type_for_alias(text)


def is_text(kind: Any) -> bool:
    """Whether an arrow type holds text."""
    import pyarrow as pa

    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def polars_dtype_text(dtype: Any) -> str:
    """Text of a polars dtype, such as ``Datetime[us, UTC]``; an Enum's categories are the column's levels."""
    name = dtype.__name__ if isinstance(dtype, type) else type(dtype).__name__
    if name == "Datetime" and dtype.time_zone:
        return f"Datetime[{dtype.time_unit}, {dtype.time_zone}]"
    if name in ("Datetime", "Duration"):
        return f"{name}[{dtype.time_unit}]"
    if name == "Decimal":
        return f"Decimal[{dtype.precision or 38}, {dtype.scale}]"
    return name


def polars_dtype(text: str, levels: tuple[Any, ...] = ()) -> Any:
    """Dtype of polars that a text names; raise ValueError if there is none."""
    import polars as pl

    if match := _POLARS_TIME.fullmatch(text):
        if match["name"] == "Duration":
            return pl.Duration(match["unit"])  # type: ignore[arg-type]
        return pl.Datetime(match["unit"], match["zone"])  # type: ignore[arg-type]
    if match := _POLARS_DECIMAL.fullmatch(text):
        return pl.Decimal(int(match["precision"]), int(match["scale"]))
    if text == "Enum":
        return pl.Enum([str(level) for level in levels])
    if text not in _POLARS_TO_ARROW or not hasattr(pl, text):
        raise ValueError(text)
    return getattr(pl, text)()


def _arrow_text(text: str) -> str:
    """Text of the arrow type that carries a polars dtype."""
    if match := _POLARS_TIME.fullmatch(text):
        if match["name"] == "Duration":
            return f"duration[{match['unit']}]"
        return f"timestamp[{match['unit']}, tz={match['zone']}]" if match["zone"] else f"timestamp[{match['unit']}]"
    if match := _POLARS_DECIMAL.fullmatch(text):
        return f"decimal128({match['precision']}, {match['scale']})"
    return _POLARS_TO_ARROW[text]
