"""A fidelity result to a picture: all tables of every method at once, in the scores that matter most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from janus_bench.fidelity.board import DETECTION, MEASURES, Board
from janus_bench.pictures import Dot, dot_panel
from janus_synth.plots import Chart, altair, dressed

if TYPE_CHECKING:
    from janus_bench.results import Result

PANELS = {
    "detection": "told apart (AUC)",
    "utility_gap": "loss of utility",
    "association_error": "error of associations",
    "closer_to_train": "nearer to training rows",
}
DOMAINS = {"detection": (0.5, 1.0), "utility_gap": (0.0, 0.5), "closer_to_train": (0.5, 1.0)}


def charts(result: Result) -> dict[str, Chart]:
    """The picture by its name."""
    board = Board.of(result)
    return {"scores": score_picture(board)} if board.working else {}


def score_picture(board: Board) -> Chart:
    """A dot per table, a tick at the mean, a panel per score; the method that is hardest to tell apart on top."""
    alt = altair()
    means = {method: board.mean(method, DETECTION) for method in board.working}
    methods = sorted(means, key=lambda method: means[method] or 1.0)
    keys = [key for key in PANELS if any(board.values(table, m, key) for table in board.tables for m in methods)]
    panels = [_panel(board, key, methods, labelled=key == keys[0]) for key in keys]
    notes = ["A dot is a table, the tick their mean; further left is better. Dots beyond an axis stand at its end."]
    return dressed(alt.hconcat(*panels, spacing=18), "Rows of each method beside rows that it has not seen", notes)


def _panel(board: Board, key: str, methods: list[str], *, labelled: bool) -> Chart:
    alt = altair()
    measure = next(measure for measure in MEASURES if measure.key == key)
    found = [(method, board.value(table, method, key)) for table in board.tables for method in methods]
    dots = [Dot(method, measure.loss(value), method in board.ours) for method, value in found if value is not None]
    low, high = DOMAINS.get(key, (0.0, max(dot.value for dot in dots) or 1.0))
    scale = alt.Scale(domain=[low, high], clamp=True, nice=False)
    x = alt.X("value:Q", scale=scale, axis=alt.Axis(title=PANELS[key], tickCount=5))
    return dot_panel(dots, x, methods, title=measure.heading, labelled=labelled)
