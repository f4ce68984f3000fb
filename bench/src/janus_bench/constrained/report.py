"""Trials to the tables of a report: means, scores by rarity, by kind and by size, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING

from janus_bench.constrained.board import (
    CSR,
    DETECTION,
    FINAL,
    MEASURES,
    Board,
    Measure,
    draws_per_row,
    mean_seconds,
    obeying_share,
    score_text,
)
from janus_bench.constrained.paper import paper_grids
from janus_bench.constrained.run import ORACLE, Trial
from janus_bench.grids import NOTHING, Grid, decimals, seconds

if TYPE_CHECKING:
    from janus_bench.results import Result

MEANING = (
    "CSR: rows that came back and obey, of those asked for. Final: CSR · (½ MF + ½ CF). Detection below 0.5 counts as "
    "that much above. In parentheses: in how many scenarios the score is defined, where that is not all of them; a "
    "method that failed has returned no rows."
)


def constrained_grids(result: Result) -> list[Grid]:
    """All tables of a result on constrained generation."""
    board = Board.of(result)
    return [
        _means(board),
        *paper_grids(board),
        _by_part(board, "Final by rarity", FINAL, _rarity),
        _by_part(board, "CSR by rarity", CSR, _rarity),
        _by_part(board, "Detection AUC by rarity", DETECTION, _rarity),
        _by_part(board, "Final by kind of condition", FINAL, lambda trial: trial.kind),
        _by_part(board, "Detection AUC by kind of condition", DETECTION, lambda trial: trial.kind),
        _by_part(board, "Final by number of columns", FINAL, lambda trial: str(trial.n_nodes)),
        _returned(board),
        _draws(board),
        _seconds(board),
        _probabilities(board),
        *_failures(board),
    ]


def _rarity(trial: Trial) -> str:
    return trial.rarity


def _means(board: Board) -> Grid:
    rows = []
    for method in board.methods:
        trials = board.trials_of(method)
        scores = [score_text(trials, measure) for measure in MEASURES]
        times = [seconds(mean_seconds(trials)), seconds(mean_seconds(trials, fit=True))]
        failed = sum(bool(trial.error) for trial in trials)
        rows.append([method, *scores, *times, _times(draws_per_row(trials)), str(failed)])
    headings = ["method", *(measure.heading for measure in MEASURES), "seconds", "fit s", "drawn per row", "failed"]
    n_scenarios = len(board.trials_of(ORACLE))
    note = f"Over {n_scenarios} scenarios. {MEANING} {ORACLE.capitalize()}: the true model asked twice."
    return Grid("Mean over scenarios", headings, rows, note)


def _by_part(board: Board, title: str, measure: Measure, part_of: Callable[[Trial], str]) -> Grid:
    parts = board.parts(part_of)
    rows = []
    for method in board.methods:
        trials = board.trials_of(method)
        cells = [score_text([trial for trial in trials if part_of(trial) == part], measure) for part in parts]
        rows.append([method, *cells])
    return Grid(title, ["method", *parts], rows)


def _returned(board: Board) -> Grid:
    """Who came back with fewer rows than asked for."""
    rows = []
    for method in board.methods:
        trials = board.trials_of(method)
        share = sum(trial.n_returned for trial in trials) / sum(trial.n_asked for trial in trials)
        short, none = sum(t.n_returned < t.n_asked for t in trials), sum(t.n_returned == 0 for t in trials)
        rows.append([method, decimals(share), str(short), str(none), decimals(obeying_share(trials))])
    headings = ["method", "share returned", "short in", "nothing in", "obey, of those returned"]
    note = "Short: scenarios with fewer rows than asked for, at the limit of draws or of time, or after a failure."
    return Grid("Rows that came back", headings, rows, note)


def _draws(board: Board) -> Grid:
    """What rejection costs as conditions tighten; methods that draw nothing are left out."""
    parts = board.parts(_rarity)
    rows = []
    for method in board.methods:
        trials = [trial for trial in board.trials_of(method) if trial.n_drawn is not None]
        if trials:
            found = [draws_per_row([trial for trial in trials if trial.rarity == part]) for part in parts]
            rows.append([method, *map(_times, found)])
    note = "All scenarios of a rarity together; a dash where not one row came back. JANUS, asked natively, counts as 1."
    return Grid("Rows drawn per row returned", ["method", *parts], rows, note)


def _seconds(board: Board) -> Grid:
    parts = board.parts(_rarity)
    rows = [
        [method, *(seconds(mean_seconds([t for t in board.trials_of(method) if t.rarity == part])) for part in parts)]
        for method in board.methods
    ]
    return Grid("Seconds per answer by rarity", ["method", *parts], rows, "Without the fit.")


def _probabilities(board: Board) -> Grid:
    """What the conditions aimed at, and how rare they are."""
    rows = []
    for part in board.parts(_rarity):
        trials = [trial for trial in board.trials_of(ORACLE) if trial.rarity == part]
        found = [trial.probability for trial in trials if trial.probability is not None]
        matches = [trial.n_training_matches for trial in trials if trial.n_training_matches is not None]
        if found:  # else the oracle itself was out of time
            shown = [f"{value:.2g}" for value in (trials[0].target, min(found), median(found), max(found))]
            rows.append([part, str(len(trials)), *shown, decimals(median(matches), 0)])
    headings = ["rarity", "scenarios", "target", "lowest", "median", "highest", "training rows that obey"]
    note = "Probability of the condition under the true model, and the median number of training rows that meet it."
    return Grid("How rare the conditions are", headings, rows, note)


def _failures(board: Board) -> list[Grid]:
    """Errors with how often they came and where first."""
    failed = [trial for trial in board.trials if trial.error]
    counts = Counter((trial.method, _first_line(trial.error)) for trial in failed)
    first = {(trial.method, _first_line(trial.error)): trial for trial in reversed(failed)}
    rows = [[method, error, str(n), first[method, error].rule] for (method, error), n in counts.items()]
    return [Grid("Failures", ["method", "error", "times", "first with"], rows, n_labels=2)] if rows else []


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _times(value: float | None) -> str:
    if value is None:
        return NOTHING
    return decimals(value, 0 if value >= 100 else 1)
