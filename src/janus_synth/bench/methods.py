"""Words of a command line to methods: ``CART`` is a rival, ``fine:n_bins=255`` a setting of JANUS."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from janus_synth.bench.ours import JanusSynthesizer
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_synth.bench.rivals import Synthesizer

DEFAULT_METHODS = ("JANUS", "CART", "copula", "independent")


def make_methods(names: Iterable[str] | None = None, settings: Iterable[str] = ()) -> list[Synthesizer]:
    """Methods by name, then one JANUS per setting; no two may share a name.

    Examples
    --------
    >>> [method.name for method in make_methods(["janus", "cart"], ["one:n_trees=1"])]
    ['JANUS', 'CART', 'one']
    """
    methods = [make_method(name) for name in (DEFAULT_METHODS if names is None else names)]
    methods += [parse_setting(text) for text in settings]
    found = [method.name for method in methods]
    for name in found:
        if found.count(name) > 1:
            raise DataError(f"two methods are called {name!r}. Give the setting another name.")
    return methods


def make_method(name: str) -> Synthesizer:
    """A method by its name, in capitals or not."""
    makers = _makers()
    if name.lower() not in makers:
        close = difflib.get_close_matches(name.lower(), makers, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(makers)}."
        raise DataError(f"no method is called {name!r}. {hint}")
    return makers[name.lower()]()


def parse_setting(text: str) -> JanusSynthesizer:
    """A setting of JANUS from ``name:key=value,key=value``.

    Examples
    --------
    >>> parse_setting("fine:n_bins=255,structure=chain").arguments
    {'n_bins': 255, 'structure': 'chain'}
    """
    name, colon, pairs = text.partition(":")
    if not colon or not name:
        raise DataError(f"the setting {text!r} has no name. Write name:key=value,key=value.")
    arguments: dict[str, Any] = {}
    for pair in filter(None, pairs.split(",")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise DataError(f"the setting {name!r} says {pair!r}. Write key=value, with commas between.")
        arguments[key.strip()] = _value(value.strip())
    return JanusSynthesizer(name, **arguments)


def _makers() -> dict[str, Callable[[], Synthesizer]]:
    from janus_synth.bench.rivals import GaussianCopula, IndependentColumns, SequentialCart
    from janus_synth.model.fit import worker_count

    n_jobs = worker_count(None)  # as many threads as JANUS takes
    return {
        "janus": JanusSynthesizer,
        "paper": JanusSynthesizer.paper,
        "cart": partial(SequentialCart, n_jobs=n_jobs),
        # Larger leaves suit some tables better; which, only hindsight knows.
        "cart10": partial(SequentialCart, min_samples_leaf=10, n_jobs=n_jobs, name="CART 10"),
        "cart20": partial(SequentialCart, min_samples_leaf=20, n_jobs=n_jobs, name="CART 20"),
        "copula": GaussianCopula,
        "independent": IndependentColumns,
    }


def _value(text: str) -> Any:
    """Numbers, True, False and None as such, everything else as text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
