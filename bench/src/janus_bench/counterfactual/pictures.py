"""A result on counterfactuals to a picture: the error of every method on every kind of noise.

altair and vl-convert come with the extra ``plots``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from janus_bench.counterfactual.methods import ANEW, OURS
from janus_bench.counterfactual.models import NOISES
from janus_bench.counterfactual.report import Board
from janus_bench.pictures import Dot, decades, dot_panel
from janus_synth.plots import (
    Chart,
    altair,
    dressed,
)

if TYPE_CHECKING:
    from janus_bench.results import Result

LEAST = 1e-6
"""An error of nothing has no place on a logarithmic axis."""


def charts(result: Result) -> dict[str, Chart]:
    """The picture by its name."""
    return {"errors": error_picture(result)}


def error_picture(result: Result) -> Chart:
    """Relative errors, a dot per graph and seed and a tick at their mean, a panel per kind of noise."""
    alt, board = altair(), Board.of(result)
    dots = {noise: found for noise in NOISES if (found := _dots(board, noise))}
    everywhere = [dot for found in dots.values() for dot in found]
    answered = {dot.method for dot in everywhere}
    shown = [short for method in board.methods if (short := _short(method)) in answered]
    x = decades("value", "relative error", [dot.value for dot in everywhere], labelFlush=False, labelOverlap=False)
    panels = [
        dot_panel(found, x, shown, title=noise, labelled=noise == next(iter(dots))) for noise, found in dots.items()
    ]
    notes = [
        "Mean squared gap to the true counterfactual over the column's variance; a dot is a graph and seed.",
        "The tick is the mean. NADD's f changes its sign, so whoever keeps a row's rank errs by construction.",
    ]
    return dressed(alt.hconcat(*panels, spacing=18), "Error of counterfactuals, by kind of noise", notes)


def _dots(board: Board, noise: str) -> list[Dot]:
    return [
        Dot(_short(trial.method), max(trial.error, LEAST), trial.method == OURS)
        for trial in board.trials
        if trial.noise == noise and trial.error is not None
    ]


def _short(method: str) -> str:
    """A name that fits beside a panel."""
    return method.replace(ANEW, "re-implemented")
