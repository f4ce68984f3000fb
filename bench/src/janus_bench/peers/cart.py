"""Sequential CART, the method of synthpop: a table in, rows drawn column by column from decision trees out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from janus_bench.peers.coding import (
    MAX_CLASSES,
    MAX_COUNTED,
    is_numeric,
    is_ordered,
    level_codes,
    numbers,
)
from janus_bench.peers.interface import Rows, checked, fitted, from_donors
from janus_synth import Dag
from janus_synth.arrays import Floats
from janus_synth.errors import UnknownColumnError

Features = npt.NDArray[np.float32]


MAX_ONE_HOT = 30
"""Levels up to which an unordered parent is one-hot encoded; with more levels it is one column of level numbers."""


class SequentialCart:
    """Sequential CART: each column is drawn from a decision tree on the columns before it, as in synthpop.

    The first column is drawn with replacement. Every later one has a tree on all earlier columns; a new row
    takes the value of a random training row in its leaf (Nowok, Raab and Dibben,
    "synthpop: Bespoke Creation of Synthetic Data in R", J. Stat. Softw. 74(11), 2016).

    Parameters
    ----------
    min_samples_leaf : int
        Fewest training rows in a leaf.
    n_jobs : int
        Threads that grow trees; the result does not depend on it.
    parents : mapping of column to columns, optional
        An acyclic graph: each tree uses only the parents, and columns are drawn in the graph's order.
    name : str
        What result tables call it.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": range(100), "b": [i // 50 for i in range(100)]})
    >>> rows = SequentialCart().fit(frame, seed=0).sample(20, seed=1)
    >>> bool((rows["b"] == rows["a"] // 50).all())
    True
    """

    def __init__(
        self,
        *,
        min_samples_leaf: int = 5,
        n_jobs: int = 1,
        parents: Mapping[Any, Sequence[Any]] | None = None,
        name: str = "CART",
    ) -> None:
        self.name = name
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.graph = parents
        self._frame: pd.DataFrame | None = None
        self._plans: list[_Plan] = []
        self._trees: list[_DonorTree | None] = []
        self._features: Features = np.empty((0, 0), dtype=np.float32)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Grow one tree per column except the first."""
        self._frame = checked(frame)
        self._plans, self._features = _plan_columns(frame, self.graph)
        with ThreadPoolExecutor(max_workers=self.n_jobs) as pool:  # scikit-learn grows trees without the GIL
            self._trees = list(pool.map(lambda plan: self._grow(plan, seed), self._plans))
        return self

    def _grow(self, plan: _Plan, seed: int) -> _DonorTree | None:
        if plan.target is None or not plan.has_inputs:
            return None
        maker = DecisionTreeClassifier if plan.target.dtype.kind == "i" else DecisionTreeRegressor
        tree = maker(min_samples_leaf=self.min_samples_leaf, random_state=seed)
        parents = self._features[:, plan.inputs]
        tree.fit(parents, plan.target)
        return _DonorTree.from_leaves(tree, tree.apply(parents))

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw the columns in order, each from the leaf that the row's earlier columns lead to."""
        frame = fitted(self._frame, self)
        rng = np.random.default_rng(seed)
        features = np.empty((n, self._features.shape[1]), dtype=np.float32, order="F")
        donors: dict[Any, Rows] = {}
        for plan, tree in zip(self._plans, self._trees, strict=True):
            if tree is None or n == 0:
                rows = rng.integers(len(frame), size=n)
            else:
                rows = tree.draw(features[:, plan.inputs], rng.random(n))
            # A new cell is a training cell, so its encoding is already known.
            features[:, plan.start : plan.stop] = self._features[rows, plan.start : plan.stop]
            donors[plan.column] = rows
        return from_donors(frame, {name: donors[name] for name in frame})

    def parents(self, column: Any) -> tuple[Any, ...]:
        """Columns that the tree of ``column`` may split on; none where it has no tree."""
        plan, tree = self._planned(column)
        if tree is None:
            return ()
        seen = np.zeros(self._features.shape[1], dtype=bool)
        seen[plan.inputs] = True
        return tuple(other.column for other in self._plans if seen[other.start : other.stop].any())

    def redraw(self, frame: pd.DataFrame, column: Any, *, seed: int) -> pd.Series[Any]:
        """Redraw a column for rows that hold at least its parents.

        New cells are encoded as training cells were. A level or a null that the training column lacks is replaced by
        the most frequent level, or by the median.

        Examples
        --------
        >>> frame = pd.DataFrame({"a": range(100), "b": [i // 50 for i in range(100)]})
        >>> SequentialCart().fit(frame, seed=0).redraw(pd.DataFrame({"a": [20, 70.5]}), "b", seed=1).tolist()
        [0, 1]
        """
        known = fitted(self._frame, self)
        plan, tree = self._planned(column)
        rng = np.random.default_rng(seed)
        if tree is None or frame.empty:
            rows = rng.integers(len(known), size=len(frame))
        else:
            features = np.zeros((len(frame), self._features.shape[1]), dtype=np.float32)
            parents = set(self.parents(column))
            for start, stop, name in ((p.start, p.stop, p.column) for p in self._plans if p.column in parents):
                features[:, start:stop] = _encode_like(known[name], self._features[:, start:stop], frame[name])
            rows = tree.draw(features[:, plan.inputs], rng.random(len(frame)))
        drawn: pd.Series[Any] = known[column].iloc[rows].set_axis(frame.index)
        return drawn

    def _planned(self, column: Any) -> tuple[_Plan, _DonorTree | None]:
        known = fitted(self._frame, self)
        for plan, tree in zip(self._plans, self._trees, strict=True):
            if plan.column == column:
                return plan, tree
        raise UnknownColumnError(column, map(str, known.columns))


@dataclass(frozen=True, slots=True)
class _DonorTree:
    """A fitted tree and the training rows sorted by leaf."""

    tree: Any
    rows: Rows
    start: Rows
    count: Rows

    @classmethod
    def from_leaves(cls, tree: Any, leaves: Rows) -> Self:
        count = np.bincount(leaves, minlength=tree.tree_.node_count)
        return cls(tree, np.argsort(leaves, kind="stable"), np.cumsum(count) - count, count)

    def draw(self, parents: Features, uniforms: Floats) -> Rows:
        """Pick a random training row from the leaf of each row of ``parents``."""
        leaves: Rows = self.tree.apply(parents)
        return self.rows[self.start[leaves] + (uniforms * self.count[leaves]).astype(np.intp)]


class _Plan(NamedTuple):
    """Positions of a column in the feature matrix, and the target of its tree (None: no tree)."""

    column: Any
    start: int
    stop: int
    target: npt.NDArray[Any] | None
    inputs: slice | Rows
    """Features that its tree may split on."""

    @property
    def has_inputs(self) -> bool:
        """Whether there is anything to split on."""
        return self.inputs.stop > 0 if isinstance(self.inputs, slice) else len(self.inputs) > 0


def _plan_columns(frame: pd.DataFrame, parents: Mapping[Any, Sequence[Any]] | None) -> tuple[list[_Plan], Features]:
    """Encode every column once, as a target and as a block of features, in the order they are drawn."""
    plans: list[_Plan] = []
    blocks: list[Features] = []
    places: dict[Any, range] = {}
    start = 0
    for name in frame if parents is None else Dag({name: tuple(its) for name, its in parents.items()}).order:
        target, block = _encode(frame[name])
        places[name] = range(start, start + block.shape[1])
        inputs: slice | Rows = slice(0, start)
        if parents is not None:
            inputs = np.array([i for parent in parents[name] for i in places[parent]], dtype=np.intp)
        plans.append(_Plan(name, start, start + block.shape[1], target, inputs))
        blocks.append(block)
        start += block.shape[1]
    # Trees read one feature at a time: column-major order keeps it contiguous.
    return plans, np.asfortranarray(np.hstack(blocks))


def _encode(column: pd.Series[Any]) -> tuple[npt.NDArray[Any] | None, Features]:
    return _encode_numbers(column) if is_numeric(column) else _encode_levels(column)


def _encode_numbers(column: pd.Series[Any]) -> tuple[npt.NDArray[Any], Features]:
    """Standardised values with nulls at the median and a null flag; as a target, nulls lie far below."""
    values = _standardised(numbers(column))
    is_null = np.isnan(values)
    filled = np.where(is_null, 0.0, values)
    block = np.column_stack([filled, is_null] if is_null.any() else [filled]).astype(np.float32)
    low, high = filled.min(), filled.max()
    target = np.where(is_null, low - max(high - low, 1.0), values)
    if np.unique(target).size <= MAX_COUNTED:
        return pd.factorize(target, sort=True)[0], block
    return target, block


def _encode_levels(column: pd.Series[Any]) -> tuple[npt.NDArray[Any] | None, Features]:
    """One-hot levels, or level numbers where they are ordered or many; null is a level."""
    codes = level_codes(column)
    n_levels = int(codes.max()) + 1
    if n_levels > MAX_CLASSES:
        return None, np.empty((len(codes), 0), dtype=np.float32)
    if n_levels > MAX_ONE_HOT or is_ordered(column):
        return codes, codes[:, None].astype(np.float32)
    flagged = np.arange(n_levels if n_levels > 2 else 1)  # two levels need one flag
    return codes, (codes[:, None] == flagged).astype(np.float32)


def _encode_like(known: pd.Series[Any], block: Features, new: pd.Series[Any]) -> Features:
    """Features of new cells, encoded like ``block``, the features of the training cells ``known``."""
    if is_numeric(known):
        values = _standardised(numbers(new), like=numbers(known))
        is_null = np.isnan(values)
        return np.column_stack([np.where(is_null, 0.0, values), is_null][: block.shape[1]]).astype(np.float32)
    codes = pd.factorize(pd.concat([known, new], ignore_index=True))[0] + 1  # null is 0
    old, asked = codes[: len(known)], codes[len(known) :]
    donor = np.full(codes.max() + 1, np.argmax(old == np.bincount(old).argmax()))
    donor[old] = np.arange(len(old))  # any training row of a level has its features
    return block[donor[asked]]


def _standardised(values: Floats, *, like: Floats | None = None) -> Floats:
    """Subtract the median and divide by the standard deviation (of ``like`` if given): trees use single precision."""
    known = values if like is None else like
    known = known[~np.isnan(known)]
    if known.size == 0:
        return values
    return (values - np.median(known)) / (known.std() or 1.0)
