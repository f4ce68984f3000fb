"""Reference for ranks of levels."""

from __future__ import annotations

import numpy as np


def level_scores(parent_codes, y, n_levels, n_targets, y_ordered):
    """What levels are ranked by: mean target code, or place on the main axis of their profiles."""
    table = np.zeros((n_levels, n_targets))
    np.add.at(table, (parent_codes, y), 1.0)
    size = table.sum(axis=1)
    occurs = size > 0
    score = np.full(n_levels, np.inf)
    if y_ordered:
        score[occurs] = (table[occurs] * np.arange(n_targets)).sum(axis=1) / size[occurs]
        return score
    profile = table[occurs] / size[occurs, None] - table.sum(axis=0) / len(y)
    weight = size[occurs]
    axis = profile[np.argmax(weight * (profile**2).sum(axis=1))]
    for _ in range(4):
        score[occurs] = along = (profile * axis).sum(axis=1)
        axis = (weight[:, None] * along[:, None] * profile).sum(axis=0)
        if not axis.any():
            break
        axis = axis / np.linalg.norm(axis)
    return score


def rank_levels(parent_codes, y, n_levels, n_targets, y_ordered):
    """Place of each level in the order of its score, ties by number, levels without rows last."""
    order = np.argsort(level_scores(parent_codes, y, n_levels, n_targets, y_ordered), kind="stable")
    return np.argsort(order)
