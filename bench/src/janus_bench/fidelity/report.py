"""Turn a fidelity result into tables and a chart: means, scores per table, JANUS beside rivals and the paper."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from janus_bench.fidelity.summary import DETECTION, MEASURES, FidelitySummary, Measure
from janus_bench.fidelity.trials import AGAINST_TRAINING
from janus_bench.grids import NOTHING, Grid, decimals, list_records, seconds, with_spread
from janus_bench.pictures import Dot, dot_panel
from janus_bench.tables import PAPER
from janus_bench.versions import REAL_ROWS
from janus_bench.workers import FAILED
from janus_synth.plots import Chart, altair, apply_theme

if TYPE_CHECKING:
    from janus_bench.results import Result


PER_TABLE = ("detection", "utility_gap", "association_error", "closer_to_train", "fit_seconds")
"""Scores that get a table of their own."""


def fidelity_grids(result: Result) -> list[Grid]:
    """All tables of a fidelity result."""
    summary = FidelitySummary.of(result)
    grids = [_means(summary), *paper_grids(summary), *privacy_grids(summary), *training_grids(summary)]
    if len(summary.ours) > 1:
        grids.append(_settings(summary))
    if summary.rivals:
        grids += [_duel(summary, ours) for ours in summary.ours]
        grids += [_tally(summary, ours) for ours in summary.ours]
    grids += [_per_table(summary, measure) for measure in summary.measures if measure.key in PER_TABLE]
    failed = summary.trials[summary.trials["error"] != ""]
    return grids + list_records("Failures", failed, {name: name for name in ("table", "method", "seed", "error")})


def _means(summary: FidelitySummary) -> Grid:
    rows = [
        [method, *(_format(measure)(summary.mean(method, measure)) for measure in summary.measures)]
        for method in summary.with_reference
    ]
    fewest = min((len(summary.shared_tables(measure.key)) for measure in summary.measures), default=0)
    note = (
        f"Over {len(summary.tables)} tables; a score that is undefined somewhere, over the others (at least {fewest})."
    )
    note += " Detection below 0.5 counts as that much above, closer to train below 0.5 as 0.5."
    if REAL_ROWS in summary.with_reference:
        note += f" {REAL_ROWS.capitalize()}: training rows judged as if they were synthetic."
    return Grid("Mean over tables", ["method", *(measure.heading for measure in summary.measures)], rows, note)


def _settings(summary: FidelitySummary) -> Grid:
    """Detection AUC of the first JANUS setting, and the differences of the other settings."""
    base, *others = summary.ours
    scores = {table: [summary.value(table, method, "detection") for method in summary.ours] for table in summary.tables}
    scores["mean"] = [summary.mean(method, DETECTION) for method in summary.ours]
    rows = [
        [table, decimals(own), *(decimals(value - own, sign=True) for value in values)]
        for table, (own, *values) in scores.items()
    ]
    note = f"Detection AUC of {base}, and the difference that each other setting makes; below 0 is better."
    return Grid(f"Settings beside {base}", ["table", base, *others], rows, note)


def _duel(summary: FidelitySummary, ours: str) -> Grid:
    """Detection AUC of one JANUS setting beside the best rival on each table."""
    note = (
        "Detection AUC; 0.5 is perfect, and 0.45 as far from it as 0.55. Difference: ours minus the rival's, below 0 "
        "is a win. Noise: twice the standard error of a difference, with that many rows."
    )
    headings = ["table", ours, "best rival", "difference", "noise", "verdict"]
    rows = [_duel_row(summary, ours, table) for table in summary.tables]
    return Grid(f"{ours} beside the best rival of each table", headings, rows, note)


def _duel_row(summary: FidelitySummary, ours: str, table: str) -> list[str]:
    own, best = summary.value(table, ours, DETECTION.key), summary.best_rival(table, DETECTION)
    if isnan(own) or best is None:
        return [table, decimals(own), NOTHING, NOTHING, NOTHING, NOTHING]
    rival, value = best
    difference, noise = DETECTION.loss(own) - DETECTION.loss(value), summary.noise(table)
    signed = decimals(difference, sign=True)
    return [table, decimals(own), f"{rival} {decimals(value)}", signed, decimals(noise), _verdict(difference, noise)]


def _verdict(difference: float, noise: float) -> str:
    if difference == 0:
        return "draw"
    word = "win" if difference < 0 else "loss"
    return word if abs(difference) > noise else f"{word}, within noise"


def _tally(summary: FidelitySummary, ours: str) -> Grid:
    """By score: on how many tables a JANUS setting beats each rival, and on which the best rival beats it."""
    rows = []
    for measure in summary.measures:
        losses = summary.by_table(measure.key).map(measure.loss)
        own, best = losses[ours], losses[summary.rivals].min(axis=1)
        counts = [f"{(own < losses[rival]).sum()} : {(own > losses[rival]).sum()}" for rival in summary.rivals]
        rows.append([measure.heading, *counts, ", ".join(losses.index[own > best]) or "nowhere"])
    headings = ["score", *(f"against {rival}" for rival in summary.rivals), "behind the best rival on"]
    return Grid(f"{ours}: tables won and lost", headings, rows, "Won : lost, draws left out.")


def _per_table(summary: FidelitySummary, measure: Measure) -> Grid:
    methods = summary.with_reference if measure.key == "detection" else summary.methods
    rows = [[name, *(_of_table(summary, name, method, measure) for method in methods)] for name in summary.tables]
    note = "Mean ± standard deviation over seeds." if summary.trials["seed"].nunique() > 1 else ""
    return Grid(f"{measure.heading[0].upper()}{measure.heading[1:]} per table", ["table", *methods], rows, note)


def _of_table(summary: FidelitySummary, table: str, method: str, measure: Measure) -> str:
    values = summary.values(table, method, measure.key)
    failed = not values.count() and (summary.trials.loc[values.index, "error"] != "").any()
    return FAILED if failed else with_spread(values, _format(measure))


def _format(measure: Measure) -> Callable[[float], str]:
    return seconds if measure.key.endswith("_seconds") else decimals


Figures = dict[str, tuple[float, ...]]

QUALITY: Figures = {
    "diffusion": (0.003, 0.580, 0.615, 4.20, 0.880),
    "BN": (0.003, 0.445, 0.537, 2.49, 0.895),
    "flow": (0.011, 0.599, 0.696, 4.01, 0.858),
    "JANUS": (0.012, 0.497, 0.639, 2.42, 0.851),
    "copula": (0.012, 0.603, 0.721, 2.31, 0.790),
    "TVAE": (0.014, 0.609, 0.738, 3.59, 0.852),
    "CTGAN": (0.030, 0.634, 0.788, 2.71, 0.804),
}
"""MMD, detection by MLP and by XGBoost, correlation error, utility: means over the paper's fifteen tables."""
DEPENDENCE: Figures = {
    "copula": (2.31, 0.914, 0.095, 0.078),
    "JANUS": (2.42, 0.942, 0.076, 0.050),
    "BN": (2.49, 0.972, 0.036, 0.023),
    "CTGAN": (2.71, 0.853, 0.102, 0.082),
    "TVAE": (3.59, 0.891, 0.119, 0.087),
    "flow": (4.01, 0.902, 0.103, 0.069),
    "diffusion": (4.20, 0.822, 0.037, 0.026),
}
"""Correlation error, 1 − KS, error of mutual information and of Theil's U."""
PAPERS_OWN = {"JANUS paper": "JANUS"}
"""Methods that go by another name in the paper."""


class Shown(NamedTuple):
    """A score as the paper shows it."""

    key: str
    heading: str
    from_one: bool = False
    """Whether to show 1 minus the score."""


QUALITY_SHOWN = (
    Shown("mmd", "MMD²"),
    Shown("detection_mlp", "detection, MLP"),
    Shown("detection", "detection, XGBoost"),
    Shown("association_norm", "correlation"),
    Shown("utility", "utility"),
)
DEPENDENCE_SHOWN = (
    Shown("association_norm", "correlation"),
    Shown("ks", "1 − KS", from_one=True),
    Shown("mutual_information_error", "MI"),
    Shown("theils_u_error", "Theil's U"),
)
NOTE = (
    "Plain means over {n_tables} of the paper's fifteen tables, a score undefined somewhere over the others; in "
    "brackets what the paper reports. Correlation is the Frobenius norm of the difference of two matrices of "
    "associations. The paper judges by synthcity; here rows are judged by others that no method has seen."
)


def paper_grids(summary: FidelitySummary) -> list[Grid]:
    """Both of the paper's tables; none if the run includes tables that are not the paper's."""
    if not set(summary.tables) <= set(PAPER):
        return []
    pairs = (("Quality", QUALITY_SHOWN, QUALITY), ("Dependence", DEPENDENCE_SHOWN, DEPENDENCE))
    return [_beside(summary, f"{title}, beside the paper's", shown, paper) for title, shown, paper in pairs]


def privacy_grids(summary: FidelitySummary) -> list[Grid]:
    """How near rows are to training rows, with real rows as reference; empty if privacy was not measured."""
    headings = ["method", "closer to train", "copies", "distance to train", "δ-presence", "k-anonymity"]
    keys = ("closer_to_train", "exact_copies", "distance_to_train", "delta_presence", "k_anonymity")
    if all(isnan(summary.plain_mean(method, "delta_presence")) for method in summary.methods):
        return []
    methods = summary.with_reference
    digits = {"delta_presence": 2, "k_anonymity": 0}
    rows = [[m, *(decimals(summary.plain_mean(m, key), digits.get(key, 3)) for key in keys)] for m in methods]
    note = (
        "Closer to train: share of rows nearer to a training row than to any of as many unseen ones, 0.5 at best. "
        "Copies: share of rows equal to a training row. Distance: to the nearest training row, mean. δ-presence: "
        "largest ratio of training to synthetic rows in a cluster, 1 at best. k-anonymity: rows in the smallest "
        "cluster. Real rows: unseen ones in place of synthetic ones. None of these is a guarantee."
    )
    return [Grid("Privacy", headings, rows, note)]


BEST_PUBLISHED = {"adult": (0.86, "272 s of GPU"), "credit": (0.59, "13,900 s of GPU")}
"""Best score and its time in arXiv 2603.23016, where credit is called Default."""


def training_grids(summary: FidelitySummary) -> list[Grid]:
    """How well rows hide among the training rows, beside published scores; empty if that was not measured."""
    if not any(measure.key == AGAINST_TRAINING for measure in summary.measures):
        return []
    headings = ["table", *summary.methods, *(f"{ours}, CPU s" for ours in summary.ours), "best published", "time"]
    rows = [
        [
            table,
            *(decimals(_hidden(summary.value(table, method, AGAINST_TRAINING))) for method in summary.methods),
            *(seconds(summary.value(table, ours, "cpu_seconds")) for ours in summary.ours),
            *_published(table),
        ]
        for table in summary.tables
    ]
    note = (
        "1 − |2 AUC − 1|, where the AUC is that of XGBoost between synthetic and training rows: 1 at best. Copies "
        "score well, so read it beside the privacy of the rows. Published: arXiv 2603.23016, whose splits differ."
    )
    return [Grid("Among training rows", headings, rows, note)]


def _hidden(auc: float) -> float:
    return 1 - abs(2 * auc - 1)


def _published(table: str) -> list[str]:
    if table not in BEST_PUBLISHED:
        return [NOTHING, NOTHING]
    score, time = BEST_PUBLISHED[table]
    return [decimals(score, 2), time]


def _beside(summary: FidelitySummary, title: str, shown: tuple[Shown, ...], paper: Figures) -> Grid:
    rows = []
    for method in summary.with_reference:
        figures = paper.get(PAPERS_OWN.get(method, method), (None,) * len(shown))
        rows.append(
            [method, *(_pair(summary, method, one, theirs) for one, theirs in zip(shown, figures, strict=True))]
        )
    return Grid(title, ["method", *(one.heading for one in shown)], rows, NOTE.format(n_tables=len(summary.tables)))


def _pair(summary: FidelitySummary, method: str, shown: Shown, theirs: float | None) -> str:
    value = summary.plain_mean(method, shown.key)
    own = decimals(1 - value if shown.from_one else value)
    return own if theirs is None else f"{own} ({theirs:.3f})"


PANELS = {
    "detection": "detection AUC",
    "utility_gap": "loss of utility",
    "association_error": "error of associations",
    "closer_to_train": "nearer to training rows",
}
DOMAINS = {"detection": (0.5, 1.0), "utility_gap": (0.0, 0.5), "closer_to_train": (0.5, 1.0)}


def charts(result: Result) -> dict[str, Chart]:
    """The chart by name; empty if every method failed."""
    summary = FidelitySummary.of(result)
    return {"scores": score_picture(summary)} if summary.working else {}


def score_picture(summary: FidelitySummary) -> Chart:
    """A dot per table, a tick at the mean, a panel per score; the method with the lowest detection AUC on top."""
    alt = altair()
    means = {method: summary.mean(method, DETECTION) for method in summary.working}
    methods = sorted(means, key=lambda method: 1.0 if isnan(means[method]) else means[method])
    keys = [key for key in PANELS if summary.by_table(key)[methods].notna().any(axis=None)]
    panels = [_panel(summary, key, methods, labelled=key == keys[0]) for key in keys]
    notes = ["A dot is a table, the tick their mean; further left is better. Dots beyond an axis stand at its end."]
    return apply_theme(alt.hconcat(*panels, spacing=18), "Rows of each method beside rows that it has not seen", notes)


def _panel(summary: FidelitySummary, key: str, methods: list[str], *, labelled: bool) -> Chart:
    alt = altair()
    measure = next(measure for measure in MEASURES if measure.key == key)
    losses = summary.by_table(key).map(measure.loss)
    found = [(method, float(losses[method][table])) for table in summary.tables for method in methods]
    dots = [Dot(method, loss, method in summary.ours) for method, loss in found if not isnan(loss)]
    low, high = DOMAINS.get(key, (0.0, max(dot.value for dot in dots) or 1.0))
    scale = alt.Scale(domain=[low, high], clamp=True, nice=False)
    x = alt.X("value:Q", scale=scale, axis=alt.Axis(title=PANELS[key], tickCount=5))
    return dot_panel(dots, x, methods, title=measure.heading, labelled=labelled)
