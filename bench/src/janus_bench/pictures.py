"""Parts of charts that several benchmarks share: logarithmic axes and dot plots; numbers in, Altair objects out."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from statistics import fmean
from typing import NamedTuple

from janus_synth.plots import (
    INK,
    REAL,
    SYNTHETIC,
    Chart,
    altair,
    inline,
    title_of,
)

PANEL_WIDTH = 230


class Dot(NamedTuple):
    """One measurement of a method; ``ours`` marks JANUS."""

    method: str
    value: float
    ours: bool


def decades(field: str, title: str, values: Sequence[float], *, vertical: bool = False, **axis: bool) -> object:
    """An Altair channel with a logarithmic axis over whole decades and a tick at each power of ten."""
    alt = altair()
    low, high = floor(log10(min(values, default=1))), ceil(log10(max(values, default=1)))
    ticks = [float(f"1e{power}") for power in range(low, max(high, low + 1) + 1)]
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
    channel = alt.Y if vertical else alt.X
    return channel(f"{field}:Q", scale=scale, axis=alt.Axis(title=title, format=",~g", values=ticks, **axis))


def dot_panel(dots: Sequence[Dot], x: object, methods: Sequence[str], *, title: str, labelled: bool = True) -> Chart:
    """A dot plot with a row per method: a dot per measurement and a tick at their mean; JANUS is in colour."""
    alt = altair()
    axis = alt.Axis(title=None, labelLimit=260, grid=True, labels=labelled)
    y = alt.Y("method:N", sort=list(methods), scale=alt.Scale(domain=list(methods)), axis=axis)
    colour = alt.Color("ours:N", scale=alt.Scale(domain=[True, False], range=[SYNTHETIC, REAL]), legend=None)
    rows = [dot._asdict() for dot in dots]
    means = [
        {"method": method, "value": fmean(values)}
        for method in methods
        if (values := [dot.value for dot in dots if dot.method == method])
    ]
    circles = alt.Chart(inline(rows)).mark_circle(size=28, opacity=0.45).encode(x=x, y=y, color=colour)
    ticks = alt.Chart(inline(means)).mark_tick(thickness=2.5, size=14, color=INK).encode(x=x, y=y)
    return (circles + ticks).properties(width=PANEL_WIDTH, height=20 * len(methods), title=title_of(title))
