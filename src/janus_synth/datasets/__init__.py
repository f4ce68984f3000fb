"""Tables that ship with the library, drawn from models whose truth is known."""

from janus_synth.datasets.company import HIRING_RULES, Rule, hiring, hiring_graph

__all__ = ["HIRING_RULES", "Rule", "hiring", "hiring_graph"]
