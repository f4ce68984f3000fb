"""What the pictures of all benchmarks share: axes of decades, and files beside the tables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from janus_synth.bench.results import Kind
from janus_synth.interfaces.pictures.theme import Chart, altair, missing_extra, to_png, to_svg

if TYPE_CHECKING:
    from janus_synth.bench.results import Result


CHARTS: dict[Kind, str] = {
    "constrained": "constrained.pictures:charts",
    "uncertainty": "uncertainty.pictures:charts",
    "counterfactual": "counterfactual.pictures:charts",
    "fairness": "fairness.pictures:charts",
}
"""Who draws each kind of result that is drawn: charts by the endings of their files' names."""
SCALE = 2
"""Pixels of a PNG per unit of its SVG."""


def write_pictures(result: Result, stem: Path) -> str:
    """Write a result's charts as SVG and PNG files named after the stem, and say so, or say what is missing."""
    if result.kind not in CHARTS:
        return ""
    missing = missing_extra()
    if missing is not None:
        return f"no pictures: {missing}"
    module, _, name = CHARTS[result.kind].partition(":")
    charts: dict[str, Chart] = getattr(import_module(f"janus_synth.bench.{module}"), name)(result)
    paths = [stem.with_name(f"{stem.name}-{ending}.svg") for ending in charts]
    for path, chart in zip(paths, charts.values(), strict=True):
        path.write_text(to_svg(chart), encoding="utf-8")
        path.with_suffix(".png").write_bytes(to_png(chart, scale=SCALE))
    listed = " and ".join(map(str, paths))
    return f"wrote {listed}, and the same as PNG" if paths else "no pictures: nothing was measured that is drawn"


def decades(field: str, title: str, values: Sequence[float], *, vertical: bool = False, **axis: bool) -> object:
    """A logarithmic channel that spans whole decades, with a tick at each."""
    alt = altair()
    low, high = floor(log10(min(values, default=1))), ceil(log10(max(values, default=1)))
    ticks = [float(f"1e{power}") for power in range(low, max(high, low + 1) + 1)]
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
    channel = alt.Y if vertical else alt.X
    return channel(f"{field}:Q", scale=scale, axis=alt.Axis(title=title, format=",~g", values=ticks, **axis))
