"""A model and a causal question in; a model of DoWhy out, to check identification or refute an estimate; and back."""

from __future__ import annotations

from typing import Any

from janus_synth.errors import DataError, require_extra
from janus_synth.graph import Dag
from janus_synth.integrations.networkx import EXTRA, from_networkx, to_networkx
from janus_synth.janus import Janus


def to_dowhy(source: Janus | Dag, frame: Any, *, treatment: str, outcome: str) -> Any:
    """Convert a model and a question to a ``CausalModel`` of DoWhy.

    Parameters
    ----------
    source : Janus or Dag
        A fitted model, or a graph.
    frame : pandas.DataFrame
        Rows for DoWhy's own estimators.
    treatment, outcome : str
        Columns of the question.

    Returns
    -------
    dowhy.CausalModel
        ``identify_effect``, ``estimate_effect`` and ``refute_estimate`` work on it.

    Raises
    ------
    DataError
        If the graph has no such column.
    MissingExtraError
        If dowhy is not installed.

    Examples
    --------
    >>> question = to_dowhy(model, rows, treatment="experience", outcome="offered_salary")  # doctest: +SKIP
    >>> question.identify_effect()  # doctest: +SKIP
    """
    dowhy = require_extra("dowhy", EXTRA, purpose="to_dowhy()")
    graph = to_networkx(source)
    for name in (treatment, outcome):
        if name not in graph:
            raise DataError(f"the graph has no column {name!r}; it has {', '.join(map(repr, graph.nodes))}.")
    return dowhy.CausalModel(data=frame, treatment=treatment, outcome=outcome, graph=graph)


def to_gcm(source: Janus | Dag) -> Any:
    """Convert a model to a graphical causal model of DoWhy, whose mechanisms DoWhy then learns.

    Parameters
    ----------
    source : Janus or Dag
        A fitted model, or a graph.

    Returns
    -------
    dowhy.gcm.StructuralCausalModel
        Without mechanisms; ``dowhy.gcm.auto.assign_causal_mechanisms`` assigns them.

    Examples
    --------
    >>> to_gcm(model)  # doctest: +SKIP
    """
    gcm = require_extra("dowhy.gcm", EXTRA, purpose="to_gcm()")
    return gcm.StructuralCausalModel(to_networkx(source))


def from_dowhy(model: Any) -> Dag:
    """Convert the graph of a model of DoWhy; unobserved nodes are left out.

    Parameters
    ----------
    model : dowhy.CausalModel or a model of dowhy.gcm
        A causal model.

    Returns
    -------
    Dag
        Columns and edges, such as for ``Janus(structure=...)``.

    Examples
    --------
    >>> from_dowhy(question)  # doctest: +SKIP
    """
    graph = model.graph if hasattr(model, "graph") else model._graph._graph
    observed = [node for node, fields in graph.nodes(data=True) if fields.get("observed", "yes") != "no"]
    return from_networkx(graph.subgraph(observed))
