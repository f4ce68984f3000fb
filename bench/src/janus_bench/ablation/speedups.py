"""Back-filling beside rejection from the same model, under the middle halves of ever more columns."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from janus_bench.ablation.board import (
    Board,
    Pair,
    draws_per_row,
    mean_score,
    per_thousand,
    speedup,
)
from janus_bench.ablation.configurations import CONFIGURATIONS, GREEDY
from janus_bench.ablation.questions import Middle
from janus_bench.ablation.trial import Outcome
from janus_bench.grids import NOTHING, Grid, decimals, seconds
from janus_bench.means import mean_of


class Claim(NamedTuple):
    """What the paper says of rejection under a share of columns; it names only the ends."""

    rejected: float
    csr: float
    speedup: float


PAPER = {"10 %": Claim(0.48, 1.00, 3.8), "50 %": Claim(0.94, 0.82, 49.6)}
PAPER_DRAWS = round(0.82 / (1 - 0.94))
"""Draws per row asked for at which rejecting 94 % leaves 82 % of the rows: 14."""

RETURNED_NOTE = (
    "The middle half (between the quartiles) of each of 10 %, 25 % and 50 % of ten columns: 1, 2 and 5. Rejected: "
    "share of the drawn rows. What rejection returns obeys whatever the condition; its CSR is below 1 only where a cap "
    f"ends it. A cap of {PAPER_DRAWS} draws per row asked for would explain the paper's 0.82 at 94 %; the last column "
    "says what it would leave here."
)
COST_NOTE = (
    "Seconds per 1,000 rows returned; with plan: the same request once more, its plan at hand. Speed-up: seconds of "
    "rejection over those of back-filling from the same fitted model, below 1 where rejection is faster; CPU: by "
    "processor time of all threads, with a plan at hand. 1/p: rows that rejection draws for each it returns, which the "
    "paper expects the speed-up to be. Greedy back-filling makes a plan too, though it has no use for it."
)


def speedup_grids(board: Board) -> list[Grid]:
    """What comes back, and what it costs; nothing where no pair was measured."""
    races: dict[tuple[str, str], list[Pair]] = {}
    for pair in board.pairs:
        if pair.filled.kind == Middle.KIND:
            races.setdefault((pair.key, pair.filled.rarity), []).append(pair)
    if not races:
        return []
    returned = [[way_of(key), rarity, *_returned(pairs, rarity)] for (key, rarity), pairs in races.items()]
    costs = [[way_of(key), rarity, *_costs(pairs, rarity)] for (key, rarity), pairs in races.items()]
    came = ["rejected", "paper", "CSR", "Final", "detection", "rejection's CSR", "paper", "Final", "detection"]
    spent = ["s", "with plan", "rejection s", "speed-up", "with plan", "CPU", "1/p", "paper"]
    return [
        Grid(
            "Middle halves of columns: what comes back",
            ["model", "columns", "chance", *came, f"CSR, {PAPER_DRAWS} draws"],
            returned,
            RETURNED_NOTE,
            n_labels=2,
        ),
        Grid("Middle halves of columns: what it costs", ["model", "columns", *spent], costs, COST_NOTE, n_labels=2),
    ]


def way_of(key: str) -> str:
    """Whose rows, and by which back-filling."""
    one = CONFIGURATIONS[key]
    return f"{CONFIGURATIONS[one.base].name}, {'greedy' if one.ask == GREEDY else 'exact'}"


def _returned(pairs: Sequence[Pair], rarity: str) -> list[str]:
    filled, rejected = [pair.filled for pair in pairs], [pair.rejected for pair in pairs]
    claim = PAPER.get(rarity)
    return [
        decimals(fmean(one.probability for one in filled)),
        _percent(mean_of(_rejected(one) for one in rejected)),
        NOTHING if claim is None else _percent(claim.rejected),
        *(decimals(mean_score(filled, score)) for score in ("csr", "final", "detection")),
        decimals(mean_score(rejected, "csr")),
        NOTHING if claim is None else decimals(claim.csr, 2),
        *(decimals(mean_score(rejected, score)) for score in ("final", "detection")),
        decimals(mean_of(_capped(one) for one in rejected)),
    ]


def _costs(pairs: Sequence[Pair], rarity: str) -> list[str]:
    filled, rejected = [pair.filled for pair in pairs], [pair.rejected for pair in pairs]
    claim = PAPER.get(rarity)
    ratios = (
        speedup(pairs),
        speedup(pairs, "again_seconds"),
        speedup(pairs, "again_cpu_seconds", "cpu_seconds"),
        draws_per_row(rejected),
        None if claim is None else claim.speedup,
    )
    return [
        seconds(per_thousand(filled, "seconds")),
        seconds(per_thousand(filled, "again_seconds")),
        seconds(per_thousand(rejected, "seconds")),
        *map(_times, ratios),
    ]


def _rejected(one: Outcome) -> float | None:
    """Share of the drawn rows that were thrown away."""
    return 1 - one.n_returned / one.n_drawn if one.n_drawn else None


def _capped(one: Outcome) -> float | None:
    """CSR of rejection if it might draw only `PAPER_DRAWS` rows for each asked for."""
    return min(1.0, PAPER_DRAWS * one.n_returned / one.n_drawn) if one.n_drawn else None


def _percent(value: float | None) -> str:
    return NOTHING if value is None else f"{100 * value:.0f} %"


def _times(value: float | None) -> str:
    return NOTHING if value is None else f"{decimals(value, 2 if value < 10 else 1)} ×"
