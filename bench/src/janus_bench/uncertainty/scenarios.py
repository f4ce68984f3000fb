"""Seeds in, labelled rows out: three clouds of points, wine and iris, with label noise in a known region."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import entr, softmax

LABEL = "label"
NOISE = 0.5
"""Share of labels in the region that are replaced by another class."""

CENTRES = 2.0 * np.array([[0.0, 1.0], [-np.sqrt(0.75), -0.5], [np.sqrt(0.75), -0.5]])
"""Centres of three round clouds of standard deviation 1; the Bayes error is about 1 in 14."""
NAMES = np.array(["red", "green", "blue"])
RADIUS = 1.08
"""Radius of the noisy disc around the first centre. It holds 15 % of all rows; without noise its labels are certain."""
IRIS_CUT = "petal width (cm)"


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Rows with a label, and which of them lie in the region of interest."""

    frame: pd.DataFrame
    region: npt.NDArray[np.bool_]

    @property
    def features(self) -> pd.DataFrame:
        """All columns but the label."""
        return self.frame.drop(columns=LABEL)

    def split(self, n: int) -> tuple[Labelled, Labelled]:
        """The first ``n`` rows, and the others."""
        first, rest = self.frame.iloc[:n], self.frame.iloc[n:].reset_index(drop=True)
        return Labelled(first, self.region[:n]), Labelled(rest, self.region[n:])


def clouds(n: int, *, seed: int) -> Labelled:
    """Three classes in the plane that overlap a little, and two columns of pure noise; no label noise.

    Examples
    --------
    >>> list(clouds(100, seed=0).frame)
    ['x', 'y', 'nuisance_1', 'nuisance_2', 'label']
    """
    rng = np.random.default_rng([seed, 1])
    label = rng.integers(0, 3, n)
    points = CENTRES[label] + rng.standard_normal((n, 2))
    names = ["x", "y", "nuisance_1", "nuisance_2"]
    frame = pd.DataFrame(np.column_stack([points, rng.standard_normal((n, 2))]), columns=names)
    return Labelled(frame.assign(**{LABEL: NAMES[label]}), np.linalg.norm(points - CENTRES[0], axis=1) <= RADIUS)


def true_entropy(rows: Labelled, *, noise: float = NOISE) -> npt.NDArray[np.float64]:
    """Entropy of the label of every row of `clouds`, in nats, if labels in the region are noisy.

    A perfect method reports it as aleatoric uncertainty.
    """
    points = rows.frame[["x", "y"]].to_numpy()
    clean = softmax(-0.5 * ((points[:, None, :] - CENTRES[None]) ** 2).sum(axis=2), axis=1)
    swapped = (1 - clean) / 2  # one of the two other classes, equally likely
    mixed = np.where(rows.region[:, None], (1 - noise) * clean + noise * swapped, clean)
    found: npt.NDArray[np.float64] = entr(mixed).sum(axis=1)
    return found


def with_noise(rows: Labelled, *, seed: int, noise: float = NOISE) -> Labelled:
    """Replace a share ``noise`` of the labels in the region, each by another class at random.

    Examples
    --------
    >>> rows = clouds(1_000, seed=0)
    >>> differs = with_noise(rows, seed=0).frame["label"] != rows.frame["label"]
    >>> round(float(differs[rows.region].mean()), 2), int(differs[~rows.region].sum())
    (0.5, 0)
    """
    rng = np.random.default_rng([seed, 2])
    within = np.flatnonzero(rows.region)
    chosen = rng.choice(within, round(noise * len(within)), replace=False)
    names, codes = np.unique(rows.frame[LABEL].to_numpy(dtype=str), return_inverse=True)
    codes[chosen] = (codes[chosen] + rng.integers(1, len(names), len(chosen))) % len(names)
    return replace(rows, frame=rows.frame.assign(**{LABEL: names[codes]}))


def wine(*, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The 178 wines of scikit-learn, split at random: four fifths for training, in random order, and one for testing.

    Examples
    --------
    >>> [len(part) for part in wine(seed=0)]
    [142, 36]
    """
    from sklearn.datasets import load_wine
    from sklearn.model_selection import train_test_split

    frame = _with_label(load_wine(as_frame=True))
    train, test = train_test_split(frame, test_size=0.2, stratify=frame[LABEL], random_state=seed)
    return train.reset_index(drop=True), test.reset_index(drop=True)


def iris() -> Labelled:
    """The 150 rows of iris in scikit-learn; the region is the middle third by petal width.

    Examples
    --------
    >>> rows = iris()
    >>> len(rows.frame), int(rows.region.sum())
    (150, 48)
    """
    from sklearn.datasets import load_iris

    frame = _with_label(load_iris(as_frame=True))
    low, high = frame[IRIS_CUT].quantile([1 / 3, 2 / 3])
    return Labelled(frame, frame[IRIS_CUT].between(low, high, inclusive="left").to_numpy(dtype=bool))


def _with_label(bunch: object) -> pd.DataFrame:
    """Features and class names of a scikit-learn dataset."""
    data, target, names = (getattr(bunch, field) for field in ("data", "target", "target_names"))
    found: pd.DataFrame = data.assign(**{LABEL: np.asarray(names, dtype=str)[target.to_numpy()]})
    return found
