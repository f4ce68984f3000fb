"""A frame in; a ``Profile`` out: what is in it, before anything is learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.alerts import Alert, find_alerts
from janus_synth.metrics.association import association_matrix
from janus_synth.profile.columns import ColumnProfile, profile_column
from janus_synth.relations import discover
from janus_synth.table import Schema, Table, count_rows, read_table, take_rows

MOST_ROWS = 5_000
"""Rows that associations and relations are taken from."""
ROWS_PER_LEVEL = 5
"""Fewest rows per level, on average, of a column whose associations are shown."""
WEAKEST = 0.2
MOST_PAIRS = 10


@dataclass(frozen=True, slots=True)
class Association:
    """How strongly two columns are associated: Pearson's r, correlation ratio or Theil's U."""

    first: str
    second: str
    strength: float


@dataclass(frozen=True, slots=True)
class Profile:
    """A table at a glance.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    columns : tuple of ColumnProfile
        All columns, in the table's order.
    alerts : tuple of Alert
        What a person should know, the most serious first.
    associations : tuple of Association
        The strongest associations between columns.
    relations : tuple of str
        Relations that all rows keep, such as sums and lookups.
    """

    n_rows: int
    columns: tuple[ColumnProfile, ...]
    alerts: tuple[Alert, ...]
    associations: tuple[Association, ...]
    relations: tuple[str, ...]

    @property
    def kinds(self) -> str:
        """How many columns there are of each kind.

        >>> import pandas as pd
        >>> profile_frame(pd.DataFrame({"x": [1.5, 2.5], "c": ["a", "b"]})).kinds
        '1 numeric, 1 categorical'
        """
        counts = Counter(column.kind for column in self.columns)
        return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())

    @property
    def missing(self) -> float:
        """Share of missing cells."""
        return float(np.mean([column.missing for column in self.columns]))

    def alerts_of(self, name: str) -> list[Alert]:
        """Alerts about one column."""
        return [alert for alert in self.alerts if alert.column == name]


def profile_frame(
    frame: Any,
    *,
    schema: Schema | Mapping[str, Mapping[str, object]] | None = None,
    silence: Iterable[str] | str = (),
    random_state: int = 0,
) -> Profile:
    """Look at a table before fitting: kinds, nulls, distributions, alerts, associations and relations.

    Parameters
    ----------
    frame : DataFrame or Table
        pandas, polars or pyarrow; it is not modified.
    schema : Schema or mapping, optional
        Declared kinds and domains, as for ``Janus(schema=...)``.
    silence : sequence of str
        Alerts that are not wanted, as for ``Janus(silence=...)``.
    random_state : int
        Seed of the sample that associations and relations are taken from.

    Returns
    -------
    Profile

    Examples
    --------
    >>> from janus_synth import datasets
    >>> found = profile_frame(datasets.hiring(300, random_state=0))
    >>> found.n_rows, found.columns[1].name, found.columns[1].kind
    (300, 'age', 'numeric')
    """
    table = read_table(frame, schema)
    alerts = find_alerts(frame, table, schema=schema, silence=silence)
    columns = tuple(profile_column(table, column) for column in table.schema)
    rng, n_rows = np.random.default_rng(random_state), count_rows(frame)
    some = frame if n_rows <= MOST_ROWS else take_rows(frame, np.sort(rng.choice(n_rows, MOST_ROWS, replace=False)))
    relations = discover(table, max_rows=MOST_ROWS, random_state=random_state) if table.schema.learnt else ()
    kept = tuple(str(relation) for relation in relations if not relation.exceptions)
    return Profile(table.n_rows, columns, alerts, _associations(read_table(some, table.schema)), kept)


def _has_shared_values(table: Table, name: str) -> bool:
    """Whether levels have several rows each; otherwise a column seems to determine every other one, by chance."""
    if not table.schema[name].is_discrete:
        return True
    present = table[name][table[name] >= 0]
    return len(np.unique(present)) * ROWS_PER_LEVEL <= len(present)


def _associations(table: Table) -> tuple[Association, ...]:
    """The strongest pairs; of a pair's two directions the stronger counts."""
    shared = [column.name for column in table.schema.learnt if _has_shared_values(table, column.name)]
    if len(shared) < 2:
        return ()
    from janus_synth.table import write_table

    names, matrix = association_matrix(write_table(table.select(shared)))
    pairs = [
        Association(names[i], names[j], float(max(matrix[i, j], matrix[j, i], key=abs)))
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    strong = [pair for pair in pairs if abs(pair.strength) >= WEAKEST]
    return tuple(sorted(strong, key=lambda pair: -abs(pair.strength))[:MOST_PAIRS])
