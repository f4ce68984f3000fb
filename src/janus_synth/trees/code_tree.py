"""Code trees: counts of a column's codes in, a Dirichlet tree over them out.

An unordered column has one Dirichlet split (Dirichlet–multinomial), an ordered one binary splits that halve its mass (a
Pólya tree). A *slot* is a node of the code tree; nodes of decision trees are something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from janus_synth.arrays import Bools, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX, REAL


@dataclass(frozen=True, slots=True)
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

    @property
    def level(self) -> Ints:
        """(S,) distance from the root."""
        level, at = np.zeros(self.n_slots, INDEX), np.arange(self.n_slots, dtype=INDEX)
        while at.any():  # one step up at a time, all slots at once
            level += at > 0
            at = self.slot_up[at]
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
        rows = self._below(counts)
        share = (rows + concentration * prior) / (rows[self.slot_up] + concentration)
        share[0] = 1.0
        for slot in range(1, self.n_slots):
            share[slot] *= share[self.slot_up[slot]]
        return np.asarray(share[self.path_slot[self.path_start[1:] - 1]])

    def log_marginal_likelihood(self, counts: LongInts, prior: Floats, concentration: Floats) -> float:
        """Log marginal likelihood of counts: a Dirichlet–multinomial with α = concentration · prior at every split."""
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
        rows = np.zeros(self.n_slots)
        np.add.at(rows, self.path_slot[self.path_start[1:] - 1], counts)
        for slot in range(self.n_slots - 1, 0, -1):
            rows[self.slot_up[slot]] += rows[slot]
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
    n_codes = len(counts)
    kept = np.arange(n_codes) if keep_empty else np.flatnonzero(counts)
    weight = counts[kept] + 1e-9 * max(1.0, float(counts.sum()))  # empty codes are halved by number
    below = np.concatenate([[0.0], np.cumsum(weight)])
    slot_up, level = [0], [0]
    paths: dict[int, list[int]] = {int(code): [] for code in kept}
    has_missing = last_is_missing and len(kept) > 1 and kept[-1] == n_codes - 1
    waiting = [(0, len(kept), 0, has_missing)]
    while waiting:
        lo, hi, slot, split_last = waiting.pop(0)
        if hi - lo < 2 or level[slot] == most_levels:
            continue
        middle = hi - 1 if split_last else _half_way(below, lo, hi)
        for start, stop in ((lo, middle), (middle, hi)):
            slot_up.append(slot)
            child = len(slot_up) - 1
            level.append(level[slot] + 1)
            for code in kept[start:stop]:
                paths[int(code)].append(child)
            waiting.append((start, stop, child, False))
    if len(kept) == 1:  # a constant column still needs a slot for its code
        slot_up.append(0)
        paths[int(kept[0])].append(1)
    lengths = [len(paths.get(code, ())) for code in range(n_codes)]
    return CodeTree(
        path_start=np.concatenate([[0], np.cumsum(lengths)]).astype(INDEX),
        path_slot=np.array([slot for code in sorted(paths) for slot in paths[code]], INDEX),
        slot_up=np.array(slot_up, INDEX),
        mass=np.ones(len(slot_up)),
    )


def _half_way(below: Floats, lo: int, hi: int) -> int:
    target = (below[lo] + below[hi]) / 2
    return lo + 1 + int(np.argmin(np.abs(below[lo + 1 : hi] - target)))


def slot_incidence(tree: CodeTree) -> Any:
    """csr_array (codes × slots): 1 where a code lies below a slot, the root left out."""
    n_codes = tree.n_codes
    return csr_array(
        (np.ones(len(tree.path_slot)), tree.path_slot, tree.path_start.astype(np.int64)), shape=(n_codes, tree.n_slots)
    )
