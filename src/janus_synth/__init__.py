"""JANUS learns the joint distribution of a table: sample it under constraints, and ask causal questions about it.

>>> from janus_synth import Janus, datasets
>>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
>>> rows = model.sample(100)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from janus_synth import datasets, errors, estimators, fairness, integrations, metrics, plot
    from janus_synth.graph import Dag
    from janus_synth.janus import Janus
    from janus_synth.relations import discover
    from janus_synth.rules import (
        Rule,
        col,
        fixed_combinations,
        holds,
        iff,
        implies,
        increments,
        maximum,
        minimum,
        one_hot,
        rules_from,
        unique,
    )
    from janus_synth.sampling import Estimate
    from janus_synth.table import Column, Schema

__all__ = [
    "Column",
    "Dag",
    "Estimate",
    "Janus",
    "Rule",
    "Schema",
    "__version__",
    "col",
    "datasets",
    "discover",
    "errors",
    "estimators",
    "fairness",
    "fixed_combinations",
    "holds",
    "iff",
    "implies",
    "increments",
    "integrations",
    "maximum",
    "metrics",
    "minimum",
    "one_hot",
    "plot",
    "rules_from",
    "unique",
]

_HOMES = {
    "Estimate": "janus_synth.sampling",
    "Janus": "janus_synth.janus",
    "Dag": "janus_synth.graph",
    "Column": "janus_synth.table",
    "Schema": "janus_synth.table",
    "discover": "janus_synth.relations",
}
_HOMES |= dict.fromkeys(
    (
        "Rule",
        "col",
        "fixed_combinations",
        "holds",
        "iff",
        "implies",
        "increments",
        "maximum",
        "minimum",
        "one_hot",
        "rules_from",
        "unique",
    ),
    "janus_synth.rules",
)
_MODULES = ("datasets", "errors", "estimators", "fairness", "integrations", "metrics", "plot")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import janus_synth`` is instant."""
    if name in _MODULES:
        return import_module(f"janus_synth.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'janus_synth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
