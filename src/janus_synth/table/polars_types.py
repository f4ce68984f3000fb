"""polars dtypes as text, back again, and the arrow type that carries each."""

from __future__ import annotations

import re
from typing import Any

_PLAIN = {
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
_TIMED = re.compile(r"(?P<name>Datetime|Duration)\[(?P<unit>ms|us|ns)(?:, (?P<zone>.+))?\]")
_DECIMAL = re.compile(r"Decimal\[(?P<precision>\d+), (?P<scale>\d+)\]")


def dtype_text(dtype: Any) -> str:
    """Text of a polars dtype, such as ``Datetime[us, UTC]``; an Enum's categories are the column's levels."""
    name = dtype.__name__ if isinstance(dtype, type) else type(dtype).__name__
    if name == "Datetime" and dtype.time_zone:
        return f"Datetime[{dtype.time_unit}, {dtype.time_zone}]"
    if name in ("Datetime", "Duration"):
        return f"{name}[{dtype.time_unit}]"
    if name == "Decimal":
        return f"Decimal[{dtype.precision or 38}, {dtype.scale}]"
    return name


def dtype_from_text(text: str, levels: tuple[Any, ...] = ()) -> Any:
    """Rebuild a polars dtype; ValueError if the text names none."""
    import polars as pl

    if match := _TIMED.fullmatch(text):
        if match["name"] == "Duration":
            return pl.Duration(match["unit"])  # type: ignore[arg-type]
        return pl.Datetime(match["unit"], match["zone"])  # type: ignore[arg-type]
    if match := _DECIMAL.fullmatch(text):
        return pl.Decimal(int(match["precision"]), int(match["scale"]))
    if text == "Enum":
        return pl.Enum([str(level) for level in levels])
    if text not in _PLAIN or not hasattr(pl, text):
        raise ValueError(text)
    return getattr(pl, text)()


def arrow_text(text: str) -> str:
    """Arrow type that carries the values of a polars dtype."""
    if match := _TIMED.fullmatch(text):
        if match["name"] == "Duration":
            return f"duration[{match['unit']}]"
        return f"timestamp[{match['unit']}, tz={match['zone']}]" if match["zone"] else f"timestamp[{match['unit']}]"
    if match := _DECIMAL.fullmatch(text):
        return f"decimal128({match['precision']}, {match['scale']})"
    return _PLAIN[text]
