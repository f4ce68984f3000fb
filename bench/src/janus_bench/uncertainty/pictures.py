"""Turn an uncertainty result into charts: by training size, inside and outside a noisy region, and over a plane.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.uncertainty.experiments import CLOUDS, TRUTH, WINE
from janus_bench.uncertainty.methods import JANUS, PAPER
from janus_bench.uncertainty.report import UncertaintySummary
from janus_bench.uncertainty.terrain import AXES, Terrain
from janus_synth.plots import (
    FAINT,
    INK,
    REAL,
    SYNTHETIC,
    Chart,
    altair,
    apply_theme,
    inline,
    title_of,
)

if TYPE_CHECKING:
    from janus_bench.results import Result

Row = dict[str, Any]

OURS = {JANUS: SYNTHETIC, PAPER: "#F0A05A"}
RIVALS = (REAL, "#009E73", "#CC79A7")
SIDES = {"inside": SYNTHETIC, "outside": FAINT}
N_SHADES = 8
"""Shades of a map; neighbouring cells of one shade are drawn as one, which keeps the file small."""
MAPS = {
    "epistemic": ("epistemic: more rows would help", "purples"),
    "aleatoric": ("aleatoric: noise that stays", "greens"),
}


def charts(result: Result) -> dict[str, Chart]:
    """Charts by name, for the parts that have records."""
    summary = UncertaintySummary.of(result)
    found: dict[str, Chart] = {}
    if len(summary.growths):
        found["size"] = size_picture(summary)
    if len(summary.detections):
        found["region"] = region_picture(summary)
    for _, row in result.frame(Terrain).iterrows():
        found["terrain"] = terrain_picture(row)
    return found


def size_picture(summary: UncertaintySummary) -> Chart:
    """Mean epistemic uncertainty against the number of training rows, a panel per table."""
    alt = altair()
    tables = {table: _points(summary, table) for table in (WINE, CLOUDS)}
    panels = [_size_panel(summary, table, rows) for table, rows in tables.items() if rows]
    notes = [
        "Mean over the same held-out rows and all seeds, in nats; rows to learn from on a logarithmic scale.",
        "What a method does not know, it should know better from more rows: towards 0.",
    ]
    return apply_theme(alt.hconcat(*panels, spacing=40), "Epistemic uncertainty against training size", notes)


def region_picture(summary: UncertaintySummary) -> Chart:
    """Aleatoric and epistemic uncertainty inside and outside the noisy region, bars by method."""
    alt = altair()
    names = [name for name in [TRUTH, *summary.methods] if name in set(summary.detections["method"])]
    panels = [_region_panel(summary, names, kind) for kind in ("aleatoric", "epistemic")]
    notes = [
        "Half of the labels inside were replaced before learning. That is aleatoric: more rows do not take it away.",
        "Means of new rows over all seeds, in nats. Scales differ.",
    ]
    return apply_theme(alt.hconcat(*panels, spacing=40), "What methods say of a region with noisy labels", notes)


def _points(summary: UncertaintySummary, table: str) -> list[Row]:
    return [
        {"method": method, "rows": n, "epistemic": mean}
        for method in summary.methods
        for n, mean in summary.curve(table, method).items()
    ]


def _size_panel(summary: UncertaintySummary, table: str, rows: list[Row]) -> Chart:
    alt = altair()
    sizes = sorted({int(row["rows"]) for row in rows})
    rivals = [method for method in summary.methods if method not in OURS]
    colours = OURS | dict(zip(rivals, cycle(RIVALS)))
    shown = [method for method in summary.methods if any(row["method"] == method for row in rows)]
    scale = alt.Scale(domain=shown, range=[colours[method] for method in shown])
    base = alt.Chart(inline(rows)).encode(
        x=alt.X(
            "rows:Q",
            scale=alt.Scale(type="log", domain=[sizes[0], sizes[-1]], nice=False, padding=12),
            axis=alt.Axis(title="rows learnt", values=sizes, format=",", grid=False, labelOverlap=True),
        ),
        y=alt.Y("epistemic:Q", axis=alt.Axis(title="epistemic, nats", tickCount=5)),
        color=alt.Color("method:N", scale=scale, legend=alt.Legend(title=None, orient="right", symbolOpacity=1)),
    )
    lines = base.mark_line(strokeWidth=1.8, opacity=0.8) + base.mark_point(filled=True, size=60, opacity=1)
    return lines.properties(width=320, height=240, title=title_of(table))


def _region_panel(summary: UncertaintySummary, names: list[str], kind: str) -> Chart:
    alt = altair()
    means = summary.detections.groupby("method").mean(numeric_only=True)
    rows = [
        {"method": name, "side": side, "nats": means.at[name, f"{kind}_{side}"]} for name in names for side in SIDES
    ]
    bars = alt.Chart(inline(rows)).mark_bar(stroke=INK, strokeWidth=0.4)
    legend = alt.Legend(title=None, orient="top", symbolType="square", symbolSize=160, symbolOpacity=1)
    encoded = bars.encode(
        y=alt.Y("method:N", sort=names, axis=alt.Axis(title=None, domain=False, ticks=False, labelLimit=200)),
        yOffset=alt.YOffset("side:N", sort=list(SIDES)),
        x=alt.X("nats:Q", axis=alt.Axis(title=f"{kind}, nats", tickCount=5)),
        color=alt.Color("side:N", scale=alt.Scale(domain=list(SIDES), range=list(SIDES.values())), legend=legend),
    )
    return encoded.properties(width=300, height=34 * len(names) + 20, title=title_of(kind))


def terrain_picture(found: Any) -> Chart:
    """Epistemic and aleatoric uncertainty over a plane, with the training rows as dots."""
    panels = [_map_panel(found, kind) for kind in MAPS]
    notes = [
        f"Darker: more uncertain, in nats; each map has its own scale. Dots: {len(found['dots']):,} of "
        f"{found['n_train']:,} training rows.",
        "Half of the labels around the centre of the upper cloud were replaced. Beyond the rows nothing was learnt.",
    ]
    chart = altair().hconcat(*panels, spacing=30).resolve_scale(color="independent")
    return apply_theme(chart, "Uncertainty about the label over two columns", notes)


def _map_panel(found: Any, kind: str) -> Chart:
    alt = altair()
    title, scheme = MAPS[kind]
    axis, values = np.array(found["axis"]), np.array(found[kind])
    low, high = float(values.min()), float(values.max())
    half = (axis[1] - axis[0]) / 2
    ends = [float(axis[0] - half), float(axis[-1] + half)]
    x, y = (
        channel(
            f"{name}:Q", scale=alt.Scale(domain=ends, nice=False), axis=alt.Axis(title=name, tickCount=5, grid=False)
        )
        for channel, name in zip((alt.X, alt.Y), AXES, strict=True)
    )
    shades = np.minimum(((values - low) / max(high - low, 1e-12) * N_SHADES).astype(int), N_SHADES - 1)
    data = inline(_runs(shades.reshape(len(axis), -1), axis, half, low, (high - low) / N_SHADES))
    legend = alt.Legend(title="nats", orient="bottom", direction="horizontal", gradientLength=190, gradientThickness=9)
    colour = alt.Color("value:Q", scale=alt.Scale(scheme=scheme, domain=[low, high]), legend=legend)
    cells = alt.Chart(data).mark_rect(clip=True).encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=colour)
    dots = alt.Chart(inline({"x": a, "y": b} for a, b in found["dots"])).mark_circle(color=INK, size=8, opacity=0.45)
    return (cells + dots.encode(x=x, y=y)).properties(width=320, height=320, title=title_of(title))


def _runs(shades: Any, axis: Any, half: float, low: float, step: float) -> list[Row]:
    """Rectangles of neighbouring cells with one shade; slightly too large, or white lines would show between them."""
    found: list[Row] = []
    over = 0.08 * half
    for y, line in zip(axis, shades, strict=True):
        for shade, run in groupby(range(len(line)), key=line.__getitem__):
            cells: Sequence[int] = list(run)
            found.append(
                {
                    "x": round(float(axis[cells[0]] - half - over), 3),
                    "x2": round(float(axis[cells[-1]] + half + over), 3),
                    "y": round(float(y - half - over), 3),
                    "y2": round(float(y + half + over), 3),
                    "value": round(low + (int(shade) + 0.5) * step, 4),
                }
            )
    return found
