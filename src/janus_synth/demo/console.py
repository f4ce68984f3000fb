"""Texts and tables to what the console prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table as RichTable
from rich.text import Text

if TYPE_CHECKING:
    import pandas as pd


class Table(NamedTuple):
    """Headings and rows of texts; an empty text is a missing value."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __rich__(self) -> RichTable:
        printed = RichTable(box=None, pad_edge=False)
        for j, heading in enumerate(self.headings):
            printed.add_column(heading, justify="right" if j else "left")
        for row in self.rows:
            printed.add_row(*map(_cell, row))
        return printed


def upright(frame: pd.DataFrame, n_rows: int) -> Table:
    """The first rows with a line per column: fifteen columns do not fit a screen side by side.

    Examples
    --------
    >>> import pandas as pd
    >>> upright(pd.DataFrame({"age": [31, 45, 60], "score": [1.50, None, 2.0]}), 2).rows
    [['age', '31', '45'], ['score', '1.5', '']]
    """
    few = frame.head(n_rows)
    texts = [[shown(value) for value in row] for row in few.itertuples(index=False, name=None)]
    lines = [list(line) for line in zip(map(str, few.columns), *texts, strict=True)]
    return Table(["", *(f"row {i + 1}" for i in range(len(few)))], lines)


def printed_upright(table: Table) -> RichTable:
    """A table of `upright` without headings, the names in bold."""
    printed = RichTable(box=None, pad_edge=False, show_header=False)
    printed.add_column(style="bold")
    for name, *cells in table.rows:
        printed.add_row(Text(name), *map(_cell, cells))
    return printed


def printed_facts(facts: Iterable[tuple[str, str]]) -> RichTable:
    """Numbers, each with its meaning beside it."""
    printed = RichTable.grid(padding=(0, 2))
    printed.add_column(justify="right", style="bold")
    printed.add_column()
    for number, meaning in facts:
        printed.add_row(number, meaning)
    return printed


def printed_scores(table: Table) -> RichTable:
    """A table of scores: only the last column, the meaning, is text that may wrap."""
    printed = RichTable(box=None, pad_edge=False)
    last = len(table.headings) - 1
    for j, heading in enumerate(table.headings):
        printed.add_column(heading, justify="right" if 0 < j < last else "left", no_wrap=j < last)
    for row in table.rows:
        printed.add_row(*row)
    return printed


def shown(value: Any) -> str:
    """One cell as text; empty for missing."""
    import pandas as pd

    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _cell(text: str) -> Text:
    return Text(text) if text else Text("null", style="dim italic")
