"""Findings to the sections of a report, one function each, whose values ``report.html.j2`` shows.

A new section is a function, a line in ``SECTIONS`` and its part of the template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from janus_synth.pages import Section, percent
from janus_synth.plots import REAL, SYNTHETIC, association_picture, column_pictures
from janus_synth.plots.figures import draw
from janus_synth.plots.theme import shortened
from janus_synth.report.cards import cards, number
from janus_synth.report.gauge import Bar, bar
from janus_synth.report.tables import picked
from janus_synth.report.verdict import (
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
    from janus_synth.report.findings import ColumnFinding, Findings, PairFinding, Telling

    Row = tuple[str | Bar, ...]

DRAWN_COLUMNS, LISTED_COLUMNS = 12, 40
DRAWN_TOGETHER, LISTED_PAIRS = 20, 10
LISTED_TELLING = 8
NAME_LENGTH = 48
ASSOCIATIONS = ("association_error", "association_norm", "mutual_information_error", "theils_u_error")
UTILITIES = ("utility", "utility_gap", "minority_preservation", "rare_level_preservation")
NEARNESS = ("closer_to_train", "exact_copies", "distance_to_train", "delta_presence", "k_anonymity")


def headline(findings: Findings) -> Section:
    """The verdict and the few numbers behind it."""
    values = {"verdict": verdict(findings), "doubts": doubts(findings), "cards": cards(findings)}
    return Section("headline", "In short", values)


def told_apart(findings: Findings) -> Section:
    """How well a classifier tells synthetic from real rows, and by what."""
    judged = judged_detection(findings)
    telling = [one for one in findings.telling if one.auc == one.auc]
    values = {
        "judged": judged,
        "not_asked": _not_asked(findings, "detection"),
        "likeness": LIKENESS[judged.grade],
        "chance": auc_chance(findings.n_compared),
        "giveaway": _giveaway_in_words(findings, telling) if telling else "",
        "telling": [
            (_named(one), number(one.auc), bar(one.auc - 0.5, 0.5, SYNTHETIC)) for one in telling[:LISTED_TELLING]
        ],
        "scores": _score_rows(findings, ("detection", "detection_mlp", "mmd")),
    }
    return Section("told-apart", "Can it be told apart?", values)


def columns(findings: Findings) -> Section:
    """Every column on its own, the worst first."""
    found = findings.columns
    drawn = [column.name for column in found[:DRAWN_COLUMNS]]
    most = max((column.distance for column in found), default=0.0)
    frames = findings.tables.frames()
    values = {
        "judged": judged_columns(findings),
        "worst": found[0],
        "n_drawn": len(drawn),
        "n_columns": len(found),
        "pictures": draw(
            lambda: (
                (f"{name}: real and synthetic rows", chart) for name, chart in column_pictures(*frames, drawn).items()
            )
        ),
        "distances": [_column_row(column, most) for column in found[:LISTED_COLUMNS]],
        "rest": found[LISTED_COLUMNS:],
        "scores": _score_rows(findings, ("ks", "total_variation", "wasserstein")),
    }
    return Section("columns", "Columns, one at a time", values)


def between(findings: Findings) -> Section:
    """Columns two by two, the worst first."""
    names = _in_worst_pairs(findings)
    real, synthetic = (picked(rows, names) for rows in (findings.tables.held_out, findings.tables.made))
    values = {
        "judged": judged_association(findings),
        "not_asked": _not_asked(findings, "association_error"),
        "n_pairs": len(findings.pairs),
        "n_drawn": len(names),
        "n_columns": len(findings.columns),
        "pictures": draw(
            lambda: [("Associations of pairs of columns", association_picture(real, synthetic))] if names else []
        ),
        "pairs": [_pair_row(pair) for pair in findings.pairs[:LISTED_PAIRS]],
        "scores": _score_rows(findings, ASSOCIATIONS),
    }
    return Section("between", "Between columns", values)


def useful(findings: Findings) -> Section:
    """Train on synthetic rows, test on real ones."""
    judged = judged_utility(findings)
    sources = (("real rows", judged.reference, REAL), ("synthetic rows", judged.value, SYNTHETIC))
    values = {
        "judged": judged,
        "not_asked": _not_asked(findings, "utility"),
        "finding": _utility_in_words(findings),
        "measure": findings.measure,
        "learners": [(name, number(score), bar(score, 1.0, colour)) for name, score, colour in sources],
        "scores": _score_rows(findings, UTILITIES),
    }
    return Section("useful", "Is it useful?", values)


def privacy(findings: Findings) -> Section:
    """Nearness to the training rows, and what that does not prove."""
    copies = judged_copies(findings)
    values = {
        "nearest": judged_nearness(findings),
        "copies": copies,
        "copies_finding": _copies_in_words(copies),
        "not_asked": _not_asked(findings, "closer_to_train", "exact_copies"),
        "scores": _score_rows(findings, NEARNESS),
    }
    return Section("privacy", "Privacy", values)


def scores(findings: Findings) -> Section:
    """The whole report."""
    return Section("scores", "All scores", {"scores": _score_rows(findings, findings.report.scores)})


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


def short(name: str) -> str:
    """A name that fits a line of text."""
    return shortened(name, NAME_LENGTH)


def _score_rows(findings: Findings, names: Iterable[str]) -> list[Sequence[str]]:
    """Scores with what is needed to read them, those that were asked for."""
    return [findings.report.scores[name].cells() for name in names if name in findings.report]


def _not_asked(findings: Findings, *names: str) -> list[str]:
    return [name for name in names if name not in findings.report]


def _named(telling: Telling) -> str:
    return " and ".join(map(short, telling.columns))


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


def _column_row(column: ColumnFinding, most: float) -> Row:
    return (
        short(column.name), column.kind, percent(column.distance), bar(column.distance, most, SYNTHETIC),
        percent(column.by_chance), number(column.wasserstein), percent(column.missing_real),
        percent(column.missing_synthetic),
    )  # fmt: skip


def _in_worst_pairs(findings: Findings) -> tuple[str, ...]:
    """Columns of the pairs that differ most, as many as a picture holds, in the order of the table."""
    names = findings.tables.held_out.names
    chosen: dict[str, None] = {}
    for pair in findings.pairs:
        both = dict.fromkeys((pair.first, pair.second))
        if len(chosen | both) <= DRAWN_TOGETHER:
            chosen |= both
    return tuple(name for name in names if name in chosen)


def _pair_row(pair: PairFinding) -> Row:
    names = " and ".join(short(name) for name in (pair.first, pair.second))
    values = (number(pair.real, 2), number(pair.synthetic, 2), number(pair.difference, 2))
    return names, pair.measure, *values, bar(abs(pair.difference), 1.0, SYNTHETIC)


def _utility_in_words(findings: Findings) -> str:
    judged = judged_utility(findings)
    gap = judged.reference - judged.value
    if judged.grade is Grade.UNKNOWN:
        return "Even real rows teach next to nothing about this target, so the comparison says little."
    if gap <= 0:
        return "Nothing is lost by learning from synthetic rows."
    return f"Learning from synthetic rows instead of real ones loses {number(gap)} in {findings.measure}."


def _copies_in_words(copies: Judged) -> str:
    equal = f"{percent(copies.value)} of them equal" if copies.value else "None of them equals"
    if not copies.has_reference:
        return f"{equal} a training row in every column."
    beside = f"{percent(copies.reference)} of unseen real rows do" if copies.reference else "no unseen real row does"
    coarse = ": a table with few different rows repeats itself" if copies.reference else ""
    return f"{equal} a training row in every column; {beside}{coarse}."
