"""Records on uncertainty to the tables of a report, the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean, median
from typing import TYPE_CHECKING

from janus_bench.grids import NOTHING, Grid, decimals, mean_of, seconds, with_spread
from janus_bench.uncertainty.experiments import CLOUDS, WINE, Detection, Disturbance, Growth
from janus_bench.uncertainty.measures import Correlations, change, ratio
from janus_bench.uncertainty.methods import DROPOUT, ENSEMBLE, EVIDENTIAL, JANUS, PAPER
from janus_bench.uncertainty.summary import UncertaintySummary, speed_to_dropout

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


def uncertainty_grids(result: Result) -> list[Grid]:
    """All tables of a result on uncertainty; parts that were not run have none."""
    summary = UncertaintySummary.of(result)
    parts = result.options["parts"]
    found: list[Grid] = []
    if "A" in parts and summary.detections:
        found += [_regions(summary), _ratios(summary)]
    if "B" in parts:
        found += [_growth(summary), *(_curves(summary, table) for table in (WINE, CLOUDS) if _sizes(summary, table))]
    if "C" in parts:
        found.append(_disturbances(summary))
    failures = [[f["part"], f["method"], f["error"]] for f in result.fields("failure")]
    return [*found, Grid("Failures", ["part", "method", "error"], failures, n_labels=3)] if failures else found


def _regions(summary: UncertaintySummary) -> Grid:
    """What the methods say inside and outside, and whether it finds the region."""

    def cells(method: str) -> list[str] | None:
        found = summary.detected(method)
        if not found:
            return None
        return [
            decimals(mean_of([f.aleatoric_inside for f in found])),
            decimals(mean_of([f.aleatoric_outside for f in found])),
            with_spread([ratio(f.aleatoric_inside, f.aleatoric_outside) for f in found], _two_decimals),
            decimals(mean_of([f.epistemic_inside for f in found]), 4),
            decimals(mean_of([f.epistemic_outside for f in found]), 4),
            with_spread([f.auc_aleatoric for f in found]),
            decimals(mean_of([f.auc_epistemic for f in found])),
            decimals(mean_of([f.auc_total for f in found])),
            decimals(mean_of([f.error for f in found])),
        ]

    first = summary.detections[0]
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
    """The paper's table: its ratio, and its speed."""
    fits = [found.fit_seconds for found in summary.detected(DROPOUT) if found.fit_seconds is not None]
    fit_of_dropout = median(fits) if fits else None

    def cells(method: str) -> list[str] | None:
        found = summary.detected(method)
        if not found:
            return None
        times = [found_time for f in found if (found_time := f.middle) is not None]
        fits = [f.fit_seconds for f in found if f.fit_seconds is not None]
        fit = median(fits) if fits else None
        return [
            with_spread([ratio(f.epistemic_inside, f.aleatoric_inside) for f in found]),
            PAPER_RATIO.get(method, NOTHING),
            seconds(median(times) if times else None),
            _times(speed_to_dropout(summary, method)),
            PAPER_SPEED.get(method, NOTHING),
            seconds(fit),
            _times(fit_of_dropout / fit if fit_of_dropout and fit else None),
        ]

    first = summary.detections[0]
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
    """How epistemic uncertainty moves with the size of the training set, in one line per method and table."""
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
    if not curve:
        return None
    sizes, means = list(curve), list(curve.values())
    whole = Correlations.of(sizes, means)
    by_paper = PAPER_GROWTH.get(method, (NOTHING, NOTHING)) if table == WINE else (NOTHING, NOTHING)
    return [
        f"{sizes[0]:,} to {sizes[-1]:,}",
        decimals(means[0], 4),
        decimals(means[-1], 4),
        _percent(change(means[0], means[-1])),
        by_paper[0],
        decimals(whole.spearman),
        decimals(whole.pearson),
        by_paper[1],
        decimals(mean_of(_seed_correlations(summary, table, method))),
    ]


def _seed_correlations(summary: UncertaintySummary, table: str, method: str) -> list[float | None]:
    found = [g for g in summary.growths if (g.table, g.method) == (table, method)]
    groups = [[g for g in found if g.seed == seed] for seed in sorted({g.seed for g in found})]
    return [Correlations.of([g.n_train for g in one], [g.epistemic for g in one]).spearman for one in groups]


def _sizes(summary: UncertaintySummary, table: str) -> list[int]:
    return sorted({found.n_train for found in summary.growths if found.table == table})


def _curves(summary: UncertaintySummary, table: str) -> Grid:
    sizes = _sizes(summary, table)

    def cells(method: str) -> list[str] | None:
        curve = summary.curve(table, method)
        return [decimals(curve.get(n), 4) for n in sizes] if curve else None

    headings = ["method", *(f"{n:,} rows" for n in sizes)]
    return Grid(f"Mean epistemic uncertainty by training size: {table}", headings, summary.rows(cells, len(sizes)))


def _disturbances(summary: UncertaintySummary) -> Grid:
    """Aleatoric uncertainty before and after noise, where it was put and elsewhere."""

    def cells(method: str) -> list[str] | None:
        found = [d for d in summary.disturbances if d.method == method]
        if not found:
            return None
        inside = [fmean(d.before_inside for d in found), fmean(d.after_inside for d in found)]
        outside = [fmean(d.before_outside for d in found), fmean(d.after_outside for d in found)]
        by_paper = PAPER_NOISE.get(method, (NOTHING, NOTHING))
        return [
            *(decimals(value) for value in inside),
            _percent(change(*inside)),
            by_paper[0],
            with_spread([d.d_inside for d in found], _two_decimals),
            by_paper[1],
            *(decimals(value) for value in outside),
            decimals(outside[1] - outside[0], sign=True),
            decimals(mean_of([d.d_outside for d in found]), 2),
            decimals(fmean(d.epistemic_before for d in found)),
            decimals(fmean(d.epistemic_after for d in found)),
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


def _count(found: Sequence[Detection] | Sequence[Growth] | Sequence[Disturbance]) -> str:
    n = len({one.seed for one in found})
    return f"{n} seed{'s' * (n != 1)}"


def _calls(summary: UncertaintySummary) -> str:
    n = max(len(found.seconds) for found in summary.detections)
    return f"{n} call{'s' * (n != 1)} per seed"


def _percent(value: float | None) -> str:
    return NOTHING if value is None else f"{decimals(100 * value, 0, sign=True)} %"


def _times(value: float | None) -> str:
    return NOTHING if value is None else f"{decimals(value, 0 if value >= 10 else 1)} ×"
