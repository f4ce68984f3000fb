"""Example tables, drawn from structural causal models that are known."""

from janus_synth.datasets.city import RENTALS_RULES, TRIPS_RULES, rentals, trips
from janus_synth.datasets.columns import Rule
from janus_synth.datasets.company import HIRING_RULES, hiring, hiring_graph

__all__ = ["HIRING_RULES", "RENTALS_RULES", "TRIPS_RULES", "Rule", "hiring", "hiring_graph", "rentals", "trips"]
