"""Charts on constrained generation: a `Result` in, two charts out, score against time and the cost of rejection.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from math import isnan
from typing import TYPE_CHECKING, Any

from janus_bench.constrained.calibrate import RARITIES
from janus_bench.constrained.report import FINAL, draws_per_row, methods_of, read_trials
from janus_bench.constrained.run import ORACLE
from janus_bench.pictures import decades
from janus_synth.plots import (
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
    import pandas as pd

    from janus_bench.results import Result

Row = dict[str, Any]

OURS = (SYNTHETIC, "#F0A05A", "#8C3D00", "#E6AB02", "#A6761D")
"""Warm colours, for JANUS with native conditional sampling."""
RIVALS = (REAL, "#009E73", "#56B4E9", "#CC79A7", "#5f6b7a", "#332288", "#882255")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")


def charts(result: Result) -> dict[str, Chart]:
    """Both charts by name."""
    return {"score-time": score_time_picture(result), "draws": draws_picture(result)}


def score_time_picture(result: Result) -> Chart:
    """Mean Final score of every method against its mean time, a panel per rarity."""
    alt, trials, methods = altair(), read_trials(result), methods_of(result)
    points = {rarity: _score_times(trials, methods, rarity) for rarity in _rarities(trials)}
    x = decades("seconds", "seconds per answer", [float(row["seconds"]) for rows in points.values() for row in rows])
    panels = [
        alt.Chart(inline(rows))
        .mark_point(filled=True, size=110, opacity=0.9)
        .encode(
            x=x,
            y=alt.Y("score:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(title="Final score", tickCount=5)),
            **_channels(result, methods),
        )
        .properties(width=260, height=200, title=title_of(_format_rarity(rarity)))
        for rarity, rows in points.items()
    ]
    notes = [
        "Mean over the scenarios of each rarity; the time leaves the fit out and has a logarithmic scale.",
        "A method that returned nothing scores 0; one that failed everywhere is not shown. The oracle is the ceiling.",
    ]
    grid = alt.concat(*panels, columns=2 if len(panels) in (2, 4) else 3, spacing=28)
    return apply_theme(grid, "Score against time, as conditions tighten", notes)


def draws_picture(result: Result) -> Chart:
    """Rows drawn per row returned against the probability of the condition, a line per method."""
    alt, trials, methods = altair(), read_trials(result), methods_of(result)
    rows = [row for method in methods for row in _draws(trials[trials["method"] == method])]
    shown = [method for method in methods if any(row["method"] == method for row in rows)]
    shares = sorted(RARITIES[rarity].target for rarity in _rarities(trials))
    base = alt.Chart(inline(rows)).encode(
        x=alt.X(
            "probability:Q",
            scale=alt.Scale(type="log", reverse=True),
            axis=alt.Axis(title="share of rows that meet the condition", format="~%", values=shares, grid=False),
        ),
        y=decades("draws", "rows drawn per row returned", [float(row["draws"]) for row in rows], vertical=True),
        **_channels(result, shown),
    )
    lines = base.mark_line(strokeWidth=1.5, opacity=0.7) + base.mark_point(filled=True, size=70)
    notes = [
        "All scenarios of a rarity together; a point is missing where not one row came back within the limits.",
        "JANUS, asked natively, counts as one row drawn per row.",
    ]
    return apply_theme(lines.properties(width=520, height=320), "What rejection costs", notes)


def _rarities(trials: pd.DataFrame) -> list[str]:
    return [rarity for rarity in RARITIES if rarity in set(trials["rarity"])]


def _format_rarity(rarity: str) -> str:
    return rarity if rarity.startswith("joint") else f"{rarity}, {RARITIES[rarity].target:.0%}".replace("%", " %")


def _score_times(trials: pd.DataFrame, methods: Sequence[str], rarity: str) -> list[Row]:
    means = trials[trials["rarity"] == rarity].groupby("method")[["seconds", FINAL.key]].mean().dropna()
    return [  # a method that failed everywhere is missing
        {"method": method, "seconds": max(float(means["seconds"][method]), 1e-4), "score": means[FINAL.key][method]}
        for method in methods
        if method in means.index
    ]


def _draws(trials: pd.DataFrame) -> list[Row]:
    found = {rarity: draws_per_row(trials[trials["rarity"] == rarity]) for rarity in _rarities(trials)}
    return [
        {"method": trials["method"].iloc[0], "probability": RARITIES[rarity].target, "draws": draws}
        for rarity, draws in found.items()
        if not isnan(draws)
    ]


def _channels(result: Result, shown: Sequence[str]) -> dict[str, object]:
    """Colour and shape by method: warm colours for JANUS, cool ones for other methods, black for the oracle."""
    alt, methods = altair(), methods_of(result)
    ours = result.options["ours"]
    rivals = [method for method in methods[1:] if method not in ours]
    colours = {ORACLE: INK, **dict(zip(ours, cycle(OURS))), **dict(zip(rivals, cycle(RIVALS)))}
    shapes = dict(zip(methods, cycle(SHAPES)))
    legend = alt.Legend(title=None, orient="right", symbolOpacity=1, labelLimit=260)
    by_colour = alt.Scale(domain=list(shown), range=[colours[method] for method in shown])
    by_shape = alt.Scale(domain=list(shown), range=[shapes[method] for method in shown])
    return {
        "color": alt.Color("method:N", scale=by_colour, legend=legend),
        "shape": alt.Shape("method:N", scale=by_shape, legend=legend),
    }
