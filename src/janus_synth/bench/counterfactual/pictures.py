"""A result on counterfactuals to a picture: the error of every method on every kind of noise.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from janus_synth.bench.counterfactual.methods import ANEW, OURS
from janus_synth.bench.counterfactual.models import NOISES
from janus_synth.bench.counterfactual.report import Board
from janus_synth.bench.pictures import decades
from janus_synth.interfaces.pictures.theme import (
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
    from janus_synth.bench.results import Result

Row = dict[str, Any]

LEAST = 1e-6
"""An error of nothing has no place on a logarithmic axis."""


def charts(result: Result) -> dict[str, Chart]:
    """The picture by its name."""
    return {"errors": error_picture(result)}


def error_picture(result: Result) -> Chart:
    """Relative errors, a dot per graph and seed and a tick at their mean, a panel per kind of noise."""
    alt, board = altair(), Board.of(result)
    dots = _dots(board)
    noises = [noise for noise in NOISES if any(row["noise"] == noise for row in dots)]
    shown = [_short(method) for method in board.methods if any(row["method"] == _short(method) for row in dots)]
    errors = [float(row["error"]) for row in dots]
    x = decades("error", "relative error", errors, labelFlush=False, labelOverlap=False)
    panels = [
        _panel([row for row in dots if row["noise"] == noise], noise, x, shown, noise == noises[0]) for noise in noises
    ]
    notes = [
        "Mean squared gap to the true counterfactual over the column's variance; a dot is a graph and seed.",
        "The tick is the mean. NADD's f changes its sign, so whoever keeps a row's rank errs by construction.",
    ]
    return dressed(alt.hconcat(*panels, spacing=18), "Error of counterfactuals, by kind of noise", notes)


def _panel(rows: Sequence[Row], noise: str, x: object, shown: Sequence[str], labelled: bool) -> Chart:
    alt = altair()
    axis = (
        alt.Axis(title=None, labelLimit=260, grid=True) if labelled else alt.Axis(title=None, labels=False, grid=True)
    )
    y = alt.Y("method:N", sort=list(shown), scale=alt.Scale(domain=list(shown)), axis=axis)
    colour = alt.Color("ours:N", scale=alt.Scale(domain=[True, False], range=[SYNTHETIC, REAL]), legend=None)
    dots = alt.Chart(inline(rows)).mark_circle(size=28, opacity=0.45).encode(x=x, y=y, color=colour)
    ticks = alt.Chart(inline(_means(rows))).mark_tick(thickness=2.5, size=14, color=INK).encode(x=x, y=y)
    return (dots + ticks).properties(width=230, height=20 * len(shown), title=title_of(noise))


def _dots(board: Board) -> list[Row]:
    return [
        {
            "method": _short(trial.method),
            "ours": trial.method == OURS,
            "noise": trial.noise,
            "error": max(trial.error, LEAST),
        }
        for trial in board.trials
        if trial.error is not None
    ]


def _means(rows: Sequence[Row]) -> list[Row]:
    methods = dict.fromkeys(row["method"] for row in rows)
    return [{"method": name, "error": fmean(row["error"] for row in rows if row["method"] == name)} for name in methods]


def _short(method: str) -> str:
    """A name that fits beside a panel."""
    return method.replace(ANEW, "re-implemented")
