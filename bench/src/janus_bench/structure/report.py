"""Trials to tables: every structure beside the paper's figures, and the paper's claims beside what was found."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

from janus_bench.grids import NOTHING, Grid, decimals, seconds
from janus_bench.structure.summary import PAPER, Gap, StructureSummary
from janus_bench.versions import REAL_ROWS

if TYPE_CHECKING:
    from janus_bench.results import Result

PAPER_SPREAD = max(paper.mlp for paper in PAPER.values()) - min(paper.mlp for paper in PAPER.values())
PAPER_SPEEDUP = PAPER["pc"].seconds / PAPER["forest"].seconds

ABLATED_EDGES = 20
"""Arrows of ten columns with two each, the graphs that the paper's ablation names."""
NOTE = (
    "F1 of arrows counts an arrow only if it points the right way, F1 of adjacencies whichever way it points; pc and "
    "ges leave some arrows open, which are then set at will (pc tests at level 0.01, the paper's at 0.05). Detection: "
    "AUC of a classifier between the rows and fresh rows of the true model, 0.5 is ideal. Log-likelihood: mean over "
    "held-out rows within the range of those learnt, in nats. do error: every column is set to a low and a high value; "
    "how far the means of the other numbers are off, in standard deviations, of columns below the one set and of all "
    "others (which stay in truth). Means over models."
)


def structure_grids(result: Result) -> list[Grid]:
    """A table for each engine, one of claims, and what failed."""
    summary = StructureSummary.of(result)
    engines = [engine for engine in summary.engines() if engine != REAL_ROWS]
    grids = [_structures(summary, engine) for engine in engines]
    claims = [row for engine in engines for row in _claims(summary, engine)]
    if claims:
        heads = ["what the paper says", "engine", "in the paper", "here", "verdict"]
        grids.append(Grid("The paper's claims", heads, claims, _claims_note(), n_labels=5))
    if summary.failures:
        rows = [[one.engine, one.structure, str(one.seed), one.error] for one in summary.failures]
        grids.append(Grid("What could not be measured", ["engine", "structure", "seed", "why"], rows, n_labels=4))
    return grids


def _structures(summary: StructureSummary, engine: str) -> Grid:
    rows = [_row(summary, REAL_ROWS, REAL_ROWS)] if summary.of_one(REAL_ROWS, REAL_ROWS) else []
    for structure in summary.structures(engine):
        rows.append(_row(summary, engine, structure))
    for structure, paper in PAPER.items():
        if structure in summary.structures(engine):
            figures = [f"{paper.f1:.2f}", NOTHING, str(paper.n_edges), NOTHING, f"{paper.mlp:.3f}"]
            blank = [NOTHING, NOTHING, NOTHING]
            rows.append([f"{structure}, in the paper", *figures, *blank, f"{paper.seconds:.1f}", NOTHING])
    heads = ["structure", "F1 arrows", "F1 adjac.", "edges", "XGBoost", "MLP", "log-lik.", "do error below"]
    heads += ["elsewhere", "s", "CPU"]
    true = [trial.n_true for trial in summary.trials]
    count = f" {fmean(true):.0f} true edges." if true else ""
    return Grid(f"Structures, rows learnt by {engine}", heads, rows, f"{NOTE}{count}")


def _row(summary: StructureSummary, engine: str, structure: str) -> list[str]:
    def mean(name: str) -> float | None:
        return summary.mean(engine, structure, name)

    failed = sum(one.engine == engine and one.structure == structure for one in summary.failures)
    return [
        f"{structure} ({failed} failed)" if failed else structure,
        decimals(mean("directed_f1"), 2),
        decimals(mean("skeleton_f1"), 2),
        decimals(mean("n_edges"), 1),
        decimals(mean("xgboost")),
        decimals(mean("mlp")),
        decimals(mean("log_prob"), 2),
        decimals(mean("do_below")),
        decimals(mean("do_elsewhere")),
        seconds(mean("seconds")),
        seconds(mean("cpu")),
    ]


def _claims(summary: StructureSummary, engine: str) -> list[list[str]]:
    """The claims that there are figures for."""
    learnt = [name for name in PAPER if summary.of_one(engine, name)]
    rows = [_same_fidelity(summary, engine, learnt, name) for name in ("mlp", "xgboost") if len(learnt) > 1]
    if {"forest", "pc"} <= set(learnt):
        ours, theirs = (summary.mean(engine, name, "cpu") for name in ("forest", "pc"))
        assert ours is not None
        assert theirs is not None
        verdict = "agrees" if theirs > 1.2 * ours else "no difference" if theirs > ours / 1.2 else "the reverse"
        said = f"pc takes {theirs / ours:.1f} × the CPU s of forest"
        rows.append(["forest is faster than pc", engine, f"{PAPER_SPEEDUP:.1f} ×", said, verdict])
    rows += [_better_asked(summary, engine, name) for name in ("pc", "ges") if {"forest", name} <= set(learnt)]
    return rows


def _same_fidelity(summary: StructureSummary, engine: str, learnt: list[str], measure: str) -> list[str]:
    """Detection of the three learners: how far the best and the worst are apart."""
    gaps = {pair: summary.gap(engine, *pair, measure) for pair in combinations(learnt, 2)}
    known = {pair: gap for pair, gap in gaps.items() if gap is not None}
    shown = {pair: gap for pair, gap in known.items() if gap.beyond_chance} or known
    pair, gap = max(shown.items(), key=lambda item: abs(item[1].mean))
    worse, better = pair if gap.mean > 0 else pair[::-1]
    paper = f"{PAPER_SPREAD:.3f} apart" if measure == "mlp" else NOTHING
    name = {"mlp": "MLP", "xgboost": "XGBoost"}[measure]
    verdict = "does not agree" if gap.beyond_chance else _no_evidence(gap, "not refuted")
    said = f"{worse} above {better} by {_spelled(Gap(abs(gap.mean), gap.half))}"
    return [f"all achieve identical fidelity ({name})", engine, paper, said, verdict]


def _better_asked(summary: StructureSummary, engine: str, name: str) -> list[str]:
    """Whether a causal search answers interventions better than the forest: errors of columns below the one set."""
    gap = summary.gap(engine, name, "forest", "do_below")
    assert gap is not None
    verdict = _no_evidence(gap, "no difference shown")
    if gap.beyond_chance:
        verdict = "agrees" if gap.mean < 0 else "the reverse"
    own, forest = (decimals(summary.mean(engine, one, "do_below")) for one in (name, "forest"))
    said = f"do error {own} against {forest} of forest, {_spelled(gap, sign=True)}"
    return [f"use {name} for interventional queries", engine, NOTHING, said, verdict]


def _no_evidence(gap: Gap, otherwise: str) -> str:
    return "one model: no interval" if gap.half is None else otherwise


def _spelled(gap: Gap, *, sign: bool = False) -> str:
    mean = decimals(gap.mean, sign=sign)
    return mean if gap.half is None else f"{mean} ± {decimals(gap.half)}"


def _claims_note() -> str:
    """How verdicts are reached, and what the paper's own figures cannot come from."""
    paper = PAPER["ges"]
    most = 2 * ABLATED_EDGES / (ABLATED_EDGES + paper.n_edges)
    return (
        "Differences are paired by model, ± half a 95 % interval (Student's t), and count if that leaves zero out: "
        "what is not refuted may only want for models. Times count if they are a fifth apart. On "
        f"{ABLATED_EDGES} true edges, ten columns with two each, the {paper.n_edges} edges that the paper's ges found "
        f"would get an F1 of {most:.2f} at most, and it reports {paper.f1:.2f}: its table is about other graphs, or "
        "counts otherwise; it does not say."
    )
