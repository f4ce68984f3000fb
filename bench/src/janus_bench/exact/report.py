"""Comparisons, costs and violations to the tables of a report, the summary first."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from janus_bench.exact.against import Comparison
from janus_bench.exact.costs import Cost, Violations
from janus_bench.exact.disjunctions import Disjunction
from janus_bench.grids import NOTHING, Grid, decimals, seconds

if TYPE_CHECKING:
    from janus_bench.results import Result

GOOD_AUC = 0.52
LARGEST_Z = 3.5
"""A branch whose share is right goes beyond it once in 2,000: among some 120 branches with a chance of 5 %."""
COMMON = 0.01
"""From here on `sample` itself uses rejection, which needs no branches."""
MEANING = (
    "AUC: XGBoost between rows of sample(where=...) and unconditional rows of the same model that obey, mean of two "
    "seeds; 0.5 is ideal, and two samples of n rows from one distribution miss it by 1/√(6n), typically: 0.008 for "
    "2,500 rows. Half/half: the same between two halves of the reference, which have half as many rows each."
)


_Pair = tuple[Comparison, Disjunction]
"""A request, all together and branch by branch."""


class Summary(NamedTuple):
    """What some comparisons say together."""

    n: int
    n_judged: int
    n_good: int
    mean_auc: float | None
    largest_auc: float | None
    mean_half: float | None
    largest_half: float | None
    n_intervals: int
    most_off: float
    n_violations: int
    exact_seconds: float
    rejection_seconds: float

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> Summary:
        """Count what is good, and name the worst; at least one comparison."""
        aucs = [c.auc for c in comparisons if c.auc is not None]
        halves = [c.half_auc for c in comparisons if c.half_auc is not None]
        return cls(
            n=len(comparisons),
            n_judged=len(aucs),
            n_good=sum(auc <= GOOD_AUC for auc in aucs),
            mean_auc=fmean(aucs) if aucs else None,
            largest_auc=max(aucs, default=None),
            mean_half=fmean(halves) if halves else None,
            largest_half=max(halves, default=None),
            n_intervals=sum(c.interval_holds for c in comparisons),
            most_off=max(c.off for c in comparisons),
            n_violations=sum(c.n_violations for c in comparisons),
            exact_seconds=median(c.exact_seconds for c in comparisons),
            rejection_seconds=median(c.rejection_seconds for c in comparisons),
        )


def exact_grids(result: Result) -> list[Grid]:
    """All tables of a result on exactness; parts that were not run have none."""
    comparisons = [Comparison(**_fields(record)) for record in result.records if record["record"] == "comparison"]
    costs = [Cost(**_fields(record)) for record in result.records if record["record"] == "cost"]
    violations = [Violations(**_fields(record)) for record in result.records if record["record"] == "violations"]
    failures = [[r["part"], r["subject"], r["error"]] for r in result.records if r["record"] == "failure"]
    branches = [Disjunction(**_fields(record)) for record in result.records if record["record"] == "disjunction"]
    pairs = [(c, d) for c in comparisons for d in branches if c.part == d.part and c.subject == d.subject]
    random = [c for c in comparisons if c.part == "A"]
    adult = [(c, t) for c in comparisons for t in costs if c.part == t.part == "B" and c.rule == t.rule]
    tightened = [cost for cost in costs if cost.part == "C"]
    found = [
        _disjunction_summaries(pairs) if pairs else None,
        _disjunctions(pairs) if pairs else None,
        _summaries(random) if random else None,
        _random_models(random) if random else None,
        _adult(adult) if adult else None,
        _tightened(tightened) if tightened else None,
        _violations(violations) if violations else None,
        Grid("Failures", ["part", "what", "error"], failures, n_labels=3) if failures else None,
    ]
    return [grid for grid in found if grid is not None]


def _fields(record: Any) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "record"}


def _disjunction_summaries(pairs: Sequence[_Pair]) -> Grid:
    """All disjunctions, then by rarity, graph, number of branches and how their shares are divided."""
    groups = {"all": list(pairs)}
    for name_of in (_rarity, _graph, _n_branches, _balance):
        for name, pair in sorted(((name_of(pair), pair) for pair in pairs), key=lambda named: named[0]):
            groups.setdefault(name, []).append(pair)
    rows = [[name, *_disjunction_cells(group)] for name, group in groups.items()]
    headings = ["requests", "cases", f"AUC ≤ {GOOD_AUC}", "mean AUC", "largest", "half/half mean", "largest"]
    headings += [f"branch shares within error (|z| ≤ {LARGEST_Z})", "largest |z|", "intervals hold", "most off"]
    headings += ["violations", "cost ≤ branches + 1", "over the most expensive branch", "largest", "over all branches"]
    headings += ["exact s", "rejection s"]
    note = (
        f"{MEANING} z: difference between a branch's shares among the rows of sample and among the reference, in "
        "binomial standard errors of both; the largest of a request's branches counts. A lost branch with a share of "
        "5 % raises the AUC to 0.525 at most, but is a |z| of 14 in 4,000 rows. Intervals of 95 % of "
        "probability() beside brute force, whose own error is allowed for, and the largest factor between the two. "
        "Cost: processor seconds of sample for the request, the plan included, over those of its most expensive branch "
        "asked for by itself (median and largest), and over those of all its branches together (median); the target "
        "is one more than there are branches. Requests from 1 % on are met by rejection in sample, too. "
        "Seconds: median of cases on the clock."
    )
    return Grid("Disjunctions: exact rows beside rejection", headings, rows, note)


def _rarity(pair: _Pair) -> str:
    return "below 1 %" if pair[0].probability < COMMON else "from 1 % on"


def _graph(pair: _Pair) -> str:
    return pair[0].subject.partition(", ")[2]


def _n_branches(pair: _Pair) -> str:
    return f"{pair[1].n_branches} branches"


def _balance(pair: _Pair) -> str:
    return pair[0].kind


def _disjunction_cells(pairs: Sequence[_Pair]) -> list[str]:
    s = Summary.of([c for c, _ in pairs])
    found = [d for _, d in pairs]
    cases, good, *aucs, intervals, off, violations, exact, rejection = _summary_cells(s)
    n_within = sum(d.largest_z <= LARGEST_Z for d in found)
    n_cheap = sum(d.over_most_expensive <= d.n_branches + 1 for d in found)
    costs = [
        median(d.over_most_expensive for d in found),
        max(d.over_most_expensive for d in found),
        median(d.over_sum for d in found),
    ]
    return [
        *(cases, good, *aucs, f"{n_within} of {s.n}", decimals(max(d.largest_z for d in found), 2)),
        *(intervals, off, violations, f"{n_cheap} of {s.n}"),
        *(f"{decimals(cost, 2)} ×" for cost in costs),
        *(exact, rejection),
    ]


def _disjunctions(pairs: Sequence[_Pair]) -> Grid:
    rows = []
    for c, d in pairs:
        n_rows, auc, half, exact, rejection = _scores(c)
        shares = [" / ".join(f"{share:.3f}" for share in found) for found in (d.shares, d.reference_shares)]
        costs = [f"{decimals(cost, 2)} ×" for cost in (d.over_most_expensive, d.over_sum)]
        scores = [n_rows, auc, half, *shares, decimals(d.largest_z, 2), str(c.n_violations), str(d.n_branches)]
        rows.append([c.subject, c.kind, c.rule, *_shares(c), *scores, *costs, exact, rejection])
    headings = ["model", "aimed at", "request", "brute force", "probability()", "interval", "holds"]
    headings += ["rows", "AUC", "half/half", "shares of the branches", "in the reference", "largest |z|", "violations"]
    headings += ["branches", "over the most expensive", "over all", "exact s", "rejection s"]
    return Grid("Disjunctions, case by case", headings, rows, n_labels=3)


def _summaries(comparisons: Sequence[Comparison]) -> Grid:
    """All random models, then by graph and by kind of request."""
    groups = {"all": list(comparisons)}
    for c in comparisons:
        groups.setdefault(c.subject.partition(", ")[2], []).append(c)
    for c in comparisons:
        groups.setdefault(c.kind, []).append(c)
    rows = [[name, *_summary_cells(Summary.of(group))] for name, group in groups.items()]
    headings = ["models", "cases", f"AUC ≤ {GOOD_AUC}", "mean AUC", "largest", "half/half mean", "largest"]
    headings += ["intervals hold", "most off", "violations", "exact s", "rejection s"]
    note = (
        f"{MEANING} Intervals of 95 % of probability() beside brute force, whose own error is allowed for, "
        "and the largest factor between the two. Seconds: median of cases, the plan included, for as many rows as "
        "the reference has."
    )
    return Grid("Random models: exact rows beside rejection", headings, rows, note)


def _summary_cells(s: Summary) -> list[str]:
    aucs = [decimals(value) for value in (s.mean_auc, s.largest_auc, s.mean_half, s.largest_half)]
    times = [seconds(s.exact_seconds), seconds(s.rejection_seconds)]
    shares = [f"{s.n_intervals} of {s.n}", f"{decimals(s.most_off, 2)} ×"]
    return [str(s.n), f"{s.n_good} of {s.n_judged}", *aucs, *shares, str(s.n_violations), *times]


def _random_models(comparisons: Sequence[Comparison]) -> Grid:
    rows = [[c.subject, c.kind, c.rule, *_shares(c), *_scores(c)] for c in comparisons]
    headings = ["model", "kind", "request", "brute force", "probability()", "interval", "holds"]
    headings += ["rows", "AUC", "half/half", "exact s", "rejection s"]
    return Grid("Random models, case by case", headings, rows, n_labels=3)


def _shares(c: Comparison) -> list[str]:
    shown = [_share(c.probability), _share(c.estimate), f"{_share(c.low)} to {_share(c.high)}"]
    return [*shown, "yes" if c.interval_holds else "no"]


def _scores(c: Comparison) -> list[str]:
    times = [seconds(c.exact_seconds), seconds(c.rejection_seconds)]
    return [f"{c.n_rows:,}", decimals(c.auc), decimals(c.half_auc), *times]


def _adult(pairs: Sequence[tuple[Comparison, Cost]]) -> Grid:
    rows = []
    for c, cost in pairs:
        by_rejection = c.rejection_seconds * cost.n_rows / c.n_rows if c.n_rows else None
        with_plan = cost.plan_seconds + cost.cached
        shown = [decimals(c.estimate / c.probability) if c.n_accepted else NOTHING, _shares(c)[-1], f"{c.n_rows:,}"]
        shown += [decimals(c.auc), decimals(c.half_auc), seconds(with_plan), seconds(cost.cached)]
        ratio = NOTHING if by_rejection is None else f"{decimals(by_rejection / with_plan, 1)} ×"
        rows.append([c.rule, _share(c.probability), *shown, seconds(by_rejection), ratio])
    n = f"{pairs[0][1].n_rows:,}"
    headings = ["request", "brute force", "ratio", "interval holds", "rows", "AUC", "half/half"]
    headings += [f"s for {n} rows", "plan cached", "rejection s", "rejection takes"]
    note = (
        f"{MEANING} Ratio: probability() over brute force, and whether its interval allows for it. Seconds for {n} "
        "rows with the plan, then without; rejection's follow from its rate and are held against those with the plan."
    )
    return Grid("Adult, structure chain: exact rows beside rejection", headings, rows, note)


def _tightened(costs: Sequence[Cost]) -> Grid:
    easy = costs[0]
    rows = [
        [
            cost.rule,
            _share(cost.probability),
            decimals(cost.per_thousand, 0),
            f"{decimals(cost.per_thousand / easy.per_thousand, 2)} ×",
            decimals(cost.processor_per_thousand, 0),
            f"{decimals(cost.processor_per_thousand / easy.processor_per_thousand, 2)} ×",
            seconds(cost.plan_seconds),
            decimals(1 / cost.probability, 0 if cost.probability < 0.1 else 1) if cost.probability else NOTHING,
        ]
        for cost in costs
    ]
    headings = ["request", "probability()", "ms per 1,000 rows", "to the first", "processor ms", "to the first"]
    headings += ["plan s", "rejection draws per row"]
    note = (
        f"Table {easy.table}; {easy.n_rows:,} rows, median of {len(easy.seconds)} runs in turns, plan at hand. "
        "Rejection draws 1 / probability rows for each that it keeps, on average."
    )
    return Grid("Cost by rarity", headings, rows, note)


def _violations(found: Sequence[Violations]) -> Grid:
    rows = [[v.rule, f"{v.n_rows:,}", str(v.n_violations), seconds(v.seconds)] for v in found]
    rules = " and ".join(f"'{rule}'" for rule in found[0].rules)
    note = f"Table {found[0].table}, a model with the rules {rules}. Rows are judged by holds; seconds with the plan."
    return Grid("Violations", ["request", "rows", "violations", "seconds"], rows, note)


def _share(value: float) -> str:
    return f"{value:.3g}"
