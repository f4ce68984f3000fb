"""Example tables, drawn from structural causal models that are known.

`hiring` has a causal graph and interventions. The others are tables with columns that are computed from others: sums,
products, gaps between times, calendar parts, lookups, exact copies in part of the rows, and nulls that come together.
"""

from janus_synth.datasets.accounts import LEDGER_RULES, SUBSCRIBERS_RULES, ledger, subscribers
from janus_synth.datasets.airline import FLIGHTS_RULES, flights
from janus_synth.datasets.city import RENTALS_RULES, TRIPS_RULES, rentals, trips
from janus_synth.datasets.columns import Rule
from janus_synth.datasets.company import HIRING_RULES, hiring, hiring_graph
from janus_synth.datasets.real_estate import HOUSES_RULES, houses
from janus_synth.datasets.shop import ORDERS_RULES, orders

__all__ = [
    "FLIGHTS_RULES",
    "HIRING_RULES",
    "HOUSES_RULES",
    "LEDGER_RULES",
    "ORDERS_RULES",
    "RENTALS_RULES",
    "SUBSCRIBERS_RULES",
    "TRIPS_RULES",
    "Rule",
    "flights",
    "hiring",
    "hiring_graph",
    "houses",
    "ledger",
    "orders",
    "rentals",
    "subscribers",
    "trips",
]
