"""A table in; columns that equal another column, times a constant, in a share of the rows out.

Frequent values (atoms, such as zero) are no evidence, since they meet by chance. Nor is a cell that is close because
both columns are similar: the share of equal rows is compared with the share at which the column lies a few steps of its
lattice beside the other, and with the share that equal the next larger and smaller values of the source.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.relations.chance import is_credible, log_tail
from janus_synth.relations.details import Copy
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rows_that_hold
from janus_synth.relations.view import ULPS, View
from janus_synth.rules.language.notation import format_name, format_sum

MIN_SHARE = 0.01
MIN_COPIES = 20
ATOM_SHARE = 0.01
"""Values in more than this share of the rows are atoms."""
TIMES_MORE = 5.0
"""How much more frequent equality must be than the nearest other differences."""
N_STEPS = 5
"""Steps of the lattice to either side, and neighbours in rank, that equality is compared with."""
MAX_FACTOR = 1000
N_CHAINED = 4
"""Copies that may be chained to explain another one."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A copy in the sample: where both columns are evidence, and where they are equal."""

    source: str
    column: str
    factor: float
    evidence: Bools
    equal: Bools


def find_copies(view: View, known: Collection[frozenset[str]]) -> list[Relation]:
    """Copies among columns with numbers; pairs in ``known`` are skipped, and so are copies of copies."""
    names = [n for n in view.numeric if not view.table.schema[n].is_discrete and int(view.codes[n].max()) >= MIN_COPIES]
    tried = 2 * math.log(max(len(names), 2)) + math.log(2 * MAX_FACTOR)
    candidates: list[_Candidate] = []
    for i, source in enumerate(names):
        for column in names[i + 1 :]:
            if frozenset((source, column)) in known or view.unit(source) != view.unit(column):
                continue
            candidates += _candidates(view, source, column, tried)
    kept = _without_copies_of_copies(candidates)
    return [relation for candidate in kept for relation in [_verify(view, candidate)] if relation is not None]


def _without_copies_of_copies(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """Drop copies whose rows are, up to a small share, explained by chains of larger ones."""
    kept: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda c: -int(c.equal.sum())):
        explained = _chained(kept, candidate.source, candidate.column) & candidate.equal
        new = int(candidate.equal.sum()) - int(explained.sum())
        if new >= max(MIN_COPIES, MIN_SHARE * int(candidate.evidence.sum()), 0.25 * candidate.equal.sum()):
            kept.append(candidate)
    return kept


def _chained(kept: Sequence[_Candidate], source: str, column: str) -> Bools:
    """Rows in which copies that are kept lead from one column to another."""
    n_rows = len(kept[0].equal) if kept else 1
    reached = {source: np.ones(n_rows, dtype=bool)}
    for _ in range(N_CHAINED):
        for copy in kept:
            for one, other in ((copy.source, copy.column), (copy.column, copy.source)):
                if one in reached:
                    here = reached[one] & copy.equal
                    reached[other] = reached[other] | here if other in reached else here
    return reached.get(column, np.zeros(n_rows, dtype=bool))


def evidence_rows(view: View, source: str, column: str) -> Bools:
    """Rows of the sample in which both are present, and neither is one of its frequent values."""
    return _rare(view, source) & _rare(view, column)


def _rare(view: View, name: str) -> Bools:
    codes = view.codes[name]
    counts = np.bincount(codes[codes >= 0])
    most = max(2.0, ATOM_SHARE * float(counts.sum()))
    found: Bools = (codes >= 0) & (counts[codes] <= most) & (view.numbers[name] != 0)
    return found


def _candidates(view: View, source: str, column: str, tried: float) -> Iterator[_Candidate]:
    """Copy with the constant that most rows have, if there are more of them than by chance."""
    rows = evidence_rows(view, source, column)
    if rows.sum() < MIN_COPIES:
        return
    x, y = view.numbers[source][rows], view.numbers[column][rows]
    for factor in _frequent_ratios(y / x):
        same = is_copy(view, source, column, factor, x, y)
        share = same.mean()
        if same.sum() < MIN_COPIES or share < MIN_SHARE:
            continue
        by_chance = max(
            _beside(view, column, factor, x[~same], y[~same]) * (1 - share),
            _among_neighbours(view, source, column, factor, x, y),
        )
        if share >= TIMES_MORE * by_chance and share - by_chance >= MIN_SHARE and _is_credible(same, by_chance, tried):
            equal = rows.copy()
            equal[rows] = same
            yield _Candidate(source, column, factor, rows, equal)
            return


def _frequent_ratios(ratios: Floats, most: int = 3) -> list[float]:
    """Simple numbers among the most frequent ratios."""
    values, counts = np.unique(np.round(ratios, 9), return_counts=True)
    found = []
    for j in np.argsort(-counts, kind="stable")[:most]:
        fraction = Fraction(float(values[j])).limit_denominator(MAX_FACTOR)
        simple = abs(fraction.numerator) <= MAX_FACTOR and abs(float(fraction) - values[j]) <= 1e-8 * abs(values[j])
        if counts[j] >= MIN_COPIES // 2 and simple and fraction != 0:
            found.append(float(fraction))
    return found


def is_copy(view: View, source: str, column: str, factor: float, x: Floats, y: Floats) -> Bools:
    """Whether ``y == factor · x``, within rounding."""
    product = factor * x
    slack = ULPS * (view.precision(column) * np.abs(y) + view.precision(source) * np.abs(product))
    found: Bools = np.abs(y - product) <= slack
    return found


def _beside(view: View, column: str, factor: float, x: Floats, y: Floats) -> float:
    """Largest share of unequal rows that lie a given number of lattice steps from equality; 0 is equal if rounded."""
    decimals = view.decimals[column]
    if decimals is None or not len(y):
        return 0.0
    steps = np.rint((y - factor * x) * 10.0**decimals)
    near = steps[np.abs(steps) <= N_STEPS]
    return float(np.unique(near, return_counts=True)[1].max() / len(y)) if len(near) else 0.0


def _among_neighbours(view: View, source: str, column: str, factor: float, x: Floats, y: Floats) -> float:
    """Largest share of rows that equal a source nearby: so many distinct values above or below their own."""
    values, place = np.unique(x, return_inverse=True)
    shifts = [shift for step in range(1, N_STEPS + 1) for shift in (step, -step)]
    beside = (values[(place + shift) % len(values)] for shift in shifts)
    return max(float(is_copy(view, source, column, factor, near, y).mean()) for near in beside)


def _is_credible(same: Bools, by_chance: float, tried: float) -> bool:
    """Whether so many equal rows are excluded by chance: the upper tail of a binomial distribution."""
    n_rows, n_copies = len(same), int(same.sum())
    upper = min(1.0, by_chance + 3 * math.sqrt(by_chance / n_rows) + 3.0 / n_rows)
    return is_credible(log_tail(n_rows, n_rows - n_copies, upper), tried)


def _verify(view: View, candidate: _Candidate) -> Relation | None:
    column, source = names = candidate.column, candidate.source
    text = f"{format_name(column)} == {format_sum([(source, candidate.factor, False)], 0, False)}"
    rule = or_null(text, names, view.table.schema)
    holding = rows_that_hold(rule, view.table)
    if holding is None:
        return None
    complete = view.complete(names)
    share = float(candidate.equal.sum() / candidate.evidence.sum())
    example = view.row_values(first_true(complete & holding & (view.table[source] != 0)), names)
    detail = Copy(column, source, candidate.factor, share)
    shown = f"{share:.1%}" if share < 0.095 or share > 0.995 else f"{share:.0%}"
    text = text if holding.all() else f"{text} in {shown} of rows"
    return Relation("copy", names, rule, int(complete.sum()), int((~holding).sum()), example, detail, text)
