"""Command-line words in, methods to time out: four settings of JANUS, and sequential CART with or without the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from janus_bench.methods import make_method
from janus_bench.options import choose
from janus_bench.ours import JanusSynthesizer
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.peers import Synthesizer
    from janus_synth import Dag

DEFAULT = ("given", "janus", "forest", "paper", "cart")
"""Methods of part A."""
KNOWING = ("given", "cart-given")
"""Methods of part B, which are given the graph."""
LONG = ("janus", "paper", "cart")
"""Methods of part C, whose table has no known graph."""


def methods_named(words: Sequence[str] | None, usual: Sequence[str], among: Sequence[str] | None = None) -> list[str]:
    """Methods that a user named, by default ``usual``; if ``among`` is given, only those in it.

    Examples
    --------
    >>> methods_named(["JANUS", "given"], DEFAULT, among=LONG)
    ['janus']
    """
    chosen = choose(usual if words is None else words, _MAKERS, "method")
    return [word for word in chosen if among is None or word in among]


def make(word: str, dag: Dag | None = None) -> Synthesizer:
    """Make a method by its word; ``dag`` is the true graph, for methods that are given it.

    Examples
    --------
    >>> make("forest").name
    'JANUS, forest'
    """
    return _MAKERS[word](dag)


def _given(dag: Dag | None) -> Synthesizer:
    return JanusSynthesizer("JANUS, graph given", structure=[list(edge) for edge in _known(dag).edges])


def _cart_given(dag: Dag | None) -> Synthesizer:
    from janus_bench.peers import SequentialCart
    from janus_bench.stopwatch import n_cores

    # As many threads as JANUS uses.
    return SequentialCart(n_jobs=n_cores(), parents=_known(dag).parents, name="CART, graph given")


def _known(dag: Dag | None) -> Dag:
    if dag is None:
        raise DataError("the graph of this table is not known, so it cannot be given.")
    return dag


_MAKERS: Mapping[str, Callable[[Dag | None], Synthesizer]] = {
    "given": _given,
    "janus": lambda dag: JanusSynthesizer(),
    "forest": lambda dag: JanusSynthesizer("JANUS, forest", structure="forest"),
    "paper": lambda dag: JanusSynthesizer.paper(),
    "cart": lambda dag: make_method("cart"),
    "cart-given": _cart_given,
}
