"""Uncertainty for growing training tables in; two learning curves out."""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import DataError
from janus_synth.plots.theme import (
    ALEATORIC,
    EPISTEMIC,
    Chart,
    altair,
    apply_theme,
    inline,
    shorten,
    title_of,
)

WIDTH, HEIGHT = 300, 210
FEW_SIZES = 8
COLOURS = {"epistemic": EPISTEMIC, "aleatoric": ALEATORIC}
TITLES = {"epistemic": "epistemic: more rows would help", "aleatoric": "aleatoric: noise that stays"}


def epistemic_by_size(sizes: Any, epistemic: Any, aleatoric: Any, *, target: str | None = None) -> Chart:
    """Draw aleatoric and epistemic uncertainty by the number of training rows.

    Parameters
    ----------
    sizes : sequence of int
        Training rows of each model, at least 1.
    epistemic, aleatoric : sequence of float
        Mean uncertainty of each model about the same rows, in nats.
    target : str, optional
        Column whose uncertainty it is.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> chart = epistemic_by_size([100, 1_000], [0.3, 0.1], [0.5, 0.55])
    >>> chart.to_dict()["title"]["text"]
    'Uncertainty of the model, by training rows'
    """
    n_rows, *both = (np.asarray(values, dtype=np.float64) for values in (sizes, epistemic, aleatoric))
    if n_rows.ndim != 1 or not len(n_rows) or any(values.shape != n_rows.shape for values in both):
        raise DataError("give as many measures of both kinds as there are sizes, and at least one.")
    if not (n_rows >= 1).all():
        raise DataError(f"a size is {n_rows.min():g}; models learn from at least one row.")
    order = np.argsort(n_rows, kind="stable")
    measures = {name: values[order] for name, values in zip(COLOURS, both, strict=True)}
    panels = [_panel(name, n_rows[order], values) for name, values in measures.items()]
    title = "Uncertainty of the model" if target is None else f"Uncertainty about {shorten(target)}"
    chart = altair().hconcat(*panels, spacing=30)
    return apply_theme(chart, f"{title}, by training rows", _notes(n_rows[order], measures))


def _panel(name: str, n_rows: Floats, values: Floats) -> Chart:
    """A line with points from zero on; rows on a log scale, with a tick for each size if they are few."""
    alt = altair()
    ticks = sorted(set(n_rows.tolist()))
    few = {"values": ticks} if len(ticks) <= FEW_SIZES else {}
    x = alt.X(
        "rows:Q", title="training rows", scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(format="~s", grid=False, labelOverlap="greedy", **few),
    )  # fmt: skip
    y = alt.Y("nats:Q", title="mean, in nats", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    data = inline({"rows": float(n), "nats": float(value)} for n, value in zip(n_rows, values, strict=True))
    lines = alt.Chart(data).mark_line(strokeWidth=2, color=COLOURS[name]).encode(x=x, y=y)
    points = alt.Chart(data).mark_circle(size=55, opacity=1, color=COLOURS[name]).encode(x=x, y=y)
    return alt.layer(lines, points).properties(width=WIDTH, height=HEIGHT, title=title_of(TITLES[name], offset=6))


def _notes(n_rows: Floats, measures: dict[str, Floats]) -> list[str]:
    ends = [
        f"{name} {values[0]:.3f} after {n_rows[0]:,.0f} rows, {values[-1]:.3f} after {n_rows[-1]:,.0f}"
        for name, values in measures.items()
    ]
    return [f"In nats: {'; '.join(ends)}. Each panel has its own scale."]
