"""What the pictures of all benchmarks share: axes of decades, and files beside the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from pathlib import Path

from janus_synth.interfaces.pictures.theme import Chart, altair, to_svg


def write_charts(charts: Mapping[str, Chart], stem: Path) -> str:
    """Write charts as SVG files named after the stem and their keys, and say so."""
    paths = {stem.with_name(f"{stem.name}-{ending}.svg"): chart for ending, chart in charts.items()}
    for path, chart in paths.items():
        path.write_text(to_svg(chart), encoding="utf-8")
    return f"wrote {' and '.join(map(str, paths))}" if paths else "no pictures: nothing was measured that is drawn"


def decades(field: str, title: str, values: Sequence[float], *, vertical: bool = False, **axis: bool) -> object:
    """A logarithmic channel that spans whole decades, with a tick at each."""
    alt = altair()
    low, high = floor(log10(min(values, default=1))), ceil(log10(max(values, default=1)))
    ticks = [float(f"1e{power}") for power in range(low, max(high, low + 1) + 1)]
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
    channel = alt.Y if vertical else alt.X
    return channel(f"{field}:Q", scale=scale, axis=alt.Axis(title=title, format=",~g", values=ticks, **axis))
