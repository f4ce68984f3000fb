"""What all trees of a table share: rules of growth, codes hung in their trees, look-up tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints
from janus_synth.encoding import Codec, OrderedCodec
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.code_tree import CodeTree, flat_tree, likeliest_strength, log_tables, polya_tree
from janus_synth.trees.scale import Scale, target_scale

EVIDENCE_LEVELS = 6
"""Halvings of an ordered column that count in the evidence of a split; finer ones cost time and add chance."""


ORDERED_PRICE = 0.5
"""Price of trying many cuts for an ordered column: its leaves lean on the nodes above, which mends too fine a tree."""


@dataclass(frozen=True, slots=True)
class GrowthSettings:
    """How trees grow; the names are those of the public interface."""

    n_trees: int = 8
    min_samples_leaf: int = 5
    lambda_unsup: float = 0.0
    lambda_div: float = 0.0
    prior_strength: float = 1.0
    flat_prior: bool = False
    """Flat Dirichlet evidence for ordered columns too, and leaves that lean on nothing, as in the paper."""
    leaves: str = "auto"
    """``"auto"``: trends beside histograms, as much as rows left out say; ``"trend"`` wherever one can be drawn."""
    max_leaves: int = 4096
    """Bound on a tree's size, hence on memory; reached only by large tables."""
    max_rows: int = 2**17
    """Rows that a tree's splits are chosen on; its leaves count all rows."""

    def price(self, *, ordered: bool) -> float:
        """What the best of many cuts must gain, in logs of their number; in the paper nothing."""
        return 0.0 if self.flat_prior else ORDERED_PRICE if ordered else 1.0


@dataclass(frozen=True, slots=True)
class Ground:
    """What all trees of a table share: codes, their code trees, and look-up tables of logs."""

    x: Codes
    n_codes: Ints
    ordered: Ints
    evidence: tuple[CodeTree, ...]
    smoothing: tuple[CodeTree, ...]
    allowed: tuple[Bools, ...]
    root_strength: tuple[float, ...]
    shares: tuple[Floats, ...]
    """Smoothed shares of each column's codes."""
    scales: tuple[Scale | None, ...]
    """Where the codes of columns that may have trends lie."""
    flat: tuple[Ints, Ints, Ints, Ints, Ints, Ints]
    """path_start, path_slot, slot_up, inner, column_start and tables_of, as the kernel wants them."""
    logs: Floats

    @property
    def n_rows(self) -> int:
        """Training rows."""
        return int(self.x.shape[1])


def prepare_growth(codec: Codec, x: Codes, rules: GrowthSettings) -> Ground:
    """Hang every column's codes in their trees once, for all bags."""
    evidence, smoothing, strengths, shares, scales = [], [], [], [], []
    for i, column in enumerate(codec.columns.values()):
        counts = np.bincount(x[i], minlength=column.n_codes)
        strength = rules.prior_strength
        if column.ordered and not rules.flat_prior:
            evidence.append(polya_tree(counts, keep_empty=False, most_levels=EVIDENCE_LEVELS))
            smoothing.append(polya_tree(counts))
            floor = smoothing[-1].share_of_allowed(column.allowed | (counts > 0))
            strength = likeliest_strength(smoothing[-1], counts, floor, rules.prior_strength)
        else:
            evidence.append(flat_tree(counts, keep_empty=False))
            smoothing.append(flat_tree(counts))
            floor = smoothing[-1].share_of_allowed(column.allowed | (counts > 0))
        strengths.append(strength)
        shares.append(smoothing[-1].shares(counts, floor, smoothing[-1].lean(rules.prior_strength, strength)))
        may_have_trends = isinstance(column, OrderedCodec) and rules.leaves != "histogram"
        scales.append(target_scale(counts, shares[-1]) if may_have_trends else None)
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
        root_strength=tuple(strengths),
        shares=tuple(shares),
        scales=tuple(scales),
        flat=flat,
        logs=log_tables(masses, min(x.shape[1], rules.max_rows)),
    )


def resample(n_rows: int, rules: GrowthSettings, rng: np.random.Generator) -> Ints:
    """Row numbers of a bootstrap resample, sorted for the cache's sake; a single tree sees every row once."""
    if rules.n_trees == 1 and n_rows <= rules.max_rows:
        return np.arange(n_rows, dtype=INDEX)
    return np.sort(rng.integers(0, n_rows, min(n_rows, rules.max_rows))).astype(INDEX)
