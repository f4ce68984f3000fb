"""Turn the audits of a run into tables: direct bias, mediators, hidden subgroups, trivial decisions, by algorithm."""

from __future__ import annotations

from collections.abc import Callable

from janus_bench.fairness.claims import degenerate_claim, hidden_claim, proxy_claim
from janus_bench.fairness.experiments import GRADIENT, THRESHOLD
from janus_bench.fairness.records import Trial
from janus_bench.fairness.scenarios import HIDDEN
from janus_bench.fairness.summary import Audits, FairnessSummary, is_found
from janus_bench.fairness.verdicts import (
    PAPER_AGGREGATE,
    PAPER_PARITY,
    PAPER_POSITIVES,
    PAPER_PROXY,
    PAPER_SUBGROUP,
)
from janus_bench.grids import NOTHING, Grid, decimals, percent

WORLD = "In the neutral world nothing depends on sex but what is planted."
MEANS = "Figures are means over seeds, intervals means of the audits' own 95 % intervals over splits."


def _audit_rows(summary: FairnessSummary, part: str, cells: Callable[[Audits, str, str], list[str]]) -> list[list[str]]:
    """One row per case and algorithm. In part A the cases differ only in magnitude, so the magnitude is the label."""
    rows = []
    for case, magnitude in summary.cases(part):
        for name in summary.names(part):
            audits = summary.seeds(part, case, magnitude, name)
            if audits:
                rows.append([decimals(magnitude, 2) if part == "A" else case, name, *cells(audits, case, name)])
    return rows


def direct_grid(summary: FairnessSummary) -> Grid:
    """Part A: the planted gap beside the gap that the audit measures."""

    def cells(own: Audits, case: str, name: str) -> list[str]:
        return [
            decimals(own.figure("main", "planted"), sign=True),
            own.span("main", "excess"),
            percent(own.figure("main", "recovered"), 0),
            own.count_text(is_found("main")),
            own.span("decided"),
            decimals(own.gap("decided", "excess"), sign=True),
        ]

    headings = ["magnitude", "algorithm", "gap planted", "found in scores", "recovered", "found"]
    headings += ["gap in decisions", "less the twin's"]
    note = (
        f"{WORLD} The magnitude is the share of women's favourable outcomes that was turned, the gap planted what that "
        "did to the outcome, and the gap found what it did to the mean chance that the algorithm gives, less that of "
        f"its twin, the same algorithm trained on the same rows without the bias. {MEANS}"
    )
    return Grid("A. A direct bias: gap planted and gap found", headings, _audit_rows(summary, "A", cells), note, 2)


def agreement_grid(summary: FairnessSummary) -> Grid:
    """Part A: how often decisions agree with the biased and with the fair outcome."""

    def cells(own: Audits, case: str, name: str) -> list[str]:
        return [
            *_accuracies(own),
            decimals(own.mean(lambda t: t.majority)),
            percent(own.mean(lambda t: t.favoured)),
            own.count_text(lambda t: bool(t.degenerate)),
        ]

    headings = ["magnitude", "algorithm", "with the biased outcome", "with the fair one", "twin's with the fair one"]
    headings += ["commoner outcome", "favours", "degenerate"]
    note = (
        "Shares of decisions, means over seeds. Always deciding for the commoner outcome would agree as often as shown."
    )
    return Grid("A. What decisions agree with", headings, _audit_rows(summary, "A", cells), note, 2)


def _accuracies(own: Audits) -> list[str]:
    measures: tuple[Callable[[Trial], float], ...] = (
        lambda t: t.accuracy_biased,
        lambda t: t.accuracy_fair,
        lambda t: t.twin_accuracy,
    )
    return [decimals(own.mean(measure)) for measure in measures]


def proxy_grid(summary: FairnessSummary) -> Grid:
    """Part B: parity gap and proxy gap under a bias through a mediator."""

    def cells(own: Audits, case: str, name: str) -> list[str]:
        by_paper = [decimals(PAPER_PARITY, sign=True), decimals(PAPER_PROXY, sign=True)]
        is_theirs = name == THRESHOLD
        return [
            own.span("parity"),
            by_paper[0] if is_theirs else NOTHING,
            decimals(own.gap("parity", "twin"), sign=True),
            own.span("proxy"),
            by_paper[1] if is_theirs else NOTHING,
            decimals(own.gap("proxy", "twin"), sign=True),
            decimals(own.mean(lambda t: t.accuracy_fair)),
            proxy_claim(summary, case).verdict.word if is_theirs else NOTHING,
        ]

    headings = ["world", "algorithm", "parity gap", "in the paper", "twin's"]
    headings += ["proxy gap", "in the paper", "twin's", "agrees with fair", "verdict"]
    mediator, size = summary.options["mediator"], summary.cases("B")[0][1]
    note = (
        f"Women's {mediator} was made worse until {percent(size, 0)} of their favourable outcomes had gone; the "
        f"outcome follows {mediator} as it does for anybody. Parity: men less women. Proxy: the better half by "
        f"{mediator} less the worse. The twin's are those without the bias: a proxy gap that the twin has too is what "
        f"the mediator is worth to anybody. The paper's signs are as printed. {WORLD} In the fair world {mediator} and "
        "the outcome ignore sex, other columns may not. Reproduced: a mitigator has the smallest parity gap of the "
        "paper's three algorithms and, beyond its interval, the largest proxy gap; different: one of the two. "
        f"{MEANS}"
    )
    return Grid("B. A bias through a mediator", headings, _audit_rows(summary, "B", cells), note, 2)


def hidden_grid(summary: FairnessSummary) -> Grid:
    """Part D: a biased subgroup that the aggregate gap hides."""
    first = summary.cases("D")[0][0]

    def cells(own: Audits, case: str, name: str) -> list[str]:
        return [
            decimals(own.figure("parity", "planted"), sign=True),
            decimals(own.figure("decided", "planted"), sign=True),
            own.span("parity"),
            decimals(own.gap("parity", "excess"), sign=True),
            own.span("decided"),
            decimals(own.gap("decided", "excess"), sign=True),
            percent(own.figure("main", "recovered"), 0),
            own.count_text(is_found("main")),
            hidden_claim(summary).verdict.word if case == first and name == summary.names("D")[0] else NOTHING,
        ]

    headings = ["protected column", "algorithm", "aggregate planted", "subgroup planted", "aggregate gap"]
    headings += ["less the twin's", "subgroup gap", "less the twin's", "left in scores", "found", "verdict"]
    note = (
        f"{percent(HIDDEN, 0)} of the favourable outcomes were turned of those alone who are unprivileged by sex and "
        f"by {summary.options['other column']}; nothing else depends on either. The aggregate gap is by the "
        "protected column that algorithms know, the subgroup gap between the privileged by that column and those who "
        "are hit. With both columns, the subgroup is the group. Plain learners ignore the protected column. Left in "
        "scores is the share of the planted gap that shows in the algorithm's mean chances. The paper: an aggregate of "
        f"{decimals(PAPER_AGGREGATE, sign=True)} and a disadvantage of {percent(PAPER_SUBGROUP)}, of a bias whose size "
        "it does not report. Reproduced: an algorithm's aggregate gap is at most half of its subgroup gap, both less "
        f"the twin's, and the audit finds the bias; different: that holds of the outcome alone. {MEANS}"
    )
    return Grid("D. A hidden subgroup", headings, _audit_rows(summary, "D", cells), note, 2)


def degenerate_grid(summary: FairnessSummary) -> Grid:
    """Part E: decisions that favour nearly nobody or nearly everybody."""

    def cells(own: Audits, case: str, name: str) -> list[str]:
        reasons = list(dict.fromkeys(_plain(reason) for trial in own.trials for reason in trial.degenerate))
        return [
            percent(own.mean(lambda t: t.favoured)),
            percent(PAPER_POSITIVES) if name == GRADIENT else NOTHING,
            own.span("parity"),
            decimals(own.mean(lambda t: t.accuracy_biased)),
            decimals(own.mean(lambda t: t.majority)),
            own.count_text(lambda t: bool(t.degenerate)),
            "; ".join(reasons) or NOTHING,
            degenerate_claim(summary).verdict.word if name == GRADIENT else NOTHING,
        ]

    headings = ["case", "algorithm", "favours", "in the paper", "parity gap", "agrees with biased"]
    headings += ["commoner outcome", "flagged", "why", "verdict"]
    note = (
        f"{WORLD} The strict exponentiated gradient tolerates a gap of 0.001 in training instead of 0.01. The majority "
        "classifier is the control that has to be flagged. Reproduced: an exponentiated gradient favours fewer than "
        "1 %, and fewer than half of what logistic regression does; different: logistic regression favours hardly "
        f"more, so that the rare outcome is to blame. One verdict for all cases. {MEANS}"
    )
    return Grid("E. Trivial decisions", headings, _audit_rows(summary, "E", cells), note, 2)


def _plain(reason: str) -> str:
    """Shorten a warning: its figures are in the other columns."""
    for start, short in (
        ("it favours", "favours nearly nobody or everybody"),
        ("it agrees", "agrees less than deciding always alike"),
    ):
        if reason.startswith(start):
            return short
    return reason
