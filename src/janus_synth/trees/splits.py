"""The splits of a bag of trees as flat arrays, checked when they are made; rows of codes in, leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Bytes, Codes, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX

PROBLEMS = (
    None,
    "a node has one child, or a negative one",
    "a child comes before its parent or lies outside its tree",
    "a node has no parent or several, or is a root and a child",
    "a split has no column",
    "a set of levels is out of range, or other than 0 and 1",
    "the leaves are not numbered in order",
)
"""What the numbers that `find_problem` returns stand for."""


class OrderedRows(NamedTuple):
    """Rows side by side with those of the same leaf of a tree."""

    rows: Ints
    """(rows,) numbers of the rows."""
    begin: Ints
    """(leaves,) where a leaf's rows begin among them,"""
    end: Ints
    """(leaves,) and where they end."""

    @property
    def leaf_of_row(self) -> Ints:
        """(rows,) leaf of each row, counted from the tree's first."""
        inside = np.flatnonzero(self.begin < self.end)
        inside = inside[np.argsort(self.begin[inside])]
        leaf = np.empty(len(self.rows), INDEX)
        leaf[self.rows] = np.repeat(inside, (self.end - self.begin)[inside])
        return leaf


@dataclass(frozen=True)
class Splits:
    """All trees of a bag, one after the other; children come after their parents.

    A node sends a row to the left if its code of column ``feature`` is at most ``cut``, or, for an unordered
    column, if ``left_levels[set_start + code]`` is 1. A leaf has ``left == −1`` and a number in ``leaf_of_node``.
    """

    roots: Ints
    feature: Ints
    cut: Ints
    left: Ints
    right: Ints
    set_start: Ints
    left_levels: Bytes
    leaf_of_node: Ints

    def __post_init__(self) -> None:
        """Raise ValueError for arrays that a kernel could not walk safely."""
        if problem := self._problem():
            raise ValueError(f"these arrays are not a bag of trees: {problem}")

    def _problem(self) -> str | None:
        """Describe the first error in the arrays, if any: an index out of range, or nodes that form no tree."""
        from janus_synth.kernels.checking import find_problem

        per_node = (self.feature, self.cut, self.left, self.right, self.set_start, self.leaf_of_node)
        shapes, n_nodes = {array.shape for array in per_node}, len(self.left)
        if any(len(shape) != 1 for shape in (*shapes, self.roots.shape, self.left_levels.shape)):
            return "they have more than one axis"
        if len(shapes) > 1:
            return "they differ in length"
        roots = self.roots.tolist()
        if not roots or roots[0] != 0 or roots[-1] >= n_nodes or any(a >= b for a, b in pairwise(roots)):
            return "the roots do not ascend from the first node"
        nodes = (self.feature, self.left, self.right, self.set_start, self.leaf_of_node)
        feature, left, right, set_start, leaf_of_node = (np.ascontiguousarray(array, INDEX) for array in nodes)
        found = find_problem(
            np.array(roots, INDEX), feature, left, right, set_start, np.ascontiguousarray(self.left_levels, np.uint8),
            leaf_of_node,
        )  # fmt: skip
        return PROBLEMS[found]

    @property
    def n_trees(self) -> int:
        """Trees in the bag."""
        return len(self.roots)

    @cached_property
    def n_leaves(self) -> int:
        """Leaves of all trees together."""
        return int(self.leaf_of_node.max()) + 1

    @property
    def features(self) -> Ints:
        """Columns that some split uses, ascending."""
        return np.unique(self.feature[self.left >= 0]).astype(INDEX)

    def nodes_of(self, tree: int) -> slice:
        """Positions of a tree's nodes."""
        stop = self.roots[tree + 1] if tree + 1 < self.n_trees else len(self.left)
        return slice(int(self.roots[tree]), int(stop))

    def leaves_reached(self, x: Codes, tree: int, nodes: Ints | None = None) -> Ints:
        """Leaf of each row in one tree; ``nodes`` (rows,) holds those known, −1 elsewhere, and is filled in."""
        from janus_synth.kernels.routing import leaf_of_row

        nodes = np.full(x.shape[1], -1, INDEX) if nodes is None else nodes
        leaf_of_row(
            x, self.roots[tree], self.feature, self.cut, self.left, self.right,
            self.set_start, self.left_levels, nodes,
        )  # fmt: skip
        return self.leaf_of_node[nodes]

    def ordered_rows(self, x: Codes, tree: int) -> OrderedRows:
        """All rows in the order of the leaves that they reach in one tree."""
        from janus_synth.kernels.routing import rows_of_leaves

        rows = np.empty(x.shape[1], INDEX)
        begin, end = np.zeros(self.n_leaves, INDEX), np.zeros(self.n_leaves, INDEX)
        rows_of_leaves(
            x, self.roots[tree], self.feature, self.cut, self.left, self.right,
            self.set_start, self.left_levels, self.leaf_of_node, rows, begin, end,
        )  # fmt: skip
        leaves = leaves_of_tree(self, tree)
        own = slice(leaves.start, leaves.stop)
        return OrderedRows(rows, begin[own], end[own])


def order_rows(leaf: Ints, n_leaves: int) -> OrderedRows:
    """Rows in the order of their leaves, from the leaf of each."""
    from janus_synth.kernels.counting import group_by_leaf

    rows, first = np.empty(len(leaf), INDEX), np.zeros(n_leaves + 1, INDEX)
    group_by_leaf(leaf, first, rows)
    return OrderedRows(rows, first[:-1], first[1:])


def leaves_of_tree(splits: Splits, tree: int) -> range:
    """Numbers of a tree's leaves."""
    at = splits.leaf_of_node[splits.nodes_of(tree)]
    leaves = at[at >= 0]
    return range(int(leaves[0]), int(leaves[0]) + len(leaves))


def single_leaf() -> Splits:
    """A bag of one tree that is a single leaf: a column without parents."""
    none = np.full(1, -1, INDEX)
    return Splits(np.zeros(1, INDEX), none, none, none, none, none, np.zeros(0, np.uint8), np.zeros(1, INDEX))


def join_splits(bags: Sequence[Splits]) -> Splits:
    """The trees of several bags, one after the other."""
    nodes = np.cumsum([0, *(len(bag.left) for bag in bags)])
    leaves = np.cumsum([0, *(bag.n_leaves for bag in bags)])
    levels = np.cumsum([0, *(len(bag.left_levels) for bag in bags)])

    def stack(field: str, offsets: LongInts) -> Ints:
        parts = [getattr(bag, field) for bag in bags]
        moved = [np.where(part >= 0, part + offset, -1) for part, offset in zip(parts, offsets, strict=False)]
        return np.concatenate(moved).astype(INDEX)

    nothing = np.zeros(len(bags), np.int64)
    return Splits(
        roots=stack("roots", nodes),
        feature=stack("feature", nothing),
        cut=stack("cut", nothing),
        left=stack("left", nodes),
        right=stack("right", nodes),
        set_start=stack("set_start", levels),
        left_levels=np.concatenate([bag.left_levels for bag in bags]),
        leaf_of_node=stack("leaf_of_node", leaves),
    )
