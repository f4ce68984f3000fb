"""Causal discovery: codes in, a DAG out, by the PC or GES search of causal-learn (the extra ``causal``).

Ordered columns become normal scores, judged by partial correlations. As soon as one column is unordered, all
become a few groups, judged by tables of counts. Both searches stop at arrows and lines; ``pdag`` goes on.
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

MOST_GROUPS = 6
"""Levels of a column in the discrete tests."""

FEWEST_ROWS = 10
"""Fewer rows leave the deepest test of PC without a degree of freedom."""

# PC asks about pairs given ever more columns, and the number of questions explodes. With three columns of six
# groups a table has 6⁵ = 7,776 cells, all that 10,000 rows can fill; partial correlations stand five.
MOST_GIVEN_GROUPS, MOST_GIVEN_SCORES = 3, 5

JITTER = 1e-3
"""Noise on normal scores, in standard deviations: columns that add up exactly break the matrix inverse."""


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
    """Search for the causes behind the dependences between columns.

    A constant column has no edges beyond the required ones. Of columns that say the same, only the first
    takes part, and the others hang on it: the tests would find each of them superfluous given the other.

    Parameters
    ----------
    method : {"pc", "ges"}
        Conditional independence tests, or greedy search by score (Gaussian BIC or BDeu).
    codes : array of shape (n_columns, n_rows)
        Columns in the order of ``knowledge.columns``.
    ordered : sequence of bool
        Whether the codes of each column have an order.
    knowledge : Knowledge
        Edges that must or must not be there, and tiers. PC uses them while it searches; both results obey.
    alpha : float
        Level of the tests of PC.
    max_rows : int
        Rows used, drawn without replacement if there are more.
    seed : int or Generator
        Chooses the rows and a tiny noise; one seed means one graph.

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
    view = _normal_scores(codes, rng) if all(ordered) else _groups(codes, ordered)
    names = knowledge.columns
    live = [i for i, first in view.twins.items() if first == i]
    twins = [(names[first], names[i]) for i, first in view.twins.items() if first != i]
    arrows: list[Edge] = []
    lines: list[Edge] = []
    if len(live) > 1:
        question = _Question(tuple(names[i] for i in live), view.columns[live].T, gaussian=all(ordered))
        marks = _pc(question, knowledge, alpha) if method == "pc" else _ges(question)
        arrows, lines = _read_marks(marks, question.names)
    return extend_to_dag(names, arrows, [*lines, *twins], knowledge)


class _View(NamedTuple):
    """Columns as the tests see them, and for each that varies the first one that says the same."""

    columns: Floats
    twins: dict[int, int]


class _Question(NamedTuple):
    """What a search is given: a matrix with one column per name."""

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
        raise StructureError(f"there is no causal search {method!r}. Use 'pc' or 'ges'.")
    n_columns = len(knowledge.columns)
    if codes.ndim != 2 or len(codes) != n_columns or len(ordered) != n_columns:
        raise StructureError(
            f"codes of shape {codes.shape} and {len(ordered)} flags of order do not fit {n_columns} columns."
        )
    if not 0 < alpha < 1:
        raise StructureError(f"alpha={alpha} is not a level of a test. Choose one between 0 and 1, such as 0.01.")
    if min(codes.shape[1], max_rows) < FEWEST_ROWS:
        raise StructureError(
            f"causal search needs at least {FEWEST_ROWS} rows, not {min(codes.shape[1], max_rows)}. Use "
            "structure='chain', or give the graph."
        )


def _draw_rows(codes: Codes, most: int, rng: np.random.Generator) -> Codes:
    n_rows = codes.shape[1]
    return codes if n_rows <= most else codes[:, np.sort(rng.choice(n_rows, most, replace=False))]


def _normal_scores(codes: Codes, rng: np.random.Generator) -> _View:
    """Ranks, ties at their middle, through the normal quantile function."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n_rows = codes.shape[1]
    scores = np.array([ndtri((rankdata(column) - 0.5) / n_rows) for column in codes])
    twins = _twins([_up_to_sign(column) for column in scores])
    return _View(scores + JITTER * rng.standard_normal(scores.shape), twins)


def _groups(codes: Codes, ordered: Sequence[bool]) -> _View:
    """Merge levels until at most ``MOST_GROUPS`` are left."""
    columns = [
        _merge_neighbours(column) if has_order else _merge_rare(column)
        for column, has_order in zip(codes, ordered, strict=True)
    ]
    return _View(np.array(columns, dtype=np.float64), _twins([_up_to_names(column) for column in columns]))


def _merge_neighbours(column: Codes) -> NDArray[np.intp]:
    """Cut the levels into runs of about equal mass."""
    _, level, count = np.unique(column, return_inverse=True, return_counts=True)
    if len(count) <= MOST_GROUPS:
        return level
    middle = (np.cumsum(count) - count / 2) / len(column)  # of each level, between 0 and 1
    group = (MOST_GROUPS * middle).astype(np.intp)
    return np.asarray(group[level])


def _merge_rare(column: Codes) -> NDArray[np.intp]:
    """Keep the most frequent levels and put the rest into one group."""
    _, level, count = np.unique(column, return_inverse=True, return_counts=True)
    if len(count) <= MOST_GROUPS:
        return level
    rank = np.empty(len(count), dtype=np.intp)
    rank[np.argsort(-count, kind="stable")] = np.arange(len(count))
    return np.minimum(rank, MOST_GROUPS - 1)[level]


def _up_to_sign(scores: Floats) -> Floats:
    """Make a column and its mirror image equal."""
    rounded = scores.round(9)
    sign = np.sign(rounded[np.argmax(rounded != 0)])
    return np.asarray(rounded * sign + 0.0)  # adding zero turns -0.0 into 0.0


def _up_to_names(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Make columns equal that differ only in the numbers of their groups."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[group])


def _twins(columns: Sequence[Array]) -> dict[int, int]:
    """For each column that varies, the first one equal to it."""
    first: dict[bytes, int] = {}
    return {i: first.setdefault(column.tobytes(), i) for i, column in enumerate(columns) if column.min() < column.max()}


def _pc(question: _Question, knowledge: Knowledge, alpha: float) -> NDArray[np.int_]:
    with _quiet():
        from causallearn.search.ConstraintBased.PC import pc

        graph = pc(
            question.rows,
            alpha,
            "fisherz" if question.gaussian else "chisq",
            background_knowledge=_background(question.names, knowledge),
            show_progress=False,
            node_names=list(question.names),
            max_k=MOST_GIVEN_SCORES if question.gaussian else MOST_GIVEN_GROUPS,
        )
    return np.asarray(graph.G.graph)


def _background(names: Sequence[str], knowledge: Knowledge) -> Any:
    """Say what is known of the searched columns in causal-learn's terms."""
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


def _ges(question: _Question) -> NDArray[np.int_]:
    if not question.gaussian and len(question.names) == 2:
        return _ges_of_pair(question.rows)
    with _quiet():
        from causallearn.search.ScoreBased.GES import ges

        score = "local_score_BIC" if question.gaussian else "local_score_BDeu"
        found = ges(question.rows, score, node_names=list(question.names))
    return np.asarray(found["G"].graph)


def _ges_of_pair(rows: Floats) -> NDArray[np.int_]:
    """Score the only possible line: causal-learn's prior on edges is degenerate for two columns."""
    with _quiet():
        from causallearn.score.LocalScoreFunction import local_score_BDeu

        levels = {i: len(np.unique(rows[:, i])) for i in (0, 1)}
        even = {"sample_prior": 1, "structure_prior": 0.5, "r_i_map": levels}
        linked = local_score_BDeu(rows, 1, [0], even) > local_score_BDeu(rows, 1, [], even)
    return -np.array([[0, 1], [1, 0]]) * int(linked)


def _read_marks(marks: NDArray[np.int_], names: Sequence[str]) -> tuple[list[Edge], list[Edge]]:
    """Arrows and lines of causal-learn's matrix, where entry (i, j) is the mark at i of the edge with j.

    1 is an arrowhead and -1 a tail. Heads at both ends come out as two arrows.
    """
    arrows = [(names[j], names[i]) for i, j in np.argwhere(marks == 1)]
    lines = [(names[i], names[j]) for i, j in np.argwhere((marks == -1) & (marks.T == -1)) if i < j]
    return arrows, lines


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep causal-learn's warnings, about matrices and about pandas, from the user."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
