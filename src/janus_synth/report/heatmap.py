"""Two tables of rows in; heat maps of the associations of their columns out, as cells that a template draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.metrics import association_matrix
from janus_synth.metrics.rows import Rows
from janus_synth.plots.theme import shorten
from janus_synth.report.cards import number

LEAST_RANGE = 0.1
"""Smaller differences are mostly sampling error; the colours do not exaggerate them."""
FAINT = 0.02
"""Cells with less than this share of the full colour are left out."""
LABEL = 14
"""Characters of a name that fit beside a map."""


class Cell(NamedTuple):
    """A coloured cell: its place, its hue (``up`` or ``down``) and the share of the full colour."""

    row: int
    column: int
    hue: str
    strength: float


class HeatMap(NamedTuple):
    """Associations of all pairs of some columns; ``reach`` has the full colour."""

    title: str
    cells: tuple[Cell, ...]
    reach: str
    label: str


class HeatMaps(NamedTuple):
    """Maps with the same columns, what they have in common, and what is to be said about them."""

    labels: tuple[str, ...]
    maps: tuple[HeatMap, ...]
    note: str


def heat_maps(real: Rows, synthetic: Rows) -> HeatMaps:
    """Associations of real rows, of synthetic rows, and their difference.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.metrics.rows import align
    >>> frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [4.5, 3, 1.5, 0]})
    >>> [one.title for one in heat_maps(*align(real=frame, synthetic=frame)).maps]
    ['real rows', 'synthetic rows', 'synthetic minus real']
    """
    first, second = (association_matrix(rows)[1] for rows in (real, synthetic))
    difference = second - first
    reach = max(LEAST_RANGE, float(np.abs(difference).max(initial=0.0)))
    maps = (
        _heat_map("real rows", first, 1.0),
        _heat_map("synthetic rows", second, 1.0),
        _heat_map("synthetic minus real", difference, reach),
    )
    return HeatMaps(_labels(real.names), maps, _note(real.names, difference))


def _heat_map(title: str, matrix: Floats, reach: float) -> HeatMap:
    strengths = np.clip(matrix / reach, -1.0, 1.0)
    places = np.argwhere(np.abs(strengths) >= FAINT).tolist()
    cells = tuple(
        Cell(i, j, "up" if strengths[i, j] > 0 else "down", round(abs(float(strengths[i, j])), 2)) for i, j in places
    )
    return HeatMap(title, cells, number(reach, 2), f"Associations between columns, {title}")


def _labels(names: Sequence[str]) -> tuple[str, ...]:
    """Shorten names, keeping them distinct."""
    short = [shorten(name, LABEL) for name in names]
    return tuple(label if short.count(label) == 1 else f"{label} #{i + 1}" for i, label in enumerate(short))


def _note(names: Sequence[str], difference: Floats) -> str:
    n = len(names)
    if n < 2:
        return "A single column has no associations."
    apart = np.abs(np.where(np.eye(n, dtype=bool), 0.0, difference))
    i, j = divmod(int(apart.argmax()), n)
    mean = float(apart.sum() / (n * (n - 1)))
    return (
        f"Associations differ by {mean:.3f} on average, at most by {apart[i, j]:.2f} "
        f"({shorten(names[i])} and {shorten(names[j])})."
    )
