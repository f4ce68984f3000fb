"""Uncertainty over the plane of two columns: a seed and sizes in, a grid of measures with the training rows out.

The rows are the noisy clouds of part A with the two columns that matter. The grid reaches beyond them, so that it also
covers places where nothing was learnt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from janus_bench.uncertainty.scenarios import LABEL, clouds, with_noise

AXES = ("x", "y")
MARGIN = 2.0
"""The grid extends this far beyond the rows on every side; the clouds have a standard deviation of 1."""
N_DOTS = 200
"""Training rows that are kept for the picture."""


@dataclass(frozen=True, slots=True)
class Terrain:
    """Measures of the label's uncertainty in every cell of a square grid, row after row of the grid."""

    seed: int
    n_train: int
    axis: list[float]
    """Middles of the cells, the same for both columns."""
    epistemic: list[float]
    aleatoric: list[float]
    support: list[float]
    distance: list[float]
    """From the middle of each cell to the nearest training row."""
    dots: list[list[float]]
    """Some training rows."""


def survey(*, seed: int, n_train: int, n_cells: int) -> list[Terrain]:
    """Fit the label given two columns, and ask about every cell of a grid.

    Examples
    --------
    >>> (found,) = survey(seed=0, n_train=200, n_cells=5)
    >>> len(found.axis), len(found.epistemic)
    (5, 25)
    """
    from scipy.spatial import KDTree

    from janus_synth import Janus

    rows = with_noise(clouds(n_train, seed=seed), seed=seed).frame[[*AXES, LABEL]]
    points = rows[list(AXES)].to_numpy()
    reach = float(np.abs(points).max()) + MARGIN
    edges = np.linspace(-reach, reach, n_cells + 1)
    axis = (edges[1:] + edges[:-1]) / 2
    x, y = np.meshgrid(axis, axis)
    cells = pd.DataFrame({"x": x.ravel(), "y": y.ravel()})
    model = Janus(structure=[(name, LABEL) for name in AXES], random_state=seed, n_jobs=1).fit(rows, progress=False)
    found = model.uncertainty(cells, LABEL)[LABEL]
    distance = KDTree(points).query(cells.to_numpy())[0]
    epistemic, aleatoric, support = (_short(found[name]) for name in ("epistemic", "aleatoric", "support"))
    dots = [_short(point) for point in points[:N_DOTS]]
    return [Terrain(seed, n_train, _short(axis), epistemic, aleatoric, support, _short(distance), dots)]


def _short(values: object) -> list[float]:
    """Four decimals, enough for a picture."""
    return [round(float(value), 4) for value in np.asarray(values)]
