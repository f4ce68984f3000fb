"""Tables to floats and level codes without nulls, and back: the encoding for methods that need plain columns.

Numbers, dates and durations become floats; a null becomes the median plus a flag, which is a column of two levels.
Everything else, and numbers with few values, become level codes, with null as a level. Text with too many levels is a
key: its values are drawn independently. Decoded numbers stay in the training range and are rounded to its finest step,
as SDV does by default; otherwise rounding alone would identify synthetic rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from janus_bench.peers.interface import checked
from janus_synth.arrays import Floats

MAX_CLASSES = 250
"""Levels above which text is a key or free text: it is drawn independently and is no parent of any column.

Class counts in every node of a tree would need gigabytes, and synthpop refuses such columns as well.
"""
MAX_COUNTED = 10
"""Distinct values up to which a numeric target is classified instead of regressed."""


def is_numeric(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers, dates or durations."""
    kind = pd.api.types
    if kind.is_bool_dtype(column.dtype):
        return False
    return (
        kind.is_numeric_dtype(column.dtype)
        or kind.is_datetime64_any_dtype(column.dtype)
        or kind.is_timedelta64_dtype(column.dtype)
    )


def is_ordered(column: pd.Series[Any]) -> bool:
    """Whether a column is an ordered categorical."""
    return isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)


def numbers(column: pd.Series[Any]) -> Floats:
    """Values as floats, nulls as nan; dates and durations in nanoseconds."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    is_date = pd.api.types.is_datetime64_any_dtype(column.dtype)
    ticks = column.to_numpy(dtype="datetime64[ns]" if is_date else "timedelta64[ns]").astype(np.int64)
    return np.where(column.isna(), np.nan, ticks.astype(np.float64))


def level_codes(column: pd.Series[Any]) -> npt.NDArray[np.int64]:
    """Number the levels: null is 0, then by category order if any, else by decreasing frequency."""
    if is_ordered(column):
        codes = column.cat.codes.to_numpy().astype(np.int64)
    else:
        first_seen = pd.factorize(column)[0]
        counts = np.bincount(first_seen[first_seen >= 0])
        place = np.empty(len(counts), dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        codes = np.append(place, -1)[first_seen]
    return codes + 1 if (codes < 0).any() else codes


Codes = npt.NDArray[np.int64]

MOST_DECIMALS = 6
TICKS = tuple(int(f"{unit:.0f}") for unit in (864e11, 36e11, 6e10, 1e9, 1e6, 1e3))
"""Nanoseconds of a day, an hour, a minute, a second, a millisecond and a microsecond."""


class Coded(NamedTuple):
    """An encoded table: floats (n, p) and level codes (n, q)."""

    numbers: Floats
    codes: Codes

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers, dates or durations."""

    name: Any
    dtype: Any
    low: float
    high: float
    step: float
    """Step of the grid that values lie on; 0 if there is none."""
    median: float
    has_nulls: bool

    @classmethod
    def of(cls, column: pd.Series[Any]) -> Self:
        """Learn range and step."""
        values = numbers(column)
        known = values[~np.isnan(values)]
        step = _tick(known) if _is_time(column.dtype) else _decimal_step(known)
        has_nulls = len(known) < len(values)
        return cls(column.name, column.dtype, known.min(), known.max(), step, float(np.median(known)), has_nulls)

    def encode(self, column: pd.Series[Any]) -> tuple[Floats, Codes]:
        """Values with nulls replaced by the median, and a flag per null."""
        values = numbers(column)
        is_null = np.isnan(values)
        return np.where(is_null, self.median, values), is_null.astype(np.int64)

    def decode(self, values: Floats, is_null: npt.NDArray[np.bool_]) -> pd.Series[Any]:
        """Values clipped to the training range and rounded to the step, in the original dtype."""
        kept = np.clip(np.nan_to_num(values, nan=self.median), self.low, self.high)
        if _is_time(self.dtype):
            ticks = int(self.low) + int(self.step) * np.rint((kept - self.low) / self.step).astype(np.int64)
            return _times(ticks, self.dtype).mask(is_null)
        if self.step:
            kept = np.round(kept / self.step) * self.step if self.step >= 1 else np.round(kept, _decimals(self.step))
        if pd.api.types.is_integer_dtype(self.dtype):
            whole = pd.Series(np.rint(kept).astype(np.int64)).astype(self.dtype)
            return whole.mask(is_null) if is_null.any() else whole
        return pd.Series(np.where(is_null, np.nan, kept)).astype(self.dtype)


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A column of levels, including null; ``examples`` holds a training cell of each level."""

    name: Any
    examples: pd.Series[Any]

    @classmethod
    def of(cls, column: pd.Series[Any]) -> tuple[Self, Codes]:
        """Learn the levels, and number them in order of appearance."""
        codes, _ = pd.factorize(column, use_na_sentinel=False)
        _, first = np.unique(codes, return_index=True)
        return cls(column.name, column.iloc[first].reset_index(drop=True)), codes.astype(np.int64)

    def decode(self, codes: Codes) -> pd.Series[Any]:
        """Cells with these level codes."""
        return self.examples.iloc[codes].reset_index(drop=True)


class TableCoder:
    """Encodes and decodes the columns of a table.

    Examples
    --------
    >>> frame = pd.DataFrame({"x": [0.25, None, 0.75] * 9, "n": range(27), "who": ["a", "b", None] * 9})
    >>> coder, coded = TableCoder.learn(frame)
    >>> coded.numbers.shape, coder.n_levels
    ((27, 1), (3, 3))
    >>> bool(coder.decode(coded, seed=0).equals(frame))
    True
    """

    def __init__(
        self, names: list[Any], numbers: list[NumberColumn], levels: list[LevelColumn], keys: dict[Any, pd.Series[Any]]
    ) -> None:
        self.names, self.numbers, self.levels, self.keys = names, numbers, levels, keys

    @classmethod
    def learn(cls, frame: pd.DataFrame) -> tuple[Self, Coded]:
        """Learn a table, and encode it."""
        frame = checked(frame)
        numbers: list[NumberColumn] = []
        levels: list[LevelColumn] = []
        keys: dict[Any, pd.Series[Any]] = {}
        level_codes: list[Codes] = []
        for name, column in frame.items():
            if is_numeric(column) and column.nunique() > MAX_COUNTED:
                numbers.append(NumberColumn.of(column))
            elif _is_key(column):
                keys[name] = column.reset_index(drop=True)
            else:
                level, codes = LevelColumn.of(column)
                levels.append(level)
                level_codes.append(codes)
        coded = [column.encode(frame[column.name]) for column in numbers]
        flags = [flag for column, (_, flag) in zip(numbers, coded, strict=True) if column.has_nulls]
        return cls(list(frame), numbers, levels, keys), Coded(
            _stacked([values for values, _ in coded], len(frame), np.float64),
            _stacked([*level_codes, *flags], len(frame), np.int64),
        )

    @property
    def n_levels(self) -> tuple[int, ...]:
        """Number of levels of each column of codes; null flags, which come last, have two."""
        n_flags = sum(column.has_nulls for column in self.numbers)
        return (*(len(level.examples) for level in self.levels), *[2] * n_flags)

    def flag_places(self) -> Iterator[tuple[int, int | None]]:
        """Position of each numeric column, and of the code column with its null flags (None if it has no nulls)."""
        place = len(self.levels)
        for i, column in enumerate(self.numbers):
            yield i, place if column.has_nulls else None
            place += column.has_nulls

    def decode(self, coded: Coded, *, seed: int) -> pd.DataFrame:
        """Decode rows to a table; keys are drawn from the training table."""
        rng = np.random.default_rng([seed, 1])
        n = coded.n_rows
        columns: dict[Any, pd.Series[Any]] = {}
        for j, level in enumerate(self.levels):
            columns[level.name] = level.decode(coded.codes[:, j])
        for i, place in self.flag_places():
            is_null = np.zeros(n, dtype=bool) if place is None else coded.codes[:, place] == 1
            columns[self.numbers[i].name] = self.numbers[i].decode(coded.numbers[:, i], is_null)
        for name, values in self.keys.items():
            columns[name] = values.iloc[rng.integers(len(values), size=n)].reset_index(drop=True)
        return pd.DataFrame({name: columns[name] for name in self.names})


def _is_key(column: pd.Series[Any]) -> bool:
    """Whether there are too many distinct values, or nearly as many as rows."""
    n_values = column.nunique()
    return bool(n_values > MAX_CLASSES or (n_values > MAX_COUNTED and n_values > len(column) / 2))


def _stacked(columns: list[Any], n_rows: int, dtype: Any) -> Any:
    return np.column_stack(columns).astype(dtype) if columns else np.empty((n_rows, 0), dtype=dtype)


def _is_time(dtype: Any) -> bool:
    return bool(pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype))


def _times(ticks: Codes, dtype: Any) -> pd.Series[Any]:
    """Nanoseconds to dates or durations; dates with a time zone count in UTC."""
    if pd.api.types.is_timedelta64_dtype(dtype):
        return pd.Series(pd.to_timedelta(ticks, unit="ns")).astype(dtype)
    dates = pd.Series(pd.to_datetime(ticks, unit="ns"))
    zone = getattr(dtype, "tz", None)
    return (dates if zone is None else dates.dt.tz_localize("UTC").dt.tz_convert(zone)).astype(dtype)


def _tick(known: Floats) -> float:
    """Largest unit of `TICKS` such that all times are whole multiples of it after the first time."""
    since = (known - known.min()).astype(np.int64)
    return float(next((tick for tick in TICKS if not (since % tick).any()), TICKS[-1]))


def _decimal_step(known: Floats) -> float:
    """Decimal step of values: 0.01 for two decimals; 0 if there are more than `MOST_DECIMALS`.

    Examples
    --------
    >>> _decimal_step(np.array([1.25, 3.5])), _decimal_step(np.array([3.0, 8.0])), _decimal_step(np.array([1 / 3]))
    (0.01, 1.0, 0.0)
    """
    for decimals in range(MOST_DECIMALS + 1):
        if np.array_equal(np.round(known, decimals), known):
            return float(10.0**-decimals)
    return 0.0


def _decimals(step: float) -> int:
    return round(float(-np.log10(step)))
