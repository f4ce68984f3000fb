"""Rows of a frame to texts, one line per column: fifteen columns do not fit a screen side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd


def upright(frame: pd.DataFrame, n_rows: int) -> list[list[str]]:
    """Names and cells of the first rows; empty for missing ones.

    Examples
    --------
    >>> import pandas as pd
    >>> upright(pd.DataFrame({"age": [31, 45, 60], "score": [1.50, None, 2.0]}), 2)
    [['age', '31', '45'], ['score', '1.5', '']]
    """
    few = frame.head(n_rows)
    texts = [[shown(value) for value in row] for row in few.itertuples(index=False, name=None)]
    return [list(line) for line in zip(map(str, few.columns), *texts, strict=True)]


def printed_rows(lines: Sequence[Sequence[str]]) -> Table:
    """The same for the console."""
    printed = Table(box=None, pad_edge=False, show_header=False)
    printed.add_column(style="bold")
    for name, *cells in lines:
        printed.add_row(Text(name), *(Text(text) if text else Text("null", style="dim italic") for text in cells))
    return printed


def printed_table(headings: Sequence[str], cells: Iterable[Sequence[str]]) -> Table:
    """Rows of texts under headings, for the console; numbers to the right."""
    printed = Table(box=None, pad_edge=False)
    for j, heading in enumerate(headings):
        printed.add_column(heading, justify="right" if j else "left")
    for row in cells:
        printed.add_row(*(Text(text) if text else Text("null", style="dim italic") for text in row))
    return printed


def shown(value: Any) -> str:
    """One cell as text; empty for missing."""
    import pandas as pd

    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
