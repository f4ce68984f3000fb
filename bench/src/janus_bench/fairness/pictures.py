"""Turn a fairness result into charts: detection curves, parity and proxy gaps, a pipeline, and a forbidden zone.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from janus_bench.fairness.experiments import (
    EQUAL_PAY,
    SETTINGS,
    hiring_model,
)
from janus_bench.fairness.scenarios import PIPELINE
from janus_bench.fairness.summary import FairnessSummary
from janus_bench.grids import each_row, percent
from janus_synth.plots import (
    FAINT,
    INK,
    MUTED,
    REAL,
    SYNTHETIC,
    Chart,
    altair,
    apply_theme,
    detection_curve,
    inline,
    title_of,
    zone_picture,
)

if TYPE_CHECKING:
    from janus_bench.results import Result

Row = dict[str, Any]

SHADES = {"all three": SYNTHETIC, "first alone": "#56B4E9", "second alone": REAL, "last alone": MUTED}


def charts(result: Result) -> dict[str, Chart]:
    """Charts by name, for the parts that have records."""
    summary = FairnessSummary.of(result)
    found: dict[str, Chart] = {}
    if summary.cases("A"):
        found["detection"] = detection_picture(summary)
    if summary.cases("B"):
        found["proxy"] = proxy_picture(summary)
    if len(summary.stages):
        found["pipeline"] = pipeline_picture(summary)
    if len(summary.pays):
        found["pay"] = pay_picture(summary)
    return found


def detection_picture(summary: FairnessSummary) -> Chart:
    """Measured gap against planted gap, one line per algorithm."""
    rows: list[Row] = []
    for case, magnitude in summary.cases("A"):
        for name in summary.names("A"):
            own = summary.seeds("A", case, magnitude, name)
            if own:
                rows.append(
                    {
                        "bias": f"{summary.table}, {case} world",
                        "algorithm": name,
                        "planted": own.figure("main", "planted"),
                        "excess": own.gap("main", "excess"),
                        "excess_low": own.gap("main", "excess", "low"),
                        "excess_high": own.gap("main", "excess", "high"),
                        "degenerate": own.mostly(lambda trial: bool(trial.degenerate)),
                    }
                )
    return detection_curve(pd.DataFrame(rows))


def proxy_picture(summary: FairnessSummary) -> Chart:
    """Parity and proxy gap of every algorithm with intervals, one panel per baseline world."""
    alt = altair()
    panels = [_proxy_panel(summary, world, magnitude) for world, magnitude in summary.cases("B")]
    mediator = summary.options["mediator"]
    notes = [
        f"Bias through {mediator}. Parity: men less women. Proxy: better half by {mediator} less worse half.",
        "Bars are 95 % intervals over splits; the tick is the twin's gap, without the bias.",
    ]
    title = f"Parity by sex and by the mediator, {summary.table}"
    return apply_theme(alt.hconcat(*panels, spacing=40), title, notes)


def _proxy_panel(summary: FairnessSummary, world: str, magnitude: float) -> Chart:
    alt = altair()
    rows: list[Row] = []
    for name in summary.names("B"):
        own = summary.seeds("B", world, magnitude, name)
        for gap in ("parity", "proxy"):
            if own:
                ends = {end: own.gap(gap, "gap", end) for end in ("value", "low", "high")}
                rows.append({"algorithm": name, "gap": gap, "twin": own.gap(gap, "twin"), **ends})
    scale = alt.Scale(domain=["parity", "proxy"], range=[REAL, SYNTHETIC])
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("algorithm:N", sort=summary.names("B"), axis=alt.Axis(title=None, labelLimit=200, ticks=False)),
        yOffset=alt.YOffset("gap:N", sort=["parity", "proxy"]),
        color=alt.Color("gap:N", scale=scale, legend=alt.Legend(title=None, orient="top", symbolOpacity=1)),
    )
    bars = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=alt.X("low:Q"), x2="high:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", axis=alt.Axis(title="share favoured, difference", tickCount=6))
    )
    ticks = base.mark_tick(size=14, thickness=2, color=INK).encode(x="twin:Q", color=alt.value(INK))
    zero = alt.Chart(inline([{"value": 0}])).mark_rule(color=FAINT).encode(x="value:Q")
    height = 40 * len(summary.names("B")) + 20
    return alt.layer(zero, bars, dots, ticks).properties(width=300, height=height, title=title_of(f"{world} world"))


def pipeline_picture(summary: FairnessSummary) -> Chart:
    """Relative disadvantage at every stage, one bar per set of biased stages."""
    alt = altair()
    means = summary.stage_means.reset_index()
    rows: list[Row] = [
        {"setting": setting, "stage": f"{own.stage}. {own.outcome}", "share": own.disadvantage}
        for setting in SETTINGS
        for own in each_row(means[means["setting"] == setting].sort_values("stage"))
    ]
    stages = list(dict.fromkeys(row["stage"] for row in rows))
    chart = (
        alt.Chart(inline(rows))
        .mark_bar(stroke=INK, strokeWidth=0.4)
        .encode(
            x=alt.X("stage:N", sort=stages, axis=alt.Axis(title=None, labelAngle=0, domain=False, ticks=False)),
            xOffset=alt.XOffset("setting:N", sort=list(SETTINGS)),
            y=alt.Y("share:Q", axis=alt.Axis(title="favourable outcomes lost by women", format="%", tickCount=6)),
            color=alt.Color(
                "setting:N",
                scale=alt.Scale(domain=list(SETTINGS), range=[SHADES[setting] for setting in SETTINGS]),
                legend=alt.Legend(title="stages biased", orient="right", symbolOpacity=1),
            ),
        )
        .properties(width=420, height=260)
    )
    notes = [
        f"{percent(PIPELINE, 0)} of women's favourable outcomes turned at each biased stage; the rest is handed down."
    ]
    return apply_theme(chart, f"What biased stages hand down, {summary.table}", notes)


def pay_picture(summary: FairnessSummary) -> Chart:
    """Real rows, and rows sampled under the rule, with the zone that the rule forbids."""
    seed = int(summary.pays["seed"].iloc[0])
    model, frame = hiring_model(seed, summary.options["sizes"]["n_pay"])
    kept = model.sample(len(frame), where=EQUAL_PAY, random_state=seed)
    return zone_picture(frame, kept, x="requested_salary", y="offered_salary")
