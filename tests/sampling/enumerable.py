"""Random models small enough to list every row, random requests, and a goodness-of-fit test of rows against the list.

In: a seed. Out: a fitted model with all its rows and their probabilities, and requests as text together with the rows
that satisfy them. Each part of a request is built twice, as text for the library and as a mask over the listed rows, so
that the expected answer depends only on ``log_prob`` and on this file.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from janus_synth import Janus

MOST_ROWS = 30_000
"""Rows that a model may emit."""
LEVELS = ("p", "q", "r", "s", "t")
BRANCHES = range(2, 7)
PROBABILITIES = (1e-5, 0.5)
OPS: dict[str, Callable] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
OPPOSITE = {"equation": "!=", "!=": "equation"}
SMALLEST_COUNT = 5.0
"""Cells with a smaller expected count are pooled."""


# Models


@dataclass(frozen=True, eq=False)
class EnumerableModel:
    """A fitted model, every row it can emit and their probabilities.

    Parameters
    ----------
    janus : Janus
        The fitted model.
    values : dict of tuples
        The values of each column, None for a null.
    rows : DataFrame
        All combinations of the values; the last column varies fastest.
    probabilities : array
        One per row; they sum to 1.
    """

    janus: Janus
    values: dict[str, tuple]
    rows: pd.DataFrame
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        total = self.probabilities.sum()
        assert abs(total - 1) < 1e-5, f"the listed rows have probability {total}: a bin holds more than one value"

    def places(self, rows: pd.DataFrame) -> np.ndarray:
        """Index of each row in the list; -1 for a row that is not in it."""
        place, known = np.zeros(len(rows), np.int64), np.ones(len(rows), bool)
        for name, values in self.values.items():
            digits = _digits(rows[name], values)
            known &= digits >= 0
            place = place * len(values) + digits
        return np.where(known, place, -1)

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What each column holds: boolean, text or number."""
        return {name: _kind(values) for name, values in self.values.items()}

    @cached_property
    def digits(self) -> dict[str, np.ndarray]:
        """Place of each listed cell among the values of its column."""
        sizes = [len(values) for values in self.values.values()]
        return dict(zip(self.values, np.indices(sizes).reshape(len(sizes), -1), strict=True))

    @cached_property
    def cells(self) -> dict[str, np.ndarray]:
        """The listed cells of booleans and numbers as floats, NaN for a null."""
        return {
            name: np.array([np.nan if value is None else float(value) for value in self.values[name]])[
                self.digits[name]
            ]
            for name, kind in self.kinds.items()
            if kind != "text"
        }

    def where(self, name: str, test: Callable[[Any], bool]) -> np.ndarray:
        """Listed rows whose cell is not null and passes a test."""
        table = [value is not None and bool(test(value)) for value in self.values[name]]
        return np.array(table)[self.digits[name]]


def _digits(cells: pd.Series, values: tuple) -> np.ndarray:
    """Place of each cell among some values, whatever dtype holds it; -1 for an unknown one."""
    codes, distinct = pd.factorize(cells)  # a null has code -1, which indexes the last entry below
    place_of = {value: place for place, value in enumerate(values)}
    cast = {"boolean": bool, "text": str, "number": float}[_kind(values)]
    table = [place_of.get(cast(value), -1) for value in distinct] + [place_of.get(None, -1)]
    return np.array(table)[codes]


def _kind(values: tuple) -> str:
    first = next(value for value in values if value is not None)
    return "boolean" if isinstance(first, bool) else "text" if isinstance(first, str) else "number"


@lru_cache(maxsize=4)
def random_model(seed: int) -> EnumerableModel:
    """A model of four to eight booleans, of categories, of whole numbers, or of all three."""
    rng = np.random.default_rng([seed, 0])
    family = ("boolean", "text", "number", "mixed")[seed % 4]
    return fitted(random_table(rng, family), rng)


def random_table(rng: np.random.Generator, family: str) -> pd.DataFrame:
    """Training rows of one family; columns depend on a common factor and on one another."""
    n_rows = int(rng.integers(300, 2_001))
    while True:
        kinds = _column_kinds(rng, family)
        strength = float(rng.choice([0.0, 0.5, 0.8, 0.95]))
        common = rng.normal(size=n_rows)
        columns = {}
        for i, kind in enumerate(kinds):
            own = rng.normal(size=n_rows)
            score = rng.choice([-1, 1]) * strength * common + np.sqrt(1 - strength**2) * own
            if i and rng.random() < 0.5:
                common = 0.7 * common + 0.7 * score
                common /= common.std()
            columns[f"c{i}"] = MAKERS[kind](rng, score)
        frame = pd.DataFrame(columns)
        if np.prod([len(_values(frame[name])) for name in frame]) <= MOST_ROWS:
            return frame


def _column_kinds(rng: np.random.Generator, family: str) -> list[str]:
    if family == "boolean":
        return ["boolean"] * int(rng.integers(4, 9))
    if family == "text":
        return ["text"] * int(rng.integers(4, 7))
    if family == "number":
        return ["number"] * int(rng.integers(3, 6))
    return [*rng.permutation(["boolean", "text", "number", *rng.choice(["boolean", "text", "number"], 3)])]


def _booleans(rng: np.random.Generator, score: np.ndarray) -> pd.Series:
    cells = pd.Series(score > np.quantile(score, 1 - rng.choice([0.05, 0.15, 0.3, 0.5, 0.8])))
    return _with_nulls(rng, cells.astype("boolean"), share=0.15)


def _texts(rng: np.random.Generator, score: np.ndarray) -> pd.Series:
    n_levels = int(rng.integers(2, 6))
    place = _parted(rng, score, n_levels)
    return _with_nulls(rng, pd.Series(rng.permutation(LEVELS)[:n_levels][place]), share=0.3)


def _numbers(rng: np.random.Generator, score: np.ndarray) -> pd.Series:
    n_values = int(rng.integers(3, 9))
    values = int(rng.integers(-2, 3)) + int(rng.choice([1, 1, 1, 2])) * np.arange(n_values)
    return _with_nulls(rng, pd.Series(values[_parted(rng, score, n_values)]), share=0.3)


MAKERS = {"boolean": _booleans, "text": _texts, "number": _numbers}


def _parted(rng: np.random.Generator, score: np.ndarray, n_parts: int) -> np.ndarray:
    """Cut scores into parts of uneven sizes, none of them empty."""
    shares = rng.dirichlet(np.full(n_parts, 2.0)) + 0.03
    place = np.digitize(score, np.quantile(score, (np.cumsum(shares) / shares.sum())[:-1]))
    place[:n_parts] = np.arange(n_parts)
    return place


def _with_nulls(rng: np.random.Generator, cells: pd.Series, *, share: float) -> pd.Series:
    """The column, in some of the cases with nulls."""
    if rng.random() >= share:
        return cells.astype(bool) if cells.dtype == "boolean" else cells
    gone = rng.random(len(cells)) < rng.choice([0.05, 0.2])
    gone[:10], gone[10] = False, True
    return cells.mask(gone)


def fitted(frame: pd.DataFrame, rng: np.random.Generator) -> EnumerableModel:
    """A model fitted to some rows with random settings, and the list of all rows it can emit."""
    numbers = {name: {"kind": "numeric"} for name in frame if _kind(_values(frame[name])) == "number"}
    structure = _one_of(rng, [_random_edges(rng, list(frame)), "chain", "auto"])
    janus = Janus(
        structure=structure,
        n_trees=int(rng.integers(1, 9)),
        leaves=_one_of(rng, ["histogram", "trend", "auto"]),
        schema=numbers,
        random_state=int(rng.integers(1_000)),
        n_jobs=1,
    )
    return enumerated(janus.fit(frame), frame)


def enumerated(janus: Janus, frame: pd.DataFrame) -> EnumerableModel:
    """The model with every combination of the values in its training rows."""
    values = {name: _values(frame[name]) for name in frame}
    cells = zip(*itertools.product(*values.values()), strict=True)
    rows = pd.DataFrame(
        {name: pd.Series(list(column), dtype=frame[name].dtype) for name, column in zip(values, cells, strict=True)}
    )
    return EnumerableModel(janus, values, rows, np.exp(janus.log_prob(rows)))


def _values(cells: pd.Series) -> tuple:
    found = sorted(cells.dropna().unique().tolist())
    values = [float(value) if type(value) is int else value for value in found]
    return (*values, None) if cells.isna().any() else tuple(values)


def _random_edges(rng: np.random.Generator, names: list[str]) -> list[tuple[str, str]]:
    """A sparse graph in which every column has a neighbour."""
    order = [str(name) for name in rng.permutation(names)]
    edges = {(order[rng.integers(i)], order[i]) for i in range(1, len(order))}
    edges |= {pair for pair in itertools.combinations(order, 2) if rng.random() < 0.15}
    return sorted(edges)


# Pieces of requests


@dataclass(frozen=True, eq=False)
class Piece:
    """A condition as text, and the listed rows where it and where its negation hold.

    A comparison with a null satisfies neither. ``branches`` counts the alternatives of the condition and of its
    negation, as conjunctions of simple comparisons.
    """

    text: str
    holds: np.ndarray
    fails: np.ndarray
    kinds: frozenset[str] = frozenset()
    branches: tuple[int, int] = (1, 1)

    def negated(self) -> Piece:
        """``not`` before the piece."""
        text = f"not {self.text}" if self.text.isidentifier() else f"not ({self.text})"
        kinds = frozenset(OPPOSITE.get(kind, kind) for kind in self.kinds) | {"not"}
        return Piece(text, self.fails, self.holds, kinds, self.branches[::-1])


def _kinds_of(pieces: Sequence[Piece]) -> frozenset[str]:
    return frozenset().union(*(piece.kinds for piece in pieces))


def all_of(pieces: Sequence[Piece]) -> Piece:
    """Pieces joined by ``and``."""
    if len(pieces) == 1:
        return pieces[0]
    parts = [f"({piece.text})" if " or " in piece.text else piece.text for piece in pieces]
    return Piece(
        " and ".join(parts),
        reduce(np.logical_and, [piece.holds for piece in pieces]),
        reduce(np.logical_or, [piece.fails for piece in pieces]),
        _kinds_of(pieces),
        (int(np.prod([piece.branches[0] for piece in pieces])), sum(piece.branches[1] for piece in pieces)),
    )


def any_of(pieces: Sequence[Piece]) -> Piece:
    """Pieces joined by ``or``."""
    if len(pieces) == 1:
        return pieces[0]
    return Piece(
        " or ".join(f"({piece.text})" for piece in pieces),
        reduce(np.logical_or, [piece.holds for piece in pieces]),
        reduce(np.logical_and, [piece.fails for piece in pieces]),
        _kinds_of(pieces) | {"or"},
        (sum(piece.branches[0] for piece in pieces), int(np.prod([piece.branches[1] for piece in pieces]))),
    )


def implies(premise: Piece, conclusion: Piece) -> Piece:
    """The conclusion holds wherever the premise does; a premise about a null cell does not hold."""
    return Piece(
        f"implies({premise.text}, {conclusion.text})",
        ~premise.holds | conclusion.holds,
        premise.holds & conclusion.fails,
        _kinds_of([premise, conclusion]) | {"implies"},
        (premise.branches[1] + conclusion.branches[0], premise.branches[0] * conclusion.branches[1]),
    )


class Leaves:
    """Makes random comparisons about one model's columns."""

    SINGLE = ("value", "value", "value", "listed", "null", "range", "increments")
    LINEAR = ("inequality", "equation")
    SEVERAL = ("inequality", "unequal", "unequal", "equation", "same", "one_hot", "combinations")

    def __init__(self, model: EnumerableModel, rng: np.random.Generator) -> None:
        self.model, self.rng = model, rng
        self.names = list(model.values)
        kinds = model.kinds
        self.texts = [name for name in self.names if kinds[name] == "text"]
        self.numbers = [name for name in self.names if kinds[name] == "number"]
        self.summands = [name for name in self.names if kinds[name] != "text"]
        self.nullable = [name for name in self.names if None in model.values[name]]
        self.cells = model.cells
        self.missing = {name: ~model.where(name, lambda _: True) for name in self.names}
        self.shares = _normalised(model.probabilities)

    def at(self, row: int, makers: Sequence[str]) -> Piece:
        """A piece that holds in one row."""
        while True:
            made: Piece | None = getattr(self, f"_{_one_of(self.rng, makers)}")(row)
            if made is not None and made.holds[row]:
                return made
            if made is not None and made.fails[row] and self.rng.random() < 0.3:
                return made.negated()

    def _piece(self, text: str, found: np.ndarray, names: Sequence[str], kind: str, branches=(1, 1)) -> Piece:
        present = ~np.logical_or.reduce([self.missing[name] for name in names])
        found = np.asarray(found, dtype=bool)
        return Piece(text, found & present, ~found & present, frozenset([kind]), branches)

    def _pick(self, names: Sequence[str], most: int, least: int = 2) -> list[str]:
        """Some columns, or none where there are too few."""
        if len(names) < least:
            return []
        n = int(self.rng.integers(least, min(most, len(names)) + 1))
        return [str(name) for name in self.rng.permutation(names)[:n]]

    def _present_value(self, name: str, row: int):
        """The row's value, or another one of the column."""
        value = self.model.values[name][self.model.digits[name][row]]
        if value is None or self.rng.random() < 0.4:
            present = [value for value in self.model.values[name] if value is not None]
            value = _one_of(self.rng, present)
        return value

    def _value(self, row: int) -> Piece:
        name = _one_of(self.rng, self.names)
        value, kind = self._present_value(name, row), self.model.kinds[name]
        if kind == "boolean" and self.rng.random() < 0.7:
            return self._piece(name, self.cells[name] == 1, [name], "value")
        op = _one_of(self.rng, list(OPS) if kind == "number" else ["==", "!="])
        found = self.model.where(name, lambda cell: OPS[op](cell, value))
        return self._piece(f"{name} {op} {_spelt(value)}", found, [name], "value")

    def _listed(self, row: int) -> Piece:
        name = _one_of(self.rng, self.names)
        values = list(dict.fromkeys(self._present_value(name, row) for _ in range(3)))
        found, word = self.model.where(name, lambda cell: cell in values), "in"
        if self.rng.random() < 0.3:
            found, word = ~found, "not in"
        return self._piece(f"{name} {word} [{', '.join(map(_spelt, values))}]", found, [name], "in")

    def _null(self, row: int) -> Piece | None:
        if not self.nullable:
            return None
        name = _one_of(self.rng, self.nullable)
        gone = self.missing[name]
        if self.rng.random() < 0.5:
            return Piece(f"{name} is null", gone, ~gone, frozenset(["null"]))
        return Piece(f"{name} is not null", ~gone, gone, frozenset(["null"]))

    def _range(self, row: int) -> Piece | None:
        if not self.numbers:
            return None
        name = _one_of(self.rng, self.numbers)
        low, high = sorted([self._present_value(name, row), self._present_value(name, row)])
        spelling = _one_of(self.rng, ["between({1}, {0}, {2})", "{0} <= {1} <= {2}"])
        text = spelling.format(_spelt(low), name, _spelt(high))
        return self._piece(text, self.model.where(name, lambda cell: low <= cell <= high), [name], "range")

    def _increments(self, row: int) -> Piece | None:
        if not self.numbers:
            return None
        name, step = _one_of(self.rng, self.numbers), int(self.rng.integers(2, 4))
        found = self.model.where(name, lambda cell: cell % step == 0)
        return self._piece(f"increments({name}, {step})", found, [name], "increments")

    def _inequality(self, row: int) -> Piece | None:
        return self._linear(row, _one_of(self.rng, ["<", "<=", ">", ">="]), "inequality", (1, 1))

    def _equation(self, row: int) -> Piece | None:
        return self._linear(row, "==", "equation", (1, 2))

    def _unequal(self, row: int) -> Piece | None:
        return self._linear(row, "!=", "!=", (2, 1))

    def _linear(self, row: int, op: str, kind: str, branches: tuple[int, int]) -> Piece | None:
        """A sum of two to four columns compared with a number, the last column on either side."""
        names = self._pick(self.summands, 4)
        if not names:
            return None
        sizes = self.rng.choice([1, 1, 1, -1, 2, -3, 0.5], len(names))
        sizes[0] = abs(sizes[0])
        total = reduce(np.add, [size * self.cells[name] for size, name in zip(sizes, names, strict=True)])
        bound = total[row] if op == "==" else total[self._likely_row()]
        if np.isnan(bound):
            return None
        bound += _one_of(self.rng, [0, 0, 0, 1, -1])
        text = _sum_text(sizes, names)
        if self.rng.random() < 0.5:  # the last column to the other side
            text, right = _sum_text(sizes[:-1], names[:-1]), _sum_text([-sizes[-1]], names[-1:])
            right += f" {'-' if bound < 0 else '+'} {_spelt(abs(bound))}" if bound else ""
        else:
            right = _spelt(bound)
        return self._piece(f"{text} {op} {right}", OPS[op](total, bound), names, kind, branches)

    def _likely_row(self) -> int:
        return int(self.rng.choice(len(self.shares), p=self.shares))

    def _same(self, row: int) -> Piece | None:
        names = self._pick(self.texts, 2)
        if not names:
            return None
        first, second = names
        shared = set(self.model.values[first]) & set(self.model.values[second]) - {None}
        pairs = [self.model.where(first, level.__eq__) & self.model.where(second, level.__eq__) for level in shared]
        equal, n_shared = reduce(np.logical_or, pairs, np.zeros(len(self.shares), bool)), max(len(shared), 1)
        if self.rng.random() < 0.5:
            return self._piece(f"{first} == {second}", equal, names, "same", (n_shared, 1))
        return self._piece(f"{first} != {second}", ~equal, names, "same", (1, n_shared))

    def _one_hot(self, row: int) -> Piece | None:
        names = self._pick(self.summands, 4)
        if not names:
            return None
        cells = np.stack([self.cells[name] for name in names])
        present = ~np.isnan(cells)
        digits = np.isin(cells, (0, 1))
        total = np.where(present, cells, 0).sum(axis=0)
        # The negation is an alternative: a present cell other than 0 and 1, or a sum of present cells other than 1.
        fails = (present & ~digits).any(axis=0) | (present.all(axis=0) & (total != 1))
        holds = digits.all(axis=0) & (total == 1)
        return Piece(f"one_hot({', '.join(names)})", holds, fails, frozenset(["one_hot"]), (1, 2))

    def _combinations(self, row: int) -> Piece | None:
        names = self._pick(self.names, 3)
        digits = np.stack([self.model.digits[name] for name in names])
        rows = [row, *(self._likely_row() for _ in range(self.rng.integers(1, 4)))]
        known = np.unique(digits[:, rows].T, axis=0)
        found = reduce(np.logical_or, [(digits == line[:, None]).all(axis=0) for line in known])
        spelt = [
            f"[{', '.join(_spelt(self.model.values[name][i]) for name, i in zip(names, line, strict=True))}]"
            for line in known
        ]
        text = f"fixed_combinations({', '.join(names)}, [{', '.join(spelt)}])"
        return Piece(text, found, ~found, frozenset(["combinations"]), (len(known), 1))


def _spelt(value: object) -> str:
    """A constant as a request spells it."""
    if isinstance(value, float | np.floating):
        return f"{value:g}"
    return "null" if value is None else repr(value)


def _sum_text(sizes: Sequence[float], names: Sequence[str]) -> str:
    parts = []
    for i, (size, name) in enumerate(zip(sizes, names, strict=True)):
        sign = ("-" if size < 0 else "") if i == 0 else (" - " if size < 0 else " + ")
        parts.append(f"{sign}{name}" if abs(size) == 1 else f"{sign}{abs(size):g} * {name}")
    return "".join(parts)


def _one_of(rng: np.random.Generator, items: Sequence[Any]) -> Any:
    """One of some items; much faster than ``rng.choice``, and it keeps their type."""
    return items[rng.integers(len(items))]


def _normalised(shares: np.ndarray) -> np.ndarray:
    return shares / shares.sum()


# Requests


@dataclass(frozen=True)
class Request:
    """A request, its true probability and the rows that satisfy it.

    Parameters
    ----------
    text : str
        The condition passed to the library.
    kinds : frozenset of str
        Connectives and comparisons in it: or, implies, not and, nested, !=, equation, same, ...
    probability : float
        Share of the model's rows that satisfy it.
    n_branches : int
        Conjunctions in its disjunctive normal form, an inequality of two sums counted as two.
    mask : array of bool
        The listed rows that satisfy it.
    """

    text: str
    kinds: frozenset[str]
    probability: float
    n_branches: int
    mask: np.ndarray = field(repr=False, compare=False)


def random_request(model: EnumerableModel, rng: np.random.Generator) -> Request:
    """A request with two to six branches, its probability log-uniform from 0.5 down to 1e-5 where the model allows."""
    return _drawn(model, rng, _disjunction, BRANCHES)


def random_conjunction(model: EnumerableModel, rng: np.random.Generator) -> Request:
    """A request with one branch: comparisons of single columns, inequalities and equations of sums, all joined."""
    return _drawn(model, rng, _conjunction, range(1, 2))


def _drawn(model: EnumerableModel, rng: np.random.Generator, make: Callable, branches: range) -> Request:
    """The candidate that is nearest to a wanted probability."""
    wanted = float(np.exp(rng.uniform(*np.log(PROBABILITIES))))
    leaves, found = Leaves(model, rng), []
    while len(found) < 6:
        piece = make(leaves, wanted)
        probability = float(model.probabilities[piece.holds].sum())
        if piece.branches[0] in branches and 1e-7 < probability < 0.95:
            found.append(Request(piece.text, piece.kinds, probability, piece.branches[0], piece.holds))
    return min(found, key=lambda request: abs(np.log(request.probability / wanted)))


def _conjunction(leaves: Leaves, wanted: float) -> Piece:
    makers = (*Leaves.SINGLE, *Leaves.LINEAR)
    return _narrowed(leaves, [], _anchor(leaves, wanted), wanted, makers)


def _disjunction(leaves: Leaves, wanted: float) -> Piece:
    """Conjunctions around far-apart rows joined by ``or``, or one around a row with alternatives inside."""
    rng = leaves.rng
    if rng.random() < 0.35:
        anchor = _anchor(leaves, wanted)
        special = [_special(leaves, anchor) for _ in range(rng.integers(1, 4))]
        return _narrowed(leaves, special, anchor, wanted, Leaves.SINGLE)
    shares = rng.dirichlet(np.ones(rng.integers(2, 6)))
    parts = []
    for share in shares:
        anchor = _anchor(leaves, wanted * share)
        special = [_special(leaves, anchor)] if rng.random() < 0.25 else []
        makers = (*Leaves.SINGLE, *Leaves.LINEAR) if rng.random() < 0.5 else ("value", "value", "value", "null")
        parts.append(_narrowed(leaves, special, anchor, wanted * share, makers))
    return any_of(parts)


def _anchor(leaves: Leaves, most: float = 1.0) -> int:
    """A row to build a conjunction around, at most as likely as wanted; rare rows are chosen more often than drawn."""
    shares = np.where(leaves.shares <= max(most, np.quantile(leaves.shares, 0.1)), leaves.shares, 0.0)
    return int(leaves.rng.choice(len(shares), p=_normalised(shares ** _one_of(leaves.rng, [1.0, 0.6, 0.3]))))


def _narrowed(leaves: Leaves, pieces: list[Piece], row: int, wanted: float, makers: Sequence[str]) -> Piece:
    """Join leaves that hold in the row until the probability is at most the wanted one."""
    shares = leaves.shares
    pieces = pieces or [leaves.at(row, makers)]
    mask = reduce(np.logical_and, [piece.holds for piece in pieces])
    for _ in range(20):
        before = shares[mask].sum()
        if before <= 1.5 * wanted or len(pieces) >= 9:
            break
        leaf = leaves.at(row, makers)
        after = shares[mask & leaf.holds].sum()
        if wanted / 10 < after < 0.98 * before:
            pieces, mask = [*pieces, leaf], mask & leaf.holds
    return all_of([pieces[i] for i in leaves.rng.permutation(len(pieces))])


def _special(leaves: Leaves, row: int) -> Piece:
    """A piece with alternatives that holds in the row."""
    rng = leaves.rng
    every = (*Leaves.SINGLE, *Leaves.SEVERAL)
    match _one_of(rng, ["leaf", "leaf", "implies", "not and", "nested"]):
        case "implies":
            premise, conclusion = leaves.at(_anchor(leaves), every), leaves.at(row, every)
            return implies(premise, conclusion)
        case "not and":
            parts = [leaves.at(_anchor(leaves), every) for _ in range(rng.integers(1, 3))]
            joined = all_of([*parts, leaves.at(row, every).negated()])
            found = joined.negated()
            return Piece(found.text, found.holds, found.fails, found.kinds | {"not and"}, found.branches)
        case "nested":
            others = [
                all_of([leaves.at(other, every) for _ in range(rng.integers(1, 3))])
                for other in [_anchor(leaves) for _ in range(rng.integers(1, 3))]
            ]
            joined = any_of([*others, leaves.at(row, every)])
            return Piece(joined.text, joined.holds, joined.fails, joined.kinds | {"nested"}, joined.branches)
    return leaves.at(row, Leaves.SEVERAL)


REQUESTS_PER_MODEL = 5


def random_case(number: int, *, conjunction: bool = False) -> tuple[EnumerableModel, Request]:
    """Model and request of one case; five cases in a row share a model."""
    model = random_model(number // REQUESTS_PER_MODEL)
    rng = np.random.default_rng([number, 1 + conjunction])
    return model, (random_conjunction if conjunction else random_request)(model, rng)


# Two modes


@dataclass(frozen=True, eq=False)
class PlantedModes:
    """A request ``(A) or (B)`` whose two parts differ in every column they name."""

    model: EnumerableModel = field(repr=False)
    first: str
    second: str
    mask: np.ndarray = field(repr=False)
    share: float
    probability: float

    @property
    def text(self) -> str:
        """The request."""
        return f"({self.first}) or ({self.second})"


def planted_modes(share: float, seed: int, probability: float | None = None) -> PlantedModes:
    """Two cells far apart, of which the first has about the wanted share of their joint probability.

    Parameters
    ----------
    share : float
        Wanted share of the first cell, from 0.01 to 0.99.
    seed : int
        The model has booleans for an even seed, categories for an odd one.
    probability : float, optional
        Wanted probability of the request; by default 1e-4 in a third of the cases, else 0.3 % to 2 %.
    """
    rng = np.random.default_rng([seed, 3])
    if probability is None:
        probability = 1e-4 if seed % 3 == 0 else float(np.exp(rng.uniform(*np.log([0.003, 0.02]))))
    while True:
        table = random_table(rng, ("boolean", "text")[seed % 2])
        if len(table.columns) >= 5:
            found = _nearest_pair(fitted(table, rng), share, probability, rng)
            if found is not None:
                return found


def _nearest_pair(
    model: EnumerableModel, share: float, probability: float, rng: np.random.Generator, n_pairs: int = 3_000
) -> PlantedModes | None:
    """Best of many pairs of cells of four or more columns; None if it is not near enough."""
    names = [str(name) for name in rng.permutation(list(model.values))]
    best: tuple[float, list[str], tuple[int, ...], tuple[int, ...]] | None = None
    for n_columns in range(4, len(names) + 1):
        used = names[:n_columns]
        cells = _cell_probabilities(model, used)
        sizes = np.array(cells.shape)[:, None]
        first = rng.integers(0, sizes, (n_columns, n_pairs))
        second = (first + rng.integers(1, sizes, (n_columns, n_pairs))) % sizes
        one, other = cells[tuple(first)], cells[tuple(second)]
        with np.errstate(divide="ignore", invalid="ignore"):
            far_off = np.abs(np.log(one / other * (1 - share) / share))
            far_off += 0.5 * np.abs(np.log((one + other) / probability))
        pair = int(np.nanargmin(far_off))
        if best is None or far_off[pair] < best[0]:
            best = float(far_off[pair]), used, tuple(first[:, pair]), tuple(second[:, pair])
    assert best is not None
    if best[0] > 0.4:
        return None
    a, b = (_cell(model, best[1], digits) for digits in best[2:])
    total = float(model.probabilities[a.holds | b.holds].sum())
    return PlantedModes(
        model, a.text, b.text, a.holds | b.holds, float(model.probabilities[a.holds].sum()) / total, total
    )


def _cell_probabilities(model: EnumerableModel, names: Sequence[str]) -> np.ndarray:
    """Probabilities of the cells of some columns, one axis per column."""
    order = list(model.values)
    joint = model.probabilities.reshape([len(model.values[name]) for name in order])
    kept = [order.index(name) for name in names]
    rest = tuple(axis for axis in range(len(order)) if axis not in kept)
    return np.transpose(joint.sum(axis=rest, keepdims=True), (*kept, *rest)).reshape(
        [joint.shape[axis] for axis in kept]
    )


def _cell(model: EnumerableModel, names: Sequence[str], digits: Sequence[int]) -> Piece:
    """The conjunction that fixes the value of each column."""
    pieces = []
    for name, digit in zip(names, digits, strict=True):
        value = model.values[name][digit]
        found = model.digits[name] == digit
        text = f"{name} is null" if value is None else f"{name} == {_spelt(value)}"
        if isinstance(value, bool):
            text = name if value else f"not {name}"
        pieces.append(Piece(text, found, ~found))
    return all_of(pieces)


# Goodness of fit to the listed conditional distribution


class ChiSquare(NamedTuple):
    """Distance of rows from the true conditional distribution.

    ``p_value`` is zero if some row cannot occur under the request at all, and ``n_impossible`` counts such rows;
    ``expected_total_variation`` is the mean for independent draws from the true distribution.
    """

    p_value: float
    total_variation: float
    expected_total_variation: float
    n_impossible: int


def chi_square(rows: pd.DataFrame, model: EnumerableModel, request_mask: np.ndarray) -> ChiSquare:
    """Compare rows with the listed conditional distribution; cells with an expected count below five are pooled.

    Pearson's test rejects too often if one cell is small and the others large, the likelihood-ratio test if there are
    hundreds of small cells. The p-value is the larger of those of the Cressie–Read statistic and of the likelihood
    ratio with Williams' correction. In simulations of 2 to 800 cells it fell below 0.05, 0.01, 1e-3 and 1e-4 no more
    often than the nominal rate; below 0.01 a little less often, at 0.6 to 0.9 of the rate.
    """
    truth = _normalised(model.probabilities * request_mask)
    places = model.places(rows)
    impossible = int((places < 0).sum() + (truth[places[places >= 0]] == 0).sum())
    counts = np.bincount(places[places >= 0], minlength=len(truth))
    n = len(rows)
    variation = 0.5 * (np.abs(counts / n - truth).sum() + (places < 0).sum() / n)
    usual = 0.5 * np.sqrt(2 * truth * (1 - truth) / np.pi / n).sum()
    seen, expected = _pooled(counts[truth > 0], n * truth[truth > 0])
    p_value = 0.0 if impossible else _p_value(seen, expected)
    return ChiSquare(p_value, float(variation), float(usual), impossible)


def _pooled(counts: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge small cells into one, and with the smallest other cell if their total is still too small."""
    order = np.argsort(expected, kind="stable")
    counts, expected = counts[order].astype(float), expected[order]
    n_small = int(np.searchsorted(expected, SMALLEST_COUNT))
    if n_small and expected[:n_small].sum() < SMALLEST_COUNT:
        n_small = min(n_small + 1, len(expected))
    if n_small < 2:
        return counts, expected
    return (
        np.append(counts[n_small:], counts[:n_small].sum()),
        np.append(expected[n_small:], expected[:n_small].sum()),
    )


def _p_value(seen: np.ndarray, expected: np.ndarray) -> float:
    n_cells, n = len(seen), expected.sum()
    if n_cells < 2:
        return 1.0
    power = 1.8 * (seen * ((seen / expected) ** (2 / 3) - 1)).sum()
    ratio = 2 * (seen * np.log(np.maximum(seen, 1) / expected)).sum()
    ratio /= 1 + ((n / expected).sum() - 1) / (6 * n * (n_cells - 1))
    return float(stats.chi2.sf(min(power, ratio), n_cells - 1))
