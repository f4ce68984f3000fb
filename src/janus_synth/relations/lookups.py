"""A table in; columns that are functions of one key or of a pair of keys out.

A key is a discrete column whose values repeat. By chance, values that are drawn independently are constant within
groups of sizes n_g with probability Π_g Σ_v q_v^{n_g}; that many keys were tried counts against it. Of a pair of keys,
each must exclude chance within the groups of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Bools, LongInts
from janus_synth.relations.chance import is_credible, log_constant_groups
from janus_synth.relations.details import Lookup
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true
from janus_synth.relations.view import View, codes_of
from janus_synth.rules.language.notation import format_name

FEW_ROWS, MORE_ROWS = 100, 1_000
"""Rows that reject most candidates, all columns at once, and then most of the others, one by one."""
MIN_REPEATED = 0.8
"""Share of rows whose key has at least ``MIN_TIMES`` rows."""
MIN_TIMES = 3
MIN_FURTHER_ROWS = 40
"""Rows beyond the first of their key: each of them could have broken the lookup."""
MAX_DISTINCT = 0.8
"""Distinct values among the rows of the sample, at most."""
MIN_KEY_ROWS = 5
"""Rows per value of a single key, on average."""
MOST_NEW_KEYS = 0.001
"""Share of rows whose number no other row has, up to which a lookup by it is a rule."""
MAX_MARKED = 8
"""Possible pairs per row up to which marking those that occur is faster than sorting."""


def find_lookups(
    view: View, known: Iterable[frozenset[str]] = (), *, functions: Iterable[tuple[str, str]] = ()
) -> list[Relation]:
    """Lookups by one key, then by pairs of keys of columns that no single key determines.

    ``known`` are sets of columns whose relation is already known, ``functions`` pairs (column, key) among them of which
    the key determines the column: lookups that follow from them are left out too.
    """
    skipped, said = set(known), set(functions)
    singles = _find_single(view, skipped)
    found = _without_transitive(_merge_one_to_one(view, singles), said)
    determined: dict[str, set[str]] = {}
    for column, key in [*singles, *said]:
        determined.setdefault(column, set()).add(key)
    pairs = _find_pairs(view, determined, skipped)
    relations = [_relation(view, column, (key,), both) for column, key, both in found]
    relations += [_relation(view, column, keys, False) for column, keys in pairs]
    return [relation for relation in relations if relation is not None]


def _keys(view: View) -> list[str]:
    """Columns whose values repeat often enough to be keys, in the sample or at least in the whole table."""
    larger = view.table.n_rows > view.sample.n_rows
    return [
        name
        for name, codes in view.codes.items()
        if _repeats(codes)
        or (larger and codes.max() < MAX_DISTINCT * len(codes) and _repeats(codes_of(view.table, name)))
    ]


def _repeats(codes: LongInts) -> bool:
    sizes = np.bincount(codes[codes >= 0])
    n_rows, n_values = int(sizes.sum()), int((sizes > 0).sum())
    often = int(sizes[sizes >= MIN_TIMES].sum())
    return n_values > 1 and n_rows >= MIN_KEY_ROWS * n_values and often >= MIN_REPEATED * n_rows


def _find_single(view: View, skipped: set[frozenset[str]]) -> list[tuple[str, str]]:
    """Pairs (column, key) of which the column is a function of the key, in all rows."""
    found = []
    tried = 2 * math.log(max(len(view.codes), 2))
    all_codes = cache(lambda name: codes_of(view.table, name))
    pairs = compare_rows(view.codes)
    for key in _keys(view):
        codes = view.codes[key]
        for column in _functions(view, codes, [name for name in pairs.functions(key) if name != key]):
            if frozenset((column, key)) in skipped or not _is_credible(view, codes, column, tried):
                continue
            if _is_function(all_codes(key), all_codes(column)):
                found.append((column, key))
    return found


def _find_pairs(
    view: View, determined: dict[str, set[str]], skipped: set[frozenset[str]]
) -> list[tuple[str, tuple[str, str]]]:
    """Columns that are functions of two keys and of neither alone."""
    found = []
    tried = 3 * math.log(max(len(view.codes), 2))
    few = max(2, len(view.sample) // 20)
    keys = [name for name, codes in view.codes.items() if codes.max() < few and _repeats(codes)]
    pairs = compare_rows(view.codes)
    for one, other in combinations(keys, 2):
        if one in determined.get(other, ()) or other in determined.get(one, ()):
            continue
        names = [name for name in pairs.functions(one, other) if not {one, other} & {name, *determined.get(name, ())}]
        if not names:
            continue
        codes = _joined(view.codes[one], view.codes[other])
        if not _repeats(codes):
            continue
        for column in _functions(view, codes, names):
            if frozenset((column, one, other)) in skipped or not _is_credible(view, codes, column, tried):
                continue
            if not _both_matter(view, one, other, column, tried):
                continue
            if _pair_in_all_rows(view, one, other, column):
                found.append((column, (one, other)))
    return _smallest_pairs(found)


def _smallest_pairs(found: Sequence[tuple[str, tuple[str, str]]]) -> list[tuple[str, tuple[str, str]]]:
    """One pair per column, and no pair of columns that determine one another in turn."""
    kept: dict[str, tuple[str, str]] = {}
    for column, keys in found:
        circular = any(column in kept.get(key, ()) for key in keys)
        if column not in kept and not circular:
            kept[column] = keys
    return list(kept.items())


def _pair_in_all_rows(view: View, one: str, other: str, column: str) -> bool:
    codes = _joined(codes_of(view.table, one), codes_of(view.table, other))
    return _is_function(codes, codes_of(view.table, column))


def _joined(one: LongInts, other: LongInts) -> LongInts:
    """Numbers of pairs; −1 where one is missing."""
    present = (one >= 0) & (other >= 0)
    width = int(other.max()) + 1
    pairs = np.where(present, one * width + other, 0)
    n_pairs = (int(one.max()) + 1) * width
    if n_pairs > MAX_MARKED * len(pairs):
        dense = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    else:  # without sorting: mark the pairs that occur, then number the marks
        occurs = np.zeros(max(n_pairs, 1), dtype=np.int64)
        occurs[pairs] = 1
        dense = (np.cumsum(occurs) - 1)[pairs]
    return np.where(present, dense, -1)


@dataclass(frozen=True, slots=True)
class RowPairs:
    """All pairs of some rows, one bit each: which of them have equal cells of a column, and which different ones."""

    place: Mapping[str, int]
    """Positions of the columns."""
    equal: NDArray[np.uint64]
    """(columns, words) pairs with equal cells, neither missing."""
    different: NDArray[np.uint64]
    """(columns, words) pairs with different cells, neither missing."""

    def functions(self, *keys: str) -> list[str]:
        """Columns, the keys among them, whose cells are equal wherever those of all keys are."""
        alike = np.bitwise_and.reduce([self.equal[self.place[key]] for key in keys])
        broken = np.bitwise_or.reduce(self.different & alike, axis=1)
        return [name for name, words in zip(self.place, broken.tolist(), strict=True) if not words]


def compare_rows(columns: Mapping[str, LongInts]) -> RowPairs:
    """Compare the first rows with one another: they reject all but a few candidates, for any number of keys."""
    n_rows = min([FEW_ROWS, *map(len, columns.values())])
    one, other = np.triu_indices(n_rows, 1)
    n_words = -(-len(one) // 64)
    bits = np.zeros((2, len(columns), 64 * n_words), bool)
    for i, codes in enumerate(columns.values()):
        present = (codes[one] >= 0) & (codes[other] >= 0)
        same = codes[one] == codes[other]
        bits[0, i, : len(one)], bits[1, i, : len(one)] = present & same, present & ~same
    equal, different = np.packbits(bits, axis=2).view(np.uint64)
    return RowPairs({name: i for i, name in enumerate(columns)}, equal, different)


def _functions(view: View, codes: LongInts, names: Iterable[str]) -> list[str]:
    """Columns that are functions of a key in the sample."""
    for n_rows in (MORE_ROWS, len(codes)):
        names = [name for name in names if _is_function(codes[:n_rows], view.codes[name][:n_rows])]
    return list(names)


def _is_function(key: LongInts, column: LongInts) -> bool:
    """Whether equal keys have equal values, in complete rows."""
    present = (key >= 0) & (column >= 0)
    key, column = key[present], column[present]
    if not len(key):
        return False
    value = np.empty(int(key.max()) + 1, dtype=np.int64)
    value[key] = column
    return bool((value[key] == column).all())


def _is_credible(view: View, key: LongInts, column: str, tried: float) -> bool:
    """Whether keys repeat so often that a function by chance is excluded."""
    values = view.codes[column]
    present = (key >= 0) & (values >= 0)
    sizes = np.bincount(key[present])
    sizes = sizes[sizes > 0]
    counts = np.bincount(values[present])
    shares = counts[counts > 0] / counts.sum()
    if int((sizes - 1).sum()) < MIN_FURTHER_ROWS or len(shares) < 2:
        return False
    return is_credible(log_constant_groups(sizes, shares), tried)


def _both_matter(view: View, one: str, other: str, column: str, tried: float) -> bool:
    """Whether chance is excluded for each key of a pair, given the other one.

    A number that hardly ever repeats with another level needs no second key: any would seem to tell these rows apart.
    """
    values = view.codes[column]
    for given, key in ((view.codes[one], view.codes[other]), (view.codes[other], view.codes[one])):
        present = (given >= 0) & (key >= 0) & (values >= 0)
        if not is_credible(_log_constant_within(given[present], key[present], values[present]), tried):
            return False
    return True


def _log_constant_within(given: LongInts, key: LongInts, values: LongInts) -> float:
    """Log-probability that a column is a function of a key within each group of another, if it only depends on that."""
    order = np.lexsort((key, given))
    given, key, values = given[order], key[order], values[order]
    total = 0.0
    for start, stop in pairwise(np.flatnonzero(np.diff(given, prepend=-1, append=-1)).tolist()):
        counts = np.unique(values[start:stop], return_counts=True)[1]
        if len(counts) > 1:
            sizes = np.diff(np.flatnonzero(np.diff(key[start:stop], prepend=-1, append=-1)))
            total += log_constant_groups(sizes, counts / counts.sum())
    return total


def _merge_one_to_one(view: View, singles: Sequence[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    """Both directions of a one-to-one lookup once: the key is a category if there is one, else the earlier column."""
    pairs = set(singles)
    schema = view.table.schema
    place = {name: (schema[name].kind != "categorical", i) for i, name in enumerate(schema.names)}
    merged = []
    for column, key in singles:
        both = (key, column) in pairs
        if not both or place[key] < place[column]:
            merged.append((column, key, both))
    return merged


def _without_transitive(
    found: Sequence[tuple[str, str, bool]], said: Iterable[tuple[str, str]] = ()
) -> list[tuple[str, str, bool]]:
    """Drop lookups that follow from two others or from ``said``; of one-to-one columns, the first stands for all."""
    stands_for = {column: key for column, key, both in reversed(found) if both}
    kept = [
        (column, key, both)
        for column, key, both in found
        if (both and key not in stands_for) or (not both and key not in stands_for and column not in stands_for)
    ]
    pairs = {(column, key) for column, key, _ in kept} | set(said)
    names = {name for pair in pairs for name in pair}
    return [
        (column, key, both)
        for column, key, both in kept
        if both or not any((column, middle) in pairs and (middle, key) in pairs for middle in names - {column, key})
    ]


def _keys_are_complete(view: View, keys: Sequence[str]) -> bool:
    """Whether hardly any further row would have a number as its key that no row has.

    The share of rows whose key no other row has estimates it (Good and Turing). A rule of the known combinations would
    forbid such rows. New levels of a category never occur among generated rows.
    """
    for name in keys:
        if not view.table.schema[name].is_discrete:
            codes = codes_of(view.table, name)
            counts = np.bincount(codes[codes >= 0])
            if (counts == 1).sum() > MOST_NEW_KEYS * counts.sum():
                return False
    return True


def _relation(view: View, column: str, keys: tuple[str, ...], both: bool) -> Relation | None:
    names = (column, *keys)
    complete: Bools = view.complete(names)
    listed = ", ".join(format_name(name) for name in (*keys, column))
    rule = f"fixed_combinations({listed})" if _keys_are_complete(view, keys) else ""
    spelt = [format_name(name) for name in names]
    text = f"{spelt[0]} is determined by {' and '.join(spelt[1:])}"
    if both:
        text = f"{spelt[0]} and {spelt[1]} determine one another"
    return Relation(
        "lookup",
        names,
        rule,
        int(complete.sum()),
        0,
        view.row_values(first_true(complete), names),
        Lookup(column, keys, both),
        text,
    )
