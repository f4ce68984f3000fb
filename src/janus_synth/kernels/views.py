"""Arrays that travel together into kernels: trees, trends and programs as plain named tuples of NumPy arrays.

A kernel unpacks such a tuple once per call; nothing here is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.uint8]

LINEAR, MEMBER, TABLE, AND, OR, PRODUCTS = range(6)
"""Instructions of a program."""
LT, LE, GT, GE, EQ, NE = range(6)
"""Comparisons: <, <=, >, >=, ==, !=."""


SLOTS, MIDDLE = 9, 4
"""Slots for the coefficients of a column's powers −4 to 4, and the one for the constant."""


class Trees(NamedTuple):
    """Decision trees of one column, node by node; a tree's nodes stand side by side, children after their parents."""

    roots: Ints
    """(b,) first node of each tree."""
    feature: Ints
    """(m,) column that a node splits on."""
    cut: Ints
    """(m,) codes up to this one go left, in a split of an ordered column."""
    left: Ints
    """(m,) left child; −1 marks a leaf."""
    right: Ints
    set_start: Ints
    """(m,) where a split of an unordered column has its codes in ``left_levels``; −1 for an ordered column."""
    left_levels: Flags
    """1 for codes that go left, split after split."""
    leaf_of_node: Ints
    """(m,) number of the leaf, counted through all trees; −1 for inner nodes."""
    share_left: NDArray[np.float32]
    """(m,) share of a node's training rows that go left."""
    uses: Flags
    """(b, d) 1 where a tree's splits or trends depend on a column."""


class Surface(NamedTuple):
    """Smooth mean and log spread of the target's score, sums of effects of codes; the first axis is which of the two.

    Without a surface ``single`` has no parents, and the mean is 0 and the spread 1.
    """

    constant: Floats
    """(2,)"""
    single: Floats
    """(2, p, K) effect of every code of every parent of the regressions."""
    pairs: Ints
    """(q, 2) places of two parents."""
    joint: Floats
    """(2, q, J, J) effect of every pair of their codes; those from J on have none."""


NO_SURFACE = Surface(np.zeros(2), np.zeros((2, 0, 0)), np.zeros((0, 2), np.int32), np.zeros((2, 0, 0, 0)))


class Lines(NamedTuple):
    """One linear regression per leaf: the target's normal score given the parents' scores.

    Each parent's score is clipped to the range that the leaf's training rows cover. With a surface the regression is
    about the standardised score: the target's less the mean of the surface, divided by its spread.
    """

    parents: Ints
    """(p,) columns."""
    score: Floats
    """(p, K) score of every code of every parent."""
    coef: Floats
    """(L, p + 1) slopes, then the intercept."""
    spread: Floats
    """(L,) scale of the residuals."""
    low: Floats
    """(L, p) smallest score of each parent in the leaf."""
    high: Floats
    """(L, p) largest."""
    surface: Surface = NO_SURFACE
    bend: float = 0.0
    """How much finer the bins of residuals are near 0 than far from it; see `trees.residual_grid`."""


class Trends(NamedTuple):
    """Distribution of the target's codes by the leaves' regressions; all arrays are empty where there are none."""

    lines: Lines
    weight: Floats
    """(L,) mixture weight of the regression; the leaf's histogram has the rest."""
    rest: Floats
    """(L,) probability of all codes on the scale together."""
    cumulative: Floats
    """(L, N_RESIDUALS + 1) share of residuals below each bin."""
    edge: Floats
    """(K + 1,) scores between the target's codes, from −∞ to ∞."""
    apart: Flags
    """(K,) 1 for codes that are not on the scale and keep the histogram's share: missing, and lone heavy values."""


class Guides(NamedTuple):
    """What makes draws from a bag's leaves fast; a guide has for each of its cells the place where a search begins."""

    code: NDArray[np.uint16]
    """(L, c) codes whose cumulative share is not above each of c cells from 0 to 1."""
    cumulative: NDArray[np.float32]
    """(L, N_RESIDUALS + 1) share of residuals below each bin, as in `Trends` but in half the memory."""
    residual: NDArray[np.uint16]
    """(L, N_RESIDUALS) bins of residuals that end below each cell from 0 to 1."""
    on_scale: Floats
    """(L,) probability of all codes on the scale, by the cumulative shares of the codes."""
    edge: NDArray[np.uint16]
    """Codes whose upper edge is not above each cell of scores."""
    lowest: float
    """Score at which the first of these cells begins."""
    cells_per_unit: float


class Ground(NamedTuple):
    """What the rule solver must know of the columns."""

    box: Floats
    """(d, 2) smallest and largest value of each column."""
    precision: Floats
    """(d,) relative rounding of a stored value."""
    lattice: Floats
    """(d, 3) base, gap and scale of the values; scale 0 where there is no lattice."""


class Program(NamedTuple):
    """Rules about the free column, compiled into instructions in postfix order."""

    free: int
    code: Ints
    """(p, 5) instructions: LINEAR first term, stop, comparison, number | PRODUCTS first product, stop,
    comparison, number | MEMBER 0, 0, column, set | TABLE table, negated, 0, 0 | AND | OR"""
    term_column: Ints
    term_size: Floats
    """Coefficients of the linear terms."""
    product_size: Floats
    """Coefficients of the products,"""
    factor_start: Ints
    """where the factors of each begin,"""
    factor_column: Ints
    """their columns,"""
    factor_power: Ints
    """and their powers, −4 to 4."""
    numbers: Floats
    """Right-hand sides of the comparisons."""
    sets: Floats
    """(s, 2) intervals of all sets."""
    set_start: Ints
    set_null: Ints
    cells: Floats
    """Tables of allowed or forbidden combinations, row by row; NaN is null."""
    cell_start: Ints
    table_column: Ints
    table_start: Ints
    """Where each table's columns begin."""
    capacity: int
    """Intervals that all literals together may push."""


class Evidence(NamedTuple):
    """Where the training rows of every node lie, in the columns that a bag depends on."""

    columns: Ints
    """(J,) columns."""
    n_bins: Ints
    """(J,) bins of an ordered column; 0 if it is unordered. Further codes are levels, or missing."""
    low: Floats
    """(J, K) smallest value of each bin that is near training rows,"""
    high: Floats
    """(J, K) and the largest."""
    rate: Floats
    """(J, K) −log(1 − share of the training rows with the code)."""
    occupied: NDArray[np.uint64]
    """(m, J, words) bit k is set where a node has rows with code k."""
    near: NDArray[np.uint64]
    """(m, J, words) bit k is set where chance explains the distance of code k from a node's rows, and those above."""
    per_spread: Floats
    """(m, J) 1 / spread of the node's rows."""
    slack: Floats
    """(m,) 1 / rows, the unit of the distances between them, in spreads."""
    rows: Floats
    """(m,) rows of each node."""
    uses: Flags
    """(L, J) 1 for the columns that a leaf's tree splits on, or its trend uses."""
    allowance: Floats
    """(L,) distance in such units, added up over these columns, that chance explains."""


class CellMixture(NamedTuple):
    """Mixtures of histogram and regression, leaf by leaf, on cells of neighbouring codes."""

    weight: Floats
    """(L,) as in `Trends`, like the next two."""
    rest: Floats
    cumulative: Floats
    spread: Floats
    """(L,) scale of the residuals."""
    edge: Floats
    """(C + 1,) scores between the cells; a cell off the scale has none of it."""
    hist: Floats
    """(L, C) histogram's share of each cell."""
    apart: Floats
    """(L, C) the part of it that is not on the scale."""
    gain: Floats
    """(L, 3) information of one more row about the histogram and about the codes apart; rows behind the residuals."""
    bend: float = 0.0
    """As in `Lines`."""
