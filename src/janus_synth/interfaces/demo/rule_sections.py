"""Results to the sections of the demo that are about rules and conditions."""

from __future__ import annotations

from html import escape

from rich.text import Text

from janus_synth.interfaces.demo.results import Results
from janus_synth.interfaces.demo.section import Section
from janus_synth.interfaces.demo.texts import printed_rows, printed_table, upright
from janus_synth.interfaces.pages import figure, paragraph, table
from janus_synth.interfaces.pictures import zone_picture
from janus_synth.interfaces.pictures.theme import percent

SHOWN_RARE = 3


def kept_rules(results: Results) -> Section:
    """Known rules of the table, counted in real and synthetic rows."""
    intro = (
        "Three rules of this table, and the share of rows that keep them. The model was not told of any: what you see "
        "is how much of them it learnt."
    )
    cells = [(share.text, percent(share.real), percent(share.synthetic)) for share in results.rule_shares]
    headings = ("rule", "real rows", "synthetic rows")
    html = paragraph(intro) + table(headings, cells, numeric=(1, 2))
    return Section("rules", "Rules the data has", html, (printed_table(headings, cells),))


def given_rules(results: Results) -> Section:
    """Rules that the model was told, and where its rows are then."""
    given = results.given
    equal_pay = given.kept[0]
    intro = (
        "Now the same table is learnt with two rules, given as text: nobody is offered less than they asked for, and "
        f"nobody worked before they were 18. Only {percent(equal_pay.train)} of the training rows keep the first one; "
        f"of the {len(given.rows):,} rows drawn, {percent(equal_pay.told)} do. No row is repaired or rejected: each "
        "column is drawn looking ahead at what the rules still ask for."
    )
    headings = ("rule", "training rows", "drawn, not told", "drawn, told")
    cells = [(kept.text, *map(percent, kept[1:])) for kept in given.kept]
    html = paragraph(intro) + table(headings, cells, numeric=(1, 2, 3))
    html += figure(
        lambda: [
            (
                "Requested and offered salaries of training rows and of rows drawn under the rule",
                zone_picture(results.train, given.rows, x="requested_salary", y="offered_salary"),
            )
        ],
        caption="The rule forbids the grey zone: offers below what was asked for. Real offers lie there, drawn ones "
        "do not.",
    )
    text = (
        f"{len(given.rows):,} rows under {len(given.kept)} rules in {given.seconds:.1f} s; each rule holds in "
        f"{percent(min(kept.told for kept in given.kept))} of them."
    )
    return Section("given-rules", "Rules you give it", html, (printed_table(headings, cells), Text(text)))


def rare_request(results: Results) -> Section:
    """A request that few rows meet, its probability, and rows that meet it."""
    rare = results.rare
    share = rare.share
    sentence = (
        f"The model gives it a probability of {share.value:.3g} (95 % interval: {share.low:.3g} to {share.high:.3g}), "
        f"one row in {1 / share.value:,.0f}. Of the {len(results.train):,} training rows, {rare.n_train} are like that."
    )
    cost = (
        f"{len(rare.rows):,} such rows and the probability took {rare.seconds:.1f} s; {percent(rare.met)} of the rows "
        f"meet the request. Rejection, which draws freely and throws away the rest, would have to draw about "
        f"{_round(rare.n_rejected)} rows for that."
    )
    lines = upright(rare.rows, SHOWN_RARE)
    html = (
        f"<p>Ask for <code>{escape(rare.where)}</code>.</p>" + paragraph(sentence) + paragraph(cost)
        + table(["", *(f"row {i + 1}" for i in range(SHOWN_RARE))], lines, kind="rows")
    )  # fmt: skip
    printed = (Text(f"where {rare.where}", style="cyan"), Text(sentence), Text(cost), printed_rows(lines))
    return Section("rare", "A rare request", html, printed)


def impossible_request(results: Results) -> Section:
    """A request that no row can meet, told before any is drawn."""
    asked = results.impossible
    intro = "Before a row is drawn, the model with the two rules finds out whether there can be any, and if not, why."
    call = f"model.check({asked.where!r})"
    html = (
        paragraph(intro)
        + f'<pre><code>{escape(call)}</code></pre><div class="decision"><p>{escape(asked.reason)}</p></div>'
        + f"<p>Rules that clash, none of which can be left out: {_codes(asked.conflict)}.</p>"
    )
    return Section("impossible", "An impossible request", html, (Text(call, style="cyan"), Text(asked.reason)))


def _codes(rules: tuple[str, ...]) -> str:
    return " and ".join(f"<code>{escape(rule)}</code>" for rule in rules)


def _round(rows: float) -> str:
    """Two digits of a number of rows: the probability it comes from is not known better.

    Examples
    --------
    >>> _round(1_126_345.0)
    '1,100,000'
    """
    return f"{float(f'{rows:.2g}'):,.0f}"
