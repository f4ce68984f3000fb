"""Three rival synthesizers behind one interface: a pandas table in, a synthetic pandas table out.

All of them return cells of the training table, chosen differently: a fitted rival decides which training row
each new cell is copied from (its *donor*), so values, nulls and dtypes come back exactly as they went in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from janus_synth.errors import DataError, NotFittedError, UnknownColumnError
from janus_synth.structure.dag import topological_order

Floats = npt.NDArray[np.float64]
Features = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

MAX_ONE_HOT = 30
"""Levels up to which an unordered parent is one-hot encoded; above it is one column of level numbers."""
MAX_CLASSES = 250
"""Levels above which text is a key or prose: drawn on its own, no parent of anything.

Class counts in every node of a tree would need gigabytes, and synthpop refuses such columns as well.
"""
MAX_COUNTED = 10
"""Distinct values up to which a numeric target is classified instead of regressed."""


class Synthesizer(Protocol):
    """What a benchmark needs to know of a method."""

    name: str

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Synthesizer:
        """Learn a table."""
        ...

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw ``n`` rows with the columns and dtypes of the table learnt."""
        ...


class IndependentColumns:
    """Every column drawn on its own from the training column: perfect margins, no dependence.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]})
    >>> IndependentColumns().fit(frame, seed=0).sample(5, seed=1).shape
    (5, 2)
    """

    name = "independent"

    def __init__(self) -> None:
        self._frame: pd.DataFrame | None = None

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Keep the table."""
        self._frame = _checked(frame)
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw every column with replacement."""
        frame = _fitted(self._frame, self)
        rng = np.random.default_rng(seed)
        return _from_donors(frame, {name: rng.integers(len(frame), size=n) for name in frame})


class SequentialCart:
    """Column after column from trees on the columns before it: the method of synthpop.

    The first column is drawn with replacement. Every later one has a tree on all earlier columns; a new row
    walks down to a leaf and takes the value of a random training row there (Nowok, Raab and Dibben,
    "synthpop: Bespoke Creation of Synthetic Data in R", J. Stat. Softw. 74(11), 2016).

    Parameters
    ----------
    min_samples_leaf : int
        Fewest training rows in a leaf.
    n_jobs : int
        Threads that grow trees; the result does not depend on it.
    parents : mapping of column to columns, optional
        A graph without loops: each tree sees the parents alone, and columns are drawn in the graph's order.
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
        """Grow one tree per column but the first."""
        self._frame = _checked(frame)
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
        """Fill the columns in order, each from the leaves its earlier columns lead to."""
        frame = _fitted(self._frame, self)
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
        return _from_donors(frame, {name: donors[name] for name in frame})

    def parents(self, column: Any) -> tuple[Any, ...]:
        """Columns that the tree of ``column`` may split on; none where it has no tree."""
        plan, tree = self._planned(column)
        if tree is None:
            return ()
        seen = np.zeros(self._features.shape[1], dtype=bool)
        seen[plan.inputs] = True
        return tuple(other.column for other in self._plans if seen[other.start : other.stop].any())

    def redraw(self, frame: pd.DataFrame, column: Any, *, seed: int) -> pd.Series[Any]:
        """Draw a column anew for rows that hold at least its parents.

        New cells are encoded as training cells were. A level or a null that the training column lacks counts as its
        most frequent level, or as its median.

        Examples
        --------
        >>> frame = pd.DataFrame({"a": range(100), "b": [i // 50 for i in range(100)]})
        >>> SequentialCart().fit(frame, seed=0).redraw(pd.DataFrame({"a": [20, 70.5]}), "b", seed=1).tolist()
        [0, 1]
        """
        known = _fitted(self._frame, self)
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
        known = _fitted(self._frame, self)
        for plan, tree in zip(self._plans, self._trees, strict=True):
            if plan.column == column:
                return plan, tree
        raise UnknownColumnError(column, map(str, known.columns))


class GaussianCopula:
    """Margins as observed, dependence as the correlation of normal scores.

    A level of an unordered column owns an interval of (0, 1) as wide as its share, the most frequent first,
    and a row lies at random inside it; nulls lie below everything.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": range(100), "b": range(0, 200, 2)})
    >>> rows = GaussianCopula().fit(frame, seed=0).sample(500, seed=1)
    >>> bool(rows["a"].corr(rows["b"]) > 0.99)
    True
    """

    name = "copula"

    def __init__(self) -> None:
        self._frame: pd.DataFrame | None = None
        self._sorted: dict[Any, Rows] = {}
        self._mixing: Floats = np.empty((0, 0))

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Sort every column and correlate normal scores."""
        self._frame = _checked(frame)
        rng = np.random.default_rng(seed)
        self._sorted = {}
        scores = np.empty(frame.shape)
        for position, name in enumerate(frame):
            key = _sort_key(frame[name])
            self._sorted[name] = np.argsort(key, kind="stable")
            ranks = rankdata(key)
            if not _is_numeric(frame[name]):
                ranks = rankdata(key + rng.random(len(key)))  # keys are whole: chance decides inside a level
            scores[:, position] = ndtri((ranks - 0.5) / len(key))
        self._mixing = _square_root(_correlation(scores))
        return self

    def sample(self, n: int, *, seed: int) -> pd.DataFrame:
        """Draw correlated normals and read every column at their quantiles."""
        frame = _fitted(self._frame, self)
        normals = np.random.default_rng(seed).standard_normal((n, len(self._mixing))) @ self._mixing.T
        positions = np.minimum((ndtr(normals) * len(frame)).astype(np.intp), len(frame) - 1)
        return _from_donors(frame, {name: self._sorted[name][positions[:, j]] for j, name in enumerate(frame)})


@dataclass(frozen=True, slots=True)
class _DonorTree:
    """A fitted tree with the training rows of each leaf side by side."""

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
    """A column's place in the feature matrix, and what its tree learns (None: nothing)."""

    column: Any
    start: int
    stop: int
    target: npt.NDArray[Any] | None
    inputs: slice | Rows
    """Features that its tree sees."""

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
    for name in frame if parents is None else topological_order(parents):
        target, block = _encode(frame[name])
        places[name] = range(start, start + block.shape[1])
        inputs: slice | Rows = slice(0, start)
        if parents is not None:
            inputs = np.array([i for parent in parents[name] for i in places[parent]], dtype=np.intp)
        plans.append(_Plan(name, start, start + block.shape[1], target, inputs))
        blocks.append(block)
        start += block.shape[1]
    # Trees read one feature at a time: column order keeps it contiguous.
    return plans, np.asfortranarray(np.hstack(blocks))


def _encode(column: pd.Series[Any]) -> tuple[npt.NDArray[Any] | None, Features]:
    return _encode_numbers(column) if _is_numeric(column) else _encode_levels(column)


def _encode_numbers(column: pd.Series[Any]) -> tuple[npt.NDArray[Any], Features]:
    """Standardised values with nulls at the median and a null flag; as a target, nulls lie far below."""
    values = _standardised(_numbers(column))
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
    codes = _level_codes(column)
    n_levels = int(codes.max()) + 1
    if n_levels > MAX_CLASSES:
        return None, np.empty((len(codes), 0), dtype=np.float32)
    if n_levels > MAX_ONE_HOT or _is_ordered(column):
        return codes, codes[:, None].astype(np.float32)
    flagged = np.arange(n_levels if n_levels > 2 else 1)  # two levels need one flag
    return codes, (codes[:, None] == flagged).astype(np.float32)


def _encode_like(known: pd.Series[Any], block: Features, new: pd.Series[Any]) -> Features:
    """Features of new cells, as ``block`` holds those of the training cells ``known``."""
    if _is_numeric(known):
        values = _standardised(_numbers(new), like=_numbers(known))
        is_null = np.isnan(values)
        return np.column_stack([np.where(is_null, 0.0, values), is_null][: block.shape[1]]).astype(np.float32)
    codes = pd.factorize(pd.concat([known, new], ignore_index=True))[0] + 1  # null is 0
    old, asked = codes[: len(known)], codes[len(known) :]
    donor = np.full(codes.max() + 1, np.argmax(old == np.bincount(old).argmax()))
    donor[old] = np.arange(len(old))  # any training row of a level has its features
    return block[donor[asked]]


def _sort_key(column: pd.Series[Any]) -> Floats:
    """Values, or whole numbers for levels; nulls first."""
    if _is_numeric(column):
        values = _numbers(column)
        return np.where(np.isnan(values), -np.inf, values)
    return _level_codes(column).astype(np.float64)


def _is_numeric(column: pd.Series[Any]) -> bool:
    kind = pd.api.types
    if kind.is_bool_dtype(column.dtype):
        return False
    return (
        kind.is_numeric_dtype(column.dtype)
        or kind.is_datetime64_any_dtype(column.dtype)
        or kind.is_timedelta64_dtype(column.dtype)
    )


def _is_ordered(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)


def _numbers(column: pd.Series[Any]) -> Floats:
    """Values as floats, nulls as nan; dates and durations in nanoseconds."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    is_date = pd.api.types.is_datetime64_any_dtype(column.dtype)
    ticks = column.to_numpy(dtype="datetime64[ns]" if is_date else "timedelta64[ns]").astype(np.int64)
    return np.where(column.isna(), np.nan, ticks.astype(np.float64))


def _standardised(values: Floats, *, like: Floats | None = None) -> Floats:
    """Median 0 and spread 1, those of ``like`` if given, because trees read features in single precision."""
    known = values if like is None else like
    known = known[~np.isnan(known)]
    if known.size == 0:
        return values
    return (values - np.median(known)) / (known.std() or 1.0)


def _level_codes(column: pd.Series[Any]) -> npt.NDArray[np.int64]:
    """Give levels whole numbers: null 0, then by category order if any, else by falling frequency."""
    if _is_ordered(column):
        codes = column.cat.codes.to_numpy().astype(np.int64)
    else:
        first_seen = pd.factorize(column)[0]
        counts = np.bincount(first_seen[first_seen >= 0])
        place = np.empty(len(counts), dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        codes = np.append(place, -1)[first_seen]
    return codes + 1 if (codes < 0).any() else codes


def _correlation(scores: Floats) -> Floats:
    """Correlation with constant columns unrelated to everything."""
    centred = scores - scores.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(norm > 1e-9, norm, np.inf)
    correlation: Floats = unit.T @ unit
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _square_root(correlation: Floats) -> Floats:
    """Factor of the nearest proper correlation: negative eigenvalues cut, unit variances restored."""
    eigenvalues, vectors = np.linalg.eigh(correlation)
    root: Floats = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    lengths: Floats = np.sqrt((root**2).sum(axis=1, keepdims=True))
    return root / lengths


def _from_donors(frame: pd.DataFrame, donors: Mapping[Any, Rows]) -> pd.DataFrame:
    columns = {name: frame[name].iloc[rows].reset_index(drop=True) for name, rows in donors.items()}
    return pd.DataFrame(columns)


def _checked(frame: pd.DataFrame) -> pd.DataFrame:
    if frame.empty:
        raise DataError(f"a table of {len(frame)} rows and {frame.shape[1]} columns teaches nothing.")
    if not frame.columns.is_unique:
        raise DataError("two columns share a name. Rename one of them.")
    return frame.copy()


def _fitted(frame: pd.DataFrame | None, owner: Synthesizer) -> pd.DataFrame:
    if frame is None:
        raise NotFittedError(f"{type(owner).__name__} has not seen data. Call fit first.")
    return frame
