"""Trials to the tables of a report: means, scores by rarity, by kind and by size, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.bench.constrained.run import ORACLE, Trial
from janus_synth.bench.grids import NOTHING, Grid, decimals, seconds

if TYPE_CHECKING:
    from janus_synth.bench.results import Result


class Measure(NamedTuple):
    """A score as readers see it."""

    key: str
    heading: str
    digits: int = 3


MEASURES = (
    Measure("final", "Final"),
    Measure("csr", "CSR"),
    Measure("mf", "MF"),
    Measure("cf", "CF"),
    Measure("detection", "detection AUC"),
    Measure("energy", "energy", 4),
    Measure("wasserstein", "Wasserstein"),
)
FINAL, CSR, DETECTION = MEASURES[0], MEASURES[1], MEASURES[4]
MEANING = (
    "CSR: rows that came back and obey, of those asked for. Final: CSR · (½ MF + ½ CF). Detection below 0.5 counts as "
    "that much above. In parentheses: in how many scenarios the score is defined, where that is not all of them; a "
    "method that failed has returned no rows."
)


@dataclass(frozen=True, slots=True)
class Board:
    """Trials by method, and the parts of the grid they fall into."""

    trials: Sequence[Trial]
    methods: Sequence[str]

    def of(self, method: str) -> list[Trial]:
        """Trials of one method."""
        return [trial for trial in self.trials if trial.method == method]

    def parts(self, part_of: Callable[[Trial], str]) -> list[str]:
        """Names of the parts, in the order of the grid."""
        return list(dict.fromkeys(part_of(trial) for trial in self.trials))


def constrained_grids(result: Result) -> list[Grid]:
    """All tables of a result on constrained generation."""
    trials = [Trial(**record) for record in result.records]
    board = Board(trials, [ORACLE, *result.options["methods"]])
    return [
        _means(board),
        _by_part(board, "Final by rarity", FINAL, _rarity),
        _by_part(board, "CSR by rarity", CSR, _rarity),
        _by_part(board, "Detection AUC by rarity", DETECTION, _rarity),
        _by_part(board, "Final by kind of condition", FINAL, lambda trial: trial.kind),
        _by_part(board, "Detection AUC by kind of condition", DETECTION, lambda trial: trial.kind),
        _by_part(board, "Final by number of columns", FINAL, lambda trial: str(trial.n_nodes)),
        _draws(board),
        _seconds(board),
        _probabilities(board),
        *_failures(board),
    ]


def mean_score(trials: Sequence[Trial], measure: Measure) -> tuple[float | None, int]:
    """Mean over the trials where a score is defined, and how many these are."""
    values = [trial.scores[measure.key] for trial in trials]
    known = [_folded(value) if measure is DETECTION else value for value in values if value is not None]
    return (fmean(known) if known else None), len(known)


def draws_per_row(trials: Sequence[Trial]) -> float | None:
    """Rows drawn over rows returned, all trials together; None where nothing was drawn or returned."""
    drawn = sum(trial.n_drawn for trial in trials if trial.n_drawn is not None)
    returned = sum(trial.n_returned for trial in trials if trial.n_drawn is not None)
    return drawn / returned if drawn and returned else None


def mean_seconds(trials: Sequence[Trial], *, fit: bool = False) -> float | None:
    """Mean time of an answer, or of a fit."""
    times = [trial.fit_seconds if fit else trial.seconds for trial in trials]
    known = [time for time in times if time is not None]
    return fmean(known) if known else None


def _folded(auc: float) -> float:
    return 0.5 + abs(auc - 0.5)


def _rarity(trial: Trial) -> str:
    return trial.rarity


def _means(board: Board) -> Grid:
    rows = []
    for method in board.methods:
        trials = board.of(method)
        scores = [_cell(trials, measure) for measure in MEASURES]
        times = [seconds(mean_seconds(trials)), seconds(mean_seconds(trials, fit=True))]
        failed = sum(bool(trial.error) for trial in trials)
        rows.append([method, *scores, *times, _times(draws_per_row(trials)), str(failed)])
    headings = ["method", *(measure.heading for measure in MEASURES), "seconds", "fit s", "drawn per row", "failed"]
    note = f"Over {len(board.of(ORACLE))} scenarios. {MEANING} {ORACLE.capitalize()}: the true model asked twice."
    return Grid("Mean over scenarios", headings, rows, note)


def _cell(trials: Sequence[Trial], measure: Measure) -> str:
    value, n_known = mean_score(trials, measure)
    text = decimals(value, measure.digits)
    return text if n_known in (0, len(trials)) else f"{text} ({n_known})"


def _by_part(board: Board, title: str, measure: Measure, part_of: Callable[[Trial], str]) -> Grid:
    parts = board.parts(part_of)
    rows = []
    for method in board.methods:
        trials = board.of(method)
        cells = [_cell([trial for trial in trials if part_of(trial) == part], measure) for part in parts]
        rows.append([method, *cells])
    return Grid(title, ["method", *parts], rows)


def _draws(board: Board) -> Grid:
    """What rejection costs as conditions tighten; methods that draw nothing are left out."""
    parts = board.parts(_rarity)
    rows = []
    for method in board.methods:
        trials = [trial for trial in board.of(method) if trial.n_drawn is not None]
        if trials:
            found = [draws_per_row([trial for trial in trials if trial.rarity == part]) for part in parts]
            rows.append([method, *map(_times, found)])
    note = "All scenarios of a rarity together; a dash where not one row came back. JANUS, asked natively, counts as 1."
    return Grid("Rows drawn per row returned", ["method", *parts], rows, note)


def _seconds(board: Board) -> Grid:
    parts = board.parts(_rarity)
    rows = [
        [method, *(seconds(mean_seconds([t for t in board.of(method) if t.rarity == part])) for part in parts)]
        for method in board.methods
    ]
    return Grid("Seconds per answer by rarity", ["method", *parts], rows, "Without the fit.")


def _probabilities(board: Board) -> Grid:
    """What the conditions aimed at, and how rare they are."""
    rows = []
    for part in board.parts(_rarity):
        trials = [trial for trial in board.of(ORACLE) if trial.rarity == part]
        found = [trial.probability for trial in trials]
        matches = median(trial.n_training_matches for trial in trials)
        shown = [f"{value:.2g}" for value in (trials[0].target, min(found), median(found), max(found))]
        rows.append([part, str(len(trials)), *shown, decimals(matches, 0)])
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
