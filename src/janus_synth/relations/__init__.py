"""Relations between the columns of a table: a frame in, a ranked sequence of sums, orderings, lookups and others out.

``discover`` proposes relations from a sample of the rows and verifies them on all. Each kind has a module of its own;
``chance`` holds the control of false discoveries that they share, ``details`` what is known of a relation by kind.
"""

from janus_synth.relations.details import (
    Band,
    CalendarPart,
    Clock,
    Copy,
    Factor,
    Implication,
    Increment,
    Lookup,
    Nulls,
    OneHot,
    Ordering,
    PartSum,
    Product,
    Ratio,
    ScaledProduct,
    Sum,
)
from janus_synth.relations.discover import discover
from janus_synth.relations.orderings import find_time_orderings
from janus_synth.relations.relation import KINDS, Relation, Relations

__all__ = [
    "KINDS",
    "Band",
    "CalendarPart",
    "Clock",
    "Copy",
    "Factor",
    "Implication",
    "Increment",
    "Lookup",
    "Nulls",
    "OneHot",
    "Ordering",
    "PartSum",
    "Product",
    "Ratio",
    "Relation",
    "Relations",
    "ScaledProduct",
    "Sum",
    "discover",
    "find_time_orderings",
]
