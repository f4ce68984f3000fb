"""A model in; a Bayesian network of pgmpy out, with probability tables where all columns have few values; and back."""

from __future__ import annotations

from typing import Any

from janus_synth.errors import require_extra
from janus_synth.graph import Dag
from janus_synth.integrations.networkx import EXTRA, from_networkx, graph_of
from janus_synth.integrations.tables import conditional_table
from janus_synth.janus import Janus


def to_pgmpy(source: Janus | Dag, *, tables: bool = False) -> Any:
    """Convert a model to a Bayesian network of pgmpy.

    Parameters
    ----------
    source : Janus or Dag
        A fitted model, or a graph.
    tables : bool
        Add the conditional probability tables; all columns must have few values, none may be computed from others,
        and rules of the model are not part of the network.

    Returns
    -------
    pgmpy.models.DiscreteBayesianNetwork
        States are texts: levels, values, and ``"null"``.

    Raises
    ------
    DataError
        If a column has too many values for a table.
    MissingExtraError
        If pgmpy is not installed.

    Examples
    --------
    >>> network = to_pgmpy(model, tables=True)  # doctest: +SKIP
    >>> from pgmpy.inference import VariableElimination  # doctest: +SKIP
    >>> VariableElimination(network).query(["hired"], evidence={"sex": "female"})  # doctest: +SKIP
    """
    models = require_extra("pgmpy.models", EXTRA, purpose="to_pgmpy()")
    dag = graph_of(source)
    network = models.DiscreteBayesianNetwork()
    network.add_nodes_from(list(dag.columns))
    network.add_edges_from(list(dag.edges))
    if tables:
        if not isinstance(source, Janus):
            raise ValueError("tables=True needs a fitted Janus; a graph alone has no probabilities.")
        network.add_cpds(*(_table(source, column) for column in dag.columns))
        network.check_model()
    return network


def _table(janus: Janus, column: str) -> Any:
    """One column's table in pgmpy's form."""
    factors = require_extra("pgmpy.factors.discrete", EXTRA, purpose="to_pgmpy()")
    found = conditional_table(janus, column)
    names = dict(zip((column, *found.parents), (found.states, *found.parent_states), strict=True))
    return factors.TabularCPD(
        column,
        len(found.states),
        found.values,
        evidence=list(found.parents) or None,
        evidence_card=[len(states) for states in found.parent_states] or None,
        state_names={name: list(states) for name, states in names.items()},
    )


def from_pgmpy(network: Any) -> Dag:
    """Convert the graph of a network of pgmpy, such as for ``Janus(structure=...)``.

    Parameters
    ----------
    network : pgmpy.base.DAG or DiscreteBayesianNetwork
        A network; its tables are not used.

    Returns
    -------
    Dag
        Columns and edges.

    Examples
    --------
    >>> from_pgmpy(network)  # doctest: +SKIP
    """
    return from_networkx(network)
