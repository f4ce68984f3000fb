"""Code trees: counts of a column's codes in, a Dirichlet tree over them out.

An unordered column has one Dirichlet split (Dirichlet–multinomial), an ordered one binary splits that halve its mass (a
Pólya tree). A *slot* is a node of the code tree; nodes of decision trees are something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX, REAL


@dataclass(frozen=True)
class CodeTree:
    """Slots of a Dirichlet tree; slot 0 is the root, every other slot comes after the one above it."""

    path_start: Ints
    """(K + 1,) where each code's path begins in ``path_slot``; a code left out has an empty path."""
    path_slot: Ints
    """Slots below the root on the way to each code."""
    slot_up: Ints
    """(S,) the slot above; 0 for the root itself."""
    mass: Floats
    """(S,) prior mass of each slot in the split above it."""

    @property
    def n_codes(self) -> int:
        """Codes, those left out among them."""
        return len(self.path_start) - 1

    @property
    def n_slots(self) -> int:
        """Root, inner slots and one slot per code."""
        return len(self.slot_up)

    @property
    def split_mass(self) -> Floats:
        """(S,) prior mass of the split below each slot; 0 for the slots of codes."""
        total = np.zeros(self.n_slots)
        np.add.at(total, self.slot_up[1:], self.mass[1:])
        return total

    @cached_property
    def level(self) -> Ints:
        """(S,) distance from the root."""
        from janus_synth.kernels.halving import find_levels

        level = np.empty(self.n_slots, INDEX)
        find_levels(self.slot_up, level)
        return level

    def share_of_allowed(self, allowed: Bools) -> Floats:
        """(S,) share of each slot in the split above it if all allowed codes were equally likely."""
        return self.share_of(allowed.astype(float))

    def share_of(self, weight: Floats) -> Floats:
        """(S,) share of each slot in the split above it, by the codes' weights."""
        below = self._below(weight)
        above = below[self.slot_up]
        return np.divide(below, above, out=np.zeros(self.n_slots), where=above > 0)

    def concentration(self, strength: float, deeper: float | None = None) -> Floats:
        """(S,) prior rows of each slot: ``strength`` times its level, with ``deeper`` in its place below level 1.

        It grows with the level, so that the fine shape of a small leaf is that of its neighbourhood. The first split of
        an ordered column separates *missing* from the rest.
        """
        level = np.maximum(1, self.level)
        return np.where(level == 1, strength, strength if deeper is None else deeper) * level.astype(REAL)

    def posterior_mean(self, counts: LongInts, prior: Floats, concentration: Floats) -> Floats:
        """(K,) posterior mean of the codes' distribution; ``prior`` (S,) is each slot's share in the split above it."""
        from janus_synth.kernels.halving import multiply_down

        rows = self._below(counts)
        share = (rows + concentration * prior) / (rows[self.slot_up] + concentration)
        share[0] = 1.0
        multiply_down(self.slot_up, share)
        return np.asarray(share[self.path_slot[self.path_start[1:] - 1]])

    def log_marginal_likelihood(self, counts: LongInts, prior: Floats, concentration: Floats) -> float:
        """Log marginal likelihood of counts: a Dirichlet–multinomial with α = concentration · prior at every split."""
        from scipy.special import gammaln

        rows = self._below(counts)
        possible = (prior > 0) & (np.arange(self.n_slots) > 0)
        alpha = (concentration * prior)[possible]
        inner, first_child = np.unique(self.slot_up[1:], return_index=True)
        total = concentration[first_child + 1]
        of_parts = gammaln(alpha + rows[possible]) - gammaln(alpha)
        of_wholes = gammaln(total + rows[inner]) - gammaln(total)
        return float(of_parts.sum() - of_wholes.sum())

    def _below(self, counts: LongInts | Floats) -> Floats:
        """(S,) rows below each slot."""
        from janus_synth.kernels.halving import add_up

        rows = np.zeros(self.n_slots)
        np.add.at(rows, self.path_slot[self.path_start[1:] - 1], counts)
        add_up(self.slot_up, rows)
        return rows


def likeliest_strength(tree: CodeTree, counts: LongInts, prior: Floats, least: float) -> float:
    """Empirical Bayes strength of the root: the prior rows that maximise the marginal likelihood of a column's counts.

    Codes of a smooth column are cut to equal mass, so that their counts differ by chance alone and a strong prior is
    likeliest. Counts of atoms and heaped values really differ, so that the weakest prior is likeliest.
    """
    choices = least * 10.0 ** np.arange(6)
    return float(
        max(
            choices,
            key=lambda deeper: tree.log_marginal_likelihood(counts, prior, tree.concentration(least, deeper)),
        )
    )


def log_tables(masses: Floats, n_rows: int, weight: float = 1.0) -> Floats:
    """(len(masses), 2, n_rows + 2) steps and values of lgamma(weight · count + mass), by prior mass and count.

    A step is what one more row adds; with weight 1 it is log(count + mass).
    """
    from scipy.special import gammaln

    counts = weight * np.arange(n_rows + 3, dtype=REAL) + masses[:, None]
    values = gammaln(counts)
    steps = np.log(counts[:, :-1]) if weight == 1.0 else np.diff(values, axis=1)
    return np.stack([steps, values[:, :-1]], axis=1)


def flat_tree(counts: LongInts, *, keep_empty: bool = True) -> CodeTree:
    """One Dirichlet split with total prior mass 1 over all codes, or over those that occur."""
    kept = np.ones(len(counts), bool) if keep_empty else counts > 0
    n_kept = max(1, int(kept.sum()))
    return CodeTree(
        path_start=np.concatenate([[0], np.cumsum(kept)]).astype(INDEX),
        path_slot=np.arange(1, int(kept.sum()) + 1, dtype=INDEX),
        slot_up=np.zeros(int(kept.sum()) + 1, INDEX),
        mass=np.full(int(kept.sum()) + 1, 1.0 / n_kept),
    )


def polya_tree(
    counts: LongInts, *, keep_empty: bool = True, most_levels: int | None = None, last_is_missing: bool = True
) -> CodeTree:
    """Binary Beta(1, 1) splits that halve the mass of the codes, in order, down to single codes or ``most_levels``.

    The missing code, the last one, is split off first: it is no neighbour of the largest values. Halving mass
    rather than numbers gives heavy atoms short paths, so a row costs about as many steps as the entropy in bits.
    """
    from janus_synth.kernels.halving import halve

    n_codes = len(counts)
    kept = np.arange(n_codes) if keep_empty else np.flatnonzero(counts)
    weight = counts[kept] + 1e-9 * max(1.0, float(counts.sum()))  # empty codes are halved by number
    below = np.concatenate([[0.0], np.cumsum(weight)])
    has_missing = last_is_missing and len(kept) > 1 and kept[-1] == n_codes - 1
    slot_up, end = np.zeros(2 * len(kept) + 1, INDEX), np.zeros(n_codes, INDEX)
    last = np.empty(len(kept), INDEX)
    n_slots = halve(below, has_missing, n_codes if most_levels is None else most_levels, slot_up, last)
    if len(kept) == 1:  # a constant column still needs a slot for its code
        n_slots, last = 2, np.ones(1, INDEX)
    end[kept] = last
    slot_up = slot_up[:n_slots].copy()
    start, path = _paths_to(end, slot_up)
    return CodeTree(path_start=start, path_slot=path, slot_up=slot_up, mass=np.ones(n_slots))


def _paths_to(end: Ints, slot_up: Ints) -> tuple[Ints, Ints]:
    """Where each code's path begins, and the slots below the root on the way to its last one; no path to the root."""
    steps = [end]
    while steps[-1].any():
        steps.append(slot_up[steps[-1]])
    down = np.stack(steps[::-1], axis=1)  # (codes, levels), 0 above the first slot
    return np.concatenate([[0], np.cumsum((down > 0).sum(axis=1))]).astype(INDEX), down[down > 0]


def slot_incidence(tree: CodeTree) -> Any:
    """csr_array (codes × slots): 1 where a code lies below a slot, the root left out."""
    from scipy.sparse import csr_array

    n_codes = tree.n_codes
    return csr_array(
        (np.ones(len(tree.path_slot)), tree.path_slot, tree.path_start.astype(np.int64)), shape=(n_codes, tree.n_slots)
    )
