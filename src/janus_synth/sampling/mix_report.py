"""What a mix of rows reached: counts, means and costs, as a value that prints as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class ShareReached(NamedTuple):
    """A category, the share that was asked for, and the rows that it has."""

    category: str
    asked: float
    n_rows: int


class MeanReached(NamedTuple):
    """A column, the mean that was asked for, and the mean of the rows."""

    column: str
    asked: float
    reached: float


@dataclass(frozen=True, slots=True)
class Mix:
    """What a mix of rows reached; prints as text.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    shares : tuple of ShareReached
        Category, share asked for, and number of rows; rows that no category names are the last of each set.
    means : tuple of MeanReached
        Column, mean asked for, and mean reached.
    n_drawn : int
        Rows of the model that were drawn for it.
    effective : float
        Effective sample size of the candidates that the rows were chosen from, where means were asked for: how many
        independent rows they are worth. The number of rows otherwise.

    Examples
    --------
    >>> print(Mix(10, (ShareReached("churn == 'Yes'", 0.3, 3),), (MeanReached("age", 40.0, 40.2),), 25, 18.4))
    10 rows of 25 drawn
    churn == 'Yes'  0.3  3 rows
    mean of age  40 asked  40.2 reached
    effective sample size of the candidates: 18
    """

    n_rows: int
    shares: tuple[ShareReached, ...]
    means: tuple[MeanReached, ...]
    n_drawn: int
    effective: float

    def __str__(self) -> str:
        lines = [f"{self.n_rows:,} rows of {self.n_drawn:,} drawn"]
        lines += [f"{category}  {asked:.4g}  {n_rows:,} rows" for category, asked, n_rows in self.shares]
        lines += [f"mean of {column}  {asked:g} asked  {reached:.6g} reached" for column, asked, reached in self.means]
        if self.means:
            lines.append(f"effective sample size of the candidates: {self.effective:,.0f}")
        return "\n".join(lines)
