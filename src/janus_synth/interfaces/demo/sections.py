"""Results to the sections of the demo, one function each; a new section is a function and a line in ``SECTIONS``."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rich.table import Table as RichTable
from rich.text import Text

from janus_synth.interfaces.demo.bias_sections import planted_bias
from janus_synth.interfaces.demo.cause_sections import how_sure, what_if, what_would_have_been
from janus_synth.interfaces.demo.requests import EQUAL_PAY
from janus_synth.interfaces.demo.results import TARGET, Results
from janus_synth.interfaces.demo.rule_sections import given_rules, impossible_request, kept_rules, rare_request
from janus_synth.interfaces.demo.section import Section
from janus_synth.interfaces.demo.texts import printed_rows, upright
from janus_synth.interfaces.pages import figure, paragraph, table
from janus_synth.interfaces.pictures import (
    REAL,
    SYNTHETIC,
    arrow_use,
    association_picture,
    column_pictures,
    graph_picture,
)
from janus_synth.interfaces.pictures.theme import percent

if TYPE_CHECKING:
    from janus_synth.interfaces.demo.section import MakeSection

SHOWN_ROWS = 5


def headline(results: Results) -> Section:
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
    cards = "".join(f'<div class="card"><b>{escape(big)}</b><span>{escape(small)}</span></div>' for big, small in facts)
    printed = RichTable.grid(padding=(0, 2))
    printed.add_column(justify="right", style="bold")
    printed.add_column()
    for big, small in facts:
        printed.add_row(big, small)
    return Section("headline", "In short", f'<div class="cards">{cards}</div>', (printed,))


def rows(results: Results) -> Section:
    """A few synthetic rows, as they came."""
    lines = upright(results.synthetic, SHOWN_ROWS)
    intro = (
        "Each column below is one new applicant. Types, nulls, lattices (salaries in steps of 500) and dates come "
        "back as they were; the key is made afresh, never learnt."
    )
    html = paragraph(intro) + table(["", *(f"row {i + 1}" for i in range(SHOWN_ROWS))], lines, kind="rows")
    return Section("rows", "Synthetic rows", html, (printed_rows(lines),))


def columns(results: Results) -> Section:
    """Every column on its own."""
    distances = sorted(results.report.columns.items(), key=lambda item: -item[1])
    worst, distance = distances[0]
    caption = (
        f"Each chart is one column: the share of rows with each value. The column that differs most is {worst}, "
        f"by {percent(distance)} of the rows; two samples of real rows differ as well, by chance."
    )
    key = (
        f'<p class="key"><span><i style="background:{REAL}"></i>real rows, not seen in training</span>'
        f'<span><i style="background:{SYNTHETIC}"></i>synthetic rows</span></p>'
    )
    html = key + figure(
        lambda: (
            (f"{name}: real and synthetic rows", chart)
            for name, chart in column_pictures(results.held_out, results.synthetic).items()
        ),
        caption=caption,
        kind="flow",
    )
    printed = f"Columns that differ most: {', '.join(f'{name} {percent(gap)}' for name, gap in distances[:3])}"
    return Section("columns", "One column at a time", html, (Text(printed),))


def associations(results: Results) -> Section:
    """Columns two by two."""
    score = results.report.scores["association_error"]
    sentence = (
        f"Associations between columns are off by {_number(score.value)} on average; "
        f"training rows against unseen rows, by chance alone, by {_number(score.reference)}."
    )
    html = figure(
        lambda: [
            ("Associations of all pairs of columns", association_picture(results.held_out, results.synthetic)),
        ],
        caption=(
            f"Green: columns that go together; purple: one rises as the other falls. {sentence} "
            "The map on the right has a scale of its own, which makes small differences visible."
        ),
    )
    return Section("associations", "Columns two by two", html, (Text(sentence),))


def graph(results: Results) -> Section:
    """Who is drawn given whom."""
    dag = results.janus.dag_
    caption = (
        "Read it along the arrows: a row is drawn one column after the other, each given the columns that point to "
        "it. The graph was found by the fit and is no claim about causes; you can give your own instead."
    )
    html = figure(
        lambda: [
            ("Graph of the columns", graph_picture(dag, use=arrow_use(results.janus.model_))),
        ],
        caption=caption,
    )
    text = f"{len(dag.columns)} columns, {len(dag.edges)} arrows, drawn in the order {', '.join(dag.order)}"
    return Section("graph", "The graph", html, (Text(text),))


def decisions(results: Results) -> Section:
    """What the trees say, in words."""
    intro = (
        f"Every column is a small bag of decision trees, and each leaf can be read. Three of the {results.n_leaves:,} "
        f"leaves of the first tree for {TARGET}, among the largest:"
    )
    items = "".join(
        '<div class="decision">'
        f"<p>if <code>{escape(' and '.join(rule.conditions) or 'always')}</code></p>"
        f"<p>then <b>{escape(rule.outcome)}</b> ({rule.n_rows:,} training rows)</p></div>"
        for rule in results.decisions
    )
    html = paragraph(intro) + items + f"<p>Ask for more: <code>model.explain({escape(repr(TARGET))})</code></p>"
    return Section("decisions", "Rules the model found", html, tuple(Text(str(rule)) for rule in results.decisions))


def scores(results: Results) -> Section:
    """The whole report."""
    report = results.report
    intro = (
        "Likeness is judged against rows that the model has not seen. The reference is what real rows get in place "
        "of the synthetic ones: no generator can be expected to do better. "
        f"Classifier: {report.detector}; target: {report.target}."
    )
    cells = [score.cells() for score in report.scores.values()]
    html = paragraph(intro) + table(("score", "value", "reference", "ideal", "meaning"), cells, numeric=(1, 2, 3))
    printed = RichTable(box=None, pad_edge=False)
    for j, heading in enumerate(("score", "value", "reference", "ideal", "meaning")):
        printed.add_column(heading, justify="right" if 0 < j < 4 else "left", no_wrap=j < 4)
    for row in cells:
        printed.add_row(*row)
    return Section("scores", "All scores", html, (printed,))


def limits(results: Results) -> Section:
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
    html = "<ul>" + "".join(f"<li>{escape(point)}</li>" for point in points) + "</ul>"
    return Section("limits", "What it cannot do", html, tuple(Text(f"• {point}") for point in points))


def code(results: Results) -> Section:
    """The same in a few lines."""
    n = f"{len(results.train):_}"
    lines = f"""from janus_synth import Janus, datasets, fairness, metrics

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
    later = 'model = Janus.load("model.janus")  # the model of this page lies beside it, and so does synthetic.csv'
    html = (
        f"<pre><code>{escape(lines)}</code></pre><p>With rules:</p><pre><code>{escape(ruled)}</code></pre>"
        f"<p>With a graph that you vouch for:</p><pre><code>{escape(causal)}</code></pre>"
        f"<p>And later:</p><pre><code>{escape(later)}</code></pre>"
    )
    return Section("code", "Do it yourself", html, (Text(f"{lines}\n{ruled}\n{causal}", style="cyan"),))


SECTIONS: tuple[MakeSection, ...] = (
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


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"
