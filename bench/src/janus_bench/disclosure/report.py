"""Report on disclosure risk: a `Result` in, grids out. What exceeds the target is listed in a grid of its own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from janus_bench.grids import Grid, decimals
from janus_bench.workers import FAILED

if TYPE_CHECKING:
    from janus_bench.results import Result

TARGET = 0.02
"""Success on training rows may exceed success on unseen rows by this much."""
SHORT = {
    "singling_out": "singling out",
    "singling_out_univariate": "univariate",
    "linkability": "linkability",
    "inference": "inference",
    "membership_distance": "distance",
    "membership_density": "density",
}
NOTE = (
    "Success on training rows less success on as many unseen rows: means over splits and seeds, ± half of a 95 % "
    "interval (Student's t over splits). * is above 0.02 with confidence, ? perhaps: the mean is above, but the "
    "interval includes 0.02. Splits of a small table overlap, so that its intervals are somewhat too narrow."
)


class Excess(NamedTuple):
    """Success on training rows less that on unseen rows, over several splits."""

    success: float
    control: float
    mean: float
    half: float
    n: int

    @property
    def mark(self) -> str:
        """A star if the target is missed with confidence, a question mark if perhaps."""
        if not self.mean > TARGET:
            return ""
        return " *" if self.mean - self.half > TARGET else " ?"

    def __str__(self) -> str:
        spread = "" if math.isnan(self.half) else f" ± {decimals(self.half)}"
        return f"{decimals(self.mean)}{spread}{self.mark}"


def excess_of(outcomes: Sequence[Mapping[str, float | None]]) -> Excess | None:
    """Mean excess over splits and its interval; None if the attack could not be tried.

    Examples
    --------
    >>> str(excess_of([{"success": 0.30, "control": 0.20}, {"success": 0.31, "control": 0.20}]))
    '0.105 ± 0.064 *'
    """
    from scipy.stats import t

    pairs = [(one.get("success"), one.get("control")) for one in outcomes]
    known = [(success, control) for success, control in pairs if success is not None and control is not None]
    if not known:
        return None
    gaps = [success - control for success, control in known]
    n = len(gaps)
    half = float(t.ppf(0.975, n - 1)) * stdev(gaps) / math.sqrt(n) if n > 1 else math.nan
    return Excess(fmean(s for s, _ in known), fmean(c for _, c in known), fmean(gaps), half, n)


def disclosure_grids(result: Result) -> list[Grid]:
    """A grid of all attacks per method, one of those that exceed the target, and failures if there are any."""
    records = pd.DataFrame(result.records)
    measured = records[records["attacks"].notna()] if "attacks" in records else records.iloc[:0]
    grids = [_attacks(measured[measured["method"] == method], method) for method in records["method"].unique()]
    grids.append(_beyond(measured))
    failures = [[r["table"], r["method"], str(r["seed"]), r[FAILED]] for r in result.records if FAILED in r]
    if failures:
        grids.append(Grid("What could not be measured", ["table", "method", "seed", "why"], failures, n_labels=4))
    return grids


def _attacks(measured: pd.DataFrame, method: str) -> Grid:
    rows = []
    for table, own in measured.groupby("table", sort=False):
        levels = Counter(level for levels in own["levels"] for level in levels)
        aucs = [one["membership_density"]["auc"] for one in own["attacks"]]
        auc = fmean(aucs) if None not in aucs else None
        cells = [_cell(excess_of(_outcomes(own, name))) for name in SHORT]
        verdicts = ", ".join(f"{level} {levels[level]}" for level in ("low", "moderate", "high") if levels[level])
        rows.append([str(table), f"{own['n_train'].iloc[0]:,.0f}", *cells, decimals(auc), verdicts])
    heads = ["table", "training rows", *SHORT.values(), "AUC, density", "verdicts"]
    return Grid(f"Attacks on training rows: {method}", heads, rows, note=NOTE)


def _outcomes(own: pd.DataFrame, attack: str) -> list[Mapping[str, float | None]]:
    """Rates of one attack, split by split; nothing where the rows left nothing to attack, as tables of labels do."""
    return [attacks.get(attack, {}) for attacks in own["attacks"]]


def _cell(excess: Excess | None) -> str:
    return "–" if excess is None else str(excess)


def _beyond(measured: pd.DataFrame) -> Grid:
    """Attacks of every table and method whose mean exceeds the target, the largest first."""
    found = sorted(_exceeding(measured), key=lambda row: -row[3].mean)
    rows = [
        [table, method, attack, *map(decimals, excess[:3]), _interval(excess), _verdict(excess)]
        for table, method, attack, excess in found
    ]
    heads = ["table", "method", "attack", "success", "control", "difference", "95 % interval", "above 0.02"]
    return Grid("Beyond the target", heads, rows, n_labels=3)


def _exceeding(measured: pd.DataFrame) -> Iterator[tuple[str, str, str, Excess]]:
    for (table, method), own in measured.groupby(["table", "method"], sort=False):
        for name, short in SHORT.items():
            excess = excess_of(_outcomes(own, name))
            if excess is not None and excess.mark:
                yield str(table), str(method), short, excess


def _interval(excess: Excess) -> str:
    low, high = excess.mean - excess.half, excess.mean + excess.half
    return f"{decimals(low)} to {decimals(high)}"


def _verdict(excess: Excess) -> str:
    return "yes" if excess.mark == " *" else "perhaps"
