"""Results to the sections of the demo that are about sureness and causes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from janus_synth.interfaces.demo.causes import FROM, GROWN_UP, TO, UNSURE, Question
from janus_synth.interfaces.demo.results import Results
from janus_synth.interfaces.demo.section import Section
from janus_synth.interfaces.demo.texts import printed_table, shown
from janus_synth.interfaces.pages import figure, paragraph, table
from janus_synth.interfaces.pictures import before_after, effect_curve, epistemic_by_size
from janus_synth.interfaces.pictures.theme import percent

TRUTH = "the truth: drawn from the equations behind the table"
SEEN = "training rows that have the value anyway"


def how_sure(results: Results) -> Section:
    """What the model knows that it does not know."""
    sure = results.causes.sure
    intro = (
        "For this section and the next two, the table was learnt once more with the graph of the equations that made "
        "it. The model splits what it does not know about a cell in two: noise that stays however much is learnt "
        "(aleatoric), and what more rows would teach (epistemic). Both are computed from the leaves, without sampling; "
        "in nats, on rows it never saw. "
        f"Learning and all answers of the three sections took {results.causes.seconds:.1f} s."
    )
    headings = ("column", "total", "aleatoric", "epistemic", "epistemic part")
    measures = sure.by_column[["column", "total", "aleatoric", "epistemic"]].itertuples(index=False, name=None)
    cells = [
        (name, *(f"{value:.3f}" for value in (total, noise, unknown)), percent(unknown / total if total else 0.0))
        for name, total, noise, unknown in measures
    ]
    terrain = sure.terrain
    picture = figure(
        lambda: [
            (f"Epistemic and aleatoric uncertainty of {UNSURE} by {' and '.join(terrain.names)}", terrain.picture()),
        ],
        caption=(
            f"How unsure the model is whether an applicant is {UNSURE}, by test score and requested salary; all else "
            "is as in the training rows nearest to each cell. Edges are those of the trees' leaves. Where there are "
            "no rows, a leaf speaks for places it has not seen: light there does not mean that the model is right."
        ),
    )
    sizes = sure.by_size
    by_size = figure(
        lambda: [
            (
                f"Uncertainty of {UNSURE} by rows learnt",
                epistemic_by_size(sizes["rows"], sizes["epistemic"], sizes["aleatoric"], target=UNSURE),
            )
        ],
        caption="The same unseen rows, judged after learning from ever more: ignorance falls, noise stays.",
    )
    sentence = (
        f"If you could find out who is {UNSURE} for {len(sure.telling)} more applicants, these would teach most: their "
        f"epistemic uncertainty is {sure.telling['epistemic'].mean():.2f} nats, that of all {sure.epistemic:.2f}."
    )
    telling = [
        [*map(shown, row), f"{epistemic:.2f}"] for *row, epistemic in sure.telling.itertuples(index=False, name=None)
    ]
    names = list(sure.telling.columns)
    html = (
        paragraph(intro) + picture + by_size + table(headings, cells, numeric=(1, 2, 3, 4))
        + paragraph(sentence) + table(names, telling, numeric=_numeric(names, ("applicant_id", "department")))
    )  # fmt: skip
    printed = (printed_table(headings, cells), Text(sentence), printed_table(names, telling))
    return Section("how-sure", "How sure it is", html, printed)


def what_if(results: Results) -> Section:
    """Outcomes with a treatment set, beside the truth."""
    questions = results.causes.questions
    intro = (
        "What would be asked for if everybody had a given degree, or so many years of experience? The model sets the "
        "column, draws what follows from it anew and says how far its answer may be off. As the table was made by "
        "equations, the true answer is known."
    )
    pictures = figure(
        lambda: [
            (
                f"{q.effect.outcome} as {q.effect.treatment} is set, with intervals and the truth",
                effect_curve(
                    q.effect.to_frame(),
                    outcome=q.effect.outcome,
                    beside={TRUTH: q.truth, SEEN: q.seen},
                ),
            )
            for q in questions
        ],
        kind="pair",
        caption=(
            "Intervals of 95 %, which cover the luck of the draw and the want of rows, not a wrong graph. Rows that "
            "have the value anyway tell another story: people with much experience are older, and fewer of them have "
            "degrees. That is correlation; setting the column is not."
        ),
    )
    sentences = [_told(question) for question in questions]
    html = paragraph(intro) + pictures + "".join(paragraph(sentence) for sentence in sentences)
    return Section("what-if", "What if", html, tuple(Text(sentence) for sentence in sentences))


def what_would_have_been(results: Results) -> Section:
    """Single applicants, as they would have been."""
    before, after, truth = results.causes.rewritten
    intro = (
        f"The same applicants with another degree: {len(before):,} unseen ones from {GROWN_UP} years on with "
        f"“{FROM}”, had they had “{TO}”. Each keeps what makes them who they are: age, sex, and their luck in all that "
        "follows. A model with the graph works the luck out from the row."
    )
    pictures = figure(
        lambda: [
            ("Requested salaries before and after", before_after(before, after, "requested_salary")),
            ("Departments before and after", before_after(before, after, "department")),
        ],
        kind="pair",
        caption="Experience shrinks with the years of study, the department changes for many, and what is asked for "
        "follows from both.",
    )
    said, true = (np.asarray(rows["requested_salary"] - before["requested_salary"], float) for rows in (after, truth))
    sentence = (
        f"By the model they would have asked for {said.mean():,.0f} more on average; by the equations, with the same "
        f"luck, {true.mean():,.0f} more. For a single applicant the two differ by "
        f"{np.median(np.abs(said - true)):,.0f} in the median: which department one would have chosen cannot be read "
        "off a row for certain."
    )
    return Section(
        "would-have-been", "What would have been", paragraph(intro) + pictures + paragraph(sentence), (Text(sentence),)
    )


def _told(question: Question) -> str:
    """The largest effect in words, and how often the truth is in its interval."""
    effect = question.effect
    last = effect.effects[-1]
    true = question.truth[-1] - question.truth[0]
    return (
        f"{effect.treatment} = {effect.values[-1]} instead of {effect.values[0]}: {effect.outcome} moves by "
        f"{last.value:,.0f} (95 % interval: {last.low:,.0f} to {last.high:,.0f}); in truth by {true:,.0f}. "
        f"The true mean is in {question.n_covered} of {len(effect.values)} intervals."
    )


def _numeric(names: Sequence[str], texts: Sequence[str]) -> list[int]:
    return [j for j, name in enumerate(names) if name not in texts]
