"""Turn a fairness result into the tables of a report, with the paper's figures and a verdict beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from scipy import stats

from janus_bench.fairness.audit_grids import (
    WORLD,
    agreement_grid,
    degenerate_grid,
    direct_grid,
    hidden_grid,
    proxy_grid,
)
from janus_bench.fairness.claims import (
    PAPER_PAY,
    REJECTED,
    amplification,
    claims_of,
    pay_claim,
    pipeline_claim,
    slowdown,
)
from janus_bench.fairness.experiments import ALARMS, EQUAL_PAY, NOTHING_PLANTED, PLANTED, SETTINGS
from janus_bench.fairness.records import Failure
from janus_bench.fairness.scenarios import PIPELINE
from janus_bench.fairness.summary import FairnessSummary
from janus_bench.fairness.verdicts import PAPER_AMPLIFICATION, PAPER_SLOWER
from janus_bench.grids import NOTHING, Grid, decimals, each_row, list_records, percent, seconds, times

if TYPE_CHECKING:
    from janus_bench.results import Result


LEVEL = 0.95


def fairness_grids(result: Result) -> list[Grid]:
    """All tables of a result on fairness; parts that were not run have none."""
    summary = FairnessSummary.of(result)
    found = [direct_grid(summary), agreement_grid(summary)] if summary.cases("A") else []
    found += [proxy_grid(summary)] if summary.cases("B") else []
    found += [_pipeline(summary), _amplification(summary)] if len(summary.stages) else []
    found += [hidden_grid(summary)] if summary.cases("D") else []
    found += [degenerate_grid(summary)] if summary.cases("E") else []
    found += [_alarms(summary)] if len(summary.alarms) else []
    found += [_pay(summary)] if len(summary.pays) else []
    found += [_claims(summary)]
    failures = list_records("Failures", result.frame(Failure), {name: name for name in ("part", "step", "error")})
    return [*(grid for grid in found if grid.rows), *failures]


def _pipeline(summary: FairnessSummary) -> Grid:
    """Part C: the effect of biased stages on each outcome."""
    found = summary.stage_means.reset_index()
    rows = [
        [setting, f"{own.stage}. {own.outcome}", *_stage_cells(own)]
        for setting in SETTINGS
        for own in each_row(found[found["setting"] == setting].sort_values("stage"))
    ]
    headings = ["stages biased", "outcome", "planted effect of sex", "women favoured", "with bias", "disadvantage"]
    note = (
        f"A bias of {percent(PIPELINE, 0)} at each stage that is named, none at the others; the outcome of a stage "
        f"is a cause of the next. {WORLD} Effects are by intervention, in shares of people; the disadvantage is 1 less "
        "the ratio of women favoured with and without the bias. Means over seeds, intervals of the simulation."
    )
    return Grid("C. Biases along a pipeline", headings, rows, note, 2)


def _stage_cells(own: Any) -> list[str]:
    value, low, high = (decimals(figure, 4) for figure in (own.planted, own.low, own.high))
    shares = [percent(share) for share in (own.rate_fair, own.rate_biased, own.disadvantage)]
    return [f"{value} ({low} to {high})", *shares]


def _amplification(summary: FairnessSummary) -> Grid:
    """Part C: amplification ratios."""
    found, verdict = amplification(summary), pipeline_claim(summary).verdict.word
    rows = [
        ["effect on the last outcome: all three to the last stage alone", times(found.to_last, large=0)],
        ["effect on the last outcome: all three to the first stage alone", times(found.to_first, large=0)],
        ["effect on the last outcome: all three to the sum of each alone", times(found.to_sum, large=0)],
        ["relative disadvantage, all three: last stage to first", times(found.disadvantage, large=0)],
    ]
    extra = [[times(PAPER_AMPLIFICATION, large=0), verdict], *[[NOTHING, NOTHING]] * 3]
    strict = (1 - (1 - PIPELINE) ** 3) / PIPELINE
    note = (
        "The paper does not say of which measure its figure is; the first is judged. Reproduced: within a tenth of the "
        "paper's; different: above 1.05. Biases that add up without feeding one another give 1.00 in the third row. If "
        f"each stage were a gate to the next, the last row would be {times(strict, large=0)}."
    )
    joined = [[*row, *more] for row, more in zip(rows, extra, strict=True)]
    return Grid("C. How biases compound", ["ratio", "ours", "in the paper", "verdict"], joined, note)


def _alarms(summary: FairnessSummary) -> Grid:
    """Part F: false-alarm rate and power of the audit."""
    rows = []
    for setting in ALARMS:
        own = summary.alarms[summary.alarms["setting"] == setting]
        if len(own):
            rows.append([setting, str(len(own)), *_alarm_cells(own, setting)])
    headings = ["setting", "audits", "paired: found", "plain gap in scores: unequal", "plain gap in decisions: unequal"]
    headings += ["stated", "paired", "scores", "decisions"]
    note = (
        "Logistic regression on fresh tables of one model, audited by sex; sex plays no role but in the last setting, "
        "where a fifth of women's favourable outcomes is turned, and a share is the power. With nothing planted both "
        "worlds are the same and the paired difference is 0; a bias by another column tests it in earnest. Shares with "
        f"Wilson's 95 % intervals; as stated where that holds {percent(1 - LEVEL, 0)}."
    )
    return Grid("F. How often the audit errs", headings, rows, note)


def _alarm_cells(own: pd.DataFrame, setting: str) -> list[str]:
    counts = [int(own[name].sum()) for name in ("found", "unequal", "unequal_decided")]
    shares = [_share(count, len(own)) for count in counts]
    if setting == PLANTED:
        return [*shares, "power", *[NOTHING] * 3]
    words = [_as_stated(count, len(own)) for count in counts]
    words[0] = "nothing to pair" if setting == NOTHING_PLANTED else words[0]
    return [*shares, f"{percent(1 - LEVEL, 0)} at most", *words]


def _interval(count: int, n: int) -> tuple[float, float]:
    found = stats.binomtest(count, n).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def _share(count: int, n: int) -> str:
    low, high = _interval(count, n)
    return f"{percent(count / n)} ({percent(low)} to {percent(high)})"


def _as_stated(count: int, n: int) -> str:
    low, high = _interval(count, n)
    return "as stated" if low <= 1 - LEVEL <= high else "more often" if low > 1 - LEVEL else "less often"


def _pay(summary: FairnessSummary) -> Grid:
    """Part G: a rule between columns."""
    rows, means = [], summary.pay_means
    for rule in summary.pays["rule"].unique():
        for origin in summary.pays["origin"].unique():
            own = means.reindex([(rule, origin)]).iloc[0]
            by_paper = PAPER_PAY.get(origin, (NOTHING, NOTHING)) if rule == EQUAL_PAY else (NOTHING, NOTHING)
            rejected = origin == REJECTED
            rows.append(
                [
                    rule,
                    origin,
                    percent(own["satisfied"]),
                    by_paper[0],
                    percent(own["gap"]),
                    by_paper[1],
                    decimals(own["tries"], 2),
                    seconds(own["seconds"]),
                    times(slowdown(summary, rule), large=0) if rejected else NOTHING,
                    times(PAPER_SLOWER, large=0) if rejected and rule == EQUAL_PAY else NOTHING,
                    pay_claim(summary).verdict.word if rejected and rule == EQUAL_PAY else NOTHING,
                ]
            )
    headings = ["rule", "origin", "keep the rule", "in the paper", "gap by sex", "in the paper", "drawn per row"]
    headings += ["seconds", "to the rule kept", "in the paper", "verdict"]
    note = (
        "The shipped table of hiring; shares are of rows where both salaries are known. The paper's table is another, "
        "and its rejection throws away rows of CTGAN, not of JANUS. Reproduced: no row breaks the rule, and rejection "
        "takes at least half as many times as long as the paper says; different: not so many. Rejection draws whole "
        "batches; the rarer the rule, the more of them."
    )
    return Grid("G. Equal treatment inside rows", headings, rows, note, 2)


def _claims(summary: FairnessSummary) -> Grid:
    rows = [
        [claim.name, claim.paper, claim.ours, claim.verdict.word, claim.verdict.reason] for claim in claims_of(summary)
    ]  # fmt: skip
    note = "Verdicts follow from the figures by the criteria that the tables above state."
    return Grid("Claims of the paper", ["claim", "in the paper", "ours", "verdict", "why"], rows, note, 5)
