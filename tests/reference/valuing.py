"""Reference for the valuing kernels: exhaustive search over splits, and best-first growth by gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy


@dataclass(frozen=True)
class Chances:
    """What a value tree is grown on and for; the fields are the kernel's arguments."""

    x: np.ndarray
    v: np.ndarray
    w: np.ndarray
    features: np.ndarray
    n_codes: np.ndarray
    ordered: np.ndarray
    most_leaves: int
    least: int
    strength: float

    def deviance_part(self, rows):
        """Σ w v · log(Σ w v / Σ w): a node's part in the Poisson log likelihood of its rows."""
        total, weight = self.w[rows] @ self.v[rows], self.w[rows].sum()
        return float(xlogy(total, total / weight))

    def gain(self, rows, goes_left):
        """Likelihood gained by a split."""
        return self.deviance_part(rows[goes_left]) + self.deviance_part(rows[~goes_left]) - self.deviance_part(rows)

    def rank(self, feature, rows):
        """Place of each code in the order of cuts: itself, or by the mean chance of its rows."""
        codes, width = self.x[feature, rows], self.n_codes[feature]
        if self.ordered[feature]:
            return np.arange(width)
        total = np.bincount(codes, self.w[rows] * self.v[rows], minlength=width)
        mean = total / np.maximum(np.bincount(codes, self.w[rows], minlength=width), 1e-300)
        return np.argsort(np.argsort(mean, kind="stable"))

    def splits(self, rows):
        """Every admissible split of some rows: gain, feature, codes that go left."""
        for feature in self.features:
            rank = self.rank(feature, rows)
            for cut in np.unique(rank[self.x[feature, rows]])[:-1]:
                left_codes = rank <= cut
                goes_left = left_codes[self.x[feature, rows]]
                if min(goes_left.sum(), (~goes_left).sum()) >= self.least:
                    yield self.gain(rows, goes_left), feature, left_codes

    def best_split(self, rows):
        """The split that gains most, the first of equal ones; gain 0 if none does."""
        return max(self.splits(rows), key=lambda split: split[0], default=(0.0, -1, None))

    def mean(self, rows):
        """Weighted mean chance."""
        return float(self.w[rows] @ self.v[rows] / self.w[rows].sum())

    def value(self, rows, above):
        """Mean probability, shrunk towards the value above by ``strength`` rows."""
        return (len(rows) * self.mean(rows) + self.strength * above) / (len(rows) + self.strength)


def grow_values(task):
    """Grow best first; per node: rows, children, feature, codes that go left, value."""
    everything = np.arange(len(task.v))
    rows, children, value = [everything], [None], [task.mean(everything)]
    split = [task.best_split(everything)]
    while (len(rows) + 1) // 2 < task.most_leaves:
        open_gain = [0.0 if below else part[0] for part, below in zip(split, children, strict=True)]
        node = int(np.argmax(open_gain))
        if open_gain[node] <= 1e-9:
            break
        _, feature, left_codes = split[node]
        children[node] = len(rows), len(rows) + 1
        goes_left = left_codes[task.x[feature, rows[node]]]
        for part in (rows[node][goes_left], rows[node][~goes_left]):
            rows.append(part)
            children.append(None)
            value.append(task.value(part, value[node]))
            split.append(task.best_split(part))
    return rows, children, split, np.array(value)
