"""Charts of the ablation: a `Result` in, two charts out.

One shows scores by configuration, the other speed-up against the probability of a condition.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from janus_bench.ablation.configurations import CONFIGURATIONS
from janus_bench.ablation.report import (
    PAPER,
    name_of,
    pair_outcomes,
    read_outcomes,
    speedup,
    way_of,
    with_conditions,
)
from janus_bench.ablation.trial import ORACLE as TRUE_MODEL
from janus_bench.grids import groups_of
from janus_bench.pictures import decades
from janus_synth.plots import INK, MUTED, REAL, SYNTHETIC, Chart, altair, apply_theme, inline, title_of

if TYPE_CHECKING:
    from janus_bench.results import Result

Row = dict[str, Any]

JANUS, OF_PAPER, ORACLE, THEIRS = "from JANUS", "from the paper's configuration", "true model", "in the paper"
COLOURS = {JANUS: SYNTHETIC, OF_PAPER: REAL, ORACLE: INK, THEIRS: "#009E73"}
PLANNED, AGAIN = "plan included", "plan at hand"


def charts(result: Result) -> dict[str, Chart]:
    """The charts by name; a chart without records is left out."""
    outcomes = read_outcomes(result)
    keys = [TRUE_MODEL, *result.options["configurations"]]
    scores = {score: _score_rows(with_conditions(outcomes), keys, score) for score in ("final", "detection")}
    speedups = _speedups(pair_outcomes(outcomes))
    found: dict[str, Chart] = {}
    if scores["final"]:
        found["scores"] = scores_picture(scores)
    if speedups:
        found["speedup"] = speedup_picture(speedups)
    return found


def scores_picture(scores: dict[str, list[Row]]) -> Chart:
    """Final score and detection AUC of every configuration: a dot per model, a bar at the mean, the paper's diamond."""
    alt = altair()
    notes = [
        "A dot is the mean over the conditions on one structural model, the bar the mean of the dots.",
        "The paper's figures (diamonds) are of its own code and models, with MF on a scale of its own.",
    ]
    final = _score_panel(scores, "final", "Final score, 1 at best", labels=True)
    detection = _score_panel(scores, "detection", "detection AUC, 0.5 at best", labels=False)
    return apply_theme(alt.hconcat(final, detection, spacing=24), "One part taken away at a time", notes)


def speedup_picture(rows: list[Row]) -> Chart:
    """Seconds of rejection over seconds of back-filling, against the probability of the condition."""
    alt = altair()
    claims = [{"chance": 1 - claim.rejected, "speedup": claim.speedup} for claim in PAPER.values()]
    low = min(float(row["chance"]) for row in [*rows, *claims]) / 1.3
    y = decades("speedup", "speed-up", [1 / low, *(float(row["speedup"]) for row in [*rows, *claims])], vertical=True)
    panels = [
        _speedup_panel(key, [row for row in rows if row["key"] == key], claims, low, y)
        for key in dict.fromkeys(row["key"] for row in rows)
    ]
    notes = [
        "Rejection's seconds over back-filling's, from the same fitted model: above the line at 1 back-filling wins.",
        "Dashed: 1/p, which the paper expects. Diamonds: the paper's figures. Both scales are logarithmic.",
    ]
    return apply_theme(alt.concat(*panels, columns=2, spacing=28), "When back-filling is faster than rejection", notes)


def _score_panel(scores: dict[str, list[Row]], score: str, title: str, *, labels: bool) -> Chart:
    alt = altair()
    rows = scores[score]
    names = list(dict.fromkeys(row["name"] for row in rows))
    theirs = [row for row in _paper_rows(names) if score == "final"]
    axis = alt.Axis(title=None, domain=False, ticks=False, grid=True, labelLimit=300, labels=labels)
    y = alt.Y("name:N", sort=names, axis=axis, scale=alt.Scale(domain=names))
    values = [float(row["value"]) for row in [*rows, *theirs]]
    x = alt.X("value:Q", scale=alt.Scale(domain=_around(values), nice=True), axis=alt.Axis(title=title, tickCount=6))
    shown = list(dict.fromkeys([*(row["group"] for row in rows), *(row["group"] for row in theirs)]))
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1) if labels else None
    colour = alt.Color(
        "group:N", scale=alt.Scale(domain=shown, range=[COLOURS[group] for group in shown]), legend=legend
    )
    dots = alt.Chart(inline(rows)).mark_point(filled=True, size=42, opacity=0.45).encode(x=x, y=y, color=colour)
    ticks = alt.Chart(inline(_means(rows))).mark_tick(thickness=2.5, size=15).encode(x=x, y=y, color=colour)
    found = dots + ticks
    if theirs:
        marks = alt.Chart(inline(theirs)).mark_point(shape="diamond", filled=True, size=90, opacity=0.9)
        found += marks.encode(x=x, y=y, color=colour)
    return found.properties(width=300, height=22 * len(names))


def _speedup_panel(key: str, rows: list[Row], claims: list[Row], low: float, y: object) -> Chart:
    alt = altair()
    ticks = [tick for tick in (1, 0.5, 0.1, 0.05, 0.01, 0.001, 1e-4, 1e-5) if tick >= low]
    x = alt.X(
        "chance:Q",
        scale=alt.Scale(type="log", reverse=True, domain=[low, 1.0], nice=False),
        axis=alt.Axis(title="probability of the condition", format="~%", values=ticks, grid=False),
    )
    expected = [{"chance": 1.0, "speedup": 1.0}, {"chance": low, "speedup": 1 / low}]
    line = alt.Chart(inline(expected)).mark_line(strokeDash=[4, 4], color=MUTED, strokeWidth=1.2).encode(x=x, y=y)
    even = alt.Chart(inline([{"chance": c, "speedup": 1.0} for c in (low, 1.0)])).mark_line(color=INK, strokeWidth=0.8)
    shapes = alt.Shape(
        "when:N",
        scale=alt.Scale(domain=[PLANNED, AGAIN], range=["circle", "triangle-up"]),
        legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
    )
    colour = SYNTHETIC if CONFIGURATIONS[key].base == "janus" else REAL
    dots = alt.Chart(inline(rows)).mark_point(filled=True, size=46, opacity=0.6, color=colour)
    marks = alt.Chart(inline(claims)).mark_point(shape="diamond", filled=True, size=110, color=COLOURS[THEIRS])
    layers = even.encode(x=x, y=y) + line + dots.encode(x=x, y=y, shape=shapes) + marks.encode(x=x, y=y)
    return layers.properties(width=330, height=230, title=title_of(way_of(key)))


def _score_rows(outcomes: pd.DataFrame, keys: list[str], score: str) -> list[Row]:
    """Mean of a score over the questions of each model, by configuration."""
    means = outcomes.groupby(["configuration", "model"], sort=False)[score].mean().dropna()
    return [
        {"name": name_of(key), "group": _group(key), "value": value}
        for key in keys
        for value in means[means.index.get_level_values("configuration") == key]
    ]


def _means(rows: list[Row]) -> list[Row]:
    groups = groups_of(pd.DataFrame(rows), ["name", "group"]).items()
    return [{"name": name, "group": group, "value": own["value"].mean()} for (name, group), own in groups]


def _paper_rows(names: list[str]) -> list[Row]:
    found = [(one.name, one.paper) for one in CONFIGURATIONS.values() if one.name in names]
    return [{"name": name, "group": THEIRS, "value": paper.final} for name, paper in found if paper is not None]


def _group(key: str) -> str:
    if key not in CONFIGURATIONS:
        return ORACLE
    return OF_PAPER if CONFIGURATIONS[key].from_paper else JANUS


def _speedups(pairs: pd.DataFrame) -> list[Row]:
    """Two points per condition and pair: with the time for the plan, and without."""
    rows: list[Row] = []
    for i in range(len(pairs)):
        pair = pairs.iloc[[i]]
        for when, name in ((PLANNED, "seconds"), (AGAIN, "again_seconds")):
            value = speedup(pair, name)
            if value > 0:
                chance, key = float(pair["probability_filled"].iloc[0]), str(pair["configuration_filled"].iloc[0])
                rows.append({"key": key, "when": when, "chance": chance, "speedup": value})
    return rows


def _around(values: list[float]) -> list[float]:
    low, high = min(values), max(values)
    return [low - 0.03 * (high - low), high + 0.03 * (high - low)]
