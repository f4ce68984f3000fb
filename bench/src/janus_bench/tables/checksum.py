"""A table to a checksum of what it says: names, kinds of columns and values, whichever library holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

WRITTEN: dict[str, Callable[[Any], str]] = {
    "whole": lambda value: str(int(value)),
    "real": lambda value: repr(float(value)),  # the shortest digits that read back as the same number
    "text": json.dumps,
}
"""How a cell of each kind is written; a missing one is written as nothing."""


def content_checksum(frame: pd.DataFrame, *, ordered: bool = True) -> str:
    """SHA-256 of a table written out cell by cell; where rows are not ``ordered``, their order does not count.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 41], "job": ["nurse", None]})
    >>> content_checksum(frame)[:12]
    '853ae276b4f9'
    >>> content_checksum(frame) == content_checksum(frame.iloc[::-1])
    False
    >>> content_checksum(frame, ordered=False) == content_checksum(frame.iloc[::-1], ordered=False)
    True
    """
    kinds = [_kind(frame[name]) for name in frame]
    cells = [_written(frame[name], kind) for name, kind in zip(frame, kinds, strict=True)]
    rows = ["\t".join(row) for row in zip(*cells, strict=True)]
    head = json.dumps([list(frame.columns), kinds])
    return hashlib.sha256("\n".join([head, *(rows if ordered else sorted(rows))]).encode()).hexdigest()


def _kind(column: pd.Series[Any]) -> str:
    from pandas.api.types import is_float_dtype, is_integer_dtype

    if is_integer_dtype(column):
        return "whole"
    return "real" if is_float_dtype(column) else "text"


def _written(column: pd.Series[Any], kind: str) -> list[str]:
    write = WRITTEN[kind]
    return ["" if gone else write(value) for value, gone in zip(column.tolist(), column.isna().tolist(), strict=True)]
