"""Two tables and two numeric columns in; scatter plots that shade what a rule ``y >= x`` forbids out."""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.pages import REAL, SYNTHETIC, percent
from janus_synth.plots.theme import FAINT, MUTED, Chart, altair, apply_theme, inline, title_of
from janus_synth.table import read_table

SIDE = 330
MOST_POINTS = 900
TAIL = 0.002
"""Share of the rows that may lie beyond either end of the axes."""


def zone_picture(real: Any, synthetic: Any, *, x: str, y: str) -> Chart:
    """Draw two columns of real and of synthetic rows, and shade where ``y`` is below ``x``.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with both columns, which are numeric; pandas, polars or pyarrow. Rows without one of the two are left
        out, and of many rows the first 900 are drawn.
    x, y : str
        Columns of the rule ``y >= x``.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"asked": [3.5, 4, 5], "paid": [3, 4.5, 5]})
    >>> chart = zone_picture(real, real[1:], x="asked", y="paid")
    >>> [panel["title"]["text"] for panel in chart.to_dict()["hconcat"]]
    ['real rows: 66.7 % outside the zone', 'synthetic rows: 100 % outside the zone']
    """
    points = {"real": _points(real, x, y), "synthetic": _points(synthetic, x, y)}
    low, high = _span(np.concatenate(list(points.values()), axis=1))
    colours = {"real": REAL, "synthetic": SYNTHETIC}
    panels = [
        _panel(source, points[source], colours[source], names=(x, y), ends=(low, high)) for source in points
    ]  # fmt: skip
    note = f"Shown are rows with both values: {' and '.join(_count(source, points[source]) for source in points)} rows."
    return apply_theme(altair().hconcat(*panels, spacing=34), f"{y} against {x}", [note])


def _count(source: str, pair: Floats) -> str:
    n_rows = pair.shape[1]
    return f"{n_rows:,} {source}" if n_rows <= MOST_POINTS else f"{MOST_POINTS:,} of {n_rows:,} {source}"


def _points(frame: Any, x: str, y: str) -> Floats:
    """(2, rows) values of rows that have both."""
    table = read_table(frame, {name: {"kind": "numeric"} for name in (x, y)}, columns=(x, y))
    pair = np.array([table[x], table[y]], dtype=np.float64)
    return pair[:, np.isfinite(pair).all(axis=0)]


def _span(pair: Floats) -> tuple[float, float]:
    """Choose the ends of both axes from extreme quantiles, so that outliers do not dominate."""
    if not pair.size:
        return 0.0, 1.0
    low, high = (float(end) for end in np.quantile(pair, [TAIL, 1 - TAIL]))
    room = (high - low) / 20 or 1.0
    return low - room, high + room


def _panel(source: str, pair: Floats, colour: str, *, names: tuple[str, str], ends: tuple[float, float]) -> Chart:
    """One scatter plot over its zone."""
    alt = altair()
    low, high = ends
    scale = alt.Scale(domain=[low, high], nice=False, zero=False, clamp=False)
    axes = {
        "x": alt.X("x:Q", title=names[0], scale=scale, axis=alt.Axis(format="~s", tickCount=6)),
        "y": alt.Y("y:Q", title=names[1], scale=scale, axis=alt.Axis(format="~s", tickCount=6)),
    }
    corners = inline([{"x": low, "y": low, "floor": low}, {"x": high, "y": high, "floor": low}])
    zone = alt.Chart(corners).mark_area(color=FAINT, opacity=0.75).encode(**axes, y2=alt.Y2("floor:Q"))
    place = inline([{"x": high - 0.03 * (high - low), "y": low + 0.05 * (high - low), "text": "forbidden"}])
    label = alt.Chart(place).mark_text(align="right", color=MUTED, fontSize=12).encode(**axes, text="text:N")
    few = pair[:, :MOST_POINTS]
    cells = inline({"x": float(at), "y": float(to)} for at, to in few.T)
    dots = alt.Chart(cells).mark_circle(color=colour, size=12, opacity=0.45, clip=True).encode(**axes)
    outside = float((pair[1] >= pair[0]).mean()) if pair.size else float("nan")
    title = title_of(f"{source} rows: {percent(outside)} outside the zone", offset=6)
    return alt.layer(zone, label, dots).properties(width=SIDE, height=SIDE, title=title)
