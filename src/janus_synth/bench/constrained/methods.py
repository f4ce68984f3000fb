"""Words of a command line to ways of making rows under a condition: what is fitted, and how it is asked.

Several methods share a fit: JANUS is learnt once per table, and asked natively, greedily, by rejection and by clipping.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from janus_synth.bench.constrained.asking import Ask, TrainingRows, clip, filter_training, natively, reject
from janus_synth.bench.constrained.sem import Sem
from janus_synth.bench.methods import parse_setting
from janus_synth.bench.ours import JanusSynthesizer
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_synth.bench.peers import Synthesizer

Make = Callable[[Sem], "Synthesizer"]
"""The true model in, for methods that are given its graph, and something to fit out."""


@dataclass(frozen=True, slots=True)
class Method:
    """A name, what is fitted, and how it is asked; methods with the same ``fit_name`` share a fit."""

    name: str
    fit_name: str
    make: Make
    ask: Ask

    @property
    def ours(self) -> bool:
        """Whether JANUS itself answers the condition."""
        return self.ask not in (reject, filter_training, clip)


def make_conditional_methods(names: Iterable[str] | None = None, settings: Iterable[str] = ()) -> list[Method]:
    """Methods by name, then JANUS in further settings; no two may share a name.

    Examples
    --------
    >>> [method.name for method in make_conditional_methods(["cart", "clip"], ["one:n_trees=1"])]
    ['CART, rejection', 'JANUS, clipped', 'one']
    """
    known = _methods()
    methods = []
    for name in known if names is None else names:
        if name.lower() not in known:
            close = difflib.get_close_matches(name.lower(), known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(known)}."
            raise DataError(f"no method is called {name!r}. {hint}")
        methods.append(known[name.lower()])
    methods += [_setting(text) for text in settings]
    found = [method.name for method in methods]
    for name in found:
        if found.count(name) > 1:
            raise DataError(f"two methods are called {name!r}. Give the setting another name.")
    return methods


def _methods() -> dict[str, Method]:
    from janus_synth.bench.peers import GaussianCopula

    janus = partial(Method, fit_name="JANUS", make=lambda sem: JanusSynthesizer())
    cart = partial(Method, ask=reject)
    return {
        "janus": janus("JANUS", ask=natively()),
        "given": Method("JANUS, graph given", "JANUS, graph given", _janus_given, natively()),
        "greedy": janus("JANUS, greedy", ask=natively(method="greedy")),
        "paper": Method("paper, greedy", "paper", lambda sem: JanusSynthesizer.paper(), natively(method="greedy")),
        "reject": janus("JANUS, rejection", ask=reject),
        "cart": cart("CART, rejection", "CART", lambda sem: _cart()),
        "cart-given": cart("CART, graph given, rejection", "CART, graph given", lambda sem: _cart(sem)),
        "copula": Method("copula, rejection", "copula", lambda sem: GaussianCopula(), reject),
        "rows": Method("training rows", "training rows", lambda sem: TrainingRows(), filter_training),
        "clip": janus("JANUS, clipped", ask=clip),
    }


def _janus_given(sem: Sem) -> Synthesizer:
    return JanusSynthesizer("JANUS, graph given", structure=[list(edge) for edge in sem.edges])


def _cart(sem: Sem | None = None) -> Synthesizer:
    from janus_synth.bench.peers import SequentialCart
    from janus_synth.model.fit import worker_count

    # As many threads as JANUS takes.
    return SequentialCart(n_jobs=worker_count(None), parents=None if sem is None else sem.dag.parents)


def _setting(text: str) -> Method:
    """JANUS in another setting, from ``name:key=value,key=value``; its rows come natively."""
    parsed = parse_setting(text)
    return Method(parsed.name, parsed.name, lambda sem: JanusSynthesizer(parsed.name, **parsed.arguments), natively())
