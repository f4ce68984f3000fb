"""Method names from the command line in, methods out: ``CART`` is a rival, ``fine:n_bins=255`` a setting of JANUS."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from janus_bench.options import hint
from janus_bench.ours import JanusSynthesizer
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.peers import Synthesizer

DEFAULT_METHODS = ("JANUS", "CART", "copula", "independent")
PEERS = ("CTGAN", "TVAE", "copula", "BN", "CART", "ARF", "diffusion", "flow", "uniform", "independent")
GROUPS = {"peers": ("JANUS", "paper", *PEERS)}
"""Names that stand for several methods."""


def make_methods(
    names: Iterable[str] | None = None, settings: Iterable[str] = (), *, epochs: int | None = None
) -> list[Synthesizer]:
    """Methods by name or group, then one JANUS per setting; no two may share a name.

    Parameters
    ----------
    names : iterable of str, optional
        By default JANUS and three fast rivals; ``peers`` is JANUS, its paper configuration and all rivals.
    settings : iterable of str
        Further configurations of JANUS, each as ``name:key=value,key=value``.
    epochs : int, optional
        Passes over the table for neural methods; by default each method's own number.

    Examples
    --------
    >>> [method.name for method in make_methods(["janus", "cart"], ["one:n_trees=1"])]
    ['JANUS', 'CART', 'one']
    """
    wanted = DEFAULT_METHODS if names is None else _spelled_out(names)
    methods = [make_method(name, epochs=epochs) for name in wanted]
    methods += [parse_setting(text) for text in settings]
    found = [method.name for method in methods]
    for name in found:
        if found.count(name) > 1:
            raise DataError(f"two methods are called {name!r}. Give the setting another name.")
    return methods


def make_method(name: str, *, epochs: int | None = None) -> Synthesizer:
    """A method by its name; upper and lower case are the same."""
    makers = _makers(epochs)
    if name.lower() not in makers:
        raise DataError(f"no method is called {name!r}. {hint(name.lower(), makers)}")
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


def _spelled_out(names: Iterable[str]) -> list[str]:
    """Expand groups into their members; a method named twice is listed once."""
    found: list[str] = []
    for name in names:
        members = GROUPS.get(name.lower())
        found += [name] if members is None else [member for member in members if member not in found]
    return found


def _makers(epochs: int | None) -> dict[str, Callable[[], Synthesizer]]:
    from janus_bench.peers import GaussianCopula, IndependentColumns, SequentialCart
    from janus_bench.peers.baselines import Bootstrap, Uniform
    from janus_bench.peers.diffusion import TableDiffusion
    from janus_bench.peers.flow import TableFlow
    from janus_bench.peers.forest import AdversarialForest
    from janus_bench.peers.gan import Ctgan, Tvae
    from janus_bench.peers.network import BayesianNetwork
    from janus_bench.stopwatch import n_cores

    n_jobs = n_cores()  # as many threads as JANUS uses
    trained: dict[str, Any] = {} if epochs is None else {"epochs": epochs}
    return {
        "janus": JanusSynthesizer,
        "paper": JanusSynthesizer.paper,
        "cart": partial(SequentialCart, n_jobs=n_jobs),
        # Larger leaves are better on some tables, but which tables is not known in advance.
        "cart10": partial(SequentialCart, min_samples_leaf=10, n_jobs=n_jobs, name="CART 10"),
        "cart20": partial(SequentialCart, min_samples_leaf=20, n_jobs=n_jobs, name="CART 20"),
        "copula": GaussianCopula,
        "independent": IndependentColumns,
        "uniform": Uniform,
        "bootstrap": Bootstrap,
        "ctgan": partial(Ctgan, **trained),
        "tvae": partial(Tvae, **trained),
        "bn": BayesianNetwork,
        "arf": partial(AdversarialForest, n_jobs=n_jobs),
        "diffusion": partial(TableDiffusion, **trained),
        "flow": partial(TableFlow, **trained),
    }


def _value(text: str) -> Any:
    """Parse numbers, True, False and None; everything else is text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
