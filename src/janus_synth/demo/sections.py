"""Results to the sections of the demo, one function each: values that ``demo.html.j2`` shows, and what is printed.

A new section is a function, a line in ``SECTIONS`` and its part of the template.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from janus_synth.demo.causes import ALGORITHMS, DIRECT, FROM, GROWN_UP, N_AUDITED, TO, UNSURE, Question
from janus_synth.demo.console import Table, printed_facts, printed_scores, printed_upright, shown, upright
from janus_synth.demo.results import EQUAL_PAY, TARGET, Results
from janus_synth.fairness.certificate import kinds_of
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

SHOWN_ROWS, SHOWN_RARE = 5, 3
TRUTH = "the truth: drawn from the equations behind the table"
SEEN = "training rows that have the value anyway"
ALGORITHM_NAMES = {"logistic": "logistic regression", "threshold-optimizer": "fairlearn's ThresholdOptimizer"}


@dataclass(frozen=True, slots=True)
class Told(Section):
    """A section of the page, and what the console prints of it."""

    printed: tuple[RenderableType, ...] = ()


def headline(results: Results) -> Told:
    """The few numbers that a hurried reader takes home."""
    report, t = results.report, results.timings
    n_train, n_made = len(results.train), len(results.synthetic)
    detection, utility = report.scores["detection"], report.scores["utility"]
    facts = [
        (f"{t.fit:.1f} s", f"to learn {n_train:,} rows of {len(results.janus.schema_.learnt)} columns"),
        (f"{t.sample:.2f} s", f"to draw {n_made:,} rows, {n_made / max(t.sample, 1e-9):,.0f} a second"),
        (f"{t.ready:.1f} s", "to get ready for the first fit: imports and, once on a new machine, compiling kernels"),
        (
            _number(detection.value),
            f"detection: how well a classifier tells synthetic from unseen real rows "
            f"(0.5 is a coin toss; real rows against real rows: {_number(detection.reference)})",
        ),
        (
            f"{_number(utility.value)} vs {_number(utility.reference)}",
            f"R² of predicting {TARGET} on unseen rows, learnt from synthetic vs real rows",
        ),
        (percent(report["exact_copies"]), "of the synthetic rows are copies of a training row"),
        (
            percent(min(kept.told for kept in results.given.kept)),
            f"of the rows keep {len(results.given.kept)} rules that a model was given, and none was rejected",
        ),
    ]
    return Told("headline", "In short", {"facts": facts}, (printed_facts(facts),))


def rows(results: Results) -> Told:
    """A few synthetic rows, as they came."""
    table = upright(results.synthetic, SHOWN_ROWS)
    return Told("rows", "Synthetic rows", {"table": table}, (printed_upright(table),))


def columns(results: Results) -> Told:
    """Every column on its own."""
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
    return Told("columns", "One column at a time", values, (Text(text),))


def associations(results: Results) -> Told:
    """Columns two by two."""
    score = results.report.scores["association_error"]
    finding = (
        f"Associations between columns are off by {_number(score.value)} on average; "
        f"training rows against unseen rows, by chance alone, by {_number(score.reference)}."
    )
    pictures = draw(
        lambda: [("Associations of all pairs of columns", association_picture(results.held_out, results.synthetic))]
    )
    return Told(
        "associations", "Columns two by two", {"finding": finding, "pictures": pictures}, (Text(finding),)
    )  # fmt: skip


def graph(results: Results) -> Told:
    """Who is drawn given whom."""
    dag = results.janus.dag_
    pictures = draw(lambda: [("Graph of the columns", graph_picture(dag, use=arrow_use(results.janus.model_)))])
    text = f"{len(dag.columns)} columns, {len(dag.edges)} arrows, drawn in the order {', '.join(dag.order)}"
    return Told("graph", "The graph", {"pictures": pictures}, (Text(text),))


def decisions(results: Results) -> Told:
    """What the trees say, in words."""
    values = {"leaves": results.decisions, "n_leaves": results.n_leaves}
    printed = tuple(Text(str(rule)) for rule in results.decisions)
    return Told("decisions", "Rules the model found", values, printed)


def kept_rules(results: Results) -> Told:
    """Known rules of the table, counted in real and synthetic rows."""
    cells = [(share.text, percent(share.real), percent(share.synthetic)) for share in results.rule_shares]
    table = Table(("rule", "real rows", "synthetic rows"), cells)
    return Told("rules", "Rules the data has", {"table": table}, (table,))


def given_rules(results: Results) -> Told:
    """Rules that the model was told, and where its rows are then."""
    given = results.given
    headings = ("rule", "training rows", "drawn, not told", "drawn, told")
    table = Table(headings, [(kept.text, *map(percent, kept[1:])) for kept in given.kept])
    label = "Requested and offered salaries of training rows and of rows drawn under the rule"
    pictures = draw(
        lambda: [(label, zone_picture(results.train, given.rows, x="requested_salary", y="offered_salary"))]
    )
    text = (
        f"{len(given.rows):,} rows under {len(given.kept)} rules in {given.seconds:.1f} s; each rule holds in "
        f"{percent(min(kept.told for kept in given.kept))} of them."
    )
    values = {"table": table, "kept": given.kept, "n_rows": len(given.rows), "pictures": pictures}
    return Told("given-rules", "Rules you give it", values, (table, Text(text)))


def rare_request(results: Results) -> Told:
    """A request that few rows meet, its probability, and rows that meet it."""
    rare, share = results.rare, results.rare.share
    finding = (
        f"The model gives it a probability of {share.value:.3g} (95 % interval: {share.low:.3g} to {share.high:.3g}), "
        f"one row in {1 / share.value:,.0f}. Of the {len(results.train):,} training rows, {rare.n_train} are like that."
    )
    cost = (
        f"{len(rare.rows):,} such rows and the probability took {rare.seconds:.1f} s; {percent(rare.met)} of the rows "
        f"meet the request. Rejection, which draws freely and throws away the rest, would have to draw about "
        f"{two_digits(rare.n_rejected)} rows for that."
    )
    table = upright(rare.rows, SHOWN_RARE)
    printed = (Text(f"where {rare.where}", style="cyan"), Text(finding), Text(cost), printed_upright(table))
    values = {"where": rare.where, "finding": finding, "cost": cost, "table": table}
    return Told("rare", "A rare request", values, printed)


def impossible_request(results: Results) -> Told:
    """A request that no row can meet, told before any is drawn."""
    asked = results.impossible
    call = f"model.check({asked.where!r})"
    values = {"call": call, "reason": asked.reason, "conflict": asked.conflict}
    return Told("impossible", "An impossible request", values, (Text(call, style="cyan"), Text(asked.reason)))


def how_sure(results: Results) -> Told:
    """What the model knows that it does not know."""
    sure = results.causes.sure
    terrain, sizes = sure.terrain, sure.by_size
    measures = sure.by_column[["column", "total", "aleatoric", "epistemic"]].itertuples(index=False, name=None)
    by_column = Table(
        ("column", "total", "aleatoric", "epistemic", "epistemic part"),
        [
            (name, *(f"{value:.3f}" for value in (total, noise, unknown)), percent(unknown / total if total else 0.0))
            for name, total, noise, unknown in measures
        ],
    )
    finding = (
        f"If you could find out who is {UNSURE} for {len(sure.telling)} more applicants, these would teach most: their "
        f"epistemic uncertainty is {sure.telling['epistemic'].mean():.2f} nats, that of all {sure.epistemic:.2f}."
    )
    names = list(sure.telling.columns)
    found = sure.telling.itertuples(index=False, name=None)
    telling = Table(names, [[*map(shown, row), f"{epistemic:.2f}"] for *row, epistemic in found])
    map_label = f"Epistemic and aleatoric uncertainty of {UNSURE} by {' and '.join(terrain.names)}"
    curves = (sizes["rows"], sizes["epistemic"], sizes["aleatoric"])
    values = {
        "seconds": results.timings.causes,
        "about": UNSURE,
        "terrain": draw(lambda: [(map_label, terrain.picture())]),
        "by_size": draw(
            lambda: [(f"Uncertainty of {UNSURE} by rows learnt", epistemic_by_size(*curves, target=UNSURE))]
        ),
        "by_column": by_column,
        "finding": finding,
        "telling": telling,
        "numeric": [j for j, name in enumerate(names) if name not in ("applicant_id", "department")],
    }
    return Told("how-sure", "How sure it is", values, (by_column, Text(finding), telling))


def what_if(results: Results) -> Told:
    """Outcomes with a treatment set, beside the truth."""
    questions = results.causes.questions
    pictures = draw(
        lambda: [
            (
                f"{q.effect.outcome} as {q.effect.treatment} is set, with intervals and the truth",
                effect_curve(q.effect.to_frame(), outcome=q.effect.outcome, beside={TRUTH: q.truth, SEEN: q.seen}),
            )
            for q in questions
        ]
    )
    findings = [_effect_in_words(question) for question in questions]
    values = {"pictures": pictures, "findings": findings}
    return Told("what-if", "What if", values, tuple(map(Text, findings)))


def what_would_have_been(results: Results) -> Told:
    """Single applicants, as they would have been."""
    before, after, truth = results.causes.rewritten
    pictures = draw(
        lambda: [
            ("Requested salaries before and after", before_after(before, after, "requested_salary")),
            ("Departments before and after", before_after(before, after, "department")),
        ]
    )
    said, true = (np.asarray(rows["requested_salary"] - before["requested_salary"], float) for rows in (after, truth))
    finding = (
        f"By the model they would have asked for {said.mean():,.0f} more on average; by the equations, with the same "
        f"luck, {true.mean():,.0f} more. For a single applicant the two differ by "
        f"{np.median(np.abs(said - true)):,.0f} in the median: which department one would have chosen cannot be read "
        "off a row for certain."
    )
    values = {"n_rows": len(before), "age": GROWN_UP, "degree": FROM, "other": TO}
    values |= {"pictures": pictures, "finding": finding}
    return Told("would-have-been", "What would have been", values, (Text(finding),))


def planted_bias(results: Results) -> Told:
    """A bias of known size, and who finds it."""
    certificate, suite, missing = results.planting
    record, effect = certificate.records[0], certificate.effects[0]
    intro = (
        "Whether a fairness algorithm works cannot be seen on data whose bias nobody knows. Here it is planted: "
        f"{percent(DIRECT.magnitude)} of the women who would have been hired are not, and nothing else changes. "
        f"{record.n_turned:,} of {record.n_eligible:,} outcomes were turned, as many as asked for; the fair outcome "
        "stays beside the biased one. What being a man is worth, by intervention on the graph:"
    )
    cells = [
        (kind, *(f"{gain:+.3f}" for gain in (effect.value("fair", kind), effect.value("biased", kind))),
         f"{effect.planted(kind):+.3f}")
        for kind in kinds_of(effect)
    ]  # fmt: skip
    table = Table(("effect on the share hired", "before", "after", "planted"), cells)
    values = {"intro": intro, "table": table, "missing": missing}
    if suite is None:
        return Told("bias", "Bias of known size", values, (Text(intro), table, Text(missing)))
    found = {name: sum(case.audit.found for case in suite.cases if case.algorithm == name) for name in ALGORITHMS}
    biased = sum(case.magnitude > 0 for case in suite.cases) // len(ALGORITHMS)
    finding = (
        f"Three kinds of bias at several sizes, in tables of {N_AUDITED:,} rows. Of {biased} planted biases "
        + " and ".join(f"{found[name]} show in the decisions of {ALGORITHM_NAMES[name]}" for name in ALGORITHMS)
        + f". Planting and all audits took {results.timings.bias:.0f} s."
    )
    label = "The gap found in decisions against the gap planted, by kind of bias"
    values |= {"finding": finding, "pictures": draw(lambda: [(label, detection_curve(suite))])}
    return Told("bias", "Bias of known size", values, (Text(intro), table, Text(finding)))


def scores(results: Results) -> Told:
    """The whole report."""
    cells = [score.cells() for score in results.report.scores.values()]
    table = Table(("score", "value", "reference", "ideal", "meaning"), cells)
    return Told("scores", "All scores", {"table": table}, (printed_scores(table),))


def limits(results: Results) -> Told:
    """What it cannot do, said plainly."""
    detection = results.report["detection"]
    rarely = min(results.rule_shares, key=lambda share: share.synthetic - share.real)
    points = [
        f"It is not the real thing: a classifier that tells real from synthetic rows gets {_number(detection)}, "
        "where 0.5 is a coin toss.",
        f"A rule that it was not told is learnt only roughly: “{rarely.text}” holds in {percent(rarely.synthetic)} of "
        f"the synthetic rows and {percent(rarely.real)} of the real ones.",
        "The probability of a request is the model's own: the interval is about computing it, not about what "
        f"{len(results.train):,} rows can teach.",
        "A graph that the fit found says how to draw rows, not what causes what. Causal answers need a graph you "
        "vouch for, and are as right as it is; here it was the true one.",
        "No formal privacy guarantee: copies are counted, distances measured; nothing is differentially private.",
        "One table of independent rows: no time series, no linked tables; free text is not learnt.",
        "Numbers stay within the range that was seen, unless you widen the schema.",
    ]
    return Told("limits", "What it cannot do", {"points": points}, tuple(Text(f"• {point}") for point in points))


def code(results: Results) -> Told:
    """The same in a few lines."""
    n = f"{len(results.train):_}"
    first = f"""from janus_synth import Janus, datasets, fairness, metrics

df = datasets.hiring(2 * {n})  # or your own DataFrame: pandas, polars, pyarrow
model = Janus(random_state=0).fit(df[:{n}])
rows = model.sample({n})
few = model.sample(100, where="{results.rare.where}")
print(metrics.evaluate(df[:{n}], df[{n}:], rows, target="{TARGET}"))"""
    ruled = f"""fair = Janus(rules=["{EQUAL_PAY}"]).fit(df[:{n}])
fair.check("offered_salary < 40_000 < requested_salary")  # false, and it says why"""
    causal = f"""graph = datasets.hiring_graph()  # or arrows of your own: [(cause, effect), ...]
causal = Janus(structure=graph).fit(df[:{n}])
causal.uncertainty(df[{n}:], columns="hired").by_column
causal.effect("education", "requested_salary", ["school", "master"])
causal.counterfactual(df[:5], do={{"education": "master"}})
fairness.plant(causal, fairness.Bias("sex", "male", "hired", True, 0.2)).certificate"""
    values = {"first": first, "ruled": ruled, "causal": causal}
    return Told("code", "Do it yourself", values, (Text("\n".join(values.values()), style="cyan"),))


SECTIONS: tuple[Callable[[Results], Told], ...] = (
    headline,
    rows,
    columns,
    associations,
    graph,
    decisions,
    kept_rules,
    given_rules,
    rare_request,
    impossible_request,
    how_sure,
    what_if,
    what_would_have_been,
    planted_bias,
    scores,
    limits,
    code,
)
"""In the order of the page and of the console."""


def two_digits(rows: float) -> str:
    """Two digits of a number of rows: the probability it comes from is not known better.

    Examples
    --------
    >>> two_digits(1_126_345.0)
    '1,100,000'
    """
    return f"{float(f'{rows:.2g}'):,.0f}"


def _effect_in_words(question: Question) -> str:
    """The largest effect, and how often the truth is in its interval."""
    effect = question.effect
    last = effect.effects[-1]
    true = question.truth[-1] - question.truth[0]
    return (
        f"{effect.treatment} = {effect.values[-1]} instead of {effect.values[0]}: {effect.outcome} moves by "
        f"{last.value:,.0f} (95 % interval: {last.low:,.0f} to {last.high:,.0f}); in truth by {true:,.0f}. "
        f"The true mean is in {question.n_covered} of {len(effect.values)} intervals."
    )


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"
