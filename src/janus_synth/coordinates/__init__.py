"""Coordinates: a table and its links in, the columns that are learnt out, and the way back.

A link says how a column is computed from others (a sum, a start plus a gap, a looked-up value, a part of a timestamp, a
product, another column in part of the rows). What a link leaves open is learnt as a hidden column.
"""

from janus_synth.coordinates.formulas import CalendarPart, Formula, Lookup, Product, Sum
from janus_synth.coordinates.hidden_columns import measure_hidden, with_hidden_columns
from janus_synth.coordinates.links import Link, as_cells, link_precision
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.scaled import Scaled
from janus_synth.coordinates.substitution import rules_of_links, states_definition, substitute
from janus_synth.table.cells import as_floats

__all__ = [
    "CalendarPart",
    "Formula",
    "Link",
    "Lookup",
    "PairLookup",
    "Product",
    "Scaled",
    "Sum",
    "as_cells",
    "as_floats",
    "link_precision",
    "measure_hidden",
    "rules_of_links",
    "states_definition",
    "substitute",
    "with_hidden_columns",
]
