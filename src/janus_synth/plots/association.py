"""Two tables in; heat maps of the associations between columns, real, synthetic and their difference, out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.metrics import association_matrix
from janus_synth.metrics.rows import align, equal_rows
from janus_synth.plots.theme import Chart, altair, apply_theme, inline, shorten, title_of

PANEL = 252.0  # width in pixels of a heat map of a dozen columns
SMALLEST_CELL, LARGEST_CELL = 8.0, 34.0
LEAST_RANGE = 0.1  # smaller differences are mostly sampling error; the colours do not exaggerate them


def association_picture(real: Any, synthetic: Any) -> Chart:
    """Draw the associations between all columns: real, synthetic, and synthetic minus real.

    Pearson's r between numbers, η between levels and numbers, Theil's U between levels, as in
    ``metrics.association_matrix``; the larger table is subsampled to the size of the smaller one.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [4.5, 3, 1.5, 0]})
    >>> chart = association_picture(frame, frame)
    >>> [panel["title"]["text"] for panel in chart.to_dict()["hconcat"]]
    ['real rows', 'synthetic rows', 'synthetic minus real']
    """
    rows = equal_rows(*align(real=real, synthetic=synthetic), seed=0)
    names = rows[0].names
    first, second = (association_matrix(table)[1] for table in rows)
    difference = second - first
    reach = max(LEAST_RANGE, float(np.abs(difference).max()))
    panels = [
        _panel("real rows", names, first, _colour(1.0, legend="association"), labelled=True),
        _panel("synthetic rows", names, second, _colour(1.0)),
        _panel("synthetic minus real", names, difference, _colour(reach, legend="difference, on a separate scale")),
    ]
    chart = altair().hconcat(*panels, spacing=18).resolve_scale(color="independent")
    return apply_theme(chart, "Associations between columns", [_note(names, difference)])


def _panel(title: str, names: Sequence[str], matrix: Floats, colour: Any, *, labelled: bool = False) -> Chart:
    """One heat map; only the first has row labels."""
    labels = _labels(names)
    rows = [
        {"row": labels[i], "column": labels[j], "value": float(matrix[i, j])}
        for i in range(len(names))
        for j in range(len(names))
    ]
    alt = altair()
    cell = min(LARGEST_CELL, max(SMALLEST_CELL, PANEL / len(names)))
    looks = {"ticks": False, "domain": False, "labelFontSize": min(11.0, max(7.5, cell - 2)), "labelLimit": 130}
    return (
        alt.Chart(inline(rows))
        .mark_rect(stroke="white", strokeWidth=0.5 if cell < 14 else 1)
        .encode(
            x=alt.X("column:N", sort=labels, title=None, axis=alt.Axis(labelAngle=-60, **looks)),
            y=alt.Y("row:N", sort=labels, title=None, axis=alt.Axis(**looks) if labelled else None),
            color=colour,
        )
        .properties(width=cell * len(names), height=cell * len(names), title=title_of(title, offset=6))
    )


def _colour(reach: float, *, legend: str | None = None) -> Any:
    """Purple below zero, green above: distinct for colour-blind readers and from the colours of real and synthetic."""
    alt = altair()
    shown = alt.Legend(
        title=legend, orient="bottom", direction="horizontal", gradientLength=170, gradientThickness=9,
        tickCount=5, offset=8, titleAnchor="start",
    )  # fmt: skip
    scale = alt.Scale(scheme="purplegreen", domain=[-reach, reach])
    return alt.Color("value:Q", scale=scale, legend=shown if legend else None)


def _labels(names: Sequence[str]) -> list[str]:
    """Shorten names, keeping them distinct."""
    short = [shorten(name, 20) for name in names]
    return [label if short.count(label) == 1 else f"{label} #{i + 1}" for i, label in enumerate(short)]


def _note(names: Sequence[str], difference: Floats) -> str:
    if len(names) < 2:
        return "A single column has no associations."
    apart = np.abs(np.where(np.eye(len(names), dtype=bool), 0.0, difference))
    mean = float(apart.sum() / (len(names) * (len(names) - 1)))
    i, j = divmod(int(apart.argmax()), len(names))
    return (
        f"Associations differ by {mean:.3f} on average, at most by {apart[i, j]:.2f} "
        f"({shorten(names[i])} and {shorten(names[j])})."
    )
