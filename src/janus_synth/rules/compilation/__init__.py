"""Bound tests in, what samplers run out: the branches of a disjunctive normal form, and programs for the solver.

``split_branches`` rewrites tests into conjunctions of which at least one holds. ``compile_program`` turns a conjunction
into a postfix program that gives one column's admissible intervals, given the values of the others.
"""

from janus_synth.rules.compilation.normal_form import (
    Tests,
    columns_of,
    drop_implied_bounds,
    split_branches,
    split_conjunction,
)
from janus_synth.rules.compilation.program import (
    EVERYTHING,
    Sets,
    SolverColumns,
    compile_program,
    solve_single_column,
    solver_columns,
)

__all__ = [
    "EVERYTHING",
    "Sets",
    "SolverColumns",
    "Tests",
    "columns_of",
    "compile_program",
    "drop_implied_bounds",
    "solve_single_column",
    "solver_columns",
    "split_branches",
    "split_conjunction",
]
