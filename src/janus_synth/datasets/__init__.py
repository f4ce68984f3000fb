"""Example tables, drawn from structural causal models that are known."""

from janus_synth.datasets.company import HIRING_RULES, Rule, hiring, hiring_graph

__all__ = ["HIRING_RULES", "Rule", "hiring", "hiring_graph"]
