"""Tables of text for reports (Markdown or a terminal), and how numbers, means and spreads are formatted in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table as RichTable


NOTHING = "–"
"""How an undefined number is shown."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A titled table of text; the first ``n_labels`` columns are words, the others numbers."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    n_labels: int = 1

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.headings) for row in self.rows), self.title

    def to_markdown(self) -> str:
        """A section with a pipe table.

        Examples
        --------
        >>> print(Grid("Scores", ["method", "AUC"], [["JANUS", "0.57"]]).to_markdown())
        ## Scores
        <BLANKLINE>
        | method | AUC |
        |---|--:|
        | JANUS | 0.57 |
        """
        rule = "|".join("---" if j < self.n_labels else "--:" for j in range(len(self.headings)))
        lines = [_piped(self.headings), f"|{rule}|", *(_piped(row) for row in self.rows)]
        note = [self.note, ""] if self.note else []
        return "\n".join([f"## {self.title}", "", *note, *lines])

    def __rich__(self) -> RichTable:
        """Render as a table for a terminal."""
        from rich.table import Table as RichTable

        table = RichTable(title=self.title, title_justify="left", caption=self.note or None, caption_justify="left")
        for j, heading in enumerate(self.headings):
            table.add_column(heading, justify="left" if j < self.n_labels else "right")
        for row in self.rows:
            table.add_row(*row)
        return table


def decimals(value: float | None, digits: int = 3, *, sign: bool = False) -> str:
    """A number with ``digits`` decimals; a dash for None or NaN.

    Examples
    --------
    >>> decimals(0.0126), decimals(-0.02, sign=True), decimals(None)
    ('0.013', '−0.020', '–')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value:{'+' if sign else ''},.{digits}f}".replace("-", "−")


def seconds(value: float | None) -> str:
    """Three figures, whatever the size.

    Examples
    --------
    >>> seconds(0.01234), seconds(1.5), seconds(123.4)
    ('0.0123', '1.50', '123')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return decimals(value, 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4)


def _piped(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def mean_of(values: Iterable[float | None]) -> float | None:
    """Mean of the values there are.

    Examples
    --------
    >>> mean_of([1.0, None, 2.0]), mean_of([None])
    (1.5, None)
    """
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def with_spread(values: Iterable[float | None], format_value: Callable[[float | None], str] = decimals) -> str:
    """Mean ± standard deviation of the values there are, as text; the latter needs two.

    Examples
    --------
    >>> with_spread([1.0, None, 2.0]), with_spread([1.0]), with_spread([])
    ('1.500 ± 0.707', '1.000', '–')
    """
    known = [value for value in values if value is not None]
    mean = format_value(mean_of(known))
    return f"{mean} ± {format_value(stdev(known))}" if len(known) > 1 else mean
