"""Results in; the sections of the demo out, one function each: values for ``demo.html.j2`` and text for the console.

A new section is a function, a line in ``SECTIONS`` and its part of the template.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from janus_synth.demo.causal import (
    ALGORITHMS,
    DEGREE,
    DIRECT_BIAS,
    MIN_AGE,
    N_AUDITED,
    OTHER_DEGREE,
    UNCERTAIN,
    EffectResult,
)
from janus_synth.demo.results import FAIR_OFFER, TARGET, Results
from janus_synth.demo.tables import Table, facts_table, format_cell, score_table, transpose_rows, transposed_table
from janus_synth.fairness.records import kinds_of
from janus_synth.pages import Section, percent
from janus_synth.plots import (
    arrow_use,
    association_picture,
    before_after,
    column_pictures,
    detection_curve,
    effect_curve,
    epistemic_by_size,
    graph_picture,
    zone_picture,
)
from janus_synth.plots.figures import draw

if TYPE_CHECKING:
    pass

N_SHOWN, N_SHOWN_RARE = 5, 3
TRUTH = "the truth, from the equations behind the table"
OBSERVED = "training rows observed with the value"
ALGORITHM_NAMES = {"logistic": "logistic regression", "threshold-optimizer": "fairlearn's ThresholdOptimizer"}


@dataclass(frozen=True, slots=True)
class DemoSection(Section):
    """A section of the page, and what the console prints."""

    printed: tuple[RenderableType, ...] = ()


def summary(results: Results) -> DemoSection:
    """The main numbers."""
    report, t = results.report, results.timings
    n_train, n_made = len(results.train), len(results.synthetic)
    detection, utility = report.scores["detection"], report.scores["utility"]
    facts = [
        (f"{t.fit:.1f} s", f"to fit {n_train:,} rows of {len(results.janus.schema_.learnt)} columns"),
        (f"{t.sample:.2f} s", f"to draw {n_made:,} rows, {n_made / max(t.sample, 1e-9):,.0f} a second"),
        (f"{t.start_up:.1f} s", "start-up time of the first fit: imports and kernels"),
        (
            _format_number(detection.value),
            f"detection AUC of a classifier that compares synthetic with held-out real rows "
            f"(0.5 is a coin toss; real rows against real rows: {_format_number(detection.reference)})",
        ),
        (
            f"{_format_number(utility.value)} vs {_format_number(utility.reference)}",
            f"R² of predicting {TARGET} on held-out rows, after training on synthetic vs real rows",
        ),
        (percent(report["exact_copies"]), "of the synthetic rows are exact copies of a training row"),
        (
            percent(min(shares.with_rules for shares in results.ruled.rule_shares)),
            f"of the rows satisfy the {len(results.ruled.rule_shares)} rules of a second model",
        ),
    ]
    return DemoSection("summary", "Summary", {"facts": facts}, (facts_table(facts),))


def rows(results: Results) -> DemoSection:
    """A few synthetic rows."""
    table = transpose_rows(results.synthetic, N_SHOWN)
    return DemoSection("rows", "Synthetic rows", {"table": table}, (transposed_table(table),))


def columns(results: Results) -> DemoSection:
    """Marginal distributions."""
    distances = sorted(results.report.columns.items(), key=lambda item: -item[1])
    worst, distance = distances[0]
    pictures = draw(
        lambda: (
            (f"{name}: real and synthetic rows", chart)
            for name, chart in column_pictures(results.held_out, results.synthetic).items()
        )
    )
    text = f"Columns that differ most: {', '.join(f'{name} {percent(gap)}' for name, gap in distances[:3])}"
    values = {"worst": worst, "distance": distance, "pictures": pictures}
    return DemoSection("columns", "Columns", values, (Text(text),))


def associations(results: Results) -> DemoSection:
    """Associations between two columns."""
    score = results.report.scores["association_error"]
    finding = (
        f"The association error, the mean absolute difference over all pairs of columns, is "
        f"{_format_number(score.value)}; for training rows in place of synthetic ones it is "
        f"{_format_number(score.reference)} by chance."
    )
    pictures = draw(
        lambda: [("Associations of all pairs of columns", association_picture(results.held_out, results.synthetic))]
    )
    return DemoSection(
        "associations", "Associations", {"finding": finding, "pictures": pictures}, (Text(finding),)
    )  # fmt: skip


def graph(results: Results) -> DemoSection:
    """The learnt graph."""
    dag = results.janus.dag_
    pictures = draw(lambda: [("Graph of the columns", graph_picture(dag, use=arrow_use(results.janus.model_)))])
    text = f"{len(dag.columns)} columns, {len(dag.edges)} arrows, sampled in the order {', '.join(dag.order)}"
    return DemoSection("graph", "The graph", {"pictures": pictures}, (Text(text),))


def decisions(results: Results) -> DemoSection:
    """Decision rules of the largest leaves."""
    values = {"leaves": results.decisions, "n_leaves": results.n_leaves}
    printed = tuple(Text(str(rule)) for rule in results.decisions)
    return DemoSection("decisions", "Decision rules", values, printed)


def learnt_rules(results: Results) -> DemoSection:
    """Known rules of the table, and how often they hold in real and synthetic rows."""
    cells = [(share.text, percent(share.real), percent(share.synthetic)) for share in results.learnt_rules]
    table = Table(("rule", "real rows", "synthetic rows"), cells)
    return DemoSection("rules", "Rules in the data", {"table": table}, (table,))


def given_rules(results: Results) -> DemoSection:
    """Rules of the second model, and the rows it draws."""
    ruled = results.ruled
    headings = ("rule", "training rows", "model without rules", "model with rules")
    table = Table(headings, [(shares.text, *map(percent, shares[1:])) for shares in ruled.rule_shares])
    label = "Requested and offered salaries of training rows and of rows drawn under the rule"
    pictures = draw(
        lambda: [(label, zone_picture(results.train, ruled.rows, x="requested_salary", y="offered_salary"))]
    )
    text = (
        f"{len(ruled.rows):,} rows under {len(ruled.rule_shares)} rules in {ruled.seconds:.1f} s; each rule holds in "
        f"{percent(min(shares.with_rules for shares in ruled.rule_shares))} of them."
    )
    values = {"table": table, "rule_shares": ruled.rule_shares, "n_rows": len(ruled.rows), "pictures": pictures}
    return DemoSection("given-rules", "Rules that you give", values, (table, Text(text)))


def rare_request(results: Results) -> DemoSection:
    """A request that few rows satisfy, its probability, and rows that satisfy it."""
    rare, share = results.rare, results.rare.share
    finding = (
        f"The model gives it a probability of {share.value:.3g} (95 % interval: {share.low:.3g} to {share.high:.3g}), "
        f"one row in {1 / share.value:,.0f}. Of the {len(results.train):,} training rows, {rare.n_train} satisfy it."
    )
    cost = (
        f"The probability and {len(rare.rows):,} such rows took {rare.seconds:.1f} s; {percent(rare.met)} of the rows "
        f"satisfy the request. Rejection sampling would need about {round_to_two_digits(rare.n_by_rejection)} draws."
    )
    table = transpose_rows(rare.rows, N_SHOWN_RARE)
    printed = (Text(f"where {rare.where}", style="cyan"), Text(finding), Text(cost), transposed_table(table))
    values = {"where": rare.where, "finding": finding, "cost": cost, "table": table}
    return DemoSection("rare", "A rare request", values, printed)


def impossible_request(results: Results) -> DemoSection:
    """A request that no row can satisfy."""
    request = results.impossible
    call = f"model.check({request.where!r})"
    values = {"call": call, "reason": request.reason, "conflict": request.conflict}
    return DemoSection("impossible", "An impossible request", values, (Text(call, style="cyan"), Text(request.reason)))


def uncertainty(results: Results) -> DemoSection:
    """Aleatoric and epistemic uncertainty, and the rows to label next."""
    found = results.causal.uncertainty
    terrain, sizes, suggested_rows = found.terrain, found.by_size, found.suggested
    measures = found.by_column[["column", "total", "aleatoric", "epistemic"]].itertuples(index=False, name=None)
    by_column = Table(
        ("column", "total", "aleatoric", "epistemic", "epistemic share"),
        [
            (name, *(f"{value:.3f}" for value in (total, noise, unknown)), percent(unknown / total if total else 0.0))
            for name, total, noise, unknown in measures
        ],
    )
    finding = (
        f"If {UNCERTAIN} could be labelled for {len(suggested_rows)} more applicants, these would be most informative: "
        f"their epistemic uncertainty is {suggested_rows['epistemic'].mean():.2f} nats, the mean of all is "
        f"{found.epistemic:.2f}."
    )
    names = list(suggested_rows.columns)
    lines = suggested_rows.itertuples(index=False, name=None)
    suggested = Table(names, [[*map(format_cell, row), f"{epistemic:.2f}"] for *row, epistemic in lines])
    map_label = f"Epistemic and aleatoric uncertainty of {UNCERTAIN} by {' and '.join(terrain.names)}"
    curves = (sizes["rows"], sizes["epistemic"], sizes["aleatoric"])
    values = {
        "seconds": results.timings.causal,
        "about": UNCERTAIN,
        "terrain": draw(lambda: [(map_label, terrain.picture())]),
        "by_size": draw(
            lambda: [(f"Uncertainty of {UNCERTAIN} by training rows", epistemic_by_size(*curves, target=UNCERTAIN))]
        ),
        "by_column": by_column,
        "finding": finding,
        "suggested": suggested,
        "numeric": [j for j, name in enumerate(names) if name not in ("applicant_id", "department")],
    }
    return DemoSection("uncertainty", "Uncertainty", values, (by_column, Text(finding), suggested))


def effects(results: Results) -> DemoSection:
    """Average treatment effects, compared with the truth."""
    found = results.causal.effects
    pictures = draw(
        lambda: [
            (
                f"{one.effect.outcome} as {one.effect.treatment} is set, with intervals and the truth",
                effect_curve(
                    one.effect.to_frame(),
                    outcome=one.effect.outcome,
                    beside={TRUTH: one.truth, OBSERVED: one.observed},
                ),
            )
            for one in found
        ]
    )
    findings = [_describe_effect(one) for one in found]
    values = {"pictures": pictures, "findings": findings}
    return DemoSection("effects", "Effects of interventions", values, tuple(map(Text, findings)))


def counterfactuals(results: Results) -> DemoSection:
    """Counterfactuals of single applicants."""
    before, after, truth = results.causal.counterfactuals
    pictures = draw(
        lambda: [
            ("Requested salaries before and after", before_after(before, after, "requested_salary")),
            ("Departments before and after", before_after(before, after, "department")),
        ]
    )
    by_model, by_equations = (
        np.asarray(rows["requested_salary"] - before["requested_salary"], float) for rows in (after, truth)
    )
    finding = (
        f"According to the model they would have requested {by_model.mean():,.0f} more on average; according to the "
        f"equations, with the same noise, {by_equations.mean():,.0f} more. For a single applicant the two differ by "
        f"{np.median(np.abs(by_model - by_equations)):,.0f} in the median, because a row does not determine "
        "which department the applicant would have chosen."
    )
    values = {"n_rows": len(before), "age": MIN_AGE, "degree": DEGREE, "other": OTHER_DEGREE}
    values |= {"pictures": pictures, "finding": finding}
    return DemoSection("counterfactuals", "Counterfactuals", values, (Text(finding),))


def planted_bias(results: Results) -> DemoSection:
    """A planted bias of known size, and audits of algorithms."""
    certificate, suite, missing = results.bias
    record, effect = certificate.records[0], certificate.effects[0]
    intro = (
        "Fairness algorithms can only be checked on data with a known bias. Here a bias is planted: "
        f"{percent(DIRECT_BIAS.magnitude)} of the women who would have been hired are not, and nothing else changes. "
        f"{record.n_turned:,} of {record.n_eligible:,} outcomes were changed, as many as requested; the fair outcome "
        "is kept beside the biased one. The effect of being male, by intervention on the graph:"
    )
    cells = [
        (kind, *(f"{gain:+.3f}" for gain in (effect.value("fair", kind), effect.value("biased", kind))),
         f"{effect.planted(kind):+.3f}")
        for kind in kinds_of(effect)
    ]  # fmt: skip
    table = Table(("effect on the share hired", "before", "after", "planted"), cells)
    values = {"intro": intro, "table": table, "missing": missing}
    if suite is None:
        return DemoSection("bias", "Bias of known size", values, (Text(intro), table, Text(missing)))
    found = {name: sum(case.audit.found for case in suite.cases if case.algorithm == name) for name in ALGORITHMS}
    biased = sum(case.magnitude > 0 for case in suite.cases) // len(ALGORITHMS)
    finding = (
        f"Three kinds of bias of several sizes, in tables of {N_AUDITED:,} rows. Of {biased} planted biases, "
        + " and ".join(f"{found[name]} are found in the decisions of {ALGORITHM_NAMES[name]}" for name in ALGORITHMS)
        + f". Planting and all audits took {results.timings.bias:.0f} s."
    )
    label = "The gap found in decisions against the planted gap, by kind of bias"
    values |= {"finding": finding, "pictures": draw(lambda: [(label, detection_curve(suite))])}
    return DemoSection("bias", "Bias of known size", values, (Text(intro), table, Text(finding)))


def scores(results: Results) -> DemoSection:
    """All scores."""
    cells = [score.cells() for score in results.report.scores.values()]
    table = Table(("score", "value", "reference", "ideal", "meaning"), cells)
    return DemoSection("scores", "All scores", {"table": table}, (score_table(table),))


def limits(results: Results) -> DemoSection:
    """What the model cannot do."""
    detection = results.report["detection"]
    rarely = min(results.learnt_rules, key=lambda share: share.synthetic - share.real)
    points = [
        f"Synthetic rows are not real rows: a classifier that compares them has an AUC of {_format_number(detection)}, "
        "where 0.5 is a coin toss.",
        f"Rules that are not given are learnt only approximately: “{rarely.text}” holds in {percent(rarely.synthetic)} "
        f"of the synthetic rows and {percent(rarely.real)} of the real ones.",
        "The probability of a request is the model's: its interval covers Monte Carlo error, not the finite-sample "
        f"uncertainty of {len(results.train):,} training rows.",
        "A learnt graph says how rows are sampled, not what causes what. Causal answers need a graph that you "
        "believe in and are only as right as it is; here it was the true one.",
        "No formal privacy guarantee: copies are counted and distances measured; nothing is differentially private.",
        "One table of independent rows: no time series, no linked tables; free text is not learnt.",
        "Numbers stay within the observed range, unless you widen the schema.",
    ]
    return DemoSection("limits", "Limits", {"points": points}, tuple(Text(f"• {point}") for point in points))


def code(results: Results) -> DemoSection:
    """The same in a few lines of code."""
    n = f"{len(results.train):_}"
    first = f"""from janus_synth import Janus, datasets, fairness, metrics

df = datasets.hiring(2 * {n})  # or your own DataFrame: pandas, polars, pyarrow
model = Janus(random_state=0).fit(df[:{n}])
rows = model.sample({n})
few = model.sample(100, where="{results.rare.where}")
print(metrics.evaluate(df[:{n}], df[{n}:], rows, target="{TARGET}"))"""
    ruled = f"""fair = Janus(rules=["{FAIR_OFFER}"]).fit(df[:{n}])
fair.check("offered_salary < 40_000 < requested_salary")  # infeasible, with the reason"""
    causal = f"""graph = datasets.hiring_graph()  # or your own edges: [(cause, effect), ...]
causal = Janus(structure=graph).fit(df[:{n}])
causal.uncertainty(df[{n}:], columns="hired").by_column
causal.effect("education", "requested_salary", ["school", "master"])
causal.counterfactual(df[:5], do={{"education": "master"}})
fairness.plant(causal, fairness.Bias("sex", "male", "hired", True, 0.2)).certificate"""
    values = {"first": first, "ruled": ruled, "causal": causal}
    return DemoSection("code", "Code", values, (Text("\n".join(values.values()), style="cyan"),))


SECTIONS: tuple[Callable[[Results], DemoSection], ...] = (
    summary,
    rows,
    columns,
    associations,
    graph,
    decisions,
    learnt_rules,
    given_rules,
    rare_request,
    impossible_request,
    uncertainty,
    effects,
    counterfactuals,
    planted_bias,
    scores,
    limits,
    code,
)
"""In the order of the page and of the console."""


def round_to_two_digits(rows: float) -> str:
    """Round a number of rows to the two digits that the estimated probability justifies.

    Examples
    --------
    >>> round_to_two_digits(1_126_345.0)
    '1,100,000'
    """
    return f"{float(f'{rows:.2g}'):,.0f}"


def _describe_effect(result: EffectResult) -> str:
    """Describe the last effect, and how many intervals contain the truth."""
    effect = result.effect
    last = effect.effects[-1]
    true = result.truth[-1] - result.truth[0]
    return (
        f"{effect.treatment} = {effect.values[-1]} instead of {effect.values[0]}: {effect.outcome} changes by "
        f"{last.value:,.0f} (95 % interval: {last.low:,.0f} to {last.high:,.0f}); in truth by {true:,.0f}. "
        f"The true mean is in {result.n_covered} of {len(effect.values)} intervals."
    )


def _format_number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"
