"""Directed acyclic graphs over columns: background knowledge, structure learning, causal discovery."""

from janus_synth.graph.consensus import consensus_graph, distinct_graphs, edge_confidences
from janus_synth.graph.dag import Dag
from janus_synth.graph.discovery import discover
from janus_synth.graph.knowledge import Knowledge, make_knowledge
from janus_synth.graph.learners import chain, forest, given_edges, read_graph
from janus_synth.graph.notears import notears_graph
from janus_synth.graph.pdag import extend_to_dag
from janus_synth.graph.screening import screen_parents

__all__ = [
    "Dag",
    "Knowledge",
    "chain",
    "consensus_graph",
    "discover",
    "distinct_graphs",
    "edge_confidences",
    "extend_to_dag",
    "forest",
    "given_edges",
    "make_knowledge",
    "notears_graph",
    "read_graph",
    "screen_parents",
]
