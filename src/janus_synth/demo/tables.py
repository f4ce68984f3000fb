"""Layouts of the demo's tables: headings and texts in; tables of the page and of the console out."""

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


def transpose_rows(frame: pd.DataFrame, n_rows: int) -> Table:
    """Show the first rows with one line per column, because fifteen columns do not fit side by side.

    Examples
    --------
    >>> import pandas as pd
    >>> transpose_rows(pd.DataFrame({"age": [31, 45, 60], "score": [1.50, None, 2.0]}), 2).rows
    [['age', '31', '45'], ['score', '1.5', '']]
    """
    few = frame.head(n_rows)
    texts = [[format_cell(value) for value in row] for row in few.itertuples(index=False, name=None)]
    lines = [list(line) for line in zip(map(str, few.columns), *texts, strict=True)]
    return Table(["", *(f"row {i + 1}" for i in range(len(few)))], lines)


def transposed_table(table: Table) -> RichTable:
    """Lay out a table of `transpose_rows` without headings, the names in bold."""
    printed = RichTable(box=None, pad_edge=False, show_header=False)
    printed.add_column(style="bold")
    for name, *cells in table.rows:
        printed.add_row(Text(name), *map(_cell, cells))
    return printed


def facts_table(facts: Iterable[tuple[str, str]]) -> RichTable:
    """Lay out numbers with their meanings."""
    printed = RichTable.grid(padding=(0, 2))
    printed.add_column(justify="right", style="bold")
    printed.add_column()
    for number, meaning in facts:
        printed.add_row(number, meaning)
    return printed


def score_table(table: Table) -> RichTable:
    """Lay out a table of scores; only the last column, the meaning, may wrap."""
    printed = RichTable(box=None, pad_edge=False)
    last = len(table.headings) - 1
    for j, heading in enumerate(table.headings):
        printed.add_column(heading, justify="right" if 0 < j < last else "left", no_wrap=j < last)
    for row in table.rows:
        printed.add_row(*row)
    return printed


def format_cell(value: Any) -> str:
    """Format one cell; empty for a missing value."""
    import pandas as pd

    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return str(value.date()) if value == value.normalize() else str(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _cell(text: str) -> Text:
    return Text(text) if text else Text("null", style="dim italic")
