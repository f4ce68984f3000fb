"""Turn a structure result into a chart: quality of rows and of interventions against the F1 of edges.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from janus_bench.structure.learners import NONE, REVERSED, TRUE
from janus_bench.structure.report import PAPER, StructureSummary
from janus_bench.versions import REAL_ROWS
from janus_synth.plots import INK, MUTED, REAL, SYNTHETIC, Chart, altair, apply_theme, inline, title_of

if TYPE_CHECKING:
    from janus_bench.results import Result

Row = dict[str, Any]

COLOURS = {
    TRUE: INK,
    "auto": SYNTHETIC,
    "chain": "#F0A05A",
    "forest": "#E6AB02",
    "pc": REAL,
    "ges": "#56B4E9",
    "notears": "#009E73",
    REVERSED: "#CC79A7",
    NONE: MUTED,
}
SHAPES = {"JANUS": "circle", "JANUS paper": "square", "in the paper": "cross"}
PANELS = {
    "mlp": "detection, AUC of an MLP",
    "xgboost": "detection, AUC of XGBoost",
    "do_below": "do error, columns below",
}


def charts(result: Result) -> dict[str, Chart]:
    """The chart by name; empty if nothing was measured."""
    summary = StructureSummary.of(result)
    return {"arrows": arrows_picture(summary)} if summary.trials["directed_f1"].notna().any() else {}


def arrows_picture(summary: StructureSummary) -> Chart:
    """Detection AUC and error of interventions against F1 of arrows, one point per structure and engine."""
    alt = altair()
    panels = [_panel(summary, name, title) for name, title in PANELS.items()]
    notes = [
        "Means over models, a point per structure and engine; the line is what further rows of the true model get.",
        "Down is better in all panels, right is nearer to the true graph.",
    ]
    return apply_theme(
        alt.hconcat(*panels, spacing=36), "Rows and interventions against the quality of the graph", notes
    )


def _panel(summary: StructureSummary, measure: str, title: str) -> Chart:
    alt = altair()
    rows = _rows(summary, measure)
    structures = [name for name in COLOURS if any(row["structure"] == name for row in rows)]
    engines = [name for name in SHAPES if any(row["engine"] == name for row in rows)]
    colours = alt.Scale(domain=structures, range=[COLOURS[name] for name in structures])
    shapes = alt.Scale(domain=engines, range=[SHAPES[name] for name in engines])
    points = alt.Chart(inline(rows)).mark_point(filled=True, size=110, opacity=0.9)
    encoded = points.encode(
        x=alt.X("f1:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(title="F1 of arrows", tickCount=5)),
        y=alt.Y("value:Q", scale=alt.Scale(zero=measure == "do_below"), axis=alt.Axis(title=None, tickCount=6)),
        color=alt.Color("structure:N", scale=colours, legend=alt.Legend(title=None, orient="right")),
        shape=alt.Shape("engine:N", scale=shapes, legend=alt.Legend(title=None, orient="right")),
    )
    best = summary.mean(REAL_ROWS, REAL_ROWS, measure)
    floor = alt.Chart(inline([] if isnan(best) else [{"value": best}])).mark_rule(color=MUTED, strokeDash=[4, 3])
    return (floor.encode(y="value:Q") + encoded).properties(width=250, height=240, title=title_of(title))


def _rows(summary: StructureSummary, measure: str) -> list[Row]:
    rows: list[Row] = []
    for engine, structures in summary.structures.items():
        for structure in structures:
            f1, value = (summary.mean(engine, structure, name) for name in ("directed_f1", measure))
            if not (isnan(f1) or isnan(value)):
                rows.append({"engine": engine, "structure": structure, "f1": f1, "value": value})
    if measure == "mlp":
        rows += [
            {"engine": "in the paper", "structure": structure, "f1": paper.f1, "value": paper.mlp}
            for structure, paper in PAPER.items()
            if any(row["structure"] == structure for row in rows)
        ]
    return rows
