"""Reference for the search for splits: every cut of every parent, nothing incremental."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reference.gaining import divergence, evidence_gain
from reference.ordering import rank_levels


def keep_better_half(worth, fewest):
    """Places of the higher worth, half of them or ``fewest``, best first."""
    return np.argsort(-np.asarray(worth), kind="stable")[: max(fewest, (len(worth) + 1) // 2)]


@dataclass(frozen=True)
class Task:
    """What a tree is grown on and for; the fields are the kernel's arguments."""

    x: np.ndarray
    target: int
    parents: tuple[int, ...]
    n_codes: np.ndarray
    ordered: np.ndarray
    trees: tuple
    lambda_unsup: float = 0.0
    lambda_div: float = 0.0
    price: float = 0.0
    min_leaf: int = 1
    max_leaves: int = 4096

    def gain(self, column, rows, goes_left):
        """ΔE of one column."""
        return evidence_gain(self.x[column, rows], goes_left, self.trees[column])

    def score(self, rows, goes_left):
        """S = ΔE(y) + λ_unsup Σ_j ΔE(x_j) + λ_div D of one split."""
        total = self.gain(self.target, rows, goes_left)
        if self.lambda_unsup > 0:
            total += self.lambda_unsup * sum(self.gain(j, rows, goes_left) for j in self.parents)
        if self.lambda_div > 0:
            total += self.lambda_div * divergence(self.x[self.target, rows], goes_left, self.n_codes[self.target])
        return total

    def is_pure(self, rows):
        """Whether no split can be worth anything."""
        return self.lambda_unsup == 0 and len(np.unique(self.x[self.target, rows])) == 1

    def cuts(self, rows, parents=None):
        """Every admissible split of the rows: score, parent, which of the parent's codes go left, and the cut."""
        if self.is_pure(rows):
            return
        y = self.x[self.target, rows]
        for j in self.parents if parents is None else parents:
            codes = self.x[j, rows]
            if self.ordered[j]:
                rank = np.arange(self.n_codes[j])
            else:
                about_target = self.n_codes[self.target], self.ordered[self.target]
                rank = rank_levels(codes, y, self.n_codes[j], *about_target)
            for cut in np.unique(rank[codes])[:-1]:
                goes_left = rank[codes] <= cut
                if min(goes_left.sum(), (~goes_left).sum()) >= self.min_leaf:
                    yield self.score(rows, goes_left), j, rank <= cut, cut

    def side_of_levels(self, rows, parent, left_codes):
        """Codes of an unordered parent that go left; those without rows here follow the majority."""
        codes = self.x[parent, rows]
        majority_left = 2 * left_codes[codes].sum() >= len(rows)
        return np.where(np.isin(np.arange(len(left_codes)), codes), left_codes, majority_left)


@dataclass(frozen=True)
class Bounds:
    """What bounds the search of a node; the fields are the kernel's constants."""

    scout_rows: int = 1024
    more_rows: int = 4
    fewest_racing: int = 4
    always_asked: int = 10**6
    turns: int = 3
    fewest_candidates: int = 10**6


NO_BOUNDS = Bounds()


def search(task, rows, candidates, worth, asked, bounds):
    """Best split of a node or None, and what every candidate was worth, on the first sample of rows where asked.

    Samples become larger and candidates fewer until some split is worth its price.
    """
    every, racing, worth_of_first = max(1, len(rows) // bounds.scout_rows), candidates, None
    while True:
        sample, tried, worth = rows[::every], [], list(worth)
        for place in () if task.is_pure(sample) else asked:
            own = list(task.cuts(sample, [racing[place]]))
            worth[place] = max((split[0] for split in own), default=-np.inf)
            tried += own
        worth_of_first = worth if worth_of_first is None else worth_of_first
        best = max(tried, key=lambda split: split[0], default=(0.0,))
        in_all = max(1, len(tried)) * len(candidates) / max(1, len(asked))
        if best[0] > max(0.0, task.price * np.log(in_all)):
            return best, worth_of_first
        if every == 1:
            return None, worth_of_first
        places = keep_better_half(worth, bounds.fewest_racing)
        every, racing, asked = max(1, every // bounds.more_rows), [racing[k] for k in places], range(len(places))
        worth = [worth[k] for k in places]


def grow_tree(task, rows, bounds=NO_BOUNDS):
    """Grow breadth first; returns the kernel's flat arrays (the first of equal scores wins)."""
    nodes, left_levels = [], []
    waiting = [(rows, list(task.parents), [np.inf] * len(task.parents))]
    most = min(task.max_leaves, max(1, len(rows) // task.min_leaf))
    for node, (own, candidates, worth) in enumerate(waiting):  # the list grows while it is walked
        found = None
        if len(own) >= 2 * task.min_leaf and (len(waiting) + 1) // 2 < most:
            places = range(len(candidates))
            asked = [k for k in places if node == 0 or k < bounds.always_asked or (k + node) % bounds.turns == 0]
            found, worth = search(task, own, candidates, worth, asked, bounds)
        if found is None:
            nodes.append((-1, -1, -1, -1, -1, 0.0))
            continue
        score, parent, left_codes, cut = found
        set_start = -1
        if not task.ordered[parent]:
            cut, set_start = -1, len(left_levels)
            left_codes = task.side_of_levels(own, parent, left_codes)
            left_levels.extend(left_codes)
        nodes.append((parent, cut, len(waiting), len(waiting) + 1, set_start, score))
        if len(candidates) > bounds.always_asked:
            places = keep_better_half(worth, bounds.fewest_candidates)
            candidates, worth = [candidates[k] for k in places], [worth[k] for k in places]
        goes_left = left_codes[task.x[parent, own]]
        waiting += [(own[goes_left], candidates, worth), (own[~goes_left], candidates, worth)]
    feature, cut, left, right, set_start, score = (np.array(part) for part in zip(*nodes, strict=True))
    return feature, cut, left, right, set_start, np.array(left_levels, int), score
