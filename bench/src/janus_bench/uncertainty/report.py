"""Turn an uncertainty result into the tables of a report, with the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, list_records, percent, seconds, times, with_spread
from janus_bench.uncertainty.experiments import CLOUDS, TRUTH, WINE, Absent, Detection, Disturbance, Failure, Growth
from janus_bench.uncertainty.measures import Correlations, change
from janus_bench.uncertainty.methods import DROPOUT, ENSEMBLE, EVIDENTIAL, JANUS, PAPER
from janus_bench.uncertainty.off_data import OffData
from janus_bench.uncertainty.terrain import Terrain

if TYPE_CHECKING:
    from janus_bench.results import Result


PAPER_RATIO = {JANUS: "1.17", PAPER: "1.17", EVIDENTIAL: "1.00", DROPOUT: "0.93", ENSEMBLE: "0.48"}
PAPER_SPEED = {JANUS: "128 ×", PAPER: "128 ×", EVIDENTIAL: "45 ×", DROPOUT: "1 ×", ENSEMBLE: "0.2 ×"}
PAPER_GROWTH = {JANUS: ("−47 %", "−0.958"), PAPER: ("−47 %", "−0.958")}
PAPER_NOISE = {JANUS: ("+190 %", "3.42"), PAPER: ("+190 %", "3.42")}
NETWORKS = (
    "Networks: two hidden layers of 64 ReLU units, dropout 0.2; MC dropout takes 100 passes, the ensemble has five "
    "members, evidential learning one pass to a Dirichlet."
)
_two_decimals = partial(decimals, digits=2)


@dataclass(frozen=True, slots=True, eq=False)
class UncertaintySummary:
    """Records of a run by kind; ``detections`` has an added column ``middle``, the median seconds of a call."""

    methods: Sequence[str]
    absent: Sequence[str]
    detections: pd.DataFrame
    growths: pd.DataFrame
    disturbances: pd.DataFrame

    @classmethod
    def of(cls, result: Result) -> UncertaintySummary:
        """Sort the records of a result."""
        detections = result.frame(Detection)
        middle = [pd.Series(calls, dtype=float).median() for calls in detections["seconds"]]
        return cls(
            methods=result.options["methods"],
            absent=list(result.frame(Absent)["method"]),
            detections=detections.assign(middle=pd.Series(middle, dtype=float)),
            growths=result.frame(Growth),
            disturbances=result.frame(Disturbance),
        )

    def curve(self, table: str, method: str) -> pd.Series[float]:
        """Mean epistemic uncertainty over the seeds, by training size."""
        return _of(self.growths, table=table, method=method).groupby("n_train")["epistemic"].mean()

    def rows(self, cells: Callable[[str], list[str] | None], width: int, *, truth: bool = False) -> list[list[str]]:
        """One row per method; a method without cells is marked as not installed or failed."""
        found = []
        for name in [*([TRUTH] if truth else []), *self.methods]:
            shown = cells(name)
            why = "not installed" if name in self.absent else "failed"
            found.append([name, *(shown if shown is not None else [why, *[NOTHING] * (width - 1)])])
        return found


def _of(frame: pd.DataFrame, **wanted: str) -> pd.DataFrame:
    """Rows with these values."""
    return frame[(frame[list(wanted)] == pd.Series(wanted)).all(axis=1)]


def speed_to_dropout(detections: pd.DataFrame, method: str) -> float:
    """Speed relative to MC dropout: the median over seeds; NaN if either was not timed."""
    slow, fast = (_of(detections, method=name).set_index("seed")["middle"] for name in (DROPOUT, method))
    return float((slow / fast.where(fast > 0)).median())


def uncertainty_grids(result: Result) -> list[Grid]:
    """All tables of a result on uncertainty; parts that were not run have none."""
    summary = UncertaintySummary.of(result)
    parts = result.options["parts"]
    found: list[Grid] = []
    if "A" in parts and len(summary.detections):
        found += [_regions(summary), _ratios(summary)]
    if "B" in parts:
        curves = [_curves(summary, table) for table in (WINE, CLOUDS) if len(_of(summary.growths, table=table))]
        found += [_growth(summary), *curves]
    if "C" in parts:
        found.append(_disturbances(summary))
    if "D" in parts and len(off := result.frame(OffData)):
        found.append(_off_data(off))
    if "E" in parts:
        found += [_terrain(row) for _, row in result.frame(Terrain).iterrows()]
    headings = {name: name for name in ("part", "method", "error")}
    return found + list_records("Failures", result.frame(Failure), headings)


def _regions(summary: UncertaintySummary) -> Grid:
    """Uncertainty inside and outside the noisy region, and how well it detects the region."""

    def cells(method: str) -> list[str] | None:
        found = _of(summary.detections, method=method)
        if found.empty:
            return None
        means = found.mean(numeric_only=True)
        return [
            decimals(means["aleatoric_inside"]),
            decimals(means["aleatoric_outside"]),
            with_spread(_ratio(found, "aleatoric_inside", "aleatoric_outside"), _two_decimals),
            decimals(means["epistemic_inside"], 4),
            decimals(means["epistemic_outside"], 4),
            with_spread(found["auc_aleatoric"]),
            *(decimals(means[name]) for name in ("auc_epistemic", "auc_total", "error")),
        ]

    first = summary.detections.iloc[0]
    headings = ["method", "aleatoric inside", "outside", "inside / outside", "epistemic inside", "outside"]
    headings += ["AUC aleatoric", "AUC epistemic", "AUC total", "off truth"]
    note = (
        f"Three classes in the plane and two columns that mean nothing; {first.n_train:,} rows to learn from, "
        f"{first.n_test:,} new ones to judge. In a disc in the heart of one class, which holds "
        f"{100 * first.region_share:.0f} % of the rows, half of the training labels were replaced by others. Means "
        f"in nats over {_count(summary.detections)}, ± the standard deviation over seeds; ln 3 = 1.099 is the most. "
        "AUC: how well the number separates rows of the disc from the others; 0.5 is chance, 1 perfect. Off truth: "
        f"mean distance of aleatoric from the true entropy of the noisy labels, which the first row shows. {NETWORKS}"
    )
    return Grid("Noise in a region: who finds it", headings, summary.rows(cells, len(headings) - 1, truth=True), note)


def _ratios(summary: UncertaintySummary) -> Grid:
    """The paper's table: ratio of epistemic to aleatoric uncertainty, and speed."""
    detections = summary.detections
    medians = detections.groupby("method")[["middle", "fit_seconds"]].median()
    fit_of_dropout = medians["fit_seconds"].get(DROPOUT)

    def cells(method: str) -> list[str] | None:
        found = _of(detections, method=method)
        if found.empty:
            return None
        fit = float(medians["fit_seconds"][method])
        return [
            with_spread(_ratio(found, "epistemic_inside", "aleatoric_inside")),
            PAPER_RATIO.get(method, NOTHING),
            seconds(float(medians["middle"][method])),
            times(speed_to_dropout(detections, method), 1, large=0),
            PAPER_SPEED.get(method, NOTHING),
            seconds(fit),
            times(fit_of_dropout / fit if fit_of_dropout and fit else None, 1, large=0),
        ]

    first = summary.detections.iloc[0]
    headings = ["method", "epistemic / aleatoric inside", "in the paper", f"s for {first.n_test:,} cells"]
    headings += ["speed to MC dropout", "in the paper", "fit s", "fit, to MC dropout"]
    note = (
        "The ratio is mean epistemic over mean aleatoric uncertainty inside the noisy disc; the paper calls it "
        "detection and asks for more than 1. Noise in labels that are fixed is aleatoric: no number of further rows "
        "takes it away, and the truth's ratio is 0. A ratio above 1 is a sign of ignorance, of leaves with next to no "
        "rows, and not of noise detected; the table above measures detection. By the paper's own formula a leaf of "
        "three classes and a flat prior has a ratio of 0.32 with no rows at all, and less with any. Seconds: the "
        f"middle of {_calls(summary)} after a first one that does not count, methods in turns; "
        "JANUS takes a DataFrame, networks a float32 tensor that is ready in memory. The paper does not say what its "
        "speed compares; 0.2 × is what five fits against one would give, and an ensemble's five passes cost less than "
        "100. Networks train for a set number of steps, on which their fit seconds depend. All methods have one thread."
    )
    rows = summary.rows(cells, len(headings) - 1, truth=True)
    return Grid("The paper's detection ratio, and speed", headings, rows, note)


def _growth(summary: UncertaintySummary) -> Grid:
    """Change of epistemic uncertainty with training size, one row per method and table."""
    rows = []
    for table in (WINE, CLOUDS):
        rows += [[table, *row] for row in summary.rows(partial(_growth_cells, summary, table), 9)]
    headings = ["table", "method", "rows", "epistemic, fewest", "most rows", "change", "in the paper"]
    headings += ["Spearman", "Pearson", "ρ in the paper", "Spearman by seed"]
    note = (
        "Mean epistemic uncertainty, in nats, of the same held-out rows: a fifth of scikit-learn's wine, or new rows "
        f"of three clouds without noise. Mean curves over {_count(summary.growths)}, each size the head of the next; "
        "correlations with the number of rows are those of the mean curve, the last column the mean over single "
        "seeds. The paper takes 40, 60, 80 and 100 % of wine, goes from 0.167 to 0.089, and does not say which "
        f"correlation ρ is. More rows should bring it down towards 0. {NETWORKS}"
    )
    return Grid("Epistemic uncertainty against training size", headings, rows, note, n_labels=2)


def _growth_cells(summary: UncertaintySummary, table: str, method: str) -> list[str] | None:
    curve = summary.curve(table, method)
    if curve.empty:
        return None
    sizes, means = list(curve.index), list(curve)
    whole = Correlations.of(sizes, means)
    by_seed = [
        Correlations.of(list(one["n_train"]), list(one["epistemic"])).spearman
        for _, one in _of(summary.growths, table=table, method=method).groupby("seed")
    ]
    by_paper = PAPER_GROWTH.get(method, (NOTHING, NOTHING)) if table == WINE else (NOTHING, NOTHING)
    return [
        f"{sizes[0]:,} to {sizes[-1]:,}",
        decimals(means[0], 4),
        decimals(means[-1], 4),
        percent(change(means[0], means[-1]), 0, sign=True),
        by_paper[0],
        decimals(whole.spearman),
        decimals(whole.pearson),
        by_paper[1],
        decimals(pd.Series(by_seed, dtype=float).mean()),
    ]


def _curves(summary: UncertaintySummary, table: str) -> Grid:
    sizes = sorted(_of(summary.growths, table=table)["n_train"].unique())

    def cells(method: str) -> list[str] | None:
        curve = summary.curve(table, method)
        return [decimals(curve.get(n), 4) for n in sizes] if len(curve) else None

    headings = ["method", *(f"{n:,} rows" for n in sizes)]
    return Grid(f"Mean epistemic uncertainty by training size: {table}", headings, summary.rows(cells, len(sizes)))


def _disturbances(summary: UncertaintySummary) -> Grid:
    """Aleatoric uncertainty before and after adding noise, inside and outside the region."""

    def cells(method: str) -> list[str] | None:
        found = _of(summary.disturbances, method=method)
        if found.empty:
            return None
        means = found.mean(numeric_only=True)
        inside = [means["before_inside"], means["after_inside"]]
        outside = [means["before_outside"], means["after_outside"]]
        by_paper = PAPER_NOISE.get(method, (NOTHING, NOTHING))
        return [
            *(decimals(value) for value in inside),
            percent(change(*inside), 0, sign=True),
            by_paper[0],
            with_spread(found["d_inside"], _two_decimals),
            by_paper[1],
            *(decimals(value) for value in outside),
            decimals(outside[1] - outside[0], sign=True),
            decimals(means["d_outside"], 2),
            *(decimals(means[name]) for name in ("epistemic_before", "epistemic_after")),
        ]

    headings = ["method", "aleatoric inside", "with noise", "change", "in the paper", "Cohen's d", "in the paper"]
    headings += ["aleatoric outside", "with noise", "change", "Cohen's d", "epistemic inside", "with noise"]
    note = (
        "scikit-learn's iris; the region is the middle third by petal width, 48 of 150 rows, and half of its labels "
        "were replaced by others. All rows are learnt, with and without the noise, and asked about. Means in "
        f"nats over {_count(summary.disturbances)} of noise and fit; d uses the pooled standard deviation over rows, ± "
        "that over seeds. The paper's region is not known (0.348 to 1.009 in it). Outside, 0 is ideal; the change "
        "there is in nats, as a share of next to nothing says little."
    )
    return Grid("Noise in a region of iris", headings, summary.rows(cells, len(headings) - 1), note)


def _off_data(found: pd.DataFrame) -> Grid:
    """AUC of rows off the data, by kind of table and number of columns."""
    table = found.pivot_table(index=["kind", "n_columns"], columns="method", values="auc", sort=False)
    rows = [
        [kind, str(n), *(decimals(value) for value in line)]
        for (kind, n), line in zip(table.index, table.to_numpy(), strict=True)
    ]
    rows.append(["mean", NOTHING, *(decimals(value) for value in table.mean())])
    note = (
        f"AUC of each number for telling rows off the data from new rows inside, means over {_count(found)}: rows in a "
        "gap of a column, beyond its edge, with a level that no row has, and with a combination of numbers or levels "
        "that no row has. All columns matter. The rivals' number is the standard deviation of the prediction: of five "
        "networks of two layers of 64 units, and of a Gaussian process with a length scale per column (1,000 rows)."
    )
    return Grid("Off the data: who notices", ["rows off the data", "columns", *table.columns], rows, note, n_labels=2)


def _ratio(found: pd.DataFrame, above: str, below: str) -> pd.Series[float]:
    """One column divided by another; NaN where the divisor is 0."""
    return found[above] / found[below].where(found[below] > 0)


def _count(found: pd.DataFrame) -> str:
    n = found["seed"].nunique()
    return f"{n} seed{'s' * (n != 1)}"


def _calls(summary: UncertaintySummary) -> str:
    n = max(map(len, summary.detections["seconds"]))
    return f"{n} call{'s' * (n != 1)} per seed"


DISTANCES = (0.0, 0.25, 0.5, 1.0, 2.0, float("inf"))
"""Ends of the bands by which the cells of a map are summed up."""


def _terrain(found: pd.Series[Any]) -> Grid:
    """Means over the cells of a map, by their distance from the nearest training row."""
    measures = ("epistemic", "aleatoric", "support")
    cells = pd.DataFrame({name: found[name] for name in ("distance", *measures)})
    rows = []
    for low, high in pairwise(DISTANCES):
        band = cells[(cells["distance"] >= low) & (cells["distance"] < high)]
        means = [decimals(float(band[name].mean())) if len(band) else NOTHING for name in measures]
        rows.append([f"{low:g} to {high:g}" if high < float("inf") else f"{low:g} and more", f"{len(band):,}", *means])
    note = (
        f"A map of {len(found['axis'])} by {len(found['axis'])} cells around {found['n_train']:,} rows of the noisy "
        "clouds, with the two columns that matter; each cloud has a standard deviation of 1. Means over cells by their "
        "distance from the nearest training row, entropies in nats; ln 3 = 1.099 is the most."
    )
    return Grid("Uncertainty by distance from the rows", ["distance", "cells", *measures], rows, note)
