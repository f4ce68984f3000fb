"""Turn a structure result into tables: every structure beside the paper's figures, and verdicts on its claims."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, list_records, seconds
from janus_bench.structure.run import Failure
from janus_bench.structure.trial import Trial
from janus_bench.versions import REAL_ROWS

if TYPE_CHECKING:
    from janus_bench.results import Result


class PaperFigures(NamedTuple):
    """The paper's figures for a structure learner."""

    f1: float
    n_edges: int
    mlp: float
    seconds: float


PAPER = {
    "forest": PaperFigures(0.69, 34, 0.497, 12.3),
    "pc": PaperFigures(0.67, 28, 0.501, 45.2),
    "ges": PaperFigures(0.71, 42, 0.498, 38.7),
}
PAPER_SPREAD = max(paper.mlp for paper in PAPER.values()) - min(paper.mlp for paper in PAPER.values())
PAPER_SPEEDUP = PAPER["pc"].seconds / PAPER["forest"].seconds

ABLATED_EDGES = 20
"""Edges of a graph of ten columns with two edges each, as in the paper's ablation."""
NOTE = (
    "F1 of arrows counts an arrow only if it points the right way, F1 of adjacencies whichever way it points; pc and "
    "ges leave some arrows open, which are then set at will (pc tests at level 0.01, the paper's at 0.05). Detection: "
    "AUC of a classifier between the rows and fresh rows of the true model, 0.5 is ideal. Log-likelihood: mean over "
    "held-out rows within the range of those learnt, in nats. do error: every column is set to a low and a high value; "
    "how far the means of the other numbers are off, in standard deviations, of columns below the one set and of all "
    "others (which stay in truth). Means over models."
)


class Gap(NamedTuple):
    """A mean difference over models, and half the width of its 95 % interval (Student's t); NaN for a single model."""

    mean: float
    half: float

    @classmethod
    def of(cls, differences: pd.Series[float]) -> Self:
        """Mean and interval of differences, one per model.

        Examples
        --------
        >>> gap = Gap.of(pd.Series([0.1, 0.2, 0.3]))
        >>> round(gap.mean, 3), round(gap.half, 3), gap.is_significant
        (0.2, 0.248, False)
        """
        n = len(differences)
        if n < 2:
            return cls(float(differences.mean()), nan)
        from scipy.stats import t

        return cls(float(differences.mean()), float(t.ppf(0.975, n - 1) * differences.std()) / sqrt(n))

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes zero."""
        return abs(self.mean) > self.half


@dataclass(frozen=True, slots=True)
class StructureSummary:
    """Trials and failures of a run."""

    trials: pd.DataFrame
    failures: pd.DataFrame

    @classmethod
    def of(cls, result: Result) -> Self:
        """Read the records of a result."""
        return cls(result.frame(Trial), result.frame(Failure))

    @property
    def structures(self) -> dict[str, list[str]]:
        """Structures with trials or failures by engine, in the order of the run."""
        both = [frame[["engine", "structure"]] for frame in (self.trials, self.failures) if len(frame)]
        found = pd.concat(both).drop_duplicates()
        return {str(engine): list(own["structure"]) for engine, own in found.groupby("engine", sort=False)}

    def measured(self, engine: str, structure: str) -> pd.DataFrame:
        """Trials of one engine with one structure, one per structural model."""
        return self.trials[(self.trials["engine"] == engine) & (self.trials["structure"] == structure)]

    def mean(self, engine: str, structure: str, name: str) -> float:
        """Mean of a measure over models; NaN without any."""
        return float(self.measured(engine, structure)[name].mean())

    def gap(self, engine: str, first: str, second: str, name: str) -> Gap | None:
        """How much larger a measure is with the first structure than with the second, paired by model."""
        one, two = (self.measured(engine, structure).set_index("seed")[name] for structure in (first, second))
        differences = (one - two).dropna()
        return None if differences.empty else Gap.of(differences)


def structure_grids(result: Result) -> list[Grid]:
    """A table per engine, one of claims, and one of failures."""
    summary = StructureSummary.of(result)
    engines = [engine for engine in summary.structures if engine != REAL_ROWS]
    grids = [_structures(summary, engine) for engine in engines]
    claims = [row for engine in engines for row in _claims(summary, engine)]
    if claims:
        heads = ["what the paper says", "engine", "in the paper", "here", "verdict"]
        grids.append(Grid("The paper's claims", heads, claims, _claims_note(), n_labels=5))
    headings = {"engine": "engine", "structure": "structure", "seed": "seed", "error": "why"}
    return grids + list_records("What could not be measured", summary.failures, headings)


def _structures(summary: StructureSummary, engine: str) -> Grid:
    learnt = summary.structures[engine]
    rows = [_row(summary, REAL_ROWS, REAL_ROWS)] if REAL_ROWS in summary.structures else []
    rows += [_row(summary, engine, structure) for structure in learnt]
    for structure, paper in PAPER.items():
        if structure in learnt:
            figures = [f"{paper.f1:.2f}", NOTHING, str(paper.n_edges), NOTHING, f"{paper.mlp:.3f}"]
            blank = [NOTHING, NOTHING, NOTHING]
            rows.append([f"{structure}, in the paper", *figures, *blank, f"{paper.seconds:.1f}", NOTHING])
    heads = ["structure", "F1 arrows", "F1 adjac.", "edges", "XGBoost", "MLP", "log-lik.", "do error below"]
    heads += ["elsewhere", "s", "CPU"]
    count = f" {summary.trials['n_true'].mean():.0f} true edges." if len(summary.trials) else ""
    return Grid(f"Structures, rows learnt by {engine}", heads, rows, f"{NOTE}{count}")


DIGITS = {"directed_f1": 2, "skeleton_f1": 2, "n_edges": 1, "xgboost": 3, "mlp": 3, "log_prob": 2}
DIGITS |= {"do_below": 3, "do_elsewhere": 3}


def _row(summary: StructureSummary, engine: str, structure: str) -> list[str]:
    failed = int(((summary.failures["engine"] == engine) & (summary.failures["structure"] == structure)).sum())
    means = summary.measured(engine, structure)[[*DIGITS, "seconds", "cpu"]].mean()
    return [
        f"{structure} ({failed} failed)" if failed else structure,
        *(decimals(means[name], digits) for name, digits in DIGITS.items()),
        *(seconds(means[name]) for name in ("seconds", "cpu")),
    ]


def _claims(summary: StructureSummary, engine: str) -> list[list[str]]:
    """Rows for the claims that the run has figures for."""
    learnt = [name for name in PAPER if len(summary.measured(engine, name))]
    rows = [_same_fidelity(summary, engine, learnt, name) for name in ("mlp", "xgboost") if len(learnt) > 1]
    if {"forest", "pc"} <= set(learnt):
        ours, theirs = (summary.mean(engine, name, "cpu") for name in ("forest", "pc"))
        verdict = "agrees" if theirs > 1.2 * ours else "no difference" if theirs > ours / 1.2 else "the reverse"
        said = f"pc takes {theirs / ours:.1f} × the CPU s of forest"
        rows.append(["forest is faster than pc", engine, f"{PAPER_SPEEDUP:.1f} ×", said, verdict])
    rows += [_better_asked(summary, engine, name) for name in ("pc", "ges") if {"forest", name} <= set(learnt)]
    return rows


def _same_fidelity(summary: StructureSummary, engine: str, learnt: list[str], measure: str) -> list[str]:
    """Largest difference in detection AUC between two of the paper's three learners."""
    gaps = {pair: summary.gap(engine, *pair, measure) for pair in combinations(learnt, 2)}
    known = {pair: gap for pair, gap in gaps.items() if gap is not None}
    shown = {pair: gap for pair, gap in known.items() if gap.is_significant} or known
    pair, gap = max(shown.items(), key=lambda item: abs(item[1].mean))
    worse, better = pair if gap.mean > 0 else pair[::-1]
    paper = f"{PAPER_SPREAD:.3f} apart" if measure == "mlp" else NOTHING
    name = {"mlp": "MLP", "xgboost": "XGBoost"}[measure]
    verdict = "does not agree" if gap.is_significant else _no_evidence(gap, "not refuted")
    said = f"{worse} above {better} by {_format_gap(Gap(abs(gap.mean), gap.half))}"
    return [f"all achieve identical fidelity ({name})", engine, paper, said, verdict]


def _better_asked(summary: StructureSummary, engine: str, name: str) -> list[str]:
    """Whether causal discovery has smaller errors of interventions than the forest, on descendants."""
    gap = summary.gap(engine, name, "forest", "do_below")
    assert gap is not None
    verdict = _no_evidence(gap, "no difference shown")
    if gap.is_significant:
        verdict = "agrees" if gap.mean < 0 else "the reverse"
    own, forest = (decimals(summary.mean(engine, one, "do_below")) for one in (name, "forest"))
    said = f"do error {own} against {forest} of forest, {_format_gap(gap, sign=True)}"
    return [f"use {name} for interventional queries", engine, NOTHING, said, verdict]


def _no_evidence(gap: Gap, otherwise: str) -> str:
    return "one model: no interval" if isnan(gap.half) else otherwise


def _format_gap(gap: Gap, *, sign: bool = False) -> str:
    mean = decimals(gap.mean, sign=sign)
    return mean if isnan(gap.half) else f"{mean} ± {decimals(gap.half)}"


def _claims_note() -> str:
    """How verdicts are reached, and why the paper's F1 cannot come from the graphs it names."""
    paper = PAPER["ges"]
    most = 2 * ABLATED_EDGES / (ABLATED_EDGES + paper.n_edges)
    return (
        "Differences are paired by model, ± half a 95 % interval (Student's t), and count if that leaves zero out: "
        "what is not refuted may only want for models. Times count if they are a fifth apart. On "
        f"{ABLATED_EDGES} true edges, ten columns with two each, the {paper.n_edges} edges that the paper's ges found "
        f"would get an F1 of {most:.2f} at most, and it reports {paper.f1:.2f}: its table is about other graphs, or "
        "counts otherwise; it does not say."
    )
