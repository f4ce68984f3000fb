"""Histogram leaves: splits and rows of codes in; counts per leaf, and the distributions derived from them, out.

Forward counts are of the column's own codes, backward counts of its parents' codes. A leaf's distribution is the
posterior mean of a Dirichlet or Pólya tree that is shrunk towards the node above (hierarchical shrinkage).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats, Floats32, Ints
from janus_synth.kernels.dtypes import COUNT, INDEX, REAL
from janus_synth.trees.code_tree import CodeTree
from janus_synth.trees.splits import OrderedRows, Splits, leaves_of_tree, order_rows


@dataclass(frozen=True, slots=True)
class HistogramLeaves:
    """Counts of the rows that reached each leaf, and the prior of its distribution.

    Counts are additive, so leaves of the same splits can be updated and merged; distributions are derived from them. A
    method that needs the trees takes their splits.
    """

    forward: Any
    """csr_array (leaves × codes): rows with each code of the column; `LeafCounts` of a tree before it joins a bag."""
    backward: Any
    """csr_array (leaves × parents' codes): H, rows with each code of each column the bag splits on; likewise."""
    tree: CodeTree
    allowed: Bools
    """Codes the column may take even if no row has."""
    prior_strength: float
    """Prior rows by which a leaf is shrunk towards the node above."""
    hierarchical: bool
    """Shrink towards the node above; otherwise every leaf has a flat prior, as in the paper."""
    root_strength: float
    """Prior rows by which the root is shrunk towards equal shares of the codes, missing aside."""
    drawn: Floats32 | None = None
    """(leaves, codes) distributions drawn from the posterior, which then replace its means."""

    @property
    def n_rows(self) -> Floats:
        """(leaves,) rows that reached each leaf."""
        return rows_of(self.forward)

    def shares(self, splits: Splits) -> Floats32:
        """(leaves, codes) posterior mean of each leaf's distribution, or a draw from the posterior."""
        return self._shares(splits) if self.drawn is None else self.drawn

    def cdf(self, splits: Splits) -> Floats32:
        """(leaves, codes) cumulative shares, exactly 1 from the last possible code on."""
        return cumulative_shares(self.shares(splits))

    def shares_at(self, splits: Splits, leaf: Ints, codes: Codes, *, left_out: float = 0.0) -> Floats:
        """(pairs,) posterior mean of single codes in single leaves of a bag of one tree.

        Equal to `shares` at these places, and faster where few of all codes are asked for. With ``left_out`` 1 it is
        the predictive probability without one of the leaf's rows that have the code.
        """
        from janus_synth.kernels.smoothing import shrink_at

        prior, concentration, at_root = self._prior()
        out, counts, tree = np.empty(len(codes)), self.forward, self.tree
        shrink_at(
            splits.left, splits.right, counts.indptr, counts.indices, counts.data, splits.leaf_of_node,
            tree.path_start, tree.path_slot, tree.slot_up, concentration, at_root, prior, self.hierarchical, left_out,
            leaf, codes, out,
        )  # fmt: skip
        return out

    def _shares(self, splits: Splits) -> Floats32:
        prior, concentration, at_root = self._prior()
        return shrunken_shares(
            splits,
            self.forward,
            self.tree,
            prior=prior,
            concentration=concentration,
            at_root=at_root,
            hierarchical=self.hierarchical,
        )

    def _prior(self) -> tuple[Floats, Floats, Floats]:
        """(slots,) prior mean of the root, concentration below it, and concentration of the root."""
        possible = self.allowed.copy()
        possible[self.forward.indices[self.forward.data > 0]] = True
        return (
            self.tree.share_of_allowed(possible),
            self.tree.concentration(self.prior_strength),
            self.tree.concentration(self.prior_strength, self.root_strength),
        )

    def plus(self, other: HistogramLeaves) -> HistogramLeaves:
        """Counts of both."""
        return replace(
            self,
            forward=add_counts(self.forward, other.forward),
            backward=add_counts(self.backward, other.backward),
            allowed=self.allowed | other.allowed,
            drawn=None,
        )


# Distributions


def shrunken_shares(
    splits: Splits,
    counts: Any,
    tree: CodeTree,
    *,
    prior: Floats,
    concentration: Floats,
    at_root: Floats,
    hierarchical: bool = True,
    left_out: float = 0.0,
    mean_entropy: Floats | None = None,
) -> Floats32:
    """(leaves, codes) posterior means of the leaves' distributions, tree by tree; see the kernel `shrink_down`.

    ``prior`` (slots,) is the prior mean of a tree's root and ``at_root`` (slots,) its concentration; nodes below have
    the mean of the node above and ``concentration`` (slots,). ``left_out`` rows are taken off the code in question.
    ``mean_entropy`` (leaves,), if given, receives the mean entropies under the posteriors.
    """
    from janus_synth.kernels.smoothing import shrink_down

    out = np.empty(counts.shape, np.float32)
    mean_entropy = np.empty(0) if mean_entropy is None else mean_entropy
    rows = counts.data.astype(REAL)  # exact up to 2^53 rows
    for t in range(splits.n_trees):
        at, left, right = splits.nodes_of(t), splits.left, splits.right
        if splits.n_trees > 1:
            base = splits.roots[t]
            left, right = (np.where(side[at] >= 0, side[at] - base, -1).astype(INDEX) for side in (left, right))
        shrink_down(
            left, right, counts.indptr, counts.indices, rows,
            splits.leaf_of_node[at], tree.path_start, tree.path_slot, tree.slot_up, concentration, at_root, prior,
            hierarchical, left_out, out, mean_entropy,
        )  # fmt: skip
    return out


def cumulative_shares(shares: Floats32) -> Floats32:
    """Cumulative shares, exactly 1 from the last possible code on."""
    from janus_synth.kernels.smoothing import cumulate

    cdf = np.empty_like(shares)
    cumulate(shares, cdf)
    return cdf


def entropy_of(shares: Array) -> Floats:
    """Entropy of each row of shares, in nats."""
    from scipy.special import entr

    return np.asarray(entr(shares.astype(float)).sum(axis=-1))


def dirichlet_epistemic(shares: Floats, rows: Floats) -> Floats:
    """Entropy of a Dirichlet's mean less its mean entropy: H(p) − Σ p (ψ(A + 1) − ψ(A p + 1)), with A = ``rows``."""
    from scipy.special import psi

    total = rows[:, None]
    aleatoric = (shares * (psi(total + 1) - psi(total * shares + 1))).sum(axis=1)
    return np.asarray(np.maximum(entropy_of(shares) - aleatoric, 0.0))


# Counts, as sparse matrices with a row per leaf


class LeafCounts(NamedTuple):
    """Counts of one tree of a bag: the arrays of a csr_array, which takes longer to make. `stack_counts` makes one."""

    data: Ints
    indices: Ints
    indptr: Ints
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """Counts above 0."""
        return len(self.data)


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
    leaf: Ints | None = None,
) -> HistogramLeaves:
    """Count rows of codes into the leaves of a bag; every tree of the bag counts every row.

    ``leaf`` (rows,), if known already, is the leaf of each row in the only tree, whose counts are then `LeafCounts`.
    """
    if leaf is not None:
        forward, backward = count_tree(splits, 0, x, target, n_codes, leaf)
    else:
        trees = range(splits.n_trees)
        parts = [count_tree(splits, t, x, target, n_codes, splits.ordered_rows(x, t)) for t in trees]
        forward, backward = (stack_counts([part[way] for part in parts]) for way in (0, 1))
    return HistogramLeaves(forward, backward, tree, allowed, prior_strength, hierarchical, root_strength)


def count_tree(
    splits: Splits, t: int, x: Codes, target: int, n_codes: Ints, rows: OrderedRows | Ints
) -> tuple[LeafCounts, LeafCounts]:
    """Forward and backward counts of one tree; backward only for the columns it splits on.

    ``rows`` are all rows in the order of the tree's leaves, or the leaf of each row.
    """
    at = splits.nodes_of(t)
    if not isinstance(rows, OrderedRows):
        leaves = leaves_of_tree(splits, t)
        rows = order_rows(rows - leaves.start if leaves.start else rows, len(leaves))
    offsets = np.concatenate([[0], np.cumsum(n_codes)]).astype(INDEX)
    used = np.unique(splits.feature[at][splits.left[at] >= 0]).astype(INDEX)
    own = count_codes(x, np.array([target], INDEX), np.zeros(1, INDEX), int(n_codes[target]), rows)
    return own, count_codes(x, used, offsets[used], int(offsets[-1]), rows)


def join_leaves(leaves: Sequence[HistogramLeaves]) -> HistogramLeaves:
    """Leaves of several bags of one column, one after the other."""
    return replace(
        leaves[0],
        forward=stack_counts([part.forward for part in leaves]),
        backward=stack_counts([part.backward for part in leaves]),
        drawn=None,
    )


def count_codes(x: Codes, columns: Ints, offsets: Ints, width: int, rows: OrderedRows) -> LeafCounts:
    """Counts (leaves × keys): how often each (column, code) occurs in each leaf; a key is offset + code."""
    from janus_synth.kernels.counting import count_ordered

    start, key, count = count_ordered(x, columns, offsets, width, *rows)
    return LeafCounts(count, key, start, (len(rows.begin), width))


def rows_of(counts: Any) -> Floats:
    """(leaves,) sum of each leaf's counts."""
    total = np.concatenate([[0], np.cumsum(counts.data, dtype=np.int64)])
    return np.asarray(np.diff(total[counts.indptr]))


def stack_counts(parts: Sequence[Any]) -> Any:
    """csr_array of the leaves of several trees, one after the other; `scipy.sparse.vstack` takes longer."""
    from scipy.sparse import csr_array, vstack

    if len(parts) == 1 and isinstance(parts[0], csr_array):
        return parts[0]
    ends = np.cumsum([0, *(part.nnz for part in parts)])
    if ends[-1] > np.iinfo(INDEX).max:
        return vstack([csr_array((part.data, part.indices, part.indptr), shape=part.shape) for part in parts], "csr")
    start = np.concatenate([part.indptr[:-1] + end for part, end in zip(parts, ends, strict=False)] + [ends[-1:]])
    keys, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("indices", "data"))
    shape = sum(part.shape[0] for part in parts), parts[0].shape[1]
    return csr_array((counts, keys.astype(INDEX, copy=False), start.astype(INDEX)), shape=shape)


def add_counts(one: Any, other: Any) -> Any:
    """Counts of both, the keys of each leaf in order; in 64 bits where 32 might not hold them.

    A sum by scipy keeps up to twice the memory that its counts need.
    """
    from scipy.sparse import csr_array

    from janus_synth.kernels.counting import add_sparse

    fits = int(one.data.max(initial=0)) + int(other.data.max(initial=0)) <= np.iinfo(COUNT).max
    both = [one, other]
    if fits and one.nnz + other.nnz <= np.iinfo(INDEX).max and all(each.has_sorted_indices for each in both):
        types = (INDEX, INDEX, COUNT)
        parts = [(each.indptr, each.indices, each.data) for each in both]
        start, key, count = add_sparse(
            *(np.ascontiguousarray(array, type) for arrays in parts for array, type in zip(arrays, types, strict=True))
        )
        return csr_array((count, key, start), shape=one.shape)
    total = (one if fits else one.astype(np.int64)) + other
    total.sort_indices()
    return total
