"""The methods of the benchmark: names from a command line in, a list of `Method` out.

Several methods share a fit: JANUS is fitted once per table, for native conditional sampling, rejection and clipping.
All other methods of `janus bench fidelity` are fitted without conditions, and use rejection.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from janus_bench.constrained.asking import Method, TrainingRows, clip, filter_training, natively, reject
from janus_bench.methods import make_method, parse_setting
from janus_bench.options import hint
from janus_bench.ours import GIVEN, JanusSynthesizer
from janus_synth.errors import DataError

if TYPE_CHECKING:
    from janus_bench.models.sem import Sem
    from janus_bench.peers import Synthesizer

REJECTING = ("bn", "arf", "ctgan", "tvae", "diffusion", "flow", "cart10", "cart20", "independent", "uniform")
"""Further methods, run only if named; all use rejection, and some are slow to fit or to sample."""
GROUPS = {"peers": ("ctgan", "tvae", "bn", "arf", "diffusion", "flow")}
"""Names that stand for several methods."""


def make_conditional_methods(
    names: Iterable[str] | None = None, settings: Iterable[str] = (), *, epochs: int | None = None
) -> list[Method]:
    """Methods by name or group, then JANUS in further settings; no two may share a name.

    Parameters
    ----------
    names : iterable of str, optional
        By default all variants of JANUS and the fast baselines; ``peers`` stands for the slower ones.
    settings : iterable of str
        Further settings of JANUS, each as ``name:key=value,key=value``, with native conditional sampling.
    epochs : int, optional
        Passes over the table for methods that train; by default their own.

    Examples
    --------
    >>> [method.name for method in make_conditional_methods(["cart", "clip", "ctgan"], ["one:n_trees=1"])]
    ['CART, rejection', 'JANUS, clipped', 'CTGAN, rejection', 'one']
    """
    known = _methods()
    methods = []
    for name in known if names is None else _spelled_out(names):
        if name not in known and name not in REJECTING:
            words = (*known, *REJECTING)
            raise DataError(f"no method is called {name!r}. {hint(name, words)}")
        methods.append(known[name] if name in known else _rejecting(name, epochs))
    methods += [_setting(text) for text in settings]
    found = [method.name for method in methods]
    for name in found:
        if found.count(name) > 1:
            raise DataError(f"two methods are called {name!r}. Give the setting another name.")
    return methods


def _spelled_out(names: Iterable[str]) -> list[str]:
    """Names in lower case, with groups replaced by their members."""
    return [member for name in names for member in GROUPS.get(name.lower(), (name.lower(),))]


def _methods() -> dict[str, Method]:
    janus = partial(Method, make=_janus)
    return {
        "janus": janus("JANUS", ask=natively()),
        "given": Method("JANUS, graph given", partial(_janus, name="JANUS, graph given", structure=GIVEN), natively()),
        "greedy": janus("JANUS, greedy", ask=natively(method="greedy")),
        "paper": Method("paper, greedy", _paper, natively(method="greedy")),
        "reject": janus("JANUS, rejection", ask=reject),
        "cart": _rejecting("cart"),
        "cart-given": Method("CART, graph given, rejection", _cart_given, reject),
        "copula": _rejecting("copula"),
        "rows": Method("training rows", _training_rows, filter_training),
        "clip": janus("JANUS, clipped", ask=clip),
    }


def _rejecting(word: str, epochs: int | None = None) -> Method:
    """A method without conditional sampling, combined with rejection."""
    make = partial(_rival, word=word, epochs=epochs)
    return Method(f"{make_method(word).name}, rejection", make, reject)


def _setting(text: str) -> Method:
    """JANUS in another setting, from ``name:key=value,key=value``, with native conditional sampling."""
    parsed = parse_setting(text)
    return Method(parsed.name, partial(_janus, name=parsed.name, **parsed.arguments), natively())


def _janus(sem: Sem, *, name: str = "JANUS", **arguments: Any) -> Synthesizer:
    """JANUS in a setting; ``structure="given"`` stands for the true graph."""
    if arguments.get("structure") == GIVEN:
        arguments["structure"] = [list(edge) for edge in sem.edges]
    return JanusSynthesizer(name, **arguments)


def _paper(sem: Sem) -> Synthesizer:
    return JanusSynthesizer.paper()


def _rival(sem: Sem, *, word: str, epochs: int | None) -> Synthesizer:
    return make_method(word, epochs=epochs)


def _cart_given(sem: Sem) -> Synthesizer:
    from janus_bench.peers import SequentialCart
    from janus_bench.stopwatch import n_cores

    return SequentialCart(n_jobs=n_cores(), parents=sem.dag.parents)  # as many threads as JANUS uses


def _training_rows(sem: Sem) -> Synthesizer:
    return TrainingRows()
