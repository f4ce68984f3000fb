"""Reference for sorting and parting rows."""

from __future__ import annotations

import numpy as np


def choose_left_levels(codes, rank, cut, n_levels):
    """Which levels go left: those up to the cut; those without rows go where most rows go."""
    goes_left = rank[:n_levels] <= cut
    majority_left = 2 * goes_left[codes].sum() >= len(codes)
    return np.where(np.isin(np.arange(n_levels), codes), goes_left, majority_left)


def part_rows(rows, codes, cut, levels):
    """Rows with those that go left in front, and how many they are."""
    goes_left = levels[codes] == 1 if len(levels) else codes <= cut
    return np.concatenate([rows[goes_left], rows[~goes_left]]), int(goes_left.sum())


def sort_by_rank(rank_of_row, n_ranks):
    """Order of the rows by rank, and where each group of equal rank ends."""
    sizes = np.bincount(rank_of_row, minlength=n_ranks)
    return np.argsort(rank_of_row, kind="stable"), np.cumsum(sizes)[sizes > 0]
