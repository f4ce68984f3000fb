"""Causal discovery: codes in, a DAG out, by the PC or GES algorithm of causal-learn (the extra ``causal``).

If all columns are ordered, they become normal scores, for Fisher's z test of partial correlations (PC) or the Gaussian
BIC (GES). If one is unordered, all are merged into a few groups, for chi-squared tests of conditional independence (PC)
or the BDeu score (GES). Both algorithms return a partially directed graph; ``pdag`` extends it to a DAG.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Array, Codes, Floats
from janus_synth.errors import StructureError, require_extra
from janus_synth.graph.dag import Dag
from janus_synth.graph.knowledge import Edge, Knowledge
from janus_synth.graph.pdag import extend_to_dag

Method = Literal["pc", "ges"]

MAX_GROUPS = 6
"""Groups per column in the discrete tests."""

MIN_ROWS = 10
"""With fewer rows the partial correlations of the largest conditioning sets have no degree of freedom left."""

# Largest conditioning sets of PC, whose number of tests grows exponentially with it. A pair given three columns of six
# groups has a contingency table of 6⁵ = 7,776 cells, as many as 10,000 rows can fill; partial correlations allow five.
MAX_CONDITIONING_GROUPS, MAX_CONDITIONING_SCORES = 3, 5

JITTER = 1e-3
"""Noise on normal scores, in standard deviations: without it, exact linear dependence makes matrices singular."""


def discover(
    method: Method,
    codes: Codes,
    ordered: Sequence[bool],
    knowledge: Knowledge,
    *,
    alpha: float = 0.01,
    max_rows: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> Dag:
    """Learn a DAG by causal discovery.

    A constant column gets only the required edges. Of columns that are copies of each other, only the first takes
    part, and the copies are attached to it by an edge: a conditional independence test would find each copy redundant
    given the other.

    Parameters
    ----------
    method : {"pc", "ges"}
        Conditional independence tests (PC), or greedy equivalence search by Gaussian BIC or BDeu score (GES).
    codes : array of shape (n_columns, n_rows)
        Columns in the order of ``knowledge.columns``.
    ordered : sequence of bool
        Whether the codes of each column have an order.
    knowledge : Knowledge
        Required and forbidden edges, and tiers. PC uses them during the search; the result of both respects them.
    alpha : float
        Significance level of the tests of PC.
    max_rows : int
        Maximum number of rows; larger tables are subsampled without replacement.
    seed : int or Generator
        Seed of the subsample and of the jitter; the same seed gives the same graph.

    Raises
    ------
    MissingExtraError
        If causal-learn is not installed.
    StructureError
        For an unknown method, codes that do not fit the columns, or fewer than ten rows.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rain, sprinkler = rng.integers(2, size=(2, 1_000))
    >>> codes = np.array([rain, sprinkler, rain | sprinkler], dtype=np.uint16)
    >>> print(discover("pc", codes, [True, True, True], Knowledge(("rain", "sprinkler", "wet"))))
    rain
    sprinkler
    wet ← rain, sprinkler
    """
    _check(method, codes, ordered, knowledge, alpha, max_rows)
    require_extra("causallearn", "causal", purpose=f"structure={method!r}")
    rng = np.random.default_rng(seed)
    codes = _draw_rows(codes, max_rows, rng)
    inputs = _normal_scores(codes, rng) if all(ordered) else _groups(codes, ordered)
    names = knowledge.columns
    distinct = [i for i, first in inputs.first_copy.items() if first == i]
    copies = [(names[first], names[i]) for i, first in inputs.first_copy.items() if first != i]
    directed: list[Edge] = []
    undirected: list[Edge] = []
    if len(distinct) > 1:
        data = _SearchData(tuple(names[i] for i in distinct), inputs.columns[distinct].T, gaussian=all(ordered))
        marks = _pc(data, knowledge, alpha) if method == "pc" else _ges(data)
        directed, undirected = _read_marks(marks, data.names)
    return extend_to_dag(names, directed, [*undirected, *copies], knowledge)


class _TestInputs(NamedTuple):
    """Columns as the tests use them, and for each column that varies the first one that is a copy of it."""

    columns: Floats
    first_copy: dict[int, int]


class _SearchData(NamedTuple):
    """Input of a search: a matrix with one column per name."""

    names: tuple[str, ...]
    rows: Floats
    gaussian: bool


def _check(
    method: str,
    codes: Codes,
    ordered: Sequence[bool],
    knowledge: Knowledge,
    alpha: float,
    max_rows: int,
) -> None:
    if method not in ("pc", "ges"):
        raise StructureError(f"there is no causal discovery method {method!r}. Use 'pc' or 'ges'.")
    n_columns = len(knowledge.columns)
    if codes.ndim != 2 or len(codes) != n_columns or len(ordered) != n_columns:
        raise StructureError(
            f"codes of shape {codes.shape} and {len(ordered)} order flags do not fit {n_columns} columns."
        )
    if not 0 < alpha < 1:
        raise StructureError(f"alpha={alpha} is not a significance level. Choose one between 0 and 1, such as 0.01.")
    if min(codes.shape[1], max_rows) < MIN_ROWS:
        raise StructureError(
            f"causal discovery needs at least {MIN_ROWS} rows, not {min(codes.shape[1], max_rows)}. Use "
            "structure='chain', or give the graph."
        )


def _draw_rows(codes: Codes, most: int, rng: np.random.Generator) -> Codes:
    n_rows = codes.shape[1]
    return codes if n_rows <= most else codes[:, np.sort(rng.choice(n_rows, most, replace=False))]


def _normal_scores(codes: Codes, rng: np.random.Generator) -> _TestInputs:
    """Map mid-ranks through the normal quantile function."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n_rows = codes.shape[1]
    scores = np.array([ndtri((rankdata(column) - 0.5) / n_rows) for column in codes])
    copies = _first_copies([_up_to_sign(column) for column in scores])
    return _TestInputs(scores + JITTER * rng.standard_normal(scores.shape), copies)


def _groups(codes: Codes, ordered: Sequence[bool]) -> _TestInputs:
    """Merge levels until at most ``MAX_GROUPS`` are left."""
    columns = [
        _merge_neighbours(column) if has_order else _merge_rare(column)
        for column, has_order in zip(codes, ordered, strict=True)
    ]
    copies = _first_copies([_up_to_labels(column) for column in columns])
    return _TestInputs(np.array(columns, dtype=np.float64), copies)


def _merge_neighbours(column: Codes) -> NDArray[np.intp]:
    """Merge neighbouring levels into groups of about equal mass."""
    _, level, count = np.unique(column, return_inverse=True, return_counts=True)
    if len(count) <= MAX_GROUPS:
        return level
    middle = (np.cumsum(count) - count / 2) / len(column)  # of each level, between 0 and 1
    group = (MAX_GROUPS * middle).astype(np.intp)
    return np.asarray(group[level])


def _merge_rare(column: Codes) -> NDArray[np.intp]:
    """Keep the most frequent levels and merge the rest into one group."""
    _, level, count = np.unique(column, return_inverse=True, return_counts=True)
    if len(count) <= MAX_GROUPS:
        return level
    rank = np.empty(len(count), dtype=np.intp)
    rank[np.argsort(-count, kind="stable")] = np.arange(len(count))
    return np.minimum(rank, MAX_GROUPS - 1)[level]


def _up_to_sign(scores: Floats) -> Floats:
    """Normalise the sign, so that a column and its negative become equal."""
    rounded = scores.round(9)
    sign = np.sign(rounded[np.argmax(rounded != 0)])
    return np.asarray(rounded * sign + 0.0)  # adding zero turns -0.0 into 0.0


def _up_to_labels(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Normalise group labels, so that columns that differ only in them become equal."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[group])


def _first_copies(columns: Sequence[Array]) -> dict[int, int]:
    """For each column that varies, the first one equal to it."""
    first: dict[bytes, int] = {}
    return {i: first.setdefault(column.tobytes(), i) for i, column in enumerate(columns) if column.min() < column.max()}


def _pc(data: _SearchData, knowledge: Knowledge, alpha: float) -> NDArray[np.int_]:
    with _quiet():
        from causallearn.search.ConstraintBased.PC import pc

        graph = pc(
            data.rows,
            alpha,
            "fisherz" if data.gaussian else "chisq",
            background_knowledge=_background(data.names, knowledge),
            show_progress=False,
            node_names=list(data.names),
            max_k=MAX_CONDITIONING_SCORES if data.gaussian else MAX_CONDITIONING_GROUPS,
        )
    return np.asarray(graph.G.graph)


def _background(names: Sequence[str], knowledge: Knowledge) -> Any:
    """Convert background knowledge about the searched columns to causal-learn's format."""
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

    background = BackgroundKnowledge()
    nodes = {name: GraphNode(name) for name in names}
    for parent, child in knowledge.required:
        if parent in nodes and child in nodes:
            background.add_required_by_node(nodes[parent], nodes[child])
    for parent, child in knowledge.forbidden:
        if parent in nodes and child in nodes:
            background.add_forbidden_by_node(nodes[parent], nodes[child])
    for number, tier in enumerate(knowledge.tiers):
        for column in tier:
            if column in nodes:
                background.add_node_to_tier(nodes[column], number)
    return background


def _ges(data: _SearchData) -> NDArray[np.int_]:
    if not data.gaussian and len(data.names) == 2:
        return _ges_of_pair(data.rows)
    with _quiet():
        from causallearn.search.ScoreBased.GES import ges

        score = "local_score_BIC" if data.gaussian else "local_score_BDeu"
        found = ges(data.rows, score, node_names=list(data.names))
    return np.asarray(found["G"].graph)


def _ges_of_pair(rows: Floats) -> NDArray[np.int_]:
    """Score the only possible edge: causal-learn's prior on edges is degenerate for two columns."""
    with _quiet():
        from causallearn.score.LocalScoreFunction import local_score_BDeu

        levels = {i: len(np.unique(rows[:, i])) for i in (0, 1)}
        even = {"sample_prior": 1, "structure_prior": 0.5, "r_i_map": levels}
        linked = local_score_BDeu(rows, 1, [0], even) > local_score_BDeu(rows, 1, [], even)
    return -np.array([[0, 1], [1, 0]]) * int(linked)


def _read_marks(marks: NDArray[np.int_], names: Sequence[str]) -> tuple[list[Edge], list[Edge]]:
    """Directed and undirected edges of causal-learn's matrix, where entry (i, j) is the mark at i of the edge with j.

    1 is an arrowhead and -1 a tail. An edge with two arrowheads is returned in both directions.
    """
    directed = [(names[j], names[i]) for i, j in np.argwhere(marks == 1)]
    undirected = [(names[i], names[j]) for i, j in np.argwhere((marks == -1) & (marks.T == -1)) if i < j]
    return directed, undirected


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the warnings of causal-learn about matrices and pandas."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
