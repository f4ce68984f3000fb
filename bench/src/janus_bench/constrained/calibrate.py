"""Random conditions of given rarity: a structural model, a kind and a target probability in, a `Condition` out.

The thresholds of comparisons are set one after the other, each on rows of the true conditional given the previous
comparisons, so the joint probability is near the target whatever the dependence between columns. The oracle measures
the actual probability later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from janus_bench.constrained.conditions import Bound, Condition, Level, Literals
from janus_bench.constrained.oracle import Oracle
from janus_bench.models.sem import Number, Sem

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["range", "equality", "inter-column", "mixed"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Rarity(NamedTuple):
    """Target probability of a condition, and its approximate number of comparisons."""

    target: float
    n_comparisons: int


RARITIES: Mapping[str, Rarity] = {
    "easy": Rarity(0.5, 1),
    "medium": Rarity(0.2, 1),
    "hard": Rarity(0.1, 1),
    "joint 1 %": Rarity(1e-2, 3),
    "joint 0.1 %": Rarity(1e-3, 3),
    "joint 0.001 %": Rarity(1e-5, 5),
}
"""Probabilities of the paper (a half, a fifth, a tenth), and rarer joint conditions, where methods differ more."""

CALIBRATION_ROWS = 2_000
"""Rows that a threshold is estimated from; for a tail of one tenth the standard error is 7 % of its probability."""
MOST_TRIES, CLOSE = 8, np.log(1.3)
"""At most 8 conditions are drawn until one is within a factor of 1.3 of its target; the closest is used.

Thresholds can be tuned, but the probabilities of levels cannot.
"""

Draft = Callable[["pd.DataFrame", float], Literals]
"""Function from rows and a share to comparisons that about this share of the rows meets."""
RowsUnder = Callable[[Literals], "pd.DataFrame"]
"""Function from comparisons to rows that meet all of them."""


def random_condition(
    sem: Sem, kind: Kind, rarity: Rarity, rng: np.random.Generator, *, rows_under: RowsUnder | None = None
) -> Condition:
    """A random condition of a given kind, calibrated to a target probability.

    Parameters
    ----------
    sem : Sem
        The true model.
    kind : {"range", "equality", "inter-column", "mixed"}
        Kind of the comparisons. Mixed conditions have a category and a range, and from three comparisons on also a
        comparison of two columns.
    rarity : Rarity
        Target of the joint probability, and the number of comparisons.
    rng : Generator
        Chooses columns and directions, and draws the rows for calibration.
    rows_under : callable, optional
        Source of rows for calibration; by default the true model. Pass another to calibrate under another model.

    Examples
    --------
    >>> from janus_bench.models.random_sem import random_sem
    >>> condition = random_condition(random_sem(5, seed=0), "range", Rarity(0.2, 1), np.random.default_rng(0))
    >>> [(literal.op, literal.other) for literal in condition.literals]
    [('>=', None)]
    """
    rows_under = rows_under or (lambda literals: _rows_under(sem, literals, rng))
    tries: list[tuple[float, Condition]] = []
    while len(tries) < MOST_TRIES and all(off > CLOSE for off, _ in tries):
        condition, reached = _calibrated(rows_under, _DRAFTS[kind](_Chooser(sem, rng), rarity), rarity.target)
        tries.append((abs(np.log(reached / rarity.target)), condition))
    return min(tries, key=lambda pair: pair[0])[1]


def _calibrated(rows_under: RowsUnder, drafts: Sequence[Draft], target: float) -> tuple[Condition, float]:
    """Set comparisons one after the other; return the condition and its estimated probability."""
    literals: Literals = ()
    reached = 1.0
    for i, draft in enumerate(drafts):
        share = min((target / reached) ** (1 / (len(drafts) - i)), 0.95)
        rows = rows_under(literals)
        new = draft(rows, share)
        reached *= float(Condition(new).mask(rows).mean())
        literals += new
    return Condition(literals), reached


def _rows_under(sem: Sem, literals: Literals, rng: np.random.Generator) -> pd.DataFrame:
    if not literals:
        return sem.draw(10 * CALIBRATION_ROWS, rng)
    return Oracle(sem, Condition(literals)).sample(CALIBRATION_ROWS, rng).rows


@dataclass(frozen=True, slots=True)
class _Chooser:
    """Random choice of columns; continuous ones come last, as their thresholds can be tuned finely."""

    sem: Sem
    rng: np.random.Generator

    def numbers(self, n: int) -> list[str]:
        """Distinct numeric columns, a continuous one last."""
        smooth = [name for name in self.sem.numbers if name not in self.sem.rounded]
        last = str(self.rng.choice(smooth))
        others = [name for name in self.sem.numbers if name != last]
        return [*map(str, self.rng.permutation(others)[: n - 1]), last]

    def pairs(self, n: int) -> list[tuple[str, str]]:
        """Distinct pairs of numeric columns, the first of each continuous."""
        found: list[tuple[str, str]] = []
        while len(found) < n:
            second, first = self.numbers(2)
            if {first, second} not in map(set, found):
                found.append((first, second))
        return found

    def op(self) -> Literal[">=", "<="]:
        return ">=" if self.rng.random() < 0.5 else "<="

    def tail(self, column: str) -> Draft:
        """A bound at a quantile, from above or below at random."""
        op = self.op()
        return lambda rows, share: (Bound(column, op, _threshold(rows[column].to_numpy(np.float64), op, share)),)

    def middle(self, column: str) -> Draft:
        """A central interval between two quantiles."""

        def between(rows: pd.DataFrame, share: float) -> Literals:
            values = rows[column].to_numpy(np.float64)
            outside = (1 - share) / 2
            low, high = _threshold(values, ">=", 1 - outside), _threshold(values, "<=", 1 - outside)
            return Bound(column, ">=", low), Bound(column, "<=", high)

        return between

    def value(self, *columns: str, unequal: bool = False) -> Draft:
        """Equality (or inequality, if allowed) with a value of one of the columns.

        A random one of those whose share is within a factor of 1.25 of the target; if there is none, the nearest.
        """

        def near(rows: pd.DataFrame, share: float) -> Literals:
            found = [pair for column in columns for pair in _values(rows, column, unequal=unequal)]
            off = np.abs(np.log([pair[0] / share for pair in found]))
            close = np.flatnonzero(off <= max(np.log(1.25), off.min()))
            return (found[self.rng.choice(close)][1],)

        return near

    def pair(self, first: str, second: str) -> Draft:
        """One column bounded by another plus a constant; at random, the other is rescaled to the same spread."""
        op, scaled = self.op(), self.rng.random() < 0.5
        factor = _ratio(self.sem, first, second) if scaled else 1.0

        def beyond(rows: pd.DataFrame, share: float) -> Literals:
            gap = rows[first].to_numpy(np.float64) - factor * rows[second].to_numpy(np.float64)
            return (Bound(first, op, _threshold(gap, op, share), second, factor),)

        return beyond


def _range(chooser: _Chooser, rarity: Rarity) -> list[Draft]:
    if rarity.n_comparisons == 1:
        (column,) = chooser.numbers(1)
        return [chooser.middle(column) if rarity.target >= 0.5 else chooser.tail(column)]
    return [chooser.tail(column) for column in chooser.numbers(rarity.n_comparisons)]


def _equality(chooser: _Chooser, rarity: Rarity) -> list[Draft]:
    """Equalities on distinct columns in random order; a single equality is chosen among the values of all columns."""
    columns = [str(name) for name in chooser.rng.permutation([*chooser.sem.categories, *chooser.sem.rounded])]
    if rarity.n_comparisons == 1:
        return [chooser.value(*columns)]
    return [chooser.value(column) for column in columns[: rarity.n_comparisons]]


def _inter_column(chooser: _Chooser, rarity: Rarity) -> list[Draft]:
    return [chooser.pair(*pair) for pair in chooser.pairs(rarity.n_comparisons)]


def _mixed(chooser: _Chooser, rarity: Rarity) -> list[Draft]:
    """A category (always), comparisons of two columns (from three comparisons on), and at least one range."""
    category = str(chooser.rng.choice(chooser.sem.categories))
    n_others = max(1, rarity.n_comparisons - 1)
    pairs = chooser.pairs(n_others // 2)
    ranges = chooser.numbers(n_others - len(pairs))
    drafts = [chooser.pair(*pair) for pair in pairs] + [chooser.tail(column) for column in ranges]
    return [chooser.value(category, unequal=True), *drafts]


_DRAFTS: Mapping[Kind, Callable[[_Chooser, Rarity], list[Draft]]] = {
    "range": _range,
    "equality": _equality,
    "inter-column": _inter_column,
    "mixed": _mixed,
}


def _values(rows: pd.DataFrame, column: str, *, unequal: bool) -> list[tuple[float, Level]]:
    """Comparisons of a column with each of its values, and the share of rows that meets each."""
    found: list[tuple[float, Level]] = []
    for value, share in rows[column].value_counts(normalize=True).sort_index().items():
        plain = value if isinstance(value, str) else _plain(float(str(value)))
        found.append((float(share), Level(column, "==", plain)))
        if unequal and share < 1:
            found.append((1 - float(share), Level(column, "!=", plain)))
    return found


def _threshold(values: np.typing.NDArray[np.float64], op: Literal[">=", "<="], share: float) -> float:
    """A quantile rounded to four decimals, for readable rules."""
    return _plain(float(np.quantile(values, 1 - share if op == ">=" else share)))


def _plain(value: float) -> float:
    short = round(value, 4)
    return int(short) if short.is_integer() else short


def _ratio(sem: Sem, first: str, second: str) -> float:
    """Ratio of two columns' scales, rounded to one decimal and at least 0.1."""
    spreads = [node.scale for node in (sem.nodes[first], sem.nodes[second]) if isinstance(node, Number)]
    return _plain(max(round(spreads[0] / spreads[1], 1), 0.1))
