"""Turn a scalability result into charts: time against columns with the paper's points, and time against rows.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from janus_bench.pictures import decades
from janus_bench.scalability.report import LONG_ROWS, LONG_SECONDS, PAPER, PAPER_SIZES, read_points
from janus_bench.scalability.trial import ALONE
from janus_synth.plots import INK, MUTED, REAL, SYNTHETIC, Chart, altair, apply_theme, inline

if TYPE_CHECKING:
    import pandas as pd

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
    """Charts by name; one needs at least two sizes."""
    points = read_points(result)
    found: dict[str, Chart] = {}
    by_columns, by_rows = points[points["part"] != "C"], points[points["part"] == "C"]
    if by_columns["n_columns"].nunique() > 1:
        found["columns"] = columns_picture(by_columns)
    if by_rows["n_rows"].nunique() > 1:
        found["rows"] = rows_picture(by_rows)
    return found


def columns_picture(points: pd.DataFrame) -> Chart:
    """Seconds of fit and sample against columns, one line per method, including the paper's three points."""
    sizes = sorted({*points["n_columns"], *PAPER_SIZES})
    rows: list[Row] = [{"method": PAPER, "size": n, "seconds": paper.seconds} for n, paper in PAPER_SIZES.items()]
    rows += _mean_times(points, "n_columns", "seconds")
    notes = [
        f"Random structural models with two edges per column, {points['n_rows'].max():,} rows learnt; mean over seeds, "
        "by the clock.",
        "The paper's points come from another machine: compare their slope.",
    ]
    return apply_theme(_lines(rows, sizes, "columns"), "Time to fit and to draw rows, as columns become more", notes)


def rows_picture(points: pd.DataFrame) -> Chart:
    """Seconds of the fit against rows, one line per method, with the target."""
    alt = altair()
    sizes = sorted(points["n_rows"].unique().tolist())
    picture = _lines(_mean_times(points, "n_rows", "fit_seconds"), sizes, "rows")
    if sizes[-1] >= LONG_ROWS:
        goal = alt.Chart(inline([{"seconds": LONG_SECONDS}])).mark_rule(color=MUTED, strokeDash=[4, 3])
        picture = picture + goal.encode(y="seconds:Q")
    first = points.iloc[0]
    notes = [f"{first['table']} made longer, {first['n_columns']} columns; mean over seeds, by the clock."]
    if sizes[-1] >= LONG_ROWS:
        notes.append(f"Dashed: the target for {LONG_ROWS:,} rows, {LONG_SECONDS:.0f} s on two cores.")
    return apply_theme(picture, "Time to fit, as rows become more", notes)


def _mean_times(points: pd.DataFrame, size: str, name: str) -> list[Row]:
    """Mean time of each method at each size."""
    means = points.groupby(["method", size])[name].mean().dropna()
    return [
        {"method": method, "size": n, "seconds": means[method, n]}
        for method in points["method"].unique()
        for n in sorted(means.get(method, means.iloc[:0]).index)
    ]


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
