"""Tables on exactness: a `Result` in, grids out, summaries first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import pandas as pd

from janus_bench.exact.against import Comparison
from janus_bench.exact.costs import Cost, Violations
from janus_bench.exact.disjunctions import Disjunction
from janus_bench.exact.run import Failure
from janus_bench.grids import NOTHING, Grid, decimals, each_row, list_records, seconds, times

if TYPE_CHECKING:
    from janus_bench.results import Result

GOOD_AUC = 0.52
LARGEST_Z = 3.5
"""Limit of |z|: a correct branch exceeds it once in 2,000, so any of about 120 branches does with probability 5 %."""
COMMON = 0.01
"""Probability from which `sample` itself uses rejection, which does not need branches."""
MEANING = (
    "AUC: XGBoost between rows of sample(where=...) and unconditional rows of the same model that obey, mean of two "
    "seeds; 0.5 is ideal, and two samples of n rows from one distribution miss it by 1/√(6n), typically: 0.008 for "
    "2,500 rows. Half/half: the same between two halves of the reference, which have half as many rows each."
)


def exact_grids(result: Result) -> list[Grid]:
    """All tables of a result on exactness; parts that were not run are left out."""
    comparisons = read_records(result, Comparison)
    branches, costs = read_records(result, Disjunction), read_records(result, Cost)
    disjunctions = comparisons.merge(branches, on=["part", "subject"], suffixes=("", "_branches"))
    random = comparisons[comparisons["part"] == "A"]
    adult = comparisons[comparisons["part"] == "B"].merge(costs, on=["part", "rule"], suffixes=("", "_timed"))
    makers = (
        (_disjunction_summaries, disjunctions),
        (_disjunctions, disjunctions),
        (_summaries, random),
        (_random_models, random),
        (_adult, adult),
        (_tightened, costs[costs["part"] == "C"]),
        (_violations, read_records(result, Violations)),
    )
    found = [make(records) for make, records in makers if len(records)]
    headings = {"part": "part", "subject": "what", "error": "error"}
    return found + list_records("Failures", result.frame(Failure), headings)


def read_records(result: Result, kind: type) -> pd.DataFrame:
    """Records of one dataclass as a frame, with a column per field and per property."""
    name, names = kind.__name__.lower(), [field.name for field in fields(kind)]
    found = [kind(**{name: one[name] for name in names}) for one in result.records if one["record"] == name]
    return frame_of(found, kind)


def frame_of(values: Sequence[Any], kind: type) -> pd.DataFrame:
    """Instances of a dataclass as a frame, with a column per field and per property."""
    derived = [name for name, value in vars(kind).items() if isinstance(value, property)]
    rows = [{**asdict(value), **{name: getattr(value, name) for name in derived}} for value in values]
    return pd.DataFrame(rows, columns=[*(field.name for field in fields(kind)), *derived])


def summarise(comparisons: pd.DataFrame) -> pd.Series[Any]:
    """Summary of comparisons: how many are within limits, means, and the worst."""
    auc, half = comparisons["auc"].astype(float), comparisons["half_auc"].astype(float)
    return pd.Series(
        {
            "n": len(comparisons),
            "n_judged": auc.count(),
            "n_good": (auc <= GOOD_AUC).sum(),
            "mean_auc": auc.mean(),
            "largest_auc": auc.max(),
            "mean_half": half.mean(),
            "largest_half": half.max(),
            "n_intervals": comparisons["interval_holds"].sum(),
            "most_off": comparisons["off"].max(),
            "n_violations": comparisons["n_violations"].sum(),
            "exact_seconds": comparisons["exact_seconds"].median(),
            "rejection_seconds": comparisons["rejection_seconds"].median(),
        },
        dtype=object,
    )


def _graphs(comparisons: pd.DataFrame) -> pd.Series[str]:
    """Whether each model's graph was given or learnt, from subjects such as "3, graph learnt"."""
    return comparisons["subject"].str.partition(", ")[2]


def _disjunction_summaries(pairs: pd.DataFrame) -> Grid:
    """All disjunctions, then by rarity, graph, number of branches and how their shares are divided."""
    rows = [["all", *_disjunction_cells(pairs)]]
    rarity = (pairs["probability"] < COMMON).map({True: "below 1 %", False: "from 1 % on"})
    for group in (rarity, _graphs(pairs), pairs["n_branches"].astype(str) + " branches", pairs["kind"]):
        rows += [[str(name), *_disjunction_cells(own)] for name, own in pairs.groupby(group)]
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


def _disjunction_cells(pairs: pd.DataFrame) -> list[str]:
    cases, good, *aucs, intervals, off, violations, exact, rejection = _summary_cells(summarise(pairs))
    cost, n = pairs["over_most_expensive"], len(pairs)
    n_within, n_cheap = (pairs["largest_z"] <= LARGEST_Z).sum(), (cost <= pairs["n_branches"] + 1).sum()
    return [
        *(cases, good, *aucs, f"{n_within} of {n}", decimals(pairs["largest_z"].max(), 2)),
        *(intervals, off, violations, f"{n_cheap} of {n}"),
        *(times(ratio) for ratio in (cost.median(), cost.max(), pairs["over_sum"].median())),
        *(exact, rejection),
    ]


def _disjunctions(pairs: pd.DataFrame) -> Grid:
    rows = []
    for pair in each_row(pairs):
        n_rows, auc, half, exact, rejection = _scores(pair)
        shares = [" / ".join(f"{share:.3f}" for share in found) for found in (pair.shares, pair.reference_shares)]
        costs = [times(cost) for cost in (pair.over_most_expensive, pair.over_sum)]
        scores = [n_rows, auc, half, *shares, decimals(pair.largest_z, 2)]
        counts = [str(pair.n_violations), str(pair.n_branches)]
        rows.append([pair.subject, pair.kind, pair.rule, *_shares(pair), *scores, *counts, *costs, exact, rejection])
    headings = ["model", "aimed at", "request", "brute force", "probability()", "interval", "holds"]
    headings += ["rows", "AUC", "half/half", "shares of the branches", "in the reference", "largest |z|", "violations"]
    headings += ["branches", "over the most expensive", "over all", "exact s", "rejection s"]
    return Grid("Disjunctions, case by case", headings, rows, n_labels=3)


def _summaries(comparisons: pd.DataFrame) -> Grid:
    """All random models, then by graph and by kind of request."""
    rows = [["all", *_summary_cells(summarise(comparisons))]]
    for group in (_graphs(comparisons), comparisons["kind"]):
        found = comparisons.groupby(group, sort=False)
        rows += [[str(name), *_summary_cells(summarise(own))] for name, own in found]
    headings = ["models", "cases", f"AUC ≤ {GOOD_AUC}", "mean AUC", "largest", "half/half mean", "largest"]
    headings += ["intervals hold", "most off", "violations", "exact s", "rejection s"]
    note = (
        f"{MEANING} Intervals of 95 % of probability() beside brute force, whose own error is allowed for, "
        "and the largest factor between the two. Seconds: median of cases, the plan included, for as many rows as "
        "the reference has."
    )
    return Grid("Random models: exact rows beside rejection", headings, rows, note)


def _summary_cells(s: pd.Series[Any]) -> list[str]:
    aucs = [decimals(value) for value in (s.mean_auc, s.largest_auc, s.mean_half, s.largest_half)]
    shares = [f"{s.n_intervals} of {s.n}", times(s.most_off)]
    spent = [seconds(s.exact_seconds), seconds(s.rejection_seconds)]
    return [str(s.n), f"{s.n_good} of {s.n_judged}", *aucs, *shares, str(s.n_violations), *spent]


def _random_models(comparisons: pd.DataFrame) -> Grid:
    rows = [[c.subject, c.kind, c.rule, *_shares(c), *_scores(c)] for c in each_row(comparisons)]
    headings = ["model", "kind", "request", "brute force", "probability()", "interval", "holds"]
    headings += ["rows", "AUC", "half/half", "exact s", "rejection s"]
    return Grid("Random models, case by case", headings, rows, n_labels=3)


def _shares(c: Any) -> list[str]:
    shown = [_share(c.probability), _share(c.estimate), f"{_share(c.low)} to {_share(c.high)}"]
    return [*shown, "yes" if c.interval_holds else "no"]


def _scores(c: Any) -> list[str]:
    spent = [seconds(c.exact_seconds), seconds(c.rejection_seconds)]
    return [f"{c.n_rows:,}", decimals(c.auc), decimals(c.half_auc), *spent]


def _adult(pairs: pd.DataFrame) -> Grid:
    rows = []
    for c in each_row(pairs):
        by_rejection = c.rejection_seconds * c.n_rows_timed / c.n_rows if c.n_rows else None
        with_plan = c.plan_seconds + c.cached
        shown = [decimals(c.estimate / c.probability) if c.n_accepted else NOTHING, _shares(c)[-1], f"{c.n_rows:,}"]
        shown += [decimals(c.auc), decimals(c.half_auc), seconds(with_plan), seconds(c.cached)]
        ratio = None if by_rejection is None else by_rejection / with_plan
        rows.append([c.rule, _share(c.probability), *shown, seconds(by_rejection), times(ratio, 1)])
    n = f"{pairs['n_rows_timed'].iloc[0]:,}"
    headings = ["request", "brute force", "ratio", "interval holds", "rows", "AUC", "half/half"]
    headings += [f"s for {n} rows", "plan cached", "rejection s", "rejection takes"]
    note = (
        f"{MEANING} Ratio: probability() over brute force, and whether its interval allows for it. Seconds for {n} "
        "rows with the plan, then without; rejection's follow from its rate and are held against those with the plan."
    )
    return Grid("Adult, structure chain: exact rows beside rejection", headings, rows, note)


def _tightened(costs: pd.DataFrame) -> Grid:
    easy = costs.iloc[0]
    rows = [
        [
            cost.rule,
            _share(cost.probability),
            decimals(cost.per_thousand, 0),
            times(cost.per_thousand / easy.per_thousand),
            decimals(cost.processor_per_thousand, 0),
            times(cost.processor_per_thousand / easy.processor_per_thousand),
            seconds(cost.plan_seconds),
            decimals(1 / cost.probability, 0 if cost.probability < 0.1 else 1) if cost.probability else NOTHING,
        ]
        for cost in each_row(costs)
    ]
    headings = ["request", "probability()", "ms per 1,000 rows", "to the first", "processor ms", "to the first"]
    headings += ["plan s", "rejection draws per row"]
    note = (
        f"Table {easy.table}; {easy.n_rows:,} rows, median of {len(easy.seconds)} runs in turns, plan at hand. "
        "Rejection draws 1 / probability rows for each that it keeps, on average."
    )
    return Grid("Cost by rarity", headings, rows, note)


def _violations(found: pd.DataFrame) -> Grid:
    rows = [[v.rule, f"{v.n_rows:,}", str(v.n_violations), seconds(v.seconds)] for v in each_row(found)]
    first = found.iloc[0]
    rules = " and ".join(f"'{rule}'" for rule in first["rules"])
    note = f"Table {first['table']}, a model with the rules {rules}. Rows are judged by holds; seconds with the plan."
    return Grid("Violations", ["request", "rows", "violations", "seconds"], rows, note)


def _share(value: float) -> str:
    return f"{value:.3g}"
