"""Tables of the ablation: a `Result` in, grids out.

They show what removing each part costs, and compare back-filling with rejection, next to the paper's figures.

`read_outcomes` gives a frame with a row per outcome; `pair_outcomes` joins back-filling and rejection from the same
fitted model under the same condition; their columns end in ``_filled`` and ``_rejected``.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from janus_bench.ablation.configurations import CANNOT, CONFIGURATIONS, GREEDY, PAIRS
from janus_bench.ablation.questions import Free, Middle
from janus_bench.ablation.trial import ORACLE, Outcome
from janus_bench.grids import NOTHING, Grid, decimals, groups_of, list_records, mean_of, percent, seconds, times
from janus_bench.workers import FAILED

if TYPE_CHECKING:
    from janus_bench.results import Result


QUESTION = ["model", "kind", "rarity"]
"""Columns that identify a question of a run."""
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
    outcomes, keys = read_outcomes(result), [ORACLE, *result.options["configurations"]]
    conditional, free = with_conditions(outcomes), outcomes[outcomes["kind"] == Free.FREE]
    return [
        _conditions(conditional, keys, result.options["draws_per_row"]),
        _parts(conditional, keys, "Final by kind of condition", "final", "kind"),
        _parts(conditional, keys, "CSR by kind of condition", "csr", "kind"),
        _parts(conditional, keys, "Final by rarity", "final", "rarity"),
        _parts(conditional, keys, "Detection AUC by rarity", "detection", "rarity"),
        _free(free, keys),
        *speedup_grids(pair_outcomes(outcomes)),
        Grid("What cannot be switched off", ["part", "why, and what stands in"], CANNOT, n_labels=2),
        *_no_answers(result, outcomes),
    ]


def read_outcomes(result: Result) -> pd.DataFrame:
    """A row per outcome; a detection AUC a below 0.5 is replaced by 1 − a."""
    found = result.frame(Outcome).rename(columns=lambda name: name.removeprefix("scores."))
    return found.assign(detection=0.5 + (found["detection"] - 0.5).abs())


def with_conditions(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Outcomes under random conditions."""
    return outcomes[~outcomes["kind"].isin([Free.FREE, Middle.KIND])]


def pair_outcomes(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Outcomes of back-filling joined with those of rejection under the same condition."""
    asked = outcomes[outcomes["kind"] != Free.FREE]
    pairs = [
        asked[asked["configuration"] == key].merge(
            asked[asked["configuration"] == rejecting], on=QUESTION, suffixes=("_filled", "_rejected")
        )
        for key, rejecting in PAIRS.items()
    ]
    return pd.concat(pairs, ignore_index=True)


def name_of(key: str) -> str:
    """Name of a configuration in reports."""
    return CONFIGURATIONS[key].name if key in CONFIGURATIONS else key


def _conditions(outcomes: pd.DataFrame, keys: list[str], most_draws: int) -> Grid:
    rows = []
    for key, own in _by_configuration(outcomes, keys).items():
        paper = CONFIGURATIONS[key].paper if key in CONFIGURATIONS else None
        drawn = own[own["n_drawn"].notna()]
        rows.append(
            [
                name_of(key),
                _mean(own["final"]),
                _change(outcomes, key, "final"),
                NOTHING if paper is None else decimals(paper.final),
                _mean(own["csr"]),
                NOTHING if paper is None else decimals(paper.csr, 2),
                *(_mean(own[score]) for score in ("mf", "cf", "detection")),
                _change(outcomes, key, "detection"),
                decimals(_ratio(drawn["n_drawn"].sum(), drawn["n_returned"].sum()), 1),
                *map(seconds, own[["seconds", "cpu_seconds", "fit_seconds"]].mean()),
            ]
        )
    headings = ["configuration", "Final", "change", "paper", "CSR", "paper", "MF", "CF", "AUC", "change"]
    headings += ["drawn", "s", "CPU s", "fit s"]
    note = f"{NOTE} {CAP_NOTE.format(most_draws)}"
    return Grid("One part taken away: rows under conditions", headings, rows, note)


def _free(outcomes: pd.DataFrame, keys: list[str]) -> Grid:
    rows = [
        [
            name_of(key),
            _mean(own["final"]),
            _change(outcomes, key, "final"),
            *(_mean(own[score]) for score in ("mf", "cf", "detection")),
            _change(outcomes, key, "detection"),
            seconds(per_thousand(own["seconds"], own["n_returned"])),
            seconds(own["fit_seconds"].mean()),
        ]
        for key, own in _by_configuration(outcomes, keys).items()
    ]
    headings = ["configuration", "½ MF + ½ CF", "change", "MF", "CF", "AUC", "change", "s", "fit s"]
    return Grid("One part taken away: free rows", headings, rows, FREE_NOTE)


def _by_configuration(outcomes: pd.DataFrame, keys: list[str]) -> dict[str, pd.DataFrame]:
    """Outcomes of each configuration that has any, in the order of the run."""
    found = groups_of(outcomes, "configuration")
    return {key: found[key] for key in keys if key in found}


def _parts(outcomes: pd.DataFrame, keys: list[str], title: str, score: str, part: str) -> Grid:
    """Mean of a score by configuration and by the column ``part`` (kind or rarity)."""
    cells = outcomes.groupby(["configuration", part])[score].agg(_mean)
    found = _by_configuration(outcomes, keys)
    parts = list(dict.fromkeys(name for own in found.values() for name in own[part]))
    rows = [[name_of(key), *(cells.get((key, name), NOTHING) for name in parts)] for key in found]
    return Grid(title, ["configuration", *parts], rows)


def _mean(scores: pd.Series[float]) -> str:
    """The mean of the defined scores, with their number if some are undefined."""
    text = decimals(mean_of(scores))
    return text if scores.count() in (0, len(scores)) else f"{text} ({scores.count()})"


def _change(outcomes: pd.DataFrame, key: str, score: str) -> str:
    """Difference to the baseline ± its standard error; a dash for a baseline itself."""
    base = CONFIGURATIONS[key].base if key in CONFIGURATIONS else key
    if base == key:
        return NOTHING
    means = changes_by_model(outcomes, key, base, score)
    text = decimals(means.mean(), sign=True)
    return f"{text} ± {decimals(float(means.std()) / len(means) ** 0.5)}" if len(means) > 1 else text


def changes_by_model(outcomes: pd.DataFrame, key: str, base: str, score: str) -> pd.Series[float]:
    """Mean difference of a score to the base's on the same questions, model by model."""
    one, other = (outcomes[outcomes["configuration"] == name].set_index(QUESTION)[score] for name in (key, base))
    return (one - other).dropna().groupby("model", sort=False).mean()


def _no_answers(result: Result, outcomes: pd.DataFrame) -> list[Grid]:
    """Unanswered requests (scored as no rows returned) and failed measurements (left out of the means)."""
    failed = pd.DataFrame([record for record in result.records if FAILED in record], columns=[*_FACTS, FAILED])
    found = pd.concat([outcomes[outcomes["error"] != ""], failed.rename(columns={FAILED: "error"})])
    shown = found.assign(
        configuration=found["configuration"].map(name_of), condition=found["kind"] + ", " + found["rarity"]
    )
    headings = {"configuration": "configuration", "model": "model", "condition": "condition", "error": "why"}
    return list_records("No answer", shown, headings)


_FACTS = ["configuration", *QUESTION]


class Claim(NamedTuple):
    """The paper's figures for rejection with conditions on a share of the columns; it reports only two shares."""

    rejected: float
    csr: float
    speedup: float


PAPER = {"10 %": Claim(0.48, 1.00, 3.8), "50 %": Claim(0.94, 0.82, 49.6)}
PAPER_DRAWS = round(0.82 / (1 - 0.94))
"""Draws per requested row (14) at which a rejection rate of 94 % yields 82 % of the rows."""

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


def speedup_grids(pairs: pd.DataFrame) -> list[Grid]:
    """Tables of the rows returned and of their cost; none if no pair was measured."""
    middle = pairs[pairs["kind"] == Middle.KIND]
    if middle.empty:
        return []
    groups = groups_of(middle, ["configuration_filled", "rarity"]).items()
    returned = [[way_of(key), rarity, *_returned(own, rarity)] for (key, rarity), own in groups]
    costs = [[way_of(key), rarity, *_costs(own, rarity)] for (key, rarity), own in groups]
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
    """Name of the baseline, and whether back-filling is greedy or exact."""
    one = CONFIGURATIONS[key]
    return f"{CONFIGURATIONS[one.base].name}, {'greedy' if one.ask == GREEDY else 'exact'}"


def _returned(pairs: pd.DataFrame, rarity: str) -> list[str]:
    claim = PAPER.get(rarity)
    drawn = pairs["n_drawn_rejected"]
    kept = (pairs["n_returned_rejected"] / drawn).where(drawn > 0)
    means = pairs.mean(numeric_only=True)
    return [
        decimals(means["probability_filled"]),
        percent((1 - kept).mean(), 0),
        NOTHING if claim is None else percent(claim.rejected, 0),
        *(decimals(means[f"{score}_filled"]) for score in ("csr", "final", "detection")),
        decimals(means["csr_rejected"]),
        NOTHING if claim is None else decimals(claim.csr, 2),
        *(decimals(means[f"{score}_rejected"]) for score in ("final", "detection")),
        decimals((PAPER_DRAWS * kept).clip(upper=1).mean()),
    ]


def _costs(pairs: pd.DataFrame, rarity: str) -> list[str]:
    claim, drawn = PAPER.get(rarity), pairs[pairs["n_drawn_rejected"].notna()]
    ratios = (
        speedup(pairs),
        speedup(pairs, "again_seconds"),
        speedup(pairs, "again_cpu_seconds", "cpu_seconds"),
        _ratio(drawn["n_drawn_rejected"].sum(), drawn["n_returned_rejected"].sum()),
        None if claim is None else claim.speedup,
    )
    return [
        *(seconds(per_thousand(pairs[f"{name}_filled"], pairs["n_returned_filled"])) for name in _TIMES),
        seconds(per_thousand(pairs["seconds_rejected"], pairs["n_returned_rejected"])),
        *(times(ratio, 2, large=1) for ratio in ratios),
    ]


_TIMES = ("seconds", "again_seconds")


def speedup(pairs: pd.DataFrame, name: str = "seconds", against: str = "seconds") -> float:
    """Seconds per returned row of rejection divided by those of back-filling; below 1 if rejection is faster.

    Parameters
    ----------
    pairs : DataFrame
        From `pair_outcomes`; their times and rows are summed.
    name, against : str
        Fields with the times of back-filling and of rejection.
    """
    filled = per_thousand(pairs[f"{name}_filled"], pairs["n_returned_filled"])
    rejected = per_thousand(pairs[f"{against}_rejected"], pairs["n_returned_rejected"])
    return _ratio(rejected, filled)


def per_thousand(spent: pd.Series[float], returned: pd.Series[int]) -> float:
    """Total seconds per 1,000 rows returned; NaN if a time is unknown or no row was returned."""
    return _ratio(1_000 * spent.sum(skipna=False), returned.sum())


def _ratio(over: float, under: float) -> float:
    return over / under if under else nan
