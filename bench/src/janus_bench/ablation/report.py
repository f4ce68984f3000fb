"""Outcomes to tables: what each missing part costs, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from janus_bench.ablation.board import (
    Board,
    Change,
    change_of,
    draws_per_row,
    mean_score,
    name_of,
    per_thousand,
    score_of,
)
from janus_bench.ablation.configurations import CANNOT, CONFIGURATIONS
from janus_bench.ablation.speedups import speedup_grids
from janus_bench.ablation.trial import Outcome
from janus_bench.grids import NOTHING, Grid, decimals, seconds
from janus_bench.means import mean_of
from janus_bench.workers import FAILED

if TYPE_CHECKING:
    from janus_bench.results import Result

NOTE = (
    "Means over all models and conditions. Final is CSR · (½ MF + ½ CF); AUC is that of a classifier between the rows "
    "and rows of the true conditional, 0.5 at best. Change: to JANUS or to the paper's configuration on the same "
    "questions, ± its standard error over models. CSR counts rows that came back and obey, of those asked for. Drawn: "
    "rows per row returned. Seconds: per answer, plans included; CPU: the same on all threads. The oracle is the true "
    "model asked twice. The paper's figures are those of its own code on its own models, and its MF is by Wasserstein "
    "distances of unknown scale, ours by KS."
)
CAP_NOTE = (
    "Rejection may draw {:,} rows for each asked for: its CSR, and so its Final, falls short where that is too few."
)
FREE_NOTE = "One row per fit: how conditions are asked does not matter here. Seconds: per 1,000 rows."


def ablation_grids(result: Result) -> list[Grid]:
    """All tables of a result on ablation."""
    board = Board.of(result)
    return [
        _conditions(board, result.options["draws_per_row"]),
        _parts(board, "Final by kind of condition", "final", lambda one: one.kind),
        _parts(board, "CSR by kind of condition", "csr", lambda one: one.kind),
        _parts(board, "Final by rarity", "final", lambda one: one.rarity),
        _parts(board, "Detection AUC by rarity", "detection", lambda one: one.rarity),
        _free(board),
        *speedup_grids(board),
        Grid("What cannot be switched off", ["part", "why, and what stands in"], CANNOT, n_labels=2),
        *_no_answers(board),
    ]


def _conditions(board: Board, most_draws: int) -> Grid:
    rows = []
    for key in board.keys:
        outcomes = board.conditional(key)
        if not outcomes:
            continue
        paper = CONFIGURATIONS[key].paper if key in CONFIGURATIONS else None
        rows.append(
            [
                name_of(key),
                _mean(outcomes, "final"),
                _change(board.conditional, key, "final"),
                NOTHING if paper is None else decimals(paper.final),
                _mean(outcomes, "csr"),
                NOTHING if paper is None else decimals(paper.csr, 2),
                _mean(outcomes, "mf"),
                _mean(outcomes, "cf"),
                _mean(outcomes, "detection"),
                _change(board.conditional, key, "detection"),
                decimals(draws_per_row(outcomes), 1),
                seconds(mean_of(one.seconds for one in outcomes)),
                seconds(mean_of(one.cpu_seconds for one in outcomes)),
                seconds(mean_of(one.fit_seconds for one in outcomes)),
            ]
        )
    headings = ["configuration", "Final", "change", "paper", "CSR", "paper", "MF", "CF", "AUC", "change"]
    headings += ["drawn", "s", "CPU s", "fit s"]
    note = f"{NOTE} {CAP_NOTE.format(most_draws)}"
    return Grid("One part taken away: rows under conditions", headings, rows, note)


def _free(board: Board) -> Grid:
    rows = []
    for key in board.keys:
        outcomes = board.free(key)
        if not outcomes:
            continue
        rows.append(
            [
                name_of(key),
                _mean(outcomes, "final"),
                _change(board.free, key, "final"),
                _mean(outcomes, "mf"),
                _mean(outcomes, "cf"),
                _mean(outcomes, "detection"),
                _change(board.free, key, "detection"),
                seconds(per_thousand(outcomes, "seconds")),
                seconds(mean_of(one.fit_seconds for one in outcomes)),
            ]
        )
    headings = ["configuration", "½ MF + ½ CF", "change", "MF", "CF", "AUC", "change", "s", "fit s"]
    return Grid("One part taken away: free rows", headings, rows, FREE_NOTE)


def _parts(board: Board, title: str, score: str, part_of: Callable[[Outcome], str]) -> Grid:
    """A score by parts of the conditions."""
    parts = list(dict.fromkeys(part_of(one) for key in board.keys for one in board.conditional(key)))
    rows = [
        [name_of(key), *(_mean([one for one in found if part_of(one) == part], score) for part in parts)]
        for key in board.keys
        if (found := board.conditional(key))
    ]
    return Grid(title, ["configuration", *parts], rows)


def _mean(outcomes: Sequence[Outcome], score: str) -> str:
    """The mean where the score is defined, and in how many cases if not in all."""
    n_known = sum(score_of(one, score) is not None for one in outcomes)
    text = decimals(mean_score(outcomes, score))
    return text if n_known in (0, len(outcomes)) else f"{text} ({n_known})"


def _change(outcomes_of: Callable[[str], list[Outcome]], key: str, score: str) -> str:
    """To what a configuration is held against; none for that itself."""
    base = CONFIGURATIONS[key].base if key in CONFIGURATIONS else key
    return NOTHING if base == key else _spelled(change_of(outcomes_of(key), outcomes_of(base), score))


def _spelled(change: Change | None) -> str:
    if change is None:
        return NOTHING
    spread = "" if change.error is None else f" ± {decimals(change.error)}"
    return f"{decimals(change.value, sign=True)}{spread}"


def _no_answers(board: Board) -> list[Grid]:
    """What could not be answered, which counts as no rows, and what could not be measured, which does not count."""
    found = [(one.configuration, one.model, one.kind, one.rarity, one.error) for one in board.outcomes if one.error]
    names = ("configuration", "model", "kind", "rarity", FAILED)
    found += [tuple(record[name] for name in names) for record in board.failures]
    rows = [[name_of(key), str(model), f"{kind}, {rarity}", why] for key, model, kind, rarity, why in found]
    return [Grid("No answer", ["configuration", "model", "condition", "why"], rows, n_labels=4)] if rows else []
