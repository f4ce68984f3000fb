"""Findings to the sections of a report, one function each; a new section is a function and a line in ``SECTIONS``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from janus_synth.interfaces.pages import figure, paragraph, source_key, table
from janus_synth.interfaces.pictures import REAL, SYNTHETIC, association_picture, column_pictures
from janus_synth.interfaces.pictures.theme import percent, shortened
from janus_synth.interfaces.report.cards import cards, number
from janus_synth.interfaces.report.gauge import bar, gauge_key
from janus_synth.interfaces.report.section import Section, graded, not_measured, note, score_table
from janus_synth.interfaces.report.tables import picked
from janus_synth.interfaces.report.verdict import (
    LIKENESS,
    Grade,
    Judged,
    auc_chance,
    doubts,
    judged_association,
    judged_columns,
    judged_copies,
    judged_detection,
    judged_nearness,
    judged_utility,
    verdict,
)

if TYPE_CHECKING:
    from janus_synth.interfaces.report.findings import Findings, PairFinding, Telling

DRAWN_COLUMNS, LISTED_COLUMNS = 12, 40
DRAWN_TOGETHER, LISTED_PAIRS = 20, 10
LISTED_TELLING = 8
NAME_LENGTH = 48
ASSOCIATIONS = ("association_error", "association_norm", "mutual_information_error", "theils_u_error")
NEARNESS = ("closer_to_train", "exact_copies", "distance_to_train", "delta_presence", "k_anonymity")


def headline(findings: Findings) -> Section:
    """The verdict and the few numbers behind it."""
    shown = cards(findings)
    parts = [f'<p class="verdict">{escape(verdict(findings))}</p>']
    if told := doubts(findings):
        parts.append(note(*told))
    if shown:
        kind = "cards five" if len(shown) == 5 else "cards"
        parts.append(f'<div class="{kind}">{"".join(card.html for card in shown)}</div>{gauge_key()}')
    return Section("headline", "In short", "\n".join(parts))


def told_apart(findings: Findings) -> Section:
    """How well a classifier tells synthetic from real rows, and by what."""
    judged, n_rows = judged_detection(findings), findings.n_compared
    parts = [not_measured(findings, "detection")]
    if judged.value == judged.value:
        parts += [
            graded(
                judged.grade,
                f"{LIKENESS[judged.grade]} The one used here, {findings.report.detector}, was shown {n_rows:,} real "
                "rows the generator has not seen and as many synthetic ones, and had to tell them apart among rows it "
                f"was not shown. Its AUC is {number(judged.value)}: the chance that it picks the synthetic one of a "
                "pair. 0.5 is a coin toss; with so many rows, luck alone moves it by "
                f"{number(auc_chance(n_rows), 2)} or so.",
            ),
            _giving_away(findings),
        ]
    elif "detection" in findings.report:
        parts.append(note("There are too few rows to train a classifier on."))
    parts.append(score_table(findings, ("detection", "detection_mlp", "mmd")))
    return Section("told-apart", "Can it be told apart?", "\n".join(parts))


def columns(findings: Findings) -> Section:
    """Every column on its own, the worst first."""
    found, judged = findings.columns, judged_columns(findings)
    drawn = [column.name for column in found[:DRAWN_COLUMNS]]
    which = f" These are the {len(drawn)} of {len(found):,} that differ most." if len(drawn) < len(found) else ""
    frames = findings.tables.frames()
    picture = figure(
        lambda: (
            (f"{name}: real and synthetic rows", chart) for name, chart in column_pictures(*frames, drawn).items()
        ),
        caption=f"The share of rows with each value, the most different columns first.{which}",
        kind="flow",
    )
    intro = graded(
        judged.grade,
        f"Column by column, shares of rows differ by {percent(judged.value)} on average; training rows and unseen real "
        f"rows, by chance alone, by {percent(judged.reference)}. The column that differs most is "
        f"{_short(found[0].name)}, by {percent(found[0].distance)}.",
    )
    scores = score_table(findings, ("ks", "total_variation", "wasserstein"))
    return Section(
        "columns", "Columns, one at a time", "\n".join([intro, source_key(), picture, _distances(findings), scores])
    )


def between(findings: Findings) -> Section:
    """Columns two by two, the worst first."""
    judged = judged_association(findings)
    if not findings.pairs:
        return Section("between", "Between columns", paragraph("A single column has nothing to go with."))
    parts = [not_measured(findings, "association_error")]
    if judged.value == judged.value:
        chance = f"; those of training rows, by chance alone, by {number(judged.reference)}"
        parts.append(
            graded(
                judged.grade,
                f"Associations between columns are off by {number(judged.value)} on average"
                f"{chance if judged.reference == judged.reference else ''}. On this measure 0 is nothing and 1 is all.",
            )
        )
    parts += [_together(findings), _worst_pairs(findings)]
    parts.append(score_table(findings, ASSOCIATIONS))
    return Section("between", "Between columns", "\n".join(parts))


def useful(findings: Findings) -> Section:
    """Train on synthetic rows, test on real ones."""
    judged, target = judged_utility(findings), _short(findings.report.target)
    parts = [not_measured(findings, "utility")]
    if judged.value == judged.value:
        sources = (("real rows", judged.reference, REAL), ("synthetic rows", judged.value, SYNTHETIC))
        rows = [(name, number(score), bar(score, 1.0, colour)) for name, score, colour in sources]
        parts += [
            graded(
                judged.grade,
                f"{_utility_in_words(findings)} The same learner was trained twice to predict {target} from the other "
                "columns, once on real and once on synthetic rows, as many of each. Both were tested on the same real "
                "rows, which neither has seen.",
            ),
            table(("learnt from", f"{findings.measure} on unseen real rows", "0 to 1"), rows, numeric=(1,)),
        ]
    elif "utility" in findings.report:
        parts.append(note(f"Not defined here: too few rows with a {target}, or only one value of it."))
    names = ("utility", "utility_gap", "minority_preservation", "rare_level_preservation")
    return Section("useful", "Is it useful?", "\n".join([*parts, score_table(findings, names)]))


def privacy(findings: Findings) -> Section:
    """Nearness to the training rows, and what that does not prove."""
    nearest, copies = judged_nearness(findings), judged_copies(findings)
    parts = [not_measured(findings, "closer_to_train", "exact_copies")]
    if nearest.value == nearest.value:
        parts.append(
            graded(
                nearest.grade,
                f"{percent(nearest.value)} of the synthetic rows lie nearer to a training row than to any of as many "
                "real rows the generator has not seen. Had it learnt rows by heart, this would be near 100 %; for rows "
                "as new as the unseen ones it is 50 %.",
            )
        )
    if copies.value == copies.value:
        parts.append(graded(copies.grade, _copies_in_words(copies)))
    parts.append(
        note(
            "This is no formal guarantee. These numbers look for rows that were learnt by heart; they do not prove "
            "that nothing can be inferred about a person, and no differential privacy is claimed.",
            "A rare combination of values can point at one person even if no row is copied. Identifiers are left out "
            "of all comparisons.",
        )
    )
    parts.append(score_table(findings, NEARNESS))
    return Section("privacy", "Privacy", "\n".join(parts))


def scores(findings: Findings) -> Section:
    """The whole report."""
    report = findings.report
    intro = (
        "Likeness is judged against rows that the generator has not seen. The reference is what real rows get in place "
        "of the synthetic ones: no generator can be expected to do better. Good, fair and poor are rules of thumb of "
        f"this page; the numbers stand for themselves. Classifier: {report.detector}; target: {report.target}."
    )
    return Section("scores", "All scores", paragraph(intro) + score_table(findings))


SECTIONS: tuple[Callable[[Findings], Section], ...] = (
    headline,
    told_apart,
    columns,
    between,
    useful,
    privacy,
    scores,
)
"""In the order of the page; how it was made comes last."""


def _short(name: str) -> str:
    return shortened(name, NAME_LENGTH)


def _giving_away(findings: Findings) -> str:
    """What a classifier makes of single columns and pairs."""
    telling = [one for one in findings.telling if one.auc == one.auc]
    if not telling:
        return ""
    rows = [(_named(one), number(one.auc), bar(one.auc - 0.5, 0.5, SYNTHETIC)) for one in telling[:LISTED_TELLING]]
    reading = "The same classifier, seeing nothing but one column or two, of those that differ most."
    return (
        "<h3>What gives it away</h3>"
        + paragraph(f"{_giveaway_in_words(findings, telling)} {reading}")
        + table(("it sees only", "AUC", "0.5 to 1"), rows, numeric=(1,))
    )


def _named(telling: Telling) -> str:
    return " and ".join(map(_short, telling.columns))


def _giveaway_in_words(findings: Findings, telling: Sequence[Telling]) -> str:
    """Whether the trouble lies in columns, between them, or deeper."""
    whole, chance = findings.report["detection"], max(0.05, auc_chance(findings.n_compared))
    enough = 0.5 + max(chance, (whole - 0.5) / 2)
    if whole <= 0.5 + chance:
        return "Nothing much: all columns together are of little help."
    alone = next((one for one in telling if len(one.columns) == 1), None)
    if alone is not None and alone.auc > enough:
        return f"Single columns tell a good part of it, {_named(alone)} the most."
    two = next((one for one in telling if len(one.columns) == 2), None)
    if two is not None and two.auc > enough:
        return f"Hardly a column gives the rows away on its own, but two together do, such as {_named(two)}."
    return "Neither single columns nor pairs tell much: it is how several columns go together."


def _distances(findings: Findings) -> str:
    """All columns, or the first of very many."""
    found = findings.columns
    most = max((column.distance for column in found), default=0.0)
    rows = [
        (
            _short(column.name), column.kind, percent(column.distance),
            bar(column.distance, most, SYNTHETIC), percent(column.by_chance), number(column.wasserstein),
            percent(column.missing_real), percent(column.missing_synthetic),
        )
        for column in found[:LISTED_COLUMNS]
    ]  # fmt: skip
    heads = ("column", "kind", "distance", "", "by chance", "Wasserstein", "missing, real", "missing, synthetic")
    rest = found[LISTED_COLUMNS:]
    more = (
        paragraph(f"The other {len(rest):,} columns differ by {percent(rest[0].distance)} or less.")
        if rest
        else ""
    )  # fmt: skip
    reading = paragraph(
        "Distance is the largest difference in the share of rows at or below a value (Kolmogorov–Smirnov) for numbers "
        "and moments, and the share of rows that would have to change (total variation) for levels. By chance: the "
        "same for training rows. Wasserstein is in standard deviations of the real column."
    )
    return "<h3>Distances</h3>" + reading + table(heads, rows, numeric=(2, 4, 5, 6, 7)) + more


def _together(findings: Findings) -> str:
    """Maps of associations, of all columns or of those in the worst pairs."""
    names, n_columns = _in_worst_pairs(findings), len(findings.columns)
    which = (
        f" Drawn are {len(names)} of {n_columns:,} columns, those in the pairs that differ most; the line above the "
        "maps is about these."
        if len(names) < n_columns
        else ""
    )
    real, synthetic = (picked(rows, names) for rows in (findings.tables.held_out, findings.tables.made))
    return figure(
        lambda: [("Associations of pairs of columns", association_picture(real, synthetic))],
        caption=(
            "Green: columns that go together; purple: one rises as the other falls. The map on the right has a scale "
            f"of its own, which makes small differences visible.{which}"
        ),
    )


def _in_worst_pairs(findings: Findings) -> tuple[str, ...]:
    """Columns of the pairs that differ most, as many as a picture holds, in the order of the table."""
    names = findings.tables.held_out.names
    chosen: dict[str, None] = {}
    for pair in findings.pairs:
        both = dict.fromkeys((pair.first, pair.second))
        if len(chosen | both) <= DRAWN_TOGETHER:
            chosen |= both
    return tuple(name for name in names if name in chosen)


def _worst_pairs(findings: Findings) -> str:
    rows = [_pair_row(pair) for pair in findings.pairs[:LISTED_PAIRS]]
    n_pairs = len(findings.pairs)
    title = f"The {len(rows)} of {n_pairs:,} pairs that differ most" if len(rows) < n_pairs else "All pairs"
    reading = paragraph(
        "r is Pearson's correlation of two numbers, η the correlation ratio of levels and a number, Theil's U the "
        "share of what is uncertain about the first column that the second one settles."
    )
    heads = ("columns", "measure", "real", "synthetic", "difference", "")
    return f"<h3>{title}</h3>" + reading + table(heads, rows, numeric=(2, 3, 4))


def _pair_row(pair: PairFinding) -> tuple[str, ...]:
    names = " and ".join(_short(name) for name in (pair.first, pair.second))
    values = (number(pair.real, 2), number(pair.synthetic, 2), number(pair.difference, 2))
    return names, pair.measure, *values, bar(abs(pair.difference), 1.0, SYNTHETIC)


def _utility_in_words(findings: Findings) -> str:
    judged = judged_utility(findings)
    gap = judged.reference - judged.value
    if judged.grade is Grade.UNKNOWN:
        return "Even real rows teach next to nothing about this target, so the comparison says little."
    return (
        "Nothing is lost by learning from synthetic rows."
        if gap <= 0
        else (f"Learning from synthetic rows instead of real ones loses {number(gap)} in {findings.measure}.")
    )


def _copies_in_words(copies: Judged) -> str:
    told = f"{percent(copies.value)} of them equal" if copies.value else "None of them equals"
    if copies.reference != copies.reference:
        return f"{told} a training row in every column."
    beside = f"{percent(copies.reference)} of unseen real rows do" if copies.reference else "no unseen real row does"
    coarse = ": a table with few different rows repeats itself" if copies.reference else ""
    return f"{told} a training row in every column; {beside}{coarse}."
