"""A result on scalability to pictures: time against columns with the paper's points, and time against rows.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from janus_bench.grids import mean_of
from janus_bench.pictures import decades
from janus_bench.scalability.report import LONG_ROWS, LONG_SECONDS
from janus_bench.scalability.summary import PAPER, PAPER_SIZES, ScalabilitySummary
from janus_bench.scalability.trial import ALONE
from janus_synth.plots import INK, MUTED, REAL, SYNTHETIC, Chart, altair, dressed, inline

if TYPE_CHECKING:
    from janus_bench.results import Result

Row = dict[str, Any]

COLOURS = {
    "JANUS, graph given": SYNTHETIC,
    "JANUS": "#8C3D00",
    "JANUS, forest": "#E6AB02",
    "JANUS paper": "#F0A05A",
    ALONE: "#CC79A7",
    "CART": REAL,
    "CART, graph given": "#56B4E9",
    PAPER: INK,
}
"""Warm for JANUS, blue for CART, black for the paper."""


def charts(result: Result) -> dict[str, Chart]:
    """What there are at least two sizes of, by name."""
    summary = ScalabilitySummary.of(result)
    found: dict[str, Chart] = {}
    if len({point.n_columns for point in summary.part("A", "B").points}) > 1:
        found["columns"] = columns_picture(summary.part("A", "B"))
    if len({point.n_rows for point in summary.part("C").points}) > 1:
        found["rows"] = rows_picture(summary.part("C"))
    return found


def columns_picture(summary: ScalabilitySummary) -> Chart:
    """Seconds of fit and sample against columns, a line per method, the paper's three points among them."""
    sizes = sorted({point.n_columns for point in summary.points} | set(PAPER_SIZES))
    rows: list[Row] = [{"method": PAPER, "size": n, "seconds": paper.seconds} for n, paper in PAPER_SIZES.items()]
    for method in summary.methods():
        for n in sizes:
            time = mean_of(p.seconds for p in summary.at(method, n_columns=n))
            if time is not None:
                rows.append({"method": method, "size": n, "seconds": time})
    learnt = max(point.n_rows for point in summary.points)
    notes = [
        f"Random structural models with two edges per column, {learnt:,} rows learnt; mean over seeds, by the clock.",
        "The paper's points come from another machine: compare their slope.",
    ]
    return dressed(_lines(rows, sizes, "columns"), "Time to fit and to draw rows, as columns become more", notes)


def rows_picture(summary: ScalabilitySummary) -> Chart:
    """Seconds of the fit against rows, a line per method, with the target."""
    alt = altair()
    sizes = sorted({point.n_rows for point in summary.points})
    rows: list[Row] = []
    for method in summary.methods():
        for n in sizes:
            time = mean_of(p.fit_seconds for p in summary.at(method, n_rows=n))
            if time is not None:
                rows.append({"method": method, "size": n, "seconds": time})
    picture = _lines(rows, sizes, "rows")
    if sizes[-1] >= LONG_ROWS:
        goal = alt.Chart(inline([{"seconds": LONG_SECONDS}])).mark_rule(color=MUTED, strokeDash=[4, 3])
        picture = picture + goal.encode(y="seconds:Q")
    point = summary.points[0]
    notes = [f"{point.table} made longer, {point.n_columns} columns; mean over seeds, by the clock."]
    if sizes[-1] >= LONG_ROWS:
        notes.append(f"Dashed: the target for {LONG_ROWS:,} rows, {LONG_SECONDS:.0f} s on two cores.")
    return dressed(picture, "Time to fit, as rows become more", notes)


def _lines(rows: list[Row], sizes: list[int], title: str) -> Chart:
    """Lines and points on two logarithmic axes."""
    alt = altair()
    shown = [method for method in COLOURS if any(row["method"] == method for row in rows)]
    scale = alt.Scale(domain=shown, range=[COLOURS[method] for method in shown])
    base = alt.Chart(inline(rows)).encode(
        x=alt.X(
            "size:Q",
            scale=alt.Scale(type="log", domain=[sizes[0], sizes[-1]], nice=False, padding=12),
            axis=alt.Axis(title=title, values=sizes, format=",", grid=False, labelOverlap=True),
        ),
        y=decades("seconds", "seconds", [float(row["seconds"]) for row in rows], vertical=True),
        color=alt.Color(
            "method:N",
            scale=scale,
            legend=alt.Legend(title=None, orient="right", symbolOpacity=1, labelLimit=260),
        ),
    )
    lines = base.mark_line(strokeWidth=1.8, opacity=0.8) + base.mark_point(filled=True, size=60, opacity=1)
    return lines.properties(width=460, height=320)
