"""Names of structures (true, learnt, wrong on purpose) in, settings of JANUS out; and F1 scores of two graphs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any

from janus_bench.ours import JanusSynthesizer

if TYPE_CHECKING:
    from janus_synth import Dag


Edges = Iterable[tuple[str, str]]


def directed_f1(found: Edges, true: Edges) -> float:
    """F1 of arrows: an arrow counts as found only if it points the right way.

    Examples
    --------
    >>> directed_f1([("a", "b"), ("c", "b"), ("a", "c")], [("a", "b"), ("b", "c")])
    0.4
    """
    return _f1(set(found), set(true))


def skeleton_f1(found: Edges, true: Edges) -> float:
    """F1 of adjacencies: which pairs of columns have an edge, in either direction.

    Examples
    --------
    >>> skeleton_f1([("a", "b"), ("c", "b"), ("a", "c")], [("a", "b"), ("b", "c")])
    0.8
    """
    return _f1({frozenset(edge) for edge in found}, {frozenset(edge) for edge in true})


def _f1(found: Set[Hashable], true: Set[Hashable]) -> float:
    """2 · both / (found + true); two empty graphs agree."""
    return 2 * len(found & true) / (len(found) + len(true)) if found or true else 1.0


LEARNT = ("auto", "chain", "forest", "pc", "ges", "notears")
"""Structures that ``Janus(structure=...)`` learns from rows."""
TRUE, REVERSED, NONE = "true graph", "arrows reversed", "no edges"
STRUCTURES = {"true": TRUE, **{word: word for word in LEARNT}, "reversed": REVERSED, "none": NONE}
"""Words of the command line, and names in tables. Reversed: the true adjacencies with every arrow reversed."""
ENGINES = {"janus": "JANUS", "paper": "JANUS paper"}
"""Configurations that are fitted with the graph: the defaults, or the paper's."""
SEARCHED = ("pc", "ges")
"""Structures that need causal-learn."""


def make(engine: str, structure: str, dag: Dag) -> JanusSynthesizer:
    """Make a setting of JANUS; ``dag`` is the true graph.

    Examples
    --------
    >>> from janus_synth import Dag
    >>> dag = Dag({"age": (), "pay": ("age",)})
    >>> make("janus", "reversed", dag).arguments["structure"]
    [('pay', 'age')]
    >>> make("paper", "pc", dag).arguments["n_trees"]
    1
    """
    usual = JanusSynthesizer.paper().arguments if engine == "paper" else {}
    arguments: dict[str, Any] = {**usual, "structure": _graph(structure, dag), "trust_graph": True}
    return JanusSynthesizer(STRUCTURES[structure], **arguments)


def _graph(structure: str, dag: Dag) -> str | Sequence[tuple[str, str]]:
    match structure:
        case "true":
            return list(dag.edges)
        case "reversed":
            return [(child, parent) for parent, child in dag.edges]
        case "none":
            return []
    return structure
