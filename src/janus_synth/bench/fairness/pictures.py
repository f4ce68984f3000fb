"""A result on fairness to pictures: detection curves, two kinds of fairness, a pipeline, and a forbidden zone.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from janus_synth.bench.fairness.board import Board, mean, percent
from janus_synth.bench.fairness.experiments import (
    BOOSTING,
    EQUAL_PAY,
    GRADIENT,
    LOGISTIC,
    MAJORITY,
    SETTINGS,
    THRESHOLD,
    hiring_model,
)
from janus_synth.bench.fairness.scenarios import PIPELINE
from janus_synth.bench.pictures import write_charts
from janus_synth.interfaces.pictures import zone_picture
from janus_synth.interfaces.pictures.theme import (
    FAINT,
    INK,
    MUTED,
    REAL,
    SYNTHETIC,
    Chart,
    altair,
    dressed,
    inline,
    missing_extra,
    title_of,
)

if TYPE_CHECKING:
    from janus_synth.bench.results import Result

Row = dict[str, Any]

COLOURS = {LOGISTIC: REAL, BOOSTING: "#56B4E9", GRADIENT: SYNTHETIC, THRESHOLD: "#009E73", MAJORITY: MUTED}
"""Of the Okabe–Ito palette: plain learners blue, mitigators warm and green, the control grey."""
SHADES = {"all three": SYNTHETIC, "first alone": "#56B4E9", "second alone": REAL, "last alone": MUTED}
ROOM = 0.012
"""By which dots of algorithms stand apart, as a share of the axis."""


def write_pictures(result: Result, stem: Path) -> str:
    """Write what there are records for beside the other files, and say so, or say what is missing."""
    missing = missing_extra()
    if missing is not None:
        return f"no pictures: {missing}"
    board = Board.of(result)
    charts: dict[str, Chart] = {}
    if board.cases("A"):
        charts["detection"] = detection_picture(board)
    if board.cases("B"):
        charts["proxy"] = proxy_picture(board)
    if board.stages:
        charts["pipeline"] = pipeline_picture(board)
    if board.pays:
        charts["pay"] = pay_picture(board)
    return write_charts(charts, stem)


def detection_picture(board: Board) -> Chart:
    """Gap found against gap planted, a line per algorithm with intervals, and the diagonal where all of it shows."""
    alt, rows = altair(), _detected(board)
    far = max([float(row["planted"]) for row in rows] + [0.01])
    x = alt.X("place:Q", axis=alt.Axis(title="gap planted in the outcome", tickCount=6, format=".2~f"))
    y = alt.Y("found:Q", axis=alt.Axis(title="gap found in scores, less the twin's", tickCount=6, format=".2~f"))
    base = alt.Chart(inline(rows)).encode(x=x, color=_colour(board.names("A")))
    bars = base.mark_rule(opacity=0.45).encode(y=alt.Y("low:Q"), y2="high:Q")
    lines = base.mark_line(strokeWidth=1.8, opacity=0.85).encode(y=y)
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(y=y)
    ends = inline([{"place": 0.0, "found": 0.0}, {"place": far, "found": far}])
    diagonal = alt.Chart(ends).mark_line(strokeDash=[5, 4], color=INK, strokeWidth=1).encode(x=x, y=y)
    notes = [
        "Dashed: all of the planted gap shows. At 0: the algorithm hides it, or mends it.",
        "Bars are 95 % intervals over splits. Dots of one size stand side by side.",
    ]
    chart = alt.layer(diagonal, bars, lines, dots).properties(width=460, height=320)
    return dressed(chart, f"Bias planted and bias found, {board.table}", notes)


def _detected(board: Board) -> list[Row]:
    names = board.names("A")
    rows: list[Row] = []
    for case, magnitude in board.cases("A"):
        for name in names:
            own = board.seeds("A", case, magnitude, name)
            if own:
                ends = {end: own.gap("main", "excess", end) for end in ("value", "low", "high")}
                rows.append({"algorithm": name, "planted": own.figure("main", "planted"), **ends})
    far = max((row["planted"] for row in rows), default=0.0)
    for row in rows:
        row["found"] = row.pop("value")
        row["place"] = row["planted"] + far * ROOM * (names.index(row["algorithm"]) - (len(names) - 1) / 2)
    return rows


def _colour(names: Sequence[str]) -> Any:
    alt = altair()
    scale = alt.Scale(domain=list(names), range=[COLOURS.get(name, FAINT) for name in names])
    return alt.Color("algorithm:N", scale=scale, legend=alt.Legend(title=None, orient="right", symbolOpacity=1))


def proxy_picture(board: Board) -> Chart:
    """Parity and proxy gap of every algorithm with intervals, a panel per world."""
    alt = altair()
    panels = [_proxy_panel(board, world, magnitude) for world, magnitude in board.cases("B")]
    mediator = board.options["mediator"]
    notes = [
        f"Bias through {mediator}. Parity: men less women. Proxy: better half by {mediator} less worse half.",
        "Bars are 95 % intervals over splits; the tick is the twin's gap, without the bias.",
    ]
    title = f"Parity by sex and by the mediator, {board.table}"
    return dressed(alt.hconcat(*panels, spacing=40), title, notes)


def _proxy_panel(board: Board, world: str, magnitude: float) -> Chart:
    alt = altair()
    rows: list[Row] = []
    for name in board.names("B"):
        own = board.seeds("B", world, magnitude, name)
        for gap in ("parity", "proxy"):
            if own:
                ends = {end: own.gap(gap, "gap", end) for end in ("value", "low", "high")}
                rows.append({"algorithm": name, "gap": gap, "twin": own.gap(gap, "twin"), **ends})
    scale = alt.Scale(domain=["parity", "proxy"], range=[REAL, SYNTHETIC])
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("algorithm:N", sort=board.names("B"), axis=alt.Axis(title=None, labelLimit=200, ticks=False)),
        yOffset=alt.YOffset("gap:N", sort=["parity", "proxy"]),
        color=alt.Color("gap:N", scale=scale, legend=alt.Legend(title=None, orient="top", symbolOpacity=1)),
    )
    bars = base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=alt.X("low:Q"), x2="high:Q")
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", axis=alt.Axis(title="share favoured, difference", tickCount=6))
    )
    ticks = base.mark_tick(size=14, thickness=2, color=INK).encode(x="twin:Q", color=alt.value(INK))
    zero = alt.Chart(inline([{"value": 0}])).mark_rule(color=FAINT).encode(x="value:Q")
    height = 40 * len(board.names("B")) + 20
    return alt.layer(zero, bars, dots, ticks).properties(width=300, height=height, title=title_of(f"{world} world"))


def pipeline_picture(board: Board) -> Chart:
    """Relative disadvantage at every stage, by which stages are biased."""
    alt = altair()
    rows: list[Row] = []
    for setting in SETTINGS:
        for stage in sorted({found.stage for found in board.stages}):
            own = board.staged(setting, stage)
            if own:
                share = mean([found.disadvantage for found in own])
                rows.append({"setting": setting, "stage": f"{stage}. {own[0].outcome}", "share": share})
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
    return dressed(chart, f"What biased stages hand down, {board.table}", notes)


def pay_picture(board: Board) -> Chart:
    """Real rows, and rows drawn with the rule kept, over the zone that it forbids."""
    seed = board.pays[0].seed
    model, frame = hiring_model(seed, board.options["sizes"]["n_pay"])
    kept = model.sample(len(frame), where=EQUAL_PAY, random_state=seed)
    return zone_picture(frame, kept, x="requested_salary", y="offered_salary")
