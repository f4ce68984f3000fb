"""Histogram leaves: counts of the column's codes, forward; of the parents' codes, backward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr, psi

from janus_synth.arrays import Array, Bools, Codes, Floats, Floats32, Ints
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.code_tree import CodeTree
from janus_synth.trees.counts import added, counted, stacked
from janus_synth.trees.splits import Splits


class Entropies(NamedTuple):
    """Leaf by leaf, in nats: the entropy of the mean distribution, and the mean entropy under the posterior."""

    total: Floats
    aleatoric: Floats

    @property
    def epistemic(self) -> Floats:
        """What a leaf would learn about its distribution from one more row."""
        return np.maximum(self.total - self.aleatoric, 0.0)


@dataclass(frozen=True, slots=True)
class HistogramLeaves:
    """What the rows that reached each leaf looked like.

    Counts are additive, so leaves of the same splits can be updated and merged; distributions are derived from
    them: each leaf leans on the node above it, by ``prior_strength`` rows' worth (hierarchical Dirichlet).
    """

    forward: Any
    """csr_array (leaves × codes): rows with each code of the column."""
    backward: Any
    """csr_array (leaves × parents' codes): H, rows with each code of each column the bag splits on."""
    tree: CodeTree
    allowed: Bools
    """Codes the column may take even if no row has."""
    prior_strength: float
    hierarchical: bool
    """Lean on the node above; otherwise every leaf leans on a flat prior, as in the paper."""
    root_strength: float
    """How many rows' worth the root leans on equal shares of the codes, missing aside."""
    drawn: Floats32 | None = None
    """(leaves, codes) distributions drawn from the posterior, which then replace its means."""

    @property
    def n_rows(self) -> Floats:
        """(leaves,) rows that reached each leaf."""
        return np.asarray(self.forward.sum(axis=1)).ravel()

    def shares(self, splits: Splits) -> Floats32:
        """(leaves, codes) posterior mean of each leaf's distribution, or a draw from the posterior."""
        return self._shares(splits) if self.drawn is None else self.drawn

    def entropies(self, splits: Splits) -> Entropies:
        """Entropies of the leaves by their counts."""
        noise = np.zeros(splits.n_leaves)
        return Entropies(entropy_of(self._shares(splits, noise=noise)), noise)

    def left_out(self, splits: Splits) -> Floats32:
        """(leaves, codes) share of each code in each leaf as seen by one of the leaf's rows that has it."""
        return self._shares(splits, left_out=1.0)

    def cdf(self, splits: Splits) -> Floats32:
        """(leaves, codes) cumulative shares, exactly 1 from the last possible code on."""
        return cumulative(self.shares(splits))

    def _shares(self, splits: Splits, *, left_out: float = 0.0, noise: Floats | None = None) -> Floats32:
        seen = np.asarray(self.forward.sum(axis=0)).ravel() > 0
        return shares_of_leaves(
            splits,
            self.forward,
            self.tree,
            floor=self.tree.share_of_allowed(self.allowed | seen),
            strength=self.tree.lean(self.prior_strength),
            first=self.tree.lean(self.prior_strength, self.root_strength),
            hierarchical=self.hierarchical,
            left_out=left_out,
            noise=noise,
        )

    def plus(self, other: HistogramLeaves) -> HistogramLeaves:
        """Counts of both."""
        return replace(
            self,
            forward=added(self.forward, other.forward),
            backward=added(self.backward, other.backward),
            allowed=self.allowed | other.allowed,
            drawn=None,
        )


def shares_of_leaves(
    splits: Splits,
    counts: Any,
    tree: CodeTree,
    *,
    floor: Floats,
    strength: Floats,
    first: Floats,
    hierarchical: bool = True,
    left_out: float = 0.0,
    noise: Floats | None = None,
) -> Floats32:
    """(leaves, codes) posterior means of the leaves' distributions, tree by tree; see `shrink_down`.

    ``noise`` (leaves,), if given, receives the distributions' mean entropies.
    """
    from janus_synth.kernels.smoothing import shrink_down

    out = np.empty(counts.shape, np.float32)
    noise = np.empty(0) if noise is None else noise
    for t in range(splits.n_trees):
        at = splits.nodes_of(t)
        base = splits.roots[t]
        left, right = (np.where(side[at] >= 0, side[at] - base, -1) for side in (splits.left, splits.right))
        shrink_down(
            left.astype(INDEX), right.astype(INDEX), counts.indptr, counts.indices, counts.data,
            splits.leaf_of_node[at], tree.path_start, tree.path_slot, tree.slot_up, strength, first, floor,
            hierarchical, left_out, out, noise,
        )  # fmt: skip
    return out


def cumulative(shares: Floats32) -> Floats32:
    """Cumulative shares, exactly 1 from the last possible code on."""
    from janus_synth.kernels.smoothing import cumulate

    cdf = np.empty_like(shares)
    cumulate(shares, cdf)
    return cdf


def entropy_of(shares: Array) -> Floats:
    """Entropy of each row of shares, in nats."""
    return np.asarray(entr(shares.astype(float)).sum(axis=-1))


def dirichlet_epistemic(shares: Floats, rows: Floats) -> Floats:
    """Entropy of a Dirichlet's mean less its mean entropy: H(p) − Σ p (ψ(A + 1) − ψ(A p + 1)), with A = ``rows``."""
    total = rows[:, None]
    aleatoric = (shares * (psi(total + 1) - psi(total * shares + 1))).sum(axis=1)
    return np.asarray(np.maximum(entropy_of(shares) - aleatoric, 0.0))


def count_leaves(
    splits: Splits,
    x: Codes,
    target: int,
    n_codes: Ints,
    *,
    tree: CodeTree,
    allowed: Bools,
    prior_strength: float,
    root_strength: float,
    hierarchical: bool = True,
) -> HistogramLeaves:
    """Count rows of codes into the leaves of a bag; every tree of the bag counts every row."""
    parts = [_count_tree(splits, t, x, target, n_codes) for t in range(splits.n_trees)]
    forward, backward = (stacked([part[way] for part in parts]) for way in (0, 1))
    return HistogramLeaves(forward, backward, tree, allowed, prior_strength, hierarchical, root_strength)


def join_leaves(leaves: Sequence[HistogramLeaves]) -> HistogramLeaves:
    """Leaves of several bags of one column, one after the other."""
    return replace(
        leaves[0],
        forward=stacked([part.forward for part in leaves]),
        backward=stacked([part.backward for part in leaves]),
        drawn=None,
    )


def _count_tree(splits: Splits, t: int, x: Codes, target: int, n_codes: Ints) -> tuple[Any, Any]:
    """Forward and backward counts of one tree; backward only for the columns it splits on."""
    at = splits.nodes_of(t)
    inner = splits.left[at] >= 0
    first, n_leaves = int(splits.leaf_of_node[at][~inner][0]), int((~inner).sum())
    leaf = splits.leaves_reached(x, t) - first
    offsets = np.concatenate([[0], np.cumsum(n_codes)]).astype(INDEX)
    used = np.unique(splits.feature[at][inner]).astype(INDEX)
    own = counted(x, np.array([target], INDEX), np.zeros(1, INDEX), int(n_codes[target]), leaf, n_leaves)
    return own, counted(x, used, offsets[used], int(offsets[-1]), leaf, n_leaves)
