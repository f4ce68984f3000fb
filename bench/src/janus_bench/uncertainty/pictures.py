"""Turn an uncertainty result into charts: epistemic uncertainty by training size, and both kinds in a noisy region.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from janus_bench.uncertainty.experiments import CLOUDS, TRUTH, WINE
from janus_bench.uncertainty.methods import JANUS, PAPER
from janus_bench.uncertainty.report import UncertaintySummary
from janus_synth.plots import (
    FAINT,
    INK,
    REAL,
    SYNTHETIC,
    Chart,
    altair,
    dressed,
    inline,
    title_of,
)

if TYPE_CHECKING:
    from janus_bench.results import Result

Row = dict[str, Any]

OURS = {JANUS: SYNTHETIC, PAPER: "#F0A05A"}
RIVALS = (REAL, "#009E73", "#CC79A7")
SIDES = {"inside": SYNTHETIC, "outside": FAINT}


def charts(result: Result) -> dict[str, Chart]:
    """Charts by name, for the parts that have records."""
    summary = UncertaintySummary.of(result)
    found: dict[str, Chart] = {}
    if len(summary.growths):
        found["size"] = size_picture(summary)
    if len(summary.detections):
        found["region"] = region_picture(summary)
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
    return dressed(alt.hconcat(*panels, spacing=40), "Epistemic uncertainty against training size", notes)


def region_picture(summary: UncertaintySummary) -> Chart:
    """Aleatoric and epistemic uncertainty inside and outside the noisy region, bars by method."""
    alt = altair()
    names = [name for name in [TRUTH, *summary.methods] if name in set(summary.detections["method"])]
    panels = [_region_panel(summary, names, kind) for kind in ("aleatoric", "epistemic")]
    notes = [
        "Half of the labels inside were replaced before learning. That is aleatoric: more rows do not take it away.",
        "Means of new rows over all seeds, in nats. Scales differ.",
    ]
    return dressed(alt.hconcat(*panels, spacing=40), "What methods say of a region with noisy labels", notes)


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
