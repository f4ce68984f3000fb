"""Checks of values read from a file: codecs, code trees, splits and counts in, a ``ValueError`` or nothing out.

Kernels index without bounds checks and draws divide by stored numbers, so a loaded model must have every property that
a fitted one has by construction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats, Ints
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.encoding.lattice import Lattice
from janus_synth.kernels.dtypes import CODE, MOST_ROWS
from janus_synth.table import Column
from janus_synth.trees import HistogramLeaves, Splits, Surface, Trends
from janus_synth.trees.code_tree import CodeTree
from janus_synth.trees.splines import DEGREE

MOST_CODES = int(np.iinfo(CODE).max)
MOST_BASE, MOST_GAP, MOST_SCALE = 2**62, 2**63, 2**53
"""Bounds of a lattice's whole numbers; values of a column stay below 2⁶²."""


def require(sound: Any, problem: str) -> None:
    """Raise ValueError with the problem unless the condition holds."""
    if not sound:
        raise ValueError(problem)


def check_codec(codec: ColumnCodec, column: Column) -> None:
    """A codec must fit the kind of its column, and be consistent in itself."""
    require(codec.n_codes <= MOST_CODES, f"{codec.n_codes} codes exceed the limit of {MOST_CODES}")
    if isinstance(codec, LevelCodec):
        require(column.is_discrete, f"a {column.kind} column has no levels")
        require(len(codec.weight) == len(column.levels), "the schema lists other levels than the codec")
        _check_levels(codec)
    elif isinstance(codec, OrderedCodec):
        require(not column.is_discrete, f"a {column.kind} column has no bins")
        _check_bins(codec)


def _check_levels(codec: LevelCodec) -> None:
    require(is_within(codec.own, 0, len(codec.weight)), "a code refers to a level that does not exist")
    require(len(np.unique(codec.own)) == len(codec.own), "two codes refer to the same level")
    require(np.isfinite(codec.weight).all() and (codec.weight >= 0).all(), "weights of levels must be 0 or more")


def _check_bins(codec: OrderedCodec) -> None:
    upper, knot, level = codec.upper, codec.knot, codec.level
    require(np.isfinite(upper).all() and _ascends(upper), "the boundaries of bins must be numbers that ascend")
    require(np.isfinite(knot).all() and _ascends(knot), "the knots of each bin must be numbers that ascend")
    require(_ascends(knot[:, 0]), "the bins must ascend")
    require(_ascends(level), "the levels of each bin's knots must ascend")
    require((level[:, 0] == 0).all() and (level[:, -1] == 1).all(), "the levels of each bin's knots run from 0 to 1")
    require(_ascends(codec.gaps.ravel()), "the gaps must ascend")
    if codec.lattice is not None:
        _check_lattice(codec.lattice)


def _check_lattice(lattice: Lattice) -> None:
    parts = lattice.base, lattice.gap, lattice.scale
    require(all(type(part) is int for part in parts), "a lattice has whole numbers only")
    require(abs(lattice.base) <= MOST_BASE, "the base of the lattice is out of range")
    require(1 <= lattice.gap <= MOST_GAP, "the gap of the lattice is out of range")
    require(1 <= lattice.scale <= MOST_SCALE, "the scale of the lattice is out of range")


def check_splits(splits: Splits, target: int, parents: Sequence[int], n_codes: Ints) -> None:
    """Trees may split on the column's parents only, and each set of levels must cover the codes of its column."""
    used = splits.features
    require(is_within(used, 0, len(n_codes)), "a tree splits on a column that does not exist")
    require(target not in used, "a tree splits on its own target column")
    require(np.isin(used, parents).all(), "a tree splits on a column that the graph does not name as a parent")
    has_set = (splits.left >= 0) & (splits.set_start >= 0)
    stop = splits.set_start[has_set] + n_codes[splits.feature[has_set]].astype(np.int64)
    require((stop <= len(splits.left_levels)).all(), "a set of levels ends outside the stored sets")


def check_trends(trends: Trends | None, target: int, parents: Sequence[int], n_codes: Ints) -> None:
    """Regressions may use the column's parents only, and their numbers must be finite and in range."""
    if trends is None:
        return
    used, scale = trends.parents, trends.scale
    require(is_within(used, 0, len(n_codes)), "a trend uses a column that does not exist")
    require(np.isin(used, parents).all() and target not in used, "a trend uses a column that is not a parent")
    require(len(np.unique(used)) == len(used), "a trend uses a column twice")
    require(trends.score.shape[1] >= n_codes[used].max(initial=0), "the scores do not cover the parents' codes")
    numbers = (trends.score, trends.coef, trends.spread, trends.low, trends.high, trends.weight, scale.below)
    require(all(np.isfinite(part).all() for part in numbers), "a trend has a part that is not a finite number")
    require((trends.spread > 0).all(), "a trend's spread is not above 0")
    require((trends.low <= trends.high).all(), "a trend has a range that ends before it begins")
    if scale.values is not None:
        inside = scale.values[1:-2]
        require(scale.values[0] == -np.inf and (scale.values[-2:] == np.inf).all(), "a scale does not cover all values")
        require(np.isfinite(inside).all() and (np.diff(inside) > 0).all(), "a scale's edges do not ascend")
        require(not scale.apart[:-1].any(), "a scale of values has spikes")
    if trends.surface is not None:
        require(trends.score.shape[1] <= n_codes.max(initial=0), "a surface has more places than codes")
        _check_surface(trends.surface, len(used))
    require(((trends.weight >= 0) & (trends.weight < 1)).all(), "a trend's weight is not at least 0 and below 1")
    below, width = scale.below, np.diff(scale.below)
    require(below[0] == 0 and below[-1] == 1 and (width >= 0).all(), "the scale does not rise from 0 to 1")
    require((width[scale.apart] == 0).all(), "a code set apart from the scale has an interval on it")


def _check_surface(surface: Surface, n_parents: int) -> None:
    """Refuse a surface whose splines or pairs do not fit together."""
    place, pairs, joint = surface.place, surface.pairs, surface.joint
    require(is_within(pairs, 0, max(n_parents, 1)), "a surface has a pair with an unknown parent")
    require(len(pairs) <= n_parents * n_parents, "a surface has a pair twice")
    require((pairs[:, 0] != pairs[:, 1]).all(), "a surface pairs a parent with itself")
    require(joint.shape[2] == joint.shape[3], "a surface's pairs have splines of two sizes")
    require(min(surface.single.shape[2], joint.shape[2]) > DEGREE, "a surface has too few splines")
    require((np.isnan(place) | ((place >= 0) & (place <= 1))).all(), "a surface has a place outside 0 to 1")
    numbers = (surface.constant, surface.single, joint, surface.factor)
    require(all(np.isfinite(part).all() for part in numbers), "a surface has a part that is not a finite number")


def check_shared_code(codec: ColumnCodec, leaves: HistogramLeaves) -> None:
    """The shared code of rare levels needs levels to draw from if rows may take it."""
    if isinstance(codec, LevelCodec) and not codec.shared_weight.any():
        shared = len(codec.own)
        require(not leaves.allowed[shared], "the shared code is allowed, but has no levels")
        require(shared not in leaves.forward.indices, "rows are counted for the shared code, but it has no levels")


def check_code_tree(tree: CodeTree) -> None:
    """Each code's path must lead from the root down to a slot of its own, and every slot lie on a path."""
    start, path, up = tree.path_start, tree.path_slot, tree.slot_up
    require(
        start[0] == 0 and (start[1:] > start[:-1]).all(),
        "the paths of the code tree are not stored one after the other",
    )
    require(len(up) > 1 and up[0] == 0, "the code tree has no root")
    require(
        is_within(up, 0, len(up)) and (up[1:] < np.arange(1, len(up))).all(), "a slot comes before the one above it"
    )
    require(is_within(path, 1, len(up)), "a path of the code tree has a slot that does not exist")
    before = np.concatenate([[0], path[:-1]])
    before[start[:-1]] = 0  # a path begins below the root
    require(np.array_equal(up[path], before), "a path of the code tree skips a slot")
    ends = path[start[1:] - 1]
    require(len(np.unique(ends)) == tree.n_codes and not np.isin(ends, up).any(), "codes share a slot of the code tree")
    require(len(np.unique(path)) == len(up) - 1, "the code tree has slots that are on no path")
    require(np.isfinite(tree.mass).all() and (tree.mass > 0).all(), "the code tree has slots without prior mass")


def check_row_starts(start: Array, width: int) -> None:
    """Rows of a sparse matrix must follow one another, none longer than the matrix is wide."""
    length = start[1:].astype(np.int64) - start[:-1].astype(np.int64)
    require(start[0] == 0 and is_within(length, 0, width + 1), "the rows of counts are not stored one after the other")
    require(int(start[-1]) <= np.iinfo(np.int32).max, "there are more counts than 32-bit positions can address")


def check_counts(start: Array, key: Array, count: Array, width: int) -> None:
    """Keys of a row must ascend within the matrix, counts fit their type."""
    require(is_within(key, 0, width), "rows are counted for codes that do not exist")
    rises = key[1:] > key[:-1]
    inner = start[1:-1]
    rises[inner[(inner > 0) & (inner < len(key))].astype(np.int64) - 1] = True  # from one row to the next
    require(rises.all(), "the codes of counts must ascend")
    require(is_within(count, 0, MOST_ROWS + 1), "a count is larger than any number of rows")


def require_count(value: object, what: str) -> int:
    """Return a whole number of at least 0; a bool is not one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{what} is {value!r}; it must be a whole number, 0 or more")
    return value


def require_positive(value: object, what: str) -> float:
    """Return a finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError(f"{what} is {value!r}; it must be a finite number above 0")
    return float(value)


def require_bool(value: object, what: str) -> bool:
    """Return a bool; other truthy values are not accepted."""
    require(isinstance(value, bool), f"{what} is {value!r}; it must be true or false")
    return bool(value)


def is_within(numbers: Array, low: int, stop: int) -> bool:
    """Whether all numbers are at least ``low`` and below ``stop``."""
    return bool(numbers.size == 0 or (int(numbers.min()) >= low and int(numbers.max()) < stop))


def _ascends(values: Floats) -> bool:
    """Whether values never decrease along the last axis; NaN counts as a decrease."""
    return bool((values[..., 1:] >= values[..., :-1]).all())
