"""Formulas: values of some columns in, the value of another column out, exact to its last decimal.

Values are floats as samplers hold them: numbers, microseconds, or indices of levels, with NaN for missing. A missing
input makes the result missing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.coordinates.checks import require, require_ascending, require_decimals, require_names, require_numbers
from janus_synth.errors import SchemaError
from janus_synth.rules.language import Compare, FixedCombinations, IsIn, Linear, Rule, Term, all_of, any_of
from janus_synth.rules.language.monomials import MAX_POWER
from janus_synth.rules.language.monomials import Product as RuleProduct
from janus_synth.rules.language.notation import DOWN, SPANS, constant_text, format_name, format_sum, plain_number
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table.datetimes import is_zone

Values = Mapping[str, Floats]
"""One array per column, NaN for missing."""
PARTS = ("year", "quarter", "month", "day", "weekday", "hour", "minute", "hhmm", "date", "time")
SECOND = 1e6
"""Microseconds of a second."""
DAY = 86_400_000_000
"""Microseconds of a day."""
HALF = 0.5000001
"""Half a unit of the last decimal, and a little for the errors of floating point."""


class Formula(Protocol):
    """How a column is computed from others."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that the formula reads."""
        ...

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where an input is missing."""
        ...

    def rule(self, column: str) -> Rule | None:
        """The formula as a bound test in the rule language; None if the language cannot express it."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ...


@dataclass(frozen=True, slots=True)
class Sum:
    """A weighted sum of columns, rounded to some decimals.

    Parameters
    ----------
    terms : tuple of (str, float)
        Columns with their coefficients, in physical units.
    constant : float
        Added to the sum.
    decimals : int, optional
        Decimals that the result is rounded to; none for continuous columns.
    rounds : bool
        Whether rounding changes sums, beyond errors of floating point: 20 % of a price, to cents.

    Examples
    --------
    >>> total = Sum((("casual", 1), ("registered", 1)), decimals=0)
    >>> total.evaluate({"casual": np.array([3.0, np.nan]), "registered": np.array([4.0, 1.0])})
    array([ 7., nan])
    >>> print(total)
    casual + registered
    """

    terms: tuple[tuple[str, float], ...]
    constant: float = 0.0
    decimals: int | None = None
    rounds: bool = False

    def __post_init__(self) -> None:
        require(isinstance(self.terms, tuple) and len(self.terms) > 0, "a sum has no terms")
        require(all(isinstance(term, tuple) and len(term) == 2 for term in self.terms), "a term is no pair")
        require_names(*self.inputs)
        require_numbers([weight for _, weight in self.terms] + [self.constant])
        require_decimals(self.decimals)
        require(isinstance(self.rounds, bool) and (self.decimals is not None or not self.rounds), "nothing is rounded")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that the formula reads."""
        return tuple(name for name, _ in self.terms)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where an input is missing."""
        return round_to(self.unrounded(values), self.decimals)

    def unrounded(self, values: Values) -> Floats:
        """Sum of each row before rounding."""
        total = np.full(len(values[self.terms[0][0]]), float(self.constant))
        for name, coefficient in self.terms:
            total += coefficient * values[name]
        return total

    def rule(self, column: str) -> Rule | None:
        """The equation ``column == sum``, or bounds half a unit of the last decimal apart if sums are rounded."""
        terms = (Term(column, 1), *(Term(name, -coefficient) for name, coefficient in self.terms))
        if not self.rounds or self.decimals is None:
            return Compare(Linear(terms), "==", Linear(constant=self.constant))
        half = HALF * 10.0**-self.decimals
        bounds = ((">=", self.constant - half), ("<=", self.constant + half))
        return all_of([Compare(Linear(terms), op, Linear(constant=bound)) for op, bound in bounds])

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        rounds = {"rounds": True} if self.rounds else {}
        return {"terms": [list(t) for t in self.terms], "constant": self.constant, "decimals": self.decimals, **rounds}

    def text(self, column: str = "", times: Collection[str] = ()) -> str:
        """Text of the sum for a column; ``times`` are columns in microseconds, whose durations get readable units.

        Examples
        --------
        >>> Sum((("scheduled", 1), ("delay", 60_000_000))).text("departure", {"departure", "scheduled"})
        'scheduled + minutes(delay)'
        >>> Sum((("end", 1 / 3.6e9), ("start", -1 / 3.6e9))).text("hours", {"end", "start"})
        '(end - start) in hours'
        >>> Sum((("fare", 0.2), ("tolls", 0.2)), 0.5).text()
        '0.2 * (fare + tolls + 2.5)'
        """
        if column in times:
            terms = [(name, c, False) if name in times else (name, c / SECOND, True) for name, c in self.terms]
            return format_sum(terms, self.constant / SECOND, True)
        measured = [(name, coefficient) for name, coefficient in self.terms if name in times]
        sizes = {round(1 / abs(coefficient)) for _, coefficient in measured}
        unit = next((unit for unit, size in SPANS.items() if sizes == {size}), None)
        if unit is None:
            return self._plain_text()
        span = format_sum([(name, float(np.sign(coefficient)), False) for name, coefficient in measured], 0, False)
        others = [(name, coefficient, False) for name, coefficient in self.terms if name not in times]
        text = f"{f'({span})' if len(measured) > 1 else span} in {unit}"
        if not others and not self.constant:
            return text
        return f"{text} + {format_sum(others, self.constant, False)}".replace("+ -", "- ")

    def _plain_text(self) -> str:
        """Text of a sum of numbers; a coefficient that all terms share stands before it."""
        if len(self.terms) == 1 and self.constant in (0.0, DOWN):
            ((name, factor),) = self.terms
            before, after = constant_text(abs(factor))
            sign, rounded = "-" if factor < 0 else "", ", rounded down" if self.constant else ""
            return f"{sign}{before}{format_name(name)}{after}{rounded}"
        share = self.terms[0][1]
        if len(self.terms) > 1 and abs(share) != 1 and all(coefficient == share for _, coefficient in self.terms):
            constant = round(self.constant / share, 9)
            return (
                f"{plain_number(share)} * ({format_sum([(name, 1.0, False) for name in self.inputs], constant, False)})"
            )
        return format_sum([(name, coefficient, False) for name, coefficient in self.terms], self.constant, False)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class Lookup:
    """A value for each known value of a key; other numbers take that of the nearest known key.

    Parameters
    ----------
    key : str
        Column that is looked up.
    known : tuple of float
        Values of the key in ascending order: numbers, or indices of levels.
    values : tuple of float or None
        Value of the column for each of them; None is missing.
    missing : float, optional
        Value where the key is missing.

    Examples
    --------
    >>> borough = Lookup("zone", (0.0, 1.0, 2.0), (1.0, 0.0, None))
    >>> borough.evaluate({"zone": np.array([1.0, 0.0, 2.0, np.nan])})
    array([ 0.,  1., nan, nan])
    """

    key: str
    known: tuple[float, ...]
    values: tuple[float | None, ...]
    missing: float | None = None

    def __post_init__(self) -> None:
        require_names(self.key)
        require_ascending(self.known)
        require_numbers(self.values, allow_none=True)
        require_numbers([self.missing], allow_none=True)
        require(0 < len(self.known) == len(self.values), "a lookup needs a value for each known key")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The key."""
        return (self.key,)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row."""
        key, known = values[self.key], np.array(self.known)
        found = np.array([np.nan if value is None else value for value in self.values])
        if self.known[0] == 0 and self.known[-1] == len(known) - 1 and (known == np.rint(known)).all():
            return self._by_index(key, found)
        above = np.clip(np.searchsorted(known, key), 0, len(known) - 1)
        below = np.maximum(above - 1, 0)
        nearest = np.where(np.abs(key - known[below]) < np.abs(key - known[above]), below, above)
        absent = np.nan if self.missing is None else self.missing
        return np.where(np.isnan(key), absent, found[nearest])

    def _by_index(self, key: Floats, found: Floats) -> Floats:
        """Value of each row if the known keys are 0, 1, 2, and so on, as indices of levels are."""
        missing = np.isnan(key)
        if not missing.any():
            return np.asarray(found[np.ceil(key - 0.5).clip(0, len(found) - 1).astype(np.intp)])
        place = np.ceil(np.where(missing, 0.0, key) - 0.5).clip(0, len(found) - 1).astype(np.intp)
        return np.where(missing, np.nan if self.missing is None else self.missing, found[place])

    def extended(self, keys: Floats, values: Floats) -> Lookup:
        """The same with the values of keys that were not known."""
        known = dict(zip(self.known, self.values, strict=True))
        for key, value in zip(keys.tolist(), values.tolist(), strict=True):
            if not np.isnan(key):
                known.setdefault(key, None if np.isnan(value) else value)
        return replace(self, known=tuple(sorted(known)), values=tuple(known[key] for key in sorted(known)))

    def rule(self, column: str) -> Rule | None:
        """The combinations of key and value."""
        rows = [*zip(self.known, self.values, strict=True), (None, self.missing)]
        return FixedCombinations((self.key, column), tuple(rows))

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"key": self.key, "known": list(self.known), "values": list(self.values), "missing": self.missing}

    def __str__(self) -> str:
        return f"looked up by {format_name(self.key)}"


@dataclass(frozen=True, slots=True)
class CalendarPart:
    """A part of a timestamp, in its own time zone.

    Parameters
    ----------
    timestamp : str
        Column of timestamps.
    part : {"year", "quarter", "month", "day", "weekday", "hour", "minute", "hhmm", "date", "time"}
        Part to take; Monday is weekday 0, 14:05 is hhmm 1405, a date is the microsecond of its midnight, and a time the
        microseconds since then on the clock.
    zone : str, optional
        Time zone of the timestamps.
    known, values : tuples of float, optional
        If the column writes parts in its own way (levels, Sunday as 0), the parts and its values for them.

    Examples
    --------
    >>> CalendarPart("start", "month").evaluate({"start": np.array([0.0, np.nan])})
    array([ 1., nan])
    """

    timestamp: str
    part: str
    zone: str | None = None
    known: tuple[float, ...] = ()
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            raise SchemaError(f"{self.part!r} is no part of a timestamp; use one of {', '.join(PARTS)}.")
        require_names(self.timestamp)
        require(self.zone is None or is_zone(self.zone), f"{self.zone!r} is no time zone")
        require_ascending(self.known)
        require_numbers(self.values)
        require(len(self.known) == len(self.values), "a calendar part needs a value for each known part")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The timestamp."""
        return (self.timestamp,)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where the timestamp is missing."""
        stamps = values[self.timestamp]
        missing = np.isnan(stamps)
        micros = np.where(missing, 0.0, stamps).astype(np.int64)
        found = calendar_part(micros, self.part, self.zone)
        if self.known:
            found = Lookup("part", self.known, self.values).evaluate({"part": found})
        return np.where(missing, np.nan, found)

    def rule(self, column: str) -> Rule | None:
        """None: the language has no calendar functions."""
        return None

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        own = {"known": list(self.known), "values": list(self.values)}
        return {"timestamp": self.timestamp, "part": self.part, "zone": self.zone, **own}

    def __str__(self) -> str:
        return f"{self.part} of {format_name(self.timestamp)}"


@dataclass(frozen=True, slots=True)
class Product:
    """A column times a power of another one, or divided by it if ``power`` is negative, rounded to some decimals.

    Parameters
    ----------
    first, second : str
        The factors.
    power : int
        Power of the second one.
    decimals : int, optional
        Decimals that the result is rounded to; none for continuous columns.
    factor : float
        A constant that is a factor, too.
    plus : tuple of str
        Columns that are added to the first factor.

    Examples
    --------
    >>> amount = Product("price", "quantity", decimals=2)
    >>> amount.evaluate({"price": np.array([1.25]), "quantity": np.array([3.0])})
    array([3.75])
    >>> print(Product("net", "percent", factor=0.01, plus=("shipping",)))
    0.01 * (net + shipping) * percent
    """

    first: str
    second: str
    power: int = 1
    decimals: int | None = None
    factor: float = 1.0
    plus: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(isinstance(self.plus, tuple), f"{self.plus!r} is no list of names")
        require_names(*self.inputs)
        require_numbers([self.factor])
        require(self.factor != 0, "a product with the factor 0")
        known = type(self.power) is int and 1 <= abs(self.power) <= MAX_POWER
        require(known, f"a power is a whole number from -{MAX_POWER} to {MAX_POWER} and not 0, not {self.power!r}")
        require_decimals(self.decimals)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The factors."""
        return (self.first, *self.plus, self.second)

    @property
    def is_plain(self) -> bool:
        """Whether two columns are multiplied and nothing else."""
        return self.factor == 1 and not self.plus

    @property
    def products(self) -> tuple[RuleProduct, ...]:
        """The products of two columns that add up to the formula."""
        return tuple(
            RuleProduct(((name, 1), (self.second, self.power)), self.factor) for name in (self.first, *self.plus)
        )

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where a factor is missing, or a denominator is 0."""
        return round_to(self.unrounded(values), self.decimals)

    def unrounded(self, values: Values) -> Floats:
        """Product of each row before rounding."""
        with np.errstate(divide="ignore", invalid="ignore"):
            base = values[self.first] + sum(values[name] for name in self.plus)
            found = base * values[self.second] ** float(self.power)
            if self.factor != 1:
                found = self.factor * found
        return np.where(np.isfinite(found), found, np.nan)

    def rule(self, column: str) -> Rule | None:
        """None: a rule would not know the nulls of divisions by 0."""
        return None

    def rule_without_nulls(self, column: str, gap: str | None = None) -> Rule:
        """The product plus a gap, or the bounds that rounding leaves, for rows in which nothing is null."""
        products = [RuleProduct(each.factors, -each.coefficient) for each in self.products]
        gaps = () if gap is None else (RuleProduct(((gap, 1),), -1),)
        terms = (RuleProduct(((column, 1),)), *products, *gaps)
        if self.decimals is None:
            return CompareProducts(terms, "==", 0.0)
        half = HALF * 10.0**-self.decimals
        return all_of([CompareProducts(terms, ">=", -half), CompareProducts(terms, "<=", half)])

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        plain = {"first": self.first, "second": self.second, "power": self.power, "decimals": self.decimals}
        return plain if self.is_plain else {**plain, "factor": self.factor, "plus": list(self.plus)}

    def __str__(self) -> str:
        base = " + ".join(format_name(name) for name in (self.first, *self.plus))
        base = f"({base})" if self.plus else base
        power = "" if abs(self.power) == 1 else f" ** {abs(self.power)}"
        before, after = constant_text(self.factor)
        return f"{before}{base} {'*' if self.power > 0 else '/'} {format_name(self.second)}{power}{after}"


@dataclass(frozen=True, slots=True)
class Band:
    """A step function of a number: ``values[i]`` below ``edges[i]`` and not below ``edges[i - 1]``.

    Examples
    --------
    >>> Band("age", (18.0, 65.0), (0.0, 1.0, 2.0)).evaluate({"age": np.array([17.9, 18.0, 70.0])})
    array([0., 1., 2.])
    """

    source: str
    edges: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        require_names(self.source)
        require_ascending(self.edges)
        require_numbers(self.values)
        require(len(self.values) == len(self.edges) + 1, "bands need one value more than edges")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The number."""
        return (self.source,)

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where the number is missing."""
        number = values[self.source]
        found = np.array(self.values)[np.searchsorted(np.array(self.edges), np.nan_to_num(number), side="right")]
        return np.where(np.isnan(number), np.nan, found)

    def rule(self, column: str) -> Rule | None:
        """None: nulls of the number are nulls of the band, which bounds do not say."""
        return None

    def rule_without_nulls(self, column: str) -> Rule:
        """For each band its value, and the bounds of the number, for rows in which nothing is null."""
        number, ends = Linear((Term(self.source),)), (None, *self.edges, None)
        branches = []
        for value, low, high in zip(self.values, ends[:-1], ends[1:], strict=True):
            tests: list[Rule] = [IsIn(column, (value,))]
            tests += [] if low is None else [Compare(number, ">=", Linear(constant=low))]
            tests += [] if high is None else [Compare(number, "<", Linear(constant=high))]
            branches.append(all_of(tests))
        return any_of(branches)

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"source": self.source, "edges": list(self.edges), "values": list(self.values)}

    def __str__(self) -> str:
        return f"band of {format_name(self.source)}"


def round_to(values: Floats, decimals: int | None) -> Floats:
    """Values rounded to some decimals, if any; halves go to the even digit, and there is no negative zero."""
    return values if decimals is None else np.round(values, decimals) + 0.0


def calendar_part(micros: LongInts, part: str, zone: str | None = None) -> Floats:
    """Part of timestamps given in microseconds since the epoch, UTC.

    >>> calendar_part(np.array([0, 40 * DAY]), "month")
    array([1., 2.])
    """
    local = local_micros(micros, zone)
    return np.asarray(_whole_part(local, part), np.float64)


def _whole_part(local: LongInts, part: str) -> LongInts:
    """Part of local timestamps, as whole numbers."""
    of_day, days = np.mod(local, DAY), np.floor_divide(local, DAY)
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    month = np.mod(months.astype(np.int64), 12)
    match part:
        case "date":
            whole = local - of_day
        case "time":
            whole = of_day
        case "hour":
            whole = of_day // 3_600_000_000
        case "minute":
            whole = of_day // 60_000_000 % 60
        case "hhmm":
            whole = 100 * (of_day // 3_600_000_000) + of_day // 60_000_000 % 60
        case "weekday":
            whole = np.mod(days + 3, 7)  # 1970-01-01 was a Thursday
        case "year":
            whole = dates.astype("datetime64[Y]").astype(np.int64) + 1970
        case "quarter":
            whole = month // 3 + 1
        case "month":
            whole = month + 1
        case _:
            whole = (dates - months.astype("datetime64[D]")).astype(np.int64) + 1
    return np.asarray(whole, np.int64)


def local_micros(micros: LongInts, zone: str | None) -> LongInts:
    """Microseconds on the clock of a time zone."""
    if zone is None or zone == "UTC":
        return micros
    import pandas as pd

    stamps = pd.DatetimeIndex(micros.astype("datetime64[us]")).tz_localize("UTC").tz_convert(zone).tz_localize(None)
    local: LongInts = stamps.to_numpy().astype("datetime64[us]").astype(np.int64)
    return local
