"""Columns and pairs of a report in; those with a detail, their keys and the values that the page's script shows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from janus_synth.pages import percent
from janus_synth.plots.theme import shorten
from janus_synth.report.cards import number
from janus_synth.report.groups import Groups, group_column, joint_shares

if TYPE_CHECKING:
    from janus_synth.plots.marginals import Pair
    from janus_synth.report.findings import ColumnFinding, PairFinding

N_DRAWN_TOGETHER = 20
"""Columns of a heat map."""
N_OF_A_COLUMN = 4
"""Pairs of a column that its detail lists."""
MOST_PAIRS = 400
NAME_LENGTH = 48
MEASURES = {
    "r": "Pearson's correlation r",
    "η": "correlation ratio η",
    "Theil's U": "Theil's U, the share of the first column's entropy that the second explains",
}


class Opener(NamedTuple):
    """A text that opens the detail of a column or a pair."""

    text: str
    opens: str


@dataclass(frozen=True)
class Details:
    """Columns, the worst first, and the pairs of them that have a detail.

    Attributes
    ----------
    columns : sequence of ColumnFinding
        All columns.
    pairs : sequence of PairFinding
        All pairs, the largest difference first.
    order : sequence of str
        Names in the order of the table.
    """

    columns: Sequence[ColumnFinding]
    pairs: Sequence[PairFinding]
    order: Sequence[str]

    @cached_property
    def drawn(self) -> tuple[str, ...]:
        """Columns of the pairs that differ most, as many as a map can show, in the order of the table."""
        chosen: dict[str, None] = {}
        for pair in self.pairs:
            both = dict.fromkeys((pair.first, pair.second))
            if len(chosen | both) <= N_DRAWN_TOGETHER:
                chosen |= both
        return tuple(name for name in self.order if name in chosen)

    @cached_property
    def shown(self) -> tuple[PairFinding, ...]:
        """Pairs with a detail: those of the map, and the worst of every column."""
        drawn, listed = set(self.drawn), dict.fromkeys(self.order, 0)
        found = []
        for pair in self.pairs:
            in_map = pair.first in drawn and pair.second in drawn
            if in_map or min(listed[pair.first], listed[pair.second]) < N_OF_A_COLUMN:
                found.append(pair)
                listed[pair.first] += 1
                listed[pair.second] += 1
        return tuple(found[:MOST_PAIRS])

    @cached_property
    def place_of_column(self) -> Mapping[str, int]:
        """Place of each column among ``columns``."""
        return {column.name: place for place, column in enumerate(self.columns)}

    @cached_property
    def place_of_pair(self) -> Mapping[frozenset[str], int]:
        """Place of each pair among ``shown``."""
        return {frozenset((pair.first, pair.second)): place for place, pair in enumerate(self.shown)}

    def open_columns(self, *names: str) -> Opener | str:
        """Name a column or a pair such that it opens its detail; a plain text if it has none."""
        text = " and ".join(shorten(name, NAME_LENGTH) for name in names)
        if len(names) == 1:
            return Opener(text, f"column-{self.place_of_column[names[0]]}")
        place = self.place_of_pair.get(frozenset(names))
        return text if place is None else Opener(text, f"pair-{place}")

    def to_dict(self, columns: Mapping[str, Pair]) -> dict[str, Any]:
        """All that the script shows; ``columns`` has the values of the columns by name."""
        used = dict.fromkeys(name for pair in self.shown for name in (pair.first, pair.second))
        groups = {name: group_column(columns[name]) for name in used}
        return {
            "columns": [self._column(column, groups.get(column.name)) for column in self.columns],
            "pairs": [self._pair(pair, groups) for pair in self.shown],
            "drawn": [self.place_of_column[name] for name in self.drawn],
        }

    def _column(self, column: ColumnFinding, groups: Groups | None) -> dict[str, Any]:
        facts = {
            "kind": column.kind,
            "distance": percent(column.distance),
            "distance of training rows": percent(column.reference),
            "Wasserstein distance": number(column.wasserstein),
            "missing, real": percent(column.missing_real),
            "missing, synthetic": percent(column.missing_synthetic),
        }
        shown = [place for place, pair in enumerate(self.shown) if column.name in (pair.first, pair.second)]
        return {
            "name": column.name,
            "facts": list(facts.items()),
            "pairs": shown[:N_OF_A_COLUMN],
            "groups": [] if groups is None else groups.labels,
        }

    def _pair(self, pair: PairFinding, groups: Mapping[str, Groups]) -> dict[str, Any]:
        return {
            "columns": [self.place_of_column[name] for name in (pair.first, pair.second)],
            "measure": MEASURES[pair.measure],
            "real": number(pair.real, 2),
            "synthetic": number(pair.synthetic, 2),
            "difference": number(pair.difference, 2),
            "shares": joint_shares(groups[pair.first], groups[pair.second]),
        }
