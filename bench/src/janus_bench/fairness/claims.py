"""Turn the records of a run into claims: the paper's figure, the figure measured here, and a verdict."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

from janus_bench.fairness.experiments import EQUAL_PAY, GRADIENT, MAJORITY, STRICT, THREE, THRESHOLD
from janus_bench.fairness.summary import Audits, FairnessSummary, is_found
from janus_bench.fairness.verdicts import (
    PAPER_AGGREGATE,
    PAPER_AMPLIFICATION,
    PAPER_PARITY,
    PAPER_POSITIVES,
    PAPER_PROXY,
    PAPER_SLOWER,
    PAPER_SUBGROUP,
    Fairness,
    Hidden,
    Positives,
    Verdict,
    judge_degenerate,
    judge_hidden,
    judge_pay,
    judge_pipeline,
    judge_proxy,
)
from janus_bench.grids import decimals, percent, times

REAL, FREE, KEPT, REJECTED = "real rows", "JANUS, free", "JANUS, rule kept", "JANUS and rejection"
"""Where the rows of part G come from."""
PAPER_PAY = {REAL: ("78.0 %", "23.3 %"), KEPT: ("100 %", "0 %"), REJECTED: ("100 %", "0 %")}


class Claim(NamedTuple):
    """A claim of the paper, the figure measured here, and the verdict."""

    name: str
    paper: str
    ours: str
    verdict: Verdict


def claims_of(summary: FairnessSummary) -> list[Claim]:
    """All claims for which the run has records."""
    found = [proxy_claim(summary, world) for world, _ in summary.cases("B")]
    found += [pipeline_claim(summary)] if len(summary.stages) else []
    found += [hidden_claim(summary)] if summary.cases("D") else []
    found += [degenerate_claim(summary)] if summary.cases("E") else []
    return [*found, pay_claim(summary)] if len(summary.pays) else found


def proxy_claim(summary: FairnessSummary, world: str) -> Claim:
    """Proxy blindness in one baseline world."""
    (magnitude,) = {size for case, size in summary.cases("B") if case == world}
    audits = {name: summary.seeds("B", world, magnitude, name) for name in THREE}
    gaps = {
        name: Fairness(own.gap("parity"), own.gap("proxy"), own.half("proxy")) for name, own in audits.items() if own
    }
    ours = gaps.get(THRESHOLD, Fairness(nan, nan))
    twin = audits[THRESHOLD].gap("proxy", "twin")
    return Claim(
        f"proxy blindness, {world} world",
        _two_gaps(PAPER_PARITY, PAPER_PROXY),
        f"{_two_gaps(ours.parity, ours.proxy)} ({decimals(twin, sign=True)} without the bias)",
        judge_proxy(gaps),
    )


def _two_gaps(parity: float, proxy: float) -> str:
    return f"threshold optimizer: parity {decimals(parity, sign=True)}, proxy {decimals(proxy, sign=True)}"


class Amplification(NamedTuple):
    """Effect of three biased stages on the last outcome, relative to the last, the first, and the sum of each alone."""

    to_last: float
    to_first: float
    to_sum: float
    disadvantage: float
    """Relative disadvantage at the last stage over that at the first."""


def amplification(summary: FairnessSummary) -> Amplification:
    """Compute the ratios from effects averaged over seeds."""
    means = summary.stages.groupby(["setting", "stage"])[["planted", "disadvantage"]].mean()
    last = summary.stages["stage"].max()

    def mean(setting: str, stage: int, name: str = "planted") -> float:
        return float(means[name].get((setting, stage), nan))

    whole, alone = mean("all three", last), [mean(f"{word} alone", last) for word in ("first", "second", "last")]
    lost = [mean("all three", stage, "disadvantage") for stage in (1, last)]
    return Amplification(
        _ratio(whole, alone[-1]), _ratio(whole, alone[0]), _ratio(whole, sum(alone)), _ratio(lost[1], lost[0])
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan


def pipeline_claim(summary: FairnessSummary) -> Claim:
    """Temporal amplification: biased stages compound along a pipeline."""
    found = amplification(summary)
    last, lost = (times(ratio, large=0) for ratio in (found.to_last, found.disadvantage))
    ours = f"{last} one stage; {lost} the first stage's relative disadvantage"
    paper = f"{times(PAPER_AMPLIFICATION, large=0)} over three stages"
    return Claim("temporal amplification", paper, ours, judge_pipeline(found.to_last))


def hidden_claim(summary: FairnessSummary) -> Claim:
    """Hidden intersectionality, for algorithms that know one protected column."""
    column, magnitude = summary.cases("D")[0]
    audits = {name: own for name in summary.names("D") if (own := summary.seeds("D", column, magnitude, name))}
    outcome = hidden_outcome(next(iter(audits.values())))
    decided = {
        name: Hidden(own.gap("parity", "excess"), own.gap("decided", "excess"), own.mostly(is_found("main")))
        for name, own in audits.items()
    }
    return Claim(
        "hidden intersectionality",
        f"aggregate {decimals(PAPER_AGGREGATE, sign=True)}, subgroup {percent(PAPER_SUBGROUP)}",
        f"aggregate {decimals(outcome.aggregate, sign=True)}, subgroup {decimals(outcome.subgroup, sign=True)}",
        judge_hidden(outcome, decided),
    )


def hidden_outcome(audits: Audits) -> Hidden:
    """The gaps that were planted in the outcome itself."""
    return Hidden(audits.figure("parity", "planted"), audits.figure("decided", "planted"), True)


def degenerate_claim(summary: FairnessSummary) -> Claim:
    """Degenerate solutions: parity reached by trivial decisions."""
    cases: dict[str, dict[str, Positives]] = {}
    for case, magnitude in summary.cases("E"):
        audits = {name: summary.seeds("E", case, magnitude, name) for name in summary.names("E")}
        cases[case] = {
            name: Positives(own.mean(lambda t: t.favoured), own.mostly(lambda t: bool(t.degenerate)))
            for name, own in audits.items()
            if own
        }
    fewest = min(
        [case[name].favoured for case in cases.values() for name in (GRADIENT, STRICT) if name in case] or [nan]
    )
    return Claim(
        "degenerate solutions",
        f"exponentiated gradient favours {percent(PAPER_POSITIVES)}",
        f"it favours {percent(fewest)} at the least",
        judge_degenerate(cases, MAJORITY),
    )


def pay_claim(summary: FairnessSummary) -> Claim:
    """Equal pay enforced by a rule between columns."""
    kept = summary.pays.loc[summary.pays["origin"].isin([KEPT, REJECTED]), ["satisfied", "gap"]]
    slower = slowdown(summary, EQUAL_PAY)
    satisfied, gap = (_paid(summary, KEPT, name) for name in ("satisfied", "gap"))
    return Claim(
        "equal pay",
        f"rule kept in all rows, no gap; rejection about {times(PAPER_SLOWER, large=0)} slower",
        f"kept in {percent(satisfied)}, gap {percent(gap)}; rejection takes {times(slower, large=0)} as long",
        judge_pay(list(kept.itertuples(index=False)), slower),
    )


def slowdown(summary: FairnessSummary, rule: str) -> float:
    """Seconds of rejection over seconds of back-filling."""
    return _ratio(_paid(summary, REJECTED, "seconds", rule), _paid(summary, KEPT, "seconds", rule))


def _paid(summary: FairnessSummary, origin: str, name: str, rule: str = EQUAL_PAY) -> float:
    return float(summary.pay_means[name].get((rule, origin), nan))
