"""Outcomes to tables: what each missing part costs, and back-filling beside rejection, with the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from janus_bench.ablation.configurations import CANNOT, CONFIGURATIONS, GREEDY
from janus_bench.ablation.questions import Middle
from janus_bench.ablation.summary import (
    AblationSummary,
    Change,
    Pair,
    change_of,
    draws_per_row,
    mean_score,
    name_of,
    per_thousand,
    score_of,
    speedup,
)
from janus_bench.ablation.trial import Outcome
from janus_bench.grids import NOTHING, Grid, decimals, mean_of, seconds
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
    summary = AblationSummary.of(result)
    return [
        _conditions(summary, result.options["draws_per_row"]),
        _parts(summary, "Final by kind of condition", "final", lambda one: one.kind),
        _parts(summary, "CSR by kind of condition", "csr", lambda one: one.kind),
        _parts(summary, "Final by rarity", "final", lambda one: one.rarity),
        _parts(summary, "Detection AUC by rarity", "detection", lambda one: one.rarity),
        _free(summary),
        *speedup_grids(summary),
        Grid("What cannot be switched off", ["part", "why, and what stands in"], CANNOT, n_labels=2),
        *_no_answers(summary),
    ]


def _conditions(summary: AblationSummary, most_draws: int) -> Grid:
    rows = []
    for key in summary.keys:
        outcomes = summary.conditional(key)
        if not outcomes:
            continue
        paper = CONFIGURATIONS[key].paper if key in CONFIGURATIONS else None
        rows.append(
            [
                name_of(key),
                _mean(outcomes, "final"),
                _change(summary.conditional, key, "final"),
                NOTHING if paper is None else decimals(paper.final),
                _mean(outcomes, "csr"),
                NOTHING if paper is None else decimals(paper.csr, 2),
                _mean(outcomes, "mf"),
                _mean(outcomes, "cf"),
                _mean(outcomes, "detection"),
                _change(summary.conditional, key, "detection"),
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


def _free(summary: AblationSummary) -> Grid:
    rows = []
    for key in summary.keys:
        outcomes = summary.free(key)
        if not outcomes:
            continue
        rows.append(
            [
                name_of(key),
                _mean(outcomes, "final"),
                _change(summary.free, key, "final"),
                _mean(outcomes, "mf"),
                _mean(outcomes, "cf"),
                _mean(outcomes, "detection"),
                _change(summary.free, key, "detection"),
                seconds(per_thousand(outcomes, "seconds")),
                seconds(mean_of(one.fit_seconds for one in outcomes)),
            ]
        )
    headings = ["configuration", "½ MF + ½ CF", "change", "MF", "CF", "AUC", "change", "s", "fit s"]
    return Grid("One part taken away: free rows", headings, rows, FREE_NOTE)


def _parts(summary: AblationSummary, title: str, score: str, part_of: Callable[[Outcome], str]) -> Grid:
    """A score by parts of the conditions."""
    parts = list(dict.fromkeys(part_of(one) for key in summary.keys for one in summary.conditional(key)))
    rows = [
        [name_of(key), *(_mean([one for one in found if part_of(one) == part], score) for part in parts)]
        for key in summary.keys
        if (found := summary.conditional(key))
    ]
    return Grid(title, ["configuration", *parts], rows)


def _mean(outcomes: Sequence[Outcome], score: str) -> str:
    """The mean where the score is defined, and in how many cases if not in all."""
    n_known = sum(score_of(one, score) is not None for one in outcomes)
    text = decimals(mean_score(outcomes, score))
    return text if n_known in (0, len(outcomes)) else f"{text} ({n_known})"


def _change(outcomes_of: Callable[[str], list[Outcome]], key: str, score: str) -> str:
    """Difference to the baseline; none for a baseline itself."""
    base = CONFIGURATIONS[key].base if key in CONFIGURATIONS else key
    return NOTHING if base == key else _spelled(change_of(outcomes_of(key), outcomes_of(base), score))


def _spelled(change: Change | None) -> str:
    if change is None:
        return NOTHING
    spread = "" if change.error is None else f" ± {decimals(change.error)}"
    return f"{decimals(change.value, sign=True)}{spread}"


def _no_answers(summary: AblationSummary) -> list[Grid]:
    """What could not be answered, which counts as no rows, and what could not be measured, which does not count."""
    found = [(one.configuration, one.model, one.kind, one.rarity, one.error) for one in summary.outcomes if one.error]
    names = ("configuration", "model", "kind", "rarity", FAILED)
    found += [tuple(record[name] for name in names) for record in summary.failures]
    rows = [[name_of(key), str(model), f"{kind}, {rarity}", why] for key, model, kind, rarity, why in found]
    return [Grid("No answer", ["configuration", "model", "condition", "why"], rows, n_labels=4)] if rows else []


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


def speedup_grids(summary: AblationSummary) -> list[Grid]:
    """What comes back, and what it costs; nothing where no pair was measured."""
    races: dict[tuple[str, str], list[Pair]] = {}
    for pair in summary.pairs:
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
