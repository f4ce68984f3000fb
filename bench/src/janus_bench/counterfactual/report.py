"""Report on counterfactuals: a `Result` in, grids and a chart out.

They show errors by kind of noise, times relative to JANUS, and the paper's figures next to ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import pandas as pd

from janus_bench.counterfactual.methods import ANEW, METHODS, OURS
from janus_bench.counterfactual.models import GRAPHS, NOISES
from janus_bench.grids import NOTHING, Grid, decimals, seconds, with_spread
from janus_bench.pictures import Dot, decades, dot_panel
from janus_bench.workers import FAILED
from janus_synth.plots import Chart, altair, apply_theme

if TYPE_CHECKING:
    from janus_bench.results import Result


PAPER: Mapping[str, Mapping[str, float]] = {
    "Chain": {"ANM": 1051, "DCM": 865, "CAREFL": 1050, "VACA": 1048, OURS: 48.8},
    "Triangle": {"ANM": 7123, "DCM": 7046, "CAREFL": 7150, "VACA": 7089, OURS: 150},
    "Diamond": {"ANM": 2515, "DCM": 1359, "CAREFL": 2579, "VACA": 2501, OURS: 599},
    "Y": {"ANM": 18614, "DCM": 19253, "CAREFL": 18912, "VACA": 18756, OURS: 16515},
}
"""Mean squared error on NADD, table "Counterfactual Error" of the JANUS paper."""
_WORDS = {"ANM": "gp", "DCM": "diffusion", "CAREFL": "flow", "VACA": "vaca", OURS: "janus"}
NAMED = {paper: next(method.name for method in METHODS if method.word == word) for paper, word in _WORDS.items()}
"""Our counterpart of each of the paper's methods; its additive noise model (ANM) is a Gaussian process too."""

ERRORS = (
    "Mean squared gap to the true counterfactual over the variance of the column, mean over the descendants of x1: 0 "
    "is perfect, and the spread is over graphs and seeds. NLIN is f + ε, NADD f · (1 + 0.1 ε), NADD+ the same with "
    "softplus(f) + 0.5 for f. Where f changes its sign, as in NADD, keeping a row's rank is wrong by construction: the "
    "same noise that lifts a positive value lowers a negative one, and no table of rows shows which it was. There, "
    "forgetting the noise wins. 'Copy' and 'forget' are reference lines: neither asks for a row's noise."
)
FLIPS = (
    "Share of rows whose outcome changes when x is set to that of another row: expected given x and z, true in these "
    "rows, and found. The gap is to the expected share."
)
SCALES = (
    "The scale of the paper's figures follows from weights that it does not publish, so its numbers and ours do not "
    "compare; ratios within a row do, such as that of the best rival to JANUS. Ours is the mean over seeds. Each "
    "column holds the paper's figure, and ours for a method of that kind. 'Forget' is the conditional mean by boosted "
    "trees, which the paper did not try."
)


def counterfactual_grids(result: Result) -> list[Grid]:
    """All tables of a result on counterfactuals."""
    trials, methods = _trials(result), list(result.options["methods"])
    found = [_errors(trials, methods), _flips(result), _errors_by_graph(trials, methods), _times(trials, methods)]
    found += [_paper(trials), _failures(trials)]
    return [grid for grid in found if grid.rows]


def _trials(result: Result) -> pd.DataFrame:
    """Records of columns with numbers."""
    return pd.DataFrame([record for record in result.records if "flips" not in record])


def _flips(result: Result) -> Grid:
    """Share of rows that flip, found and true, by mechanism and type."""
    records = pd.DataFrame([one for one in result.records if "flips" in one and FAILED not in one])
    rows = []
    if len(records):
        for (mechanism, stored), own in records.groupby(["flips", "stored"], sort=False):
            gap = own["found"] - own["expected"]
            rows.append(
                [
                    str(mechanism), str(stored), str(len(own)), decimals(own["expected"].mean()),
                    decimals(own["truth"].mean()), decimals(own["found"].mean()), decimals(gap.mean(), sign=True),
                    decimals(gap.abs().max()),
                ]
            )  # fmt: skip
    headings = ["mechanism", "stored as", "tables", "expected", "true", "JANUS", "gap", "largest gap"]
    return Grid("Flips of a column with two values", headings, rows, FLIPS, n_labels=2)


def _errors(trials: pd.DataFrame, methods: list[str]) -> Grid:
    noises = [noise for noise in NOISES if noise in set(trials["noise"])]
    cells = trials.groupby(["method", "noise"])["error"].agg(lambda errors: with_spread(errors.dropna(), _figures))
    rows = [[method, *(cells.get((method, noise), NOTHING) for noise in noises)] for method in methods]
    return Grid("Relative error of counterfactuals", ["method", *noises], rows, ERRORS)


def _errors_by_graph(trials: pd.DataFrame, methods: list[str]) -> Grid:
    means: dict[Any, float] = trials.groupby(["graph", "noise", "method"])["error"].mean().to_dict()
    known = {(graph, noise) for graph, noise, _ in means}
    pairs = [(graph, noise) for graph in GRAPHS for noise in NOISES if (graph, noise) in known]
    rows = [[method, *(_figures(means.get((*pair, method))) for pair in pairs)] for method in methods]
    headings = ["method", *(f"{graph}, {noise}" for graph, noise in pairs)]
    return Grid("Relative error, graph by graph", headings, rows, "Mean over seeds.")


def _times(trials: pd.DataFrame, methods: list[str]) -> Grid:
    by_method = trials.groupby("method")
    measures: list[dict[Any, float]] = [by_method[name].mean().to_dict() for name in ("fit_seconds", "answer_seconds")]
    rows = []
    for method in methods:
        cells = []
        for means in measures:
            ratio = means[method] / means.get(OURS, nan)
            cells += [seconds(means[method]), NOTHING if isnan(ratio) else f"{_figures(ratio)} ×"]
        rows.append([method, *cells])
    headings = ["method", "fit s", "to JANUS", "answer s", "to JANUS"]
    note = "Means on the clock. JANUS, boosted trees and forests use all cores, networks one, where they are fastest."
    return Grid("Time", headings, rows, note)


def _paper(trials: pd.DataFrame) -> Grid:
    """Plain MSE on NADD by graph, next to the paper's."""
    nadd = trials[trials["noise"] == "NADD"]
    means: dict[Any, float] = nadd.groupby(["graph", "method"])["mse"].mean().to_dict()
    forget = next(method.name for method in METHODS if method.word == "forget")
    rows = []
    for graph in (graph for graph in GRAPHS if graph in set(nadd["graph"])):
        claimed = PAPER[graph]
        ours = {name: means.get((graph, method), nan) for name, method in NAMED.items()}
        pairs = []
        for name, error in claimed.items():
            pairs += [decimals(error, 1 if error < 100 else 0), _figures(ours[name])]
        rows.append([graph, *pairs, _lead(claimed), _lead(ours), _figures(means.get((graph, forget)))])
    headings = [text for name in PAPER["Chain"] for text in (f"{name}, paper", "ours")]
    headings += ["best rival to JANUS, paper", "ours", "forget, ours"]
    return Grid("Plain MSE on NADD beside the paper's", ["graph", *headings], rows, SCALES)


def _lead(errors: Mapping[str, float]) -> str:
    """Lowest error of the other methods divided by that of JANUS."""
    rivals = [error for name, error in errors.items() if name != OURS and not isnan(error)]
    return f"{_figures(min(rivals) / errors[OURS])} ×" if rivals and errors[OURS] > 0 else NOTHING


def _failures(trials: pd.DataFrame) -> Grid:
    failed = trials[trials["failure"] != ""].groupby(["method", "failure"], sort=False)
    counts: dict[Any, int] = failed.size().to_dict()
    rows = [[method, failure, str(n)] for (method, failure), n in counts.items()]
    return Grid("Without an answer", ["method", "why", "times"], rows, n_labels=2)


def _figures(value: float | None) -> str:
    """Two significant digits below 10, whole numbers above."""
    if value is None or isnan(value):
        return NOTHING
    if value == 0 or value >= 10:
        return f"{value:,.0f}"
    return f"{value:#.2g}" if value >= 1e-4 else f"{value:.0e}"


LEAST = 1e-6
"""Smallest error shown: a logarithmic axis cannot show 0."""


def charts(result: Result) -> dict[str, Chart]:
    """The chart by name."""
    return {"errors": error_picture(result)}


def error_picture(result: Result) -> Chart:
    """Relative errors, a dot per graph and seed and a tick at their mean, a panel per kind of noise."""
    alt, trials = altair(), _trials(result)
    dots = {noise: found for noise in NOISES if (found := _dots(trials, noise))}
    everywhere = [dot for found in dots.values() for dot in found]
    answered = {dot.method for dot in everywhere}
    shown = [short for method in result.options["methods"] if (short := _short(method)) in answered]
    x = decades("value", "relative error", [dot.value for dot in everywhere], labelFlush=False, labelOverlap=False)
    panels = [
        dot_panel(found, x, shown, title=noise, labelled=noise == next(iter(dots))) for noise, found in dots.items()
    ]
    notes = [
        "Mean squared gap to the true counterfactual over the column's variance; a dot is a graph and seed.",
        "The tick is the mean. NADD's f changes its sign, so whoever keeps a row's rank errs by construction.",
    ]
    return apply_theme(alt.hconcat(*panels, spacing=18), "Error of counterfactuals, by kind of noise", notes)


def _dots(trials: pd.DataFrame, noise: str) -> list[Dot]:
    own = trials[(trials["noise"] == noise) & trials["error"].notna()]
    pairs = zip(own["method"], own["error"], strict=True)
    return [Dot(_short(method), max(error, LEAST), method == OURS) for method, error in pairs]


def _short(method: str) -> str:
    """A name short enough for the labels of a panel."""
    return method.replace(ANEW, "re-implemented")
