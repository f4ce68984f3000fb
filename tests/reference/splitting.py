"""Reference for the splitting kernels: evidence of whole count tables for every cut, nothing incremental.

Where a kernel takes the arrays of a code tree, its twin takes the ``CodeTree`` itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln


def dirichlet_multinomial(counts, masses):
    """Log evidence of counts under a Dirichlet with these masses."""
    counts, masses = np.asarray(counts, float), np.asarray(masses, float)
    prior, total = masses.sum(), masses.sum() + counts.sum()
    return gammaln(prior) - gammaln(total) + np.sum(gammaln(masses + counts) - gammaln(masses))


def flat_evidence(counts):
    """Dirichlet–multinomial with total mass 1: the evidence of an unordered column."""
    return dirichlet_multinomial(counts, np.full(len(counts), 1 / len(counts)))


def polya_evidence(counts, halvings):
    """Product of Beta(1, 1)–binomials, one per halving of the codes: the evidence of an ordered column."""
    return sum(dirichlet_multinomial([counts[left].sum(), counts[right].sum()], [1, 1]) for _, left, right in halvings)


def code_groups(tree):
    """For every slot that splits, the codes below each of its children, by child slot."""
    groups = {}
    for code in range(tree.n_codes):
        above = 0
        for slot in tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]]:
            groups.setdefault(above, {}).setdefault(int(slot), []).append(code)
            above = int(slot)
    return [dict(sorted(groups[slot].items())) for slot in sorted(groups)]


def evidence(counts, tree):
    """Log evidence of a column's counts under its code tree: a Dirichlet–multinomial per splitting slot."""
    return sum(
        dirichlet_multinomial([counts[codes].sum() for codes in group.values()], tree.mass[list(group)])
        for group in code_groups(tree)
    )


def evidence_gain(codes, goes_left, tree):
    """ΔE: evidence of the two sides less the evidence of the whole."""
    left, right, whole = (
        evidence(np.bincount(part, minlength=tree.n_codes), tree)
        for part in (codes[goes_left], codes[~goes_left], codes)
    )
    return left + right - whole


def divergence(codes, goes_left, n_codes):
    """D: half the symmetric KL divergence of child and parent, children weighted by their share of rows."""

    def mean(part):
        return (np.bincount(part, minlength=n_codes) + 1 / n_codes) / (len(part) + 1)

    p = mean(codes)
    total = 0.0
    for part in (codes[goes_left], codes[~goes_left]):
        q = mean(part)
        total += len(part) / len(codes) * (np.sum(q * np.log(q / p)) + np.sum(p * np.log(p / q))) / 2
    return total


def count_slots(codes, tree):
    """Rows below each slot of a code tree."""
    whole = np.zeros(tree.n_slots, int)
    for code in codes:
        whole[0] += 1
        whole[tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]]] += 1
    return whole


def choose_left_levels(codes, rank, cut, n_levels):
    """Which levels go left: those up to the cut; those without rows go where most rows go."""
    goes_left = rank[:n_levels] <= cut
    majority_left = 2 * goes_left[codes].sum() >= len(codes)
    return np.where(np.isin(np.arange(n_levels), codes), goes_left, majority_left)


def part_rows(rows, codes, cut, levels):
    """Rows with those that go left in front, and how many they are."""
    goes_left = levels[codes] == 1 if len(levels) else codes <= cut
    return np.concatenate([rows[goes_left], rows[~goes_left]]), int(goes_left.sum())


def add_sweep_gains(codes, ends, weight, tree, gains):
    """Add to ``gains`` the evidence gained by cutting after each group; the last group ends the rows."""
    for g, end in enumerate(ends[:-1]):
        gains[g] += weight * evidence_gain(codes, np.arange(len(codes)) < end, tree)


def add_sweep_divergence(codes, ends, weight, n_codes, gains):
    """Add to ``gains`` the divergence of children and parent for each cut."""
    for g, end in enumerate(ends[:-1]):
        gains[g] += weight * divergence(codes, np.arange(len(codes)) < end, n_codes)


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


def sort_by_rank(rank_of_row, n_ranks):
    """Order of the rows by rank, and where each group of equal rank ends."""
    sizes = np.bincount(rank_of_row, minlength=n_ranks)
    return np.argsort(rank_of_row, kind="stable"), np.cumsum(sizes)[sizes > 0]


def keep_better_half(worth, fewest):
    """Places of the higher worth, half of them or ``fewest``, best first."""
    return np.argsort(-np.asarray(worth), kind="stable")[: max(fewest, (len(worth) + 1) // 2)]


def count_table(codes, slots, n_codes, n_slots):
    """Rows by code and slot."""
    table = np.zeros((n_codes, n_slots), int)
    np.add.at(table, (codes, slots), 1)
    return table


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
