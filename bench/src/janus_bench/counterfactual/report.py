"""Trials to tables and a picture: errors by kind of noise, times relative to JANUS, and the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from janus_bench.counterfactual.methods import ANEW, METHODS, OURS
from janus_bench.counterfactual.models import GRAPHS, NOISES
from janus_bench.counterfactual.run import Trial
from janus_bench.grids import NOTHING, Grid, decimals, mean_of, seconds, with_spread
from janus_bench.pictures import Dot, decades, dot_panel
from janus_synth.plots import Chart, altair, dressed

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
"""Our method of the same kind; the paper's additive noise model is a Gaussian process too."""

ERRORS = (
    "Mean squared gap to the true counterfactual over the variance of the column, mean over the descendants of x1: 0 "
    "is perfect, and the spread is over graphs and seeds. NLIN is f + ε, NADD f · (1 + 0.1 ε), NADD+ the same with "
    "softplus(f) + 0.5 for f. Where f changes its sign, as in NADD, keeping a row's rank is wrong by construction: the "
    "same noise that lifts a positive value lowers a negative one, and no table of rows tells which it was. There, "
    "forgetting the noise wins. 'Copy' and 'forget' are reference lines: neither asks for a row's noise."
)
SCALES = (
    "The scale of the paper's figures follows from weights that it does not publish, so its numbers and ours do not "
    "compare; ratios within a row do, such as that of the best rival to JANUS. Ours is the mean over seeds. Each "
    "column holds the paper's figure, and ours for a method of that kind. 'Forget' is the conditional mean by boosted "
    "trees, which the paper did not try."
)


@dataclass(frozen=True, slots=True)
class CounterfactualSummary:
    """All trials, and the order of methods."""

    trials: Sequence[Trial]
    methods: Sequence[str]

    @classmethod
    def of(cls, result: Result) -> CounterfactualSummary:
        """Read a result's records."""
        return cls([Trial(**record) for record in result.records], result.options["methods"])

    def values(
        self,
        measure: Callable[[Trial], float | None],
        method: str,
        *,
        noise: str | None = None,
        graph: str | None = None,
    ) -> list[float]:
        """What the trials of a method measured, failures left out."""
        trials = [
            t for t in self.trials if t.method == method and noise in (None, t.noise) and graph in (None, t.graph)
        ]
        return [value for value in map(measure, trials) if value is not None]


def counterfactual_grids(result: Result) -> list[Grid]:
    """All tables of a result on counterfactuals."""
    summary = CounterfactualSummary.of(result)
    found = [_errors(summary), _errors_by_graph(summary), _times(summary), _paper(summary), _failures(summary)]
    return [grid for grid in found if grid is not None]


def _errors(summary: CounterfactualSummary) -> Grid:
    noises = [noise for noise in NOISES if any(trial.noise == noise for trial in summary.trials)]
    rows = [
        [method, *(with_spread(summary.values(lambda t: t.error, method, noise=noise), _figures) for noise in noises)]
        for method in summary.methods
    ]
    return Grid("Relative error of counterfactuals", ["method", *noises], rows, ERRORS)


def _errors_by_graph(summary: CounterfactualSummary) -> Grid:
    pairs = [(graph, noise) for graph in GRAPHS for noise in NOISES]
    pairs = [pair for pair in pairs if any((trial.graph, trial.noise) == pair for trial in summary.trials)]
    rows = []
    for method in summary.methods:
        means = [mean_of(summary.values(lambda t: t.error, method, noise=noise, graph=graph)) for graph, noise in pairs]
        rows.append([method, *(_figures(mean) for mean in means)])
    headings = ["method", *(f"{graph}, {noise}" for graph, noise in pairs)]
    return Grid("Relative error, graph by graph", headings, rows, "Mean over seeds.")


def _times(summary: CounterfactualSummary) -> Grid:
    measures: tuple[Callable[[Trial], float | None], ...] = (lambda t: t.fit_seconds, lambda t: t.answer_seconds)
    ours = [mean_of(summary.values(measure, OURS)) for measure in measures]
    rows = []
    for method in summary.methods:
        cells = []
        for measure, our in zip(measures, ours, strict=True):
            mean = mean_of(summary.values(measure, method))
            cells += [seconds(mean), NOTHING if mean is None or not our else f"{_figures(mean / our)} ×"]
        rows.append([method, *cells])
    headings = ["method", "fit s", "to JANUS", "answer s", "to JANUS"]
    note = "Means on the clock. JANUS, boosted trees and forests use all cores, networks one, where they are fastest."
    return Grid("Time", headings, rows, note)


def _paper(summary: CounterfactualSummary) -> Grid | None:
    """Plain errors on NADD, graph by graph, each beside the paper's."""
    graphs = [graph for graph in GRAPHS if any((t.graph, t.noise) == (graph, "NADD") for t in summary.trials)]
    if not graphs:
        return None
    forget = next(method.name for method in METHODS if method.word == "forget")
    rows = []
    for graph in graphs:
        claimed = PAPER[graph]
        ours = {name: _plain_error(summary, method, graph) for name, method in NAMED.items()}
        pairs = []
        for name, error in claimed.items():
            pairs += [decimals(error, 1 if error < 100 else 0), _figures(ours[name])]
        rows.append([graph, *pairs, _lead(claimed), _lead(ours), _figures(_plain_error(summary, forget, graph))])
    headings = [text for name in PAPER["Chain"] for text in (f"{name}, paper", "ours")]
    headings += ["best rival to JANUS, paper", "ours", "forget, ours"]
    return Grid("Plain MSE on NADD beside the paper's", ["graph", *headings], rows, SCALES)


def _plain_error(summary: CounterfactualSummary, method: str, graph: str) -> float | None:
    return mean_of(summary.values(lambda trial: trial.mse, method, noise="NADD", graph=graph))


def _lead(errors: Mapping[str, float | None]) -> str:
    """How many times the error of JANUS the lowest of the others is."""
    rivals = [error for name, error in errors.items() if name != OURS and error is not None]
    ours = errors[OURS]
    return f"{_figures(min(rivals) / ours)} ×" if rivals and ours else NOTHING


def _failures(summary: CounterfactualSummary) -> Grid | None:
    counts: dict[tuple[str, str], int] = {}
    for trial in summary.trials:
        if trial.failure:
            counts[trial.method, trial.failure] = counts.get((trial.method, trial.failure), 0) + 1
    if not counts:
        return None
    rows = [[method, failure, str(n)] for (method, failure), n in counts.items()]
    return Grid("Without an answer", ["method", "why", "times"], rows, n_labels=2)


def _figures(value: float | None) -> str:
    """Two figures of small numbers, whole large ones."""
    if value is None:
        return NOTHING
    if value == 0 or value >= 10:
        return f"{value:,.0f}"
    return f"{value:#.2g}" if value >= 1e-4 else f"{value:.0e}"


LEAST = 1e-6
"""An error of nothing has no place on a logarithmic axis."""


def charts(result: Result) -> dict[str, Chart]:
    """The picture by its name."""
    return {"errors": error_picture(result)}


def error_picture(result: Result) -> Chart:
    """Relative errors, a dot per graph and seed and a tick at their mean, a panel per kind of noise."""
    alt, summary = altair(), CounterfactualSummary.of(result)
    dots = {noise: found for noise in NOISES if (found := _dots(summary, noise))}
    everywhere = [dot for found in dots.values() for dot in found]
    answered = {dot.method for dot in everywhere}
    shown = [short for method in summary.methods if (short := _short(method)) in answered]
    x = decades("value", "relative error", [dot.value for dot in everywhere], labelFlush=False, labelOverlap=False)
    panels = [
        dot_panel(found, x, shown, title=noise, labelled=noise == next(iter(dots))) for noise, found in dots.items()
    ]
    notes = [
        "Mean squared gap to the true counterfactual over the column's variance; a dot is a graph and seed.",
        "The tick is the mean. NADD's f changes its sign, so whoever keeps a row's rank errs by construction.",
    ]
    return dressed(alt.hconcat(*panels, spacing=18), "Error of counterfactuals, by kind of noise", notes)


def _dots(summary: CounterfactualSummary, noise: str) -> list[Dot]:
    return [
        Dot(_short(trial.method), max(trial.error, LEAST), trial.method == OURS)
        for trial in summary.trials
        if trial.noise == noise and trial.error is not None
    ]


def _short(method: str) -> str:
    """A name that fits beside a panel."""
    return method.replace(ANEW, "re-implemented")
