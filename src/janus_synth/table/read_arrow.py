"""A pyarrow array to a ``Reading``."""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.table.arrow_types import PER_SECOND, is_text
from janus_synth.table.reading import Reading, levels_of, of_booleans, of_codes, of_numbers, of_ticks, refuse

DAY_SECONDS = 86_400


def read_arrow(name: str, array: Any, dtype: str | None = None) -> Reading:
    """Read an Array or ChunkedArray; ``dtype`` is the text to remember, the arrow type's own by default."""
    import pyarrow as pa

    kind, text = array.type, dtype or str(array.type)
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks() if array.num_chunks else pa.array([], kind)
    missing = array.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_null(kind):
        return of_codes(name, text, np.full(len(array), -1), ())
    if pa.types.is_boolean(kind):
        return of_booleans(name, text, _filled(array, False), missing)
    if pa.types.is_integer(kind):
        return of_numbers(name, text, _filled(array, 0), missing)
    if pa.types.is_floating(kind):
        return of_numbers(name, text, array.to_numpy(zero_copy_only=False).astype(np.float64), missing)
    if pa.types.is_decimal(kind):
        return of_numbers(name, text, _filled(array.cast(pa.float64()), 0.0), missing)
    if pa.types.is_temporal(kind):
        return _temporal(name, text, array, missing)
    if pa.types.is_dictionary(kind):
        return _dictionary(name, text, array)
    if is_text(kind):
        return _text(name, text, array)
    refuse(name, f"cells of type {kind}")


def _filled(array: Any, value: Any) -> Array:
    import pyarrow as pa

    filled: Array = array.fill_null(pa.scalar(value, array.type)).to_numpy(zero_copy_only=False)
    return filled


def _temporal(name: str, text: str, array: Any, missing: Array) -> Reading:
    import pyarrow as pa

    kind = array.type
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    ticks = _filled(array.view(width), 0).astype(np.int64)
    if pa.types.is_date32(kind):
        return of_ticks(name, text, ticks * DAY_SECONDS, missing, per_second=1)
    if pa.types.is_date64(kind):
        return of_ticks(name, text, ticks, missing, per_second=1000)
    if pa.types.is_interval(kind):
        refuse(name, f"cells of type {kind}")
    natural = "datetime" if pa.types.is_timestamp(kind) else "numeric"
    return of_ticks(name, text, ticks, missing, per_second=PER_SECOND[kind.unit], natural=natural)  # type: ignore[arg-type]


def _text(name: str, text: str, array: Any) -> Reading:
    import pyarrow as pa

    if not pa.types.is_large_string(array.type):
        array = array.cast(pa.large_string())
    encoded = array.dictionary_encode()
    codes = _filled(encoded.indices, -1)
    return of_codes(name, text, codes, tuple(encoded.dictionary.to_pylist()), plain_text=True)


def _dictionary(name: str, text: str, array: Any) -> Reading:
    """Read the dictionary as a column of its own, which gives the levels."""
    import pyarrow as pa

    values = levels_of(read_arrow(name, array.dictionary))
    levels = tuple(dict.fromkeys(value for value in values if value is not None))
    place = {level: code for code, level in enumerate(levels)}
    lookup = np.array([*(-1 if value is None else place[value] for value in values), -1], dtype=np.int32)
    codes = lookup[_filled(array.indices.cast(pa.int64()), -1)]
    return of_codes(name, text, codes, levels, declared=True, ordered=bool(array.type.ordered))
