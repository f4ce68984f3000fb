"""Words to ways of having a graph: the true one, all that are learnt, and two that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from janus_bench.ours import JanusSynthesizer
from janus_bench.parts import hint
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_synth import Dag

LEARNT = ("auto", "chain", "forest", "pc", "ges")
"""What ``Janus(structure=...)`` learns by itself."""
TRUE, REVERSED, NONE = "true graph", "arrows reversed", "no edges"
STRUCTURES = {"true": TRUE, **{word: word for word in LEARNT}, "reversed": REVERSED, "none": NONE}
"""Words and what tables call them. Reversed: the true adjacencies, every arrow the wrong way."""
ENGINES = {"janus": "JANUS", "paper": "JANUS paper"}
"""Who learns rows along the graph: the defaults, or the paper's own configuration."""
SEARCHED = ("pc", "ges")
"""Structures that need causal-learn."""


def named(words: Iterable[str] | None, known: Iterable[str], what: str) -> list[str]:
    """Words as they are spelled here, by default all.

    Examples
    --------
    >>> named(["PC", "true"], STRUCTURES, "structure")
    ['pc', 'true']
    """
    known = list(known)
    wanted = known if words is None else [word.lower() for word in words]
    for word in wanted:
        if word not in known:
            raise DataError(f"no {what} is called {word!r}. {hint(word, known)}")
    if not wanted:
        raise DataError(f"name at least one {what} of {', '.join(known)}.")
    return list(dict.fromkeys(wanted))


def make(engine: str, structure: str, dag: Dag) -> JanusSynthesizer:
    """A setting of JANUS for a model with this graph.

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
