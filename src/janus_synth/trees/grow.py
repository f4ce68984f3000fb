"""Grow bags of trees: codes, a target and its possible parents in, a ``Bag`` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from janus_synth.encoding import Codec
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag, join_bags
from janus_synth.trees.code_tree import CodeTree, flat_tree, log_tables, polya_tree
from janus_synth.trees.leaves import count_leaves
from janus_synth.trees.splits import Splits, lone_leaf

Codes = NDArray[np.uint16]
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

EVIDENCE_LEVELS = 6
"""Halvings of an ordered column that count in the evidence of a split; finer ones cost time and add chance."""


@dataclass(frozen=True, slots=True)
class GrowthRules:
    """How trees grow; the names are those of the public interface."""

    n_trees: int = 8
    min_samples_leaf: int = 5
    lambda_unsup: float = 0.0
    lambda_div: float = 0.0
    prior_strength: float = 1.0
    flat_prior: bool = False
    """Flat Dirichlet evidence for ordered columns too, and leaves that lean on nothing, as in the paper."""
    max_leaves: int = 4096
    """Bound on a tree's size, hence on memory; reached only by large tables."""
    max_rows: int = 2**17
    """Rows that a tree's splits are chosen on; its leaves count all rows."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What all trees of a table share: codes, their code trees, and look-up tables of logs."""

    x: Codes
    n_codes: Ints
    ordered: Ints
    evidence: tuple[CodeTree, ...]
    smoothing: tuple[CodeTree, ...]
    allowed: tuple[NDArray[np.bool_], ...]
    flat: tuple[Ints, Ints, Ints, Ints, Ints, Ints]
    """path_start, path_slot, slot_up, inner, column_start and tables_of, as the kernel wants them."""
    logs: Floats

    @property
    def n_rows(self) -> int:
        """Training rows."""
        return int(self.x.shape[1])


def prepare_ground(codec: Codec, x: Codes, rules: GrowthRules) -> Ground:
    """Hang every column's codes in their trees once, for all bags."""
    evidence, smoothing = [], []
    for i, column in enumerate(codec.columns.values()):
        counts = np.bincount(x[i], minlength=column.n_codes)
        if column.ordered and not rules.flat_prior:
            evidence.append(polya_tree(counts, keep_empty=False, most_levels=EVIDENCE_LEVELS))
            smoothing.append(polya_tree(counts))
        else:
            evidence.append(flat_tree(counts, keep_empty=False))
            smoothing.append(flat_tree(counts))
    sizes = [(len(tree.path_start), len(tree.path_slot), tree.n_slots) for tree in evidence]
    mass_pairs = np.array([(tree.mass[-1], tree.split_mass[0]) for tree in evidence])
    masses = np.unique(mass_pairs)
    flat = (
        np.concatenate([tree.path_start for tree in evidence]),
        np.concatenate([tree.path_slot for tree in evidence]),
        np.concatenate([tree.slot_up for tree in evidence]),
        np.concatenate([(tree.split_mass > 0).astype(INDEX) for tree in evidence]),
        np.concatenate([np.zeros((1, 3), INDEX), np.cumsum(sizes, axis=0).astype(INDEX)]),
        np.searchsorted(masses, mass_pairs).astype(INDEX),
    )
    return Ground(
        x=x,
        n_codes=codec.n_codes,
        ordered=codec.ordered,
        evidence=tuple(evidence),
        smoothing=tuple(smoothing),
        allowed=tuple(column.allowed for column in codec.columns.values()),
        flat=flat,
        logs=log_tables(masses, min(x.shape[1], rules.max_rows)),
    )


def grow_tree(ground: Ground, target: int, parents: Sequence[int], rules: GrowthRules, rng: np.random.Generator) -> Bag:
    """Grow one tree on a resample and count all rows into its leaves.

    Splits come from the resample, counts from every row: a leaf's counts are then plain counts of the data, which
    is what makes updates and merges exact.
    """
    splits = lone_leaf()
    if parents:
        splits, _ = grow_splits(ground, target, parents, rules, resample(ground.n_rows, rules, rng))
    leaves = count_leaves(
        splits,
        ground.x,
        target,
        ground.n_codes,
        tree=ground.smoothing[target],
        allowed=ground.allowed[target],
        prior_strength=rules.prior_strength,
        hierarchical=not rules.flat_prior,
    )
    return Bag(target, splits, leaves)


def grow_bag(
    ground: Ground,
    target: int,
    parents: Sequence[int],
    rules: GrowthRules,
    rngs: Sequence[np.random.Generator],
) -> Bag:
    """Grow a column's bag, a tree per generator; without parents one leaf says it all."""
    return join_bags([grow_tree(ground, target, parents, rules, rng) for rng in (rngs if parents else rngs[:1])])


def grow_splits(
    ground: Ground, target: int, parents: Sequence[int], rules: GrowthRules, rows: Ints
) -> tuple[Splits, Floats]:
    """One tree on the given rows, and what each of its nodes gained by splitting."""
    from janus_synth.kernels.splitting import grow_tree

    feature, cut, left, right, set_start, left_levels, score = grow_tree(
        ground.x, rows, target, np.asarray(parents, INDEX), ground.n_codes, ground.ordered,
        (*ground.flat, ground.logs), float(rules.lambda_unsup), float(rules.lambda_div),
        rules.min_samples_leaf, rules.max_leaves,
    )  # fmt: skip
    is_leaf = left < 0
    leaf_of_node = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(INDEX)
    splits = Splits(np.zeros(1, INDEX), feature, cut, left, right, set_start, left_levels, leaf_of_node)
    return splits, score


def resample(n_rows: int, rules: GrowthRules, rng: np.random.Generator) -> Ints:
    """Row numbers of a bootstrap resample, sorted for the cache's sake; a single tree sees every row once."""
    if rules.n_trees == 1 and n_rows <= rules.max_rows:
        return np.arange(n_rows, dtype=INDEX)
    return np.sort(rng.integers(0, n_rows, min(n_rows, rules.max_rows))).astype(INDEX)
