"""Feasibility: bound rules and a fitted codec in, whether any row can satisfy them out.

The answer comes with a witness row, or with a minimal conflict set and a reason in words. ``translate`` turns rules
into clauses over the columns' domains; ``decide`` settles them by constraint propagation, backtracking search and a
mixed-integer program; ``explain`` and ``remedies`` put a conflict into words, ``definitions`` those of computed
columns.
"""

from janus_synth.rules.feasibility.check import (
    Feasibility,
    check_feasible,
    check_quickly,
    may_hold,
    narrow_box,
    require_feasible,
)
from janus_synth.rules.feasibility.definitions import Definition
from janus_synth.rules.feasibility.domains import Domain, Grid, column_domain, column_grid

__all__ = [
    "Definition",
    "Domain",
    "Feasibility",
    "Grid",
    "check_feasible",
    "check_quickly",
    "column_domain",
    "column_grid",
    "may_hold",
    "narrow_box",
    "require_feasible",
]
