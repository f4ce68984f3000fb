"""A formula of two keys: a value for each pair of known keys, such as a tariff by zone and hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.coordinates.checks import require, require_ascending, require_names, require_numbers
from janus_synth.coordinates.formulas import Values
from janus_synth.rules.language import FixedCombinations, Rule
from janus_synth.rules.language.notation import format_name


@dataclass(frozen=True, slots=True)
class PairLookup:
    """A value for each pair of keys; a number that is no known key counts as the nearest one.

    Parameters
    ----------
    keys : (str, str)
        Columns that are looked up.
    known : pair of tuples of float
        Values of each key in ascending order: numbers, or indices of levels.
    values : tuple of float or None
        Value of each pair, the second key changing first; None is missing.

    Examples
    --------
    >>> tariff = PairLookup(("zone", "night"), ((0.0, 1.0), (0.0, 1.0)), (5.0, 7.0, 6.0, 9.0))
    >>> tariff.evaluate({"zone": np.array([1.0, 0.0, np.nan]), "night": np.array([0.0, 1.0, 1.0])})
    array([ 6.,  7., nan])
    >>> print(tariff)
    looked up by zone and night
    """

    keys: tuple[str, str]
    known: tuple[tuple[float, ...], tuple[float, ...]]
    values: tuple[float | None, ...]

    def __post_init__(self) -> None:
        require(isinstance(self.keys, tuple) and len(self.keys) == 2, f"{self.keys!r} are no two keys")
        require_names(*self.keys)
        require(isinstance(self.known, tuple) and len(self.known) == 2, "two keys have two lists of known values")
        for known in self.known:
            require_ascending(known)
        require_numbers(self.values, allow_none=True)
        size = len(self.known[0]) * len(self.known[1])
        require(0 < size == len(self.values), "a lookup needs a value for each pair of known keys")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The keys."""
        return self.keys

    def evaluate(self, values: Values) -> Floats:
        """Value of each row; NaN where a key is missing."""
        missing = np.any([np.isnan(values[key]) for key in self.keys], axis=0)
        return np.where(missing, np.nan, self._listed[self.places(values)])

    def places(self, values: Values) -> LongInts:
        """Place of each row's pair among the values; 0 where a key is missing."""
        first, second = (
            _nearest(np.array(known), values[key]) for key, known in zip(self.keys, self.known, strict=True)
        )
        return np.asarray(first * len(self.known[1]) + second, np.int64)

    @property
    def _listed(self) -> Floats:
        return np.array([np.nan if value is None else value for value in self.values])

    def rule(self, column: str) -> Rule | None:
        """The combinations of keys and value."""
        pairs = ((one, other) for one in self.known[0] for other in self.known[1])
        rows: list[tuple[float | None, ...]] = [(*pair, value) for pair, value in zip(pairs, self.values, strict=True)]
        rows += [(None, other, None) for other in (*self.known[1], None)]
        rows += [(one, None, None) for one in self.known[0]]
        return FixedCombinations((*self.keys, column), tuple(rows))

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"keys": list(self.keys), "known": list(map(list, self.known)), "values": list(self.values)}

    def __str__(self) -> str:
        return f"looked up by {' and '.join(map(format_name, self.keys))}"


def fit_pair_lookup(keys: tuple[str, str], arrays: tuple[Floats, Floats, Floats], least: int = 1) -> PairLookup | None:
    """The lookup that rows show: arrays of both keys and of the column in; None without any complete pair of keys.

    Keys of fewer than ``least`` rows are not known. Pairs of fewer rows, and those that no row has, take the value of
    the most similar pair: the nearest second key with the same first key, else the most frequent value of all.
    """
    first, second, column = arrays
    present = _frequent(first, least) & _frequent(second, least)
    if not present.any():
        return None
    known_first, i = np.unique(first[present], return_inverse=True)
    known_second, j = np.unique(second[present], return_inverse=True)
    table = np.full((len(known_first), len(known_second)), np.nan)
    counts = np.zeros(table.shape, np.int64)
    table[i, j] = column[present]
    np.add.at(counts, (i, j), 1)
    filled = _fill(table, counts >= max(least, 1), counts)
    listed = tuple(None if np.isnan(value) else value for value in filled.ravel().tolist())
    return PairLookup(keys, (tuple(known_first.tolist()), tuple(known_second.tolist())), listed)


def _frequent(key: Floats, least: int) -> Bools:
    """Rows whose key is present in at least so many rows."""
    _, places, counts = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(~np.isnan(key) & (counts[places] >= least))


def _fill(table: Floats, seen: Bools, counts: LongInts) -> Floats:
    """Values for pairs that were not seen."""
    filled = table.copy()
    values, places = np.unique(table[seen], return_inverse=True, equal_nan=True)
    common = values[np.argmax(np.bincount(places.ravel(), counts[seen]))] if len(values) else np.nan
    for row in range(len(table)):
        there = np.flatnonzero(seen[row])
        for column in np.flatnonzero(~seen[row]):
            near = there[np.argmin(np.abs(there - column))] if len(there) else None
            filled[row, column] = common if near is None else table[row, near]
    return filled


def _nearest(known: Floats, key: Floats) -> LongInts:
    """Place of the nearest known key; 0 where the key is missing."""
    present = np.nan_to_num(key, nan=float(known[0]))
    above = np.clip(np.searchsorted(known, present), 0, len(known) - 1)
    below = np.maximum(above - 1, 0)
    return np.where(np.abs(present - known[below]) < np.abs(present - known[above]), below, above)
