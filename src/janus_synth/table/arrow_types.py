"""Arrow types as text and back, exactly."""

from __future__ import annotations

import re
from typing import Any

PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}

_DICTIONARY = re.compile(r"dictionary<values=(?P<values>.+), indices=(?P<indices>\w+), ordered=(?P<ordered>[01])>")
_DECIMAL = re.compile(r"(?P<width>decimal\d+)\((?P<precision>\d+), (?P<scale>-?\d+)\)")
_ZONED = re.compile(r"timestamp\[(?P<unit>s|ms|us|ns), tz=(?P<zone>.+)\]")


def type_from_text(text: str) -> Any:
    """Arrow type of a text; ValueError if there is none.

    Examples
    --------
    >>> type_from_text("timestamp[us, tz=Europe/Paris]")
    TimestampType(timestamp[us, tz=Europe/Paris])
    """
    import pyarrow as pa

    if match := _DICTIONARY.fullmatch(text):
        return pa.dictionary(
            type_from_text(match["indices"]), type_from_text(match["values"]), ordered=match["ordered"] == "1"
        )
    if match := _DECIMAL.fullmatch(text):
        return getattr(pa, match["width"])(int(match["precision"]), int(match["scale"]))
    if match := _ZONED.fullmatch(text):
        return pa.timestamp(match["unit"], tz=match["zone"])
    return pa.type_for_alias(text)


def is_text(kind: Any) -> bool:
    """Whether an arrow type holds text."""
    import pyarrow as pa

    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
