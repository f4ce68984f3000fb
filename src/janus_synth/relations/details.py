"""What is known of a relation beyond its columns: one frozen dataclass of plain values per kind.

Fields are texts, numbers, booleans and tuples of them, so that a relation can be written as JSON. Times are in
seconds: an offset between two timestamps, or the coefficient of a number that is added to one.
"""

from __future__ import annotations

from dataclasses import dataclass

from janus_synth.table import Level


@dataclass(frozen=True, slots=True)
class Sum:
    """``column == constant + Σ coefficient · term``; coefficients of plain numbers among times are in seconds.

    With ``decimals``, the column is equal to the sum only after rounding it to so many.
    """

    column: str
    terms: tuple[tuple[str, float], ...]
    constant: float
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class PartSum:
    """``column == constant + Σ coefficient · term`` in a share of the rows that is close to 1."""

    column: str
    terms: tuple[tuple[str, float], ...]
    constant: float
    share: float


@dataclass(frozen=True, slots=True)
class Ordering:
    """``column >= start + offset`` in every row.

    ``slack`` holds the quantiles 0, 0.25, 0.5, 0.75 and 1 of ``column - start``, ``at_equality`` the share of rows
    where both sides are equal. If ``stable``, the gap varies on a much finer scale than the columns and hardly depends
    on ``start``: ``column`` is better learnt as ``start`` plus a gap.
    """

    column: str
    start: str
    slack: tuple[float, ...]
    at_equality: float
    stable: bool
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Lookup:
    """``column`` is a function of the keys; if ``one_to_one``, the only key is a function of the column too."""

    column: str
    keys: tuple[str, ...]
    one_to_one: bool = False


@dataclass(frozen=True, slots=True)
class CalendarPart:
    """``column`` is a part of a timestamp, in the time zone of the timestamp or in another ``zone``.

    ``part`` is one of year, quarter, month, day, weekday, hour, minute, date. A number is the part plus ``offset``,
    where weekdays count from Monday = 0; if ``sunday_first``, from Sunday = 0. ``names`` holds the levels of a
    category, each with the number of the part that it stands for.
    """

    column: str
    timestamp: str
    part: str
    offset: int = 0
    sunday_first: bool = False
    names: tuple[tuple[Level, int], ...] = ()
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """``column`` is ``start`` plus some minutes, both times of day such as 1405; midnight is written 0 or 2400."""

    column: str
    start: str
    minutes: str
    midnight: int = 0


@dataclass(frozen=True, slots=True)
class Product:
    """``column`` is the product of the factors, rounded to ``decimals`` (None: not rounded)."""

    column: str
    factors: tuple[str, ...]
    decimals: int | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """``column`` is ``factor · numerator / denominator``, rounded to ``decimals`` (None: not rounded)."""

    column: str
    numerator: str
    denominator: str
    decimals: int | None
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class ScaledProduct:
    """``column`` is ``factor · Σ sources · second ** power``, rounded to ``decimals`` (None: not rounded)."""

    column: str
    sources: tuple[str, ...]
    second: str
    power: int
    factor: float
    decimals: int | None


@dataclass(frozen=True, slots=True)
class Factor:
    """``column`` is one of a few multiples of ``source``, rounded to ``decimals`` (None: not rounded)."""

    column: str
    source: str
    factors: tuple[float, ...]
    decimals: int | None


@dataclass(frozen=True, slots=True)
class Copy:
    """``column == factor · source`` in a share of the rows, far more often than values repeat by chance.

    ``share`` is taken over the rows where ``source`` is neither null nor one of its frequent values.
    """

    column: str
    source: str
    factor: float
    share: float


@dataclass(frozen=True, slots=True)
class Nulls:
    """``columns`` are null in the same rows; with a ``source``, where (``exactly`` or at least) it has a value.

    ``values`` are values of the source, None for null.
    """

    columns: tuple[str, ...]
    source: str | None = None
    values: tuple[Level | None, ...] = ()
    exactly: bool = True


@dataclass(frozen=True, slots=True)
class OneHot:
    """Exactly one of some 0/1 columns is 1."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Implication:
    """Where ``source`` is ``value``, ``column`` is ``result``; if ``both_ways``, the reverse holds too."""

    column: str
    result: Level
    source: str
    value: Level
    both_ways: bool = False


@dataclass(frozen=True, slots=True)
class Increment:
    """Values are multiples of ``step``."""

    column: str
    step: float


@dataclass(frozen=True, slots=True)
class Band:
    """``column`` is a step function of ``source``.

    ``values[i]`` holds where ``source`` is below ``edges[i]`` and not below ``edges[i - 1]``.
    """

    column: str
    source: str
    edges: tuple[float, ...]
    values: tuple[Level, ...]


Detail = (
    Sum
    | PartSum
    | Ordering
    | Lookup
    | CalendarPart
    | Clock
    | Product
    | Ratio
    | ScaledProduct
    | Factor
    | Copy
    | Nulls
    | OneHot
    | Implication
    | Increment
    | Band
)
