"""Does a graph fit rows: a graph and a table in; tests of its independences and edges, and a verdict, out.

A graph implies that every column is independent of its non-descendants given its parents (local Markov condition).
Each of these independences is tested (`graph.independence`), and so is each edge: a parent should depend on its child
given the child's other parents. No graph over real rows passes every test, so the share of independences that fail is
compared with that of graphs of the same shape whose columns are permuted (Eulig et al., 2023, "Toward falsifying causal
graphs using a permutation-based test"). p-values are adjusted for the number of tests by Holm's method, which controls
the probability of any false rejection under every dependence of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import DataError
from janus_synth.graph import Dag
from janus_synth.graph.independence import IndependenceTests, column_features
from janus_synth.streams import Stream, generator
from janus_synth.table import Table, plain_frame
from janus_synth.threads import one_blas_thread

MIN_ROWS = 100
"""Rows below which the normal approximation of the tests is poor."""
MOST_SHOWN = 5
"""Independences and edges that a verdict names."""


class Independence(NamedTuple):
    """A pair of columns that should be independent given others."""

    one: str
    other: str
    given: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.one} ⟂ {self.other}" + (f" | {', '.join(self.given)}" if self.given else "")


@dataclass(frozen=True, slots=True, eq=False)
class Falsification:
    """Tests of what a graph implies, and how it compares with permuted graphs; prints as a verdict.

    Attributes
    ----------
    independences : tuple of Independence
        Every column with each of its non-descendants, given its parents.
    p_values, adjusted : array of float
        p-value of each independence, and the same adjusted for the number of tests.
    edges : tuple of (parent, child)
        Edges of the graph.
    edge_p_values, edge_adjusted : array of float
        p-value of the independence of parent and child given the child's other parents, and adjusted.
    permuted : array of float
        Share of independences that fail in each permuted graph.
    equivalent : float
        Share of permuted graphs that imply the same independences as the graph, and cannot be told from it.
    alpha : float
        Level of the tests.
    n_rows, n_given : int
        Rows tested, and rows given.
    """

    independences: tuple[Independence, ...]
    p_values: Floats
    adjusted: Floats
    edges: tuple[tuple[str, str], ...]
    edge_p_values: Floats
    edge_adjusted: Floats
    permuted: Floats
    equivalent: float
    alpha: float
    n_rows: int
    n_given: int

    @property
    def failed(self) -> float:
        """Share of the independences that fail at the level ``alpha``, without adjustment."""
        return float((self.p_values < self.alpha).mean()) if len(self.p_values) else 0.0

    @property
    def p_permuted(self) -> float:
        """p-value of the graph against permuted ones: how many of them fail as seldom."""
        return float((1 + (self.permuted <= self.failed).sum()) / (1 + len(self.permuted)))

    @property
    def verdict(self) -> str:
        """One of ``"untestable"``, ``"rejected"``, ``"doubtful"`` and ``"consistent"``.

        Untestable: the graph implies no independences, permuted graphs imply the same ones, or none of its own fails
        and those of permuted graphs fail as seldom. Rejected: some fail, and as often as those of permuted graphs.
        Doubtful: they fail less often than those, but some do. "Some fail" is after adjustment for their number.
        """
        if not len(self.p_values) or self.equivalent > self.alpha:
            return "untestable"
        some_fail = bool((self.adjusted < self.alpha).any())
        if self.p_permuted > self.alpha:
            return "rejected" if some_fail else "untestable"
        return "doubtful" if some_fail else "consistent"

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame of all tests, smallest p-value first within independences, largest first within edges."""
        down, up = np.argsort(self.p_values, kind="stable"), np.argsort(-self.edge_p_values, kind="stable")
        pairs = [self.independences[i] for i in down]
        pairs += [Independence(child, parent, ()) for parent, child in (self.edges[i] for i in up)]
        given = [", ".join(pair.given) for pair in pairs[: len(down)]] + ["the other parents"] * len(up)
        columns: dict[str, Any] = {
            "claim": np.array(["independent"] * len(down) + ["dependent"] * len(up), object),
            "one": np.array([pair.one for pair in pairs], object),
            "other": np.array([pair.other for pair in pairs], object),
            "given": np.array(given, object),
            "p_value": np.concatenate([self.p_values[down], self.edge_p_values[up]]),
            "adjusted": np.concatenate([self.adjusted[down], self.edge_adjusted[up]]),
        }
        columns["holds"] = np.where(
            columns["claim"] == "independent", columns["adjusted"] >= self.alpha, columns["adjusted"] < self.alpha
        )
        return plain_frame(columns, kind)

    def __str__(self) -> str:
        rows = f"{self.n_rows:,} rows" if self.n_rows == self.n_given else f"{self.n_rows:,} of {self.n_given:,} rows"
        lines = [f"{self.verdict}: {_REASONS[self.verdict]} ({rows})", *self._counts()]
        worst = np.argsort(self.p_values, kind="stable")[:MOST_SHOWN]
        if violated := [i for i in worst if self.adjusted[i] < self.alpha]:
            lines.append("independences that fail most clearly:")
            lines += [f"  {self.independences[i]}  ({_shown(self.adjusted[i])})" for i in violated]
        weakest = np.argsort(-self.edge_p_values, kind="stable")[:MOST_SHOWN]
        if idle := [i for i in weakest if self.edge_adjusted[i] >= self.alpha]:
            lines.append("edges that carry no detectable dependence:")
            lines += [f"  {self.edges[i][0]} → {self.edges[i][1]}  ({_shown(self.edge_adjusted[i])})" for i in idle]
        return "\n".join(lines)

    __repr__ = __str__

    def _counts(self) -> list[str]:
        """How many independences and edges hold, and how permuted graphs do."""
        n, edges = len(self.p_values), len(self.edges)
        lines = []
        if n:
            adjusted, plain = (int((p < self.alpha).sum()) for p in (self.adjusted, self.p_values))
            lines.append(f"{adjusted} of {n} independences fail ({plain} before adjustment for {n} tests)")
        if n and len(self.permuted):
            lines.append(
                f"{self.failed:.0%} fail before adjustment, {np.median(self.permuted):.0%} in the median of "
                f"{len(self.permuted)} permuted graphs ({_shown(self.p_permuted)})"
            )
        if edges:
            lines.append(f"{int((self.edge_adjusted < self.alpha).sum())} of {edges} edges carry dependence")
        return lines


_REASONS = {
    "untestable": "rows cannot tell this graph from permuted ones",
    "rejected": "the graph fits no better than graphs with permuted columns",
    "doubtful": "the graph fits better than permuted ones, but not all of its independences hold",
    "consistent": "the graph fits better than permuted ones, and no independence is rejected",
}


def _shown(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


@one_blas_thread()
def falsify_graph(
    dag: Dag,
    table: Table,
    ordered: Mapping[str, bool],
    *,
    alpha: float = 0.05,
    n_permutations: int = 40,
    max_rows: int = 2_000,
    seed: int = 0,
    on_graph: Callable[[int], None] | None = None,
) -> Falsification:
    """Test the independences and edges of a graph on rows, and compare it with permuted graphs."""
    if table.n_rows < MIN_ROWS:
        raise DataError(f"a graph cannot be tested on {table.n_rows} rows. Give at least {MIN_ROWS}.")
    rng = generator(seed, Stream.FALSIFICATION)
    some = table
    if table.n_rows > max_rows:
        some = table.take(np.sort(rng.choice(table.n_rows, max_rows, replace=False)))
    tests = IndependenceTests(
        {name: column_features(some[name], ordered=ordered[name]) for name in dag.columns}, seed=seed
    )
    claims = local_independences(dag)
    p_values = _p_values(tests, claims)
    edge_p = np.array(
        [tests.p_value(child, parent, _without(dag.parents[child], parent)) for parent, child in dag.edges]
    )
    permuted, same = [], []
    for other in _permuted_graphs(dag, n_permutations if claims else 0, rng):
        permuted.append(float((_p_values(tests, local_independences(other)) < alpha).mean()))
        same.append(markov_equivalent(dag, other))
        if on_graph is not None:
            on_graph(1)
    return Falsification(
        claims, p_values, holm(p_values), dag.edges, edge_p, holm(edge_p), np.array(permuted),
        float(np.mean(same)) if same else 0.0, alpha, some.n_rows, table.n_rows,
    )  # fmt: skip


def local_independences(dag: Dag) -> tuple[Independence, ...]:
    """Independence of every column from each of its non-descendants given its parents, in the order of the columns."""
    found = []
    for column in dag.columns:
        apart = {column, *dag.parents[column], *dag.descendants(column)}
        found += [Independence(column, other, dag.parents[column]) for other in dag.columns if other not in apart]
    return tuple(found)


def _p_values(tests: IndependenceTests, claims: Sequence[Independence]) -> Floats:
    by_column: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for claim in claims:
        by_column.setdefault((claim.one, claim.given), []).append(claim.other)
    found = {
        (one, other): p
        for (one, given), others in by_column.items()
        for other, p in tests.p_values(one, others, given).items()
    }
    return np.array([found[claim.one, claim.other] for claim in claims])


def _permuted_graphs(dag: Dag, n: int, rng: np.random.Generator) -> list[Dag]:
    graphs = []
    for _ in range(n):
        new = dict(zip(dag.columns, rng.permutation(np.array(dag.columns, object)), strict=True))
        permuted = {new[child]: tuple(new[parent] for parent in its) for child, its in dag.parents.items()}
        graphs.append(Dag({column: permuted[column] for column in dag.columns}))
    return graphs


def _without(columns: Sequence[str], column: str) -> tuple[str, ...]:
    return tuple(other for other in columns if other != column)


def holm(p_values: Floats) -> Floats:
    """p-values adjusted for their number by Holm's step-down method.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate((len(p_values) - np.arange(len(p_values))) * p_values[order])
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def markov_equivalent(one: Dag, other: Dag) -> bool:
    """Whether two graphs imply the same independences: the same adjacencies and the same colliders.

    Examples
    --------
    >>> chain, fork = Dag({"a": (), "b": ("a",), "c": ("b",)}), Dag({"a": ("b",), "b": (), "c": ("b",)})
    >>> markov_equivalent(chain, fork), markov_equivalent(chain, Dag({"a": (), "b": ("a", "c"), "c": ()}))
    (True, False)
    """
    return _adjacencies(one) == _adjacencies(other) and _colliders(one) == _colliders(other)


def _adjacencies(dag: Dag) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in dag.edges}


def _colliders(dag: Dag) -> set[tuple[str, frozenset[str]]]:
    adjacent = _adjacencies(dag)
    pairs = ((child, frozenset(pair)) for child, its in dag.parents.items() for pair in combinations(its, 2))
    return {(child, pair) for child, pair in pairs if pair not in adjacent}
