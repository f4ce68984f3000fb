"""Audits of a suite in; curves of the gap found in scores against the planted gap out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.errors import DataError
from janus_synth.plots.theme import FAINT, MUTED, Chart, altair, apply_theme, inline, shorten, title_of

SIDE = 300
COLOURS = ("#0072B2", "#D55E00", "#1b7837", "#762a83", "#8c6d1f", "#5f6b7a")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
NEEDED = ("bias", "algorithm", "planted", "excess", "excess_low", "excess_high", "degenerate")


def detection_curve(suite: Any) -> Chart:
    """Draw, for each kind of bias, how much of a planted gap appears in the scores of each algorithm.

    Parameters
    ----------
    suite : Suite or DataFrame
        Result of ``fairness.audit_suite``, or its ``to_frame()``.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> import pandas as pd
    >>> audits = pd.DataFrame({"bias": ["direct"] * 2, "algorithm": ["logistic"] * 2, "planted": [0.0, 0.1],
    ...                        "excess": [0.0, 0.08], "excess_low": [0.0, 0.05], "excess_high": [0.0, 0.11],
    ...                        "degenerate": ["", ""]})
    >>> detection_curve(audits).to_dict()["title"]["text"]
    'Bias found against bias planted'
    """
    frame = suite if hasattr(suite, "columns") else suite.to_frame()
    rows = [dict(zip(NEEDED, values, strict=True)) for values in zip(*(frame[name] for name in NEEDED), strict=True)]
    if not rows:
        raise DataError("the suite holds no audits to draw.")
    algorithms, kinds = (list(dict.fromkeys(row[name] for row in rows)) for name in ("algorithm", "bias"))
    low, high = _ends(rows)
    panels = [_panel(kind, [r for r in rows if r["bias"] == kind], algorithms, (low, high)) for kind in kinds]
    n_degenerate = sum(bool(row["degenerate"]) for row in rows)
    notes = [
        "Score: mean predicted probability of the favourable outcome. Dashed line: the whole planted gap; solid line: "
        "no gap."
    ]
    if n_degenerate:
        notes.append(f"Hollow: degenerate decisions ({n_degenerate} of {len(rows)} audits).")
    return apply_theme(altair().hconcat(*panels, spacing=30), "Bias found against bias planted", notes)


def _ends(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Ends of the vertical axis."""
    values = [float(row[name]) for row in rows for name in ("planted", "excess", "excess_low", "excess_high")]
    finite = [value for value in values if np.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    room = (high - low) / 20 or 0.05
    return low - room, high + room


def _span(planted: Sequence[float]) -> list[float]:
    """Ends of the horizontal axis, with room for points at them."""
    low, high = min([0.0, *planted]), max([0.02, *planted])
    room = (high - low) / 25
    return [low - room, high + room]


def _panel(kind: str, rows: Sequence[dict[str, Any]], algorithms: list[str], ends: tuple[float, float]) -> Chart:
    alt = altair()
    planted = [float(row["planted"]) for row in rows]
    span = _span(planted)
    x = alt.X(
        "planted:Q", title="planted gap in the outcome", axis=alt.Axis(format=".0%", tickCount=5),
        scale=alt.Scale(domain=span, nice=False),
    )  # fmt: skip
    y = alt.Y(
        "excess:Q", title="gap added to the scores", axis=alt.Axis(format=".0%", tickCount=6),
        scale=alt.Scale(domain=list(ends), nice=False),
    )  # fmt: skip
    one_legend = alt.Legend(title=None, orient="bottom", columns=3, symbolSize=90, symbolOpacity=1)
    colour = alt.Color(
        "algorithm:N", scale=alt.Scale(domain=algorithms, range=list(COLOURS)[: len(algorithms)]), legend=one_legend
    )
    shape = alt.Shape("algorithm:N", scale=alt.Scale(domain=algorithms, range=list(SHAPES)[: len(algorithms)]))
    cells = inline(
        {
            "algorithm": row["algorithm"],
            "hollow": bool(row["degenerate"]),
            **{name: float(row[name]) for name in ("planted", "excess", "excess_low", "excess_high")},
        }
        for row in sorted(rows, key=lambda row: float(row["planted"]))
    )
    chart = alt.Chart(cells)
    filled = alt.condition("datum.hollow", alt.value("white"), colour)
    layers = [
        _line(span, slope=0.0, x=x, y=y, dashed=False),
        _line(span, slope=1.0, x=x, y=y, dashed=True),
        chart.mark_rule(opacity=0.55, clip=True).encode(
            x, alt.Y("excess_low:Q", title=""), alt.Y2("excess_high:Q"), colour
        ),
        chart.mark_line(strokeWidth=1.6, clip=True).encode(x, y, colour),
        chart.mark_point(size=62, opacity=1, clip=True, strokeWidth=1.6).encode(x, y, colour, shape, fill=filled),
    ]
    return alt.layer(*layers).properties(width=SIDE, height=SIDE, title=title_of(shorten(kind, 40), offset=6))


def _line(span: Sequence[float], *, slope: float, x: Any, y: Any, dashed: bool) -> Chart:
    """Draw the line of no gap, or of the whole planted gap."""
    data = inline({"planted": end, "excess": slope * end} for end in span)
    look = {"strokeDash": [5, 4], "color": MUTED} if dashed else {"color": FAINT}
    return altair().Chart(data).mark_line(strokeWidth=1.2, clip=True, **look).encode(x, y)
