"""Which columns speak to which: graphs, background knowledge, learners."""

from janus_synth.structure.dag import Dag
from janus_synth.structure.discovery import discover
from janus_synth.structure.knowledge import Knowledge, make_knowledge
from janus_synth.structure.learners import chain, forest, user_graph
from janus_synth.structure.pdag import extend_to_dag

__all__ = [
    "Dag",
    "Knowledge",
    "chain",
    "discover",
    "extend_to_dag",
    "forest",
    "make_knowledge",
    "user_graph",
]
