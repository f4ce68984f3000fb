"""Tables of text for reports (Markdown or a terminal), and how numbers, means and spreads are formatted in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
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
        lines = [_join_cells(self.headings), f"|{rule}|", *(_join_cells(row) for row in self.rows)]
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
    """Seconds with about three significant figures; a dash for None or NaN.

    Examples
    --------
    >>> seconds(0.01234), seconds(1.5), seconds(123.4)
    ('0.0123', '1.50', '123')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return decimals(value, 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4)


def _join_cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def percent(share: float | None, digits: int = 1, *, sign: bool = False) -> str:
    """A share in percent; a dash for None or NaN.

    Examples
    --------
    >>> percent(0.1234), percent(0.5, 0, sign=True), percent(float("nan"))
    ('12.3 %', '+50 %', '–')
    """
    return NOTHING if share is None or math.isnan(share) else f"{decimals(100 * share, digits, sign=sign)} %"


def times(ratio: float | None, digits: int = 2, large: int | None = None) -> str:
    """A ratio with ``digits`` decimals, from 10 on with ``large`` decimals if given; a dash for None or NaN.

    Examples
    --------
    >>> times(1.512), times(15.3, large=0), times(None)
    ('1.51 ×', '15 ×', '–')
    """
    if ratio is None or math.isnan(ratio):
        return NOTHING
    return f"{decimals(ratio, digits if large is None or ratio < 10 else large)} ×"


def mean_of(values: pd.Series[float]) -> float:
    """Mean of the values that are not NaN, correctly rounded; NaN if there are none.

    `Series.mean` depends on the order of summation in its last digit, which changes the printed number where the
    mean is a rounding tie such as 0.7875.

    Examples
    --------
    >>> import pandas as pd
    >>> mean_of(pd.Series([1.0, None, 2.0])), mean_of(pd.Series([], dtype=float))
    (1.5, nan)
    """
    return fmean(values.dropna()) if values.count() else math.nan


def with_spread(values: pd.Series[float], format_value: Callable[[float], str] = decimals) -> str:
    """Mean ± standard deviation of the values that are not NaN, as text; a single value has no standard deviation.

    Examples
    --------
    >>> import pandas as pd
    >>> with_spread(pd.Series([1.0, None, 2.0])), with_spread(pd.Series([1.0])), with_spread(pd.Series([], dtype=float))
    ('1.500 ± 0.707', '1.000', '–')
    """
    mean = format_value(values.mean())
    return f"{mean} ± {format_value(values.std())}" if values.count() > 1 else mean


def each_row(frame: pd.DataFrame) -> Iterator[Any]:
    """Rows of a frame, their columns as attributes."""
    return iter(frame.itertuples())


def groups_of(frame: pd.DataFrame, by: str | list[str]) -> dict[Any, pd.DataFrame]:
    """Rows by the value of a column, or by the values of several, in the order of their first rows."""
    return dict(iter(frame.groupby(by, sort=False)))


def list_records(title: str, frame: pd.DataFrame, headings: Mapping[str, str]) -> list[Grid]:
    """A table of text: the given columns of a frame under their headings; no table if the frame is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> failures = pd.DataFrame({"seed": [3], "error": ["no"]})
    >>> (grid,) = list_records("Failures", failures, {"seed": "seed", "error": "why"})
    >>> grid.rows
    [['3', 'no']]
    """
    rows = [[str(value) for value in row] for row in frame[list(headings)].itertuples(index=False)]
    return [Grid(title, list(headings.values()), rows, n_labels=len(headings))] if rows else []
