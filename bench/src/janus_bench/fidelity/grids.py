"""Trials to the tables of a fidelity report: means, scores per table, and ours beside the best rival."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from janus_bench.fidelity.board import DETECTION, Board, Measure
from janus_bench.fidelity.paper import paper_grids, privacy_grids
from janus_bench.fidelity.trials import Trial
from janus_bench.grids import NOTHING, Grid, decimals, seconds
from janus_bench.versions import REAL_ROWS
from janus_bench.workers import FAILED

if TYPE_CHECKING:
    from janus_bench.results import Result


PER_TABLE = ("detection", "utility_gap", "association_error", "closer_to_train", "fit_seconds")
"""Scores that get a table of their own."""


def fidelity_grids(result: Result) -> list[Grid]:
    """All tables of a fidelity result."""
    board = Board.of(result)
    grids = [_means(board), *paper_grids(board), *privacy_grids(board)]
    if len(board.ours) > 1:
        grids.append(_settings(board))
    if board.rivals:
        grids += [_duel(board, ours) for ours in board.ours]
        grids += [_tally(board, ours) for ours in board.ours]
    grids += [_per_table(board, measure) for measure in board.measures if measure.key in PER_TABLE]
    return grids + _failures(board.trials)


def _means(board: Board) -> Grid:
    methods = [*board.methods, REAL_ROWS] if board.has_reference else board.methods
    rows = [[method, *(_cell(board.mean(method, m), m) for m in board.measures)] for method in methods]
    fewest = min((len(board.shared_tables(measure.key)) for measure in board.measures), default=0)
    note = f"Over {len(board.tables)} tables; a score that is undefined somewhere, over the others (at least {fewest})."
    note += " Detection below 0.5 counts as that much above, closer to train below 0.5 as 0.5."
    if board.has_reference:
        note += f" {REAL_ROWS.capitalize()}: training rows judged as if they were synthetic."
    return Grid("Mean over tables", ["method", *(measure.heading for measure in board.measures)], rows, note)


def _settings(board: Board) -> Grid:
    """Detection of the first of ours, and what the other settings add to it."""
    base, *others = board.ours
    scores = {table: [board.value(table, method, "detection") for method in board.ours] for table in board.tables}
    scores["mean"] = [board.mean(method, DETECTION) for method in board.ours]
    rows = [
        [table, decimals(own), *(_difference(value, own) for value in values)]
        for table, (own, *values) in scores.items()
    ]
    note = f"Detection AUC of {base}, and the difference that each other setting makes; below 0 is better."
    return Grid(f"Settings beside {base}", ["table", base, *others], rows, note)


def _difference(value: float | None, base: float | None) -> str:
    return NOTHING if value is None or base is None else decimals(value - base, sign=True)


def _duel(board: Board, ours: str) -> Grid:
    """Detection of one of ours beside the best rival of each table: wins and losses alike."""
    note = (
        "Detection AUC; 0.5 is perfect, and 0.45 as far from it as 0.55. Difference: ours minus the rival's, below 0 "
        "is a win. Noise: twice the standard error of a difference, with that many rows."
    )
    headings = ["table", ours, "best rival", "difference", "noise", "verdict"]
    rows = [_duel_row(board, ours, table) for table in board.tables]
    return Grid(f"{ours} beside the best rival of each table", headings, rows, note)


def _duel_row(board: Board, ours: str, table: str) -> list[str]:
    own, best = board.value(table, ours, DETECTION.key), board.best_rival(table, DETECTION)
    if own is None or best is None:
        return [table, decimals(own), NOTHING, NOTHING, NOTHING, NOTHING]
    rival, value = best
    difference, noise = DETECTION.loss(own) - DETECTION.loss(value), board.noise(table)
    signed = decimals(difference, sign=True)
    return [table, decimals(own), f"{rival} {decimals(value)}", signed, decimals(noise), _verdict(difference, noise)]


def _verdict(difference: float, noise: float) -> str:
    if difference == 0:
        return "draw"
    word = "win" if difference < 0 else "loss"
    return word if abs(difference) > noise else f"{word}, within noise"


def _tally(board: Board, ours: str) -> Grid:
    """On how many tables one of ours beats each rival, by score, and where the best rival beats it."""
    rows = []
    for measure in board.measures:
        counts = [_won_and_lost(board, ours, rival, measure) for rival in board.rivals]
        rows.append([measure.heading, *counts, ", ".join(_lost_tables(board, ours, measure)) or "nowhere"])
    headings = ["score", *(f"against {rival}" for rival in board.rivals), "behind the best rival on"]
    return Grid(f"{ours}: tables won and lost", headings, rows, "Won : lost, draws left out.")


def _won_and_lost(board: Board, ours: str, rival: str, measure: Measure) -> str:
    won = lost = 0
    for table in board.tables:
        own, other = (board.value(table, method, measure.key) for method in (ours, rival))
        if own is not None and other is not None:
            won += measure.loss(own) < measure.loss(other)
            lost += measure.loss(own) > measure.loss(other)
    return f"{won} : {lost}"


def _lost_tables(board: Board, ours: str, measure: Measure) -> Iterable[str]:
    for table in board.tables:
        own, best = board.value(table, ours, measure.key), board.best_rival(table, measure)
        if own is not None and best is not None and measure.loss(own) > measure.loss(best[1]):
            yield table


def _per_table(board: Board, measure: Measure) -> Grid:
    methods = [*board.methods, REAL_ROWS] if board.has_reference and measure.key == "detection" else board.methods
    rows = [[name, *(_of_table(board, name, method, measure) for method in methods)] for name in board.tables]
    several = len({trial.seed for trial in board.trials}) > 1
    note = "Mean ± standard deviation over seeds." if several else ""
    return Grid(f"{measure.heading[0].upper()}{measure.heading[1:]} per table", ["table", *methods], rows, note)


def _of_table(board: Board, table: str, method: str, measure: Measure) -> str:
    values = board.values(table, method, measure.key)
    return FAILED if not values and board.failed(table, method) else _with_spread(values, measure)


def _failures(trials: Sequence[Trial]) -> list[Grid]:
    rows = [[trial.table, trial.method, str(trial.seed), trial.error] for trial in trials if trial.error]
    return [Grid("Failures", ["table", "method", "seed", "error"], rows, n_labels=4)] if rows else []


def _cell(value: float | None, measure: Measure) -> str:
    return seconds(value) if measure.key.endswith("_seconds") else decimals(value)


def _with_spread(values: Sequence[float], measure: Measure) -> str:
    if not values:
        return NOTHING
    text = _cell(fmean(values), measure)
    return f"{text} ± {_cell(stdev(values), measure)}" if len(values) > 1 else text
