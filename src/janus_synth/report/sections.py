"""Findings in; the sections of a report out, one function each, as values that ``report.html.j2`` shows.

A new section is a function, a line in ``SECTIONS`` and its part of the template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from janus_synth.pages import Section, percent
from janus_synth.plots.marginals import column_pairs
from janus_synth.plots.theme import shorten
from janus_synth.report.cards import REAL_COLOUR, SYNTHETIC_COLOUR, Bar, cards, make_bar, number
from janus_synth.report.charts import column_chart
from janus_synth.report.details import NAME_LENGTH, Details, Opener
from janus_synth.report.findings import select_columns
from janus_synth.report.heatmap import heat_maps
from janus_synth.report.intervals import interval_chart
from janus_synth.report.overall import DISCLOSURE_GRADES, overall
from janus_synth.report.verdict import (
    DETECTION_TEXT,
    Grade,
    GradedScore,
    auc_margin,
    caveats,
    grade_association,
    grade_columns,
    grade_copies,
    grade_detection,
    grade_nearest,
    grade_utility,
    verdict,
)

if TYPE_CHECKING:
    from janus_synth.report.findings import ColumnFinding, Findings, PairFinding, SubsetAuc

    Row = tuple[str | Bar | Opener, ...]

N_OPEN_COLUMNS, N_FLAT_COLUMNS = 12, 40
"""Charts that are not folded away, and rows from which a table scrolls."""
N_LISTED_PAIRS, N_LISTED_SUBSETS = 10, 8
ASSOCIATION_SCORES = ("association_error", "association_norm", "mutual_information_error", "theils_u_error")
UTILITY_SCORES = ("utility", "utility_gap", "minority_preservation", "rare_level_preservation")
PRIVACY_SCORES = ("closer_to_train", "exact_copies", "distance_to_train", "delta_presence", "k_anonymity")


ATTACK_HEADINGS = ("attack", "success", "control", "guess", "risk", "low", "high", "attacks")


def summary(findings: Findings) -> Section:
    """The verdict and the main numbers behind it."""
    found = overall(findings)
    checks = [
        (one.name, one.value, one.reference, one.good, one.fair, one.grade) for one in found.checks
    ]  # fmt: skip
    values = {
        "verdict": verdict(findings), "caveats": caveats(findings), "cards": cards(findings), "overall": found,
        "checks": checks,
    }  # fmt: skip
    return Section("summary", "Summary", values)


def detection(findings: Findings) -> Section:
    """How well a classifier distinguishes synthetic from real rows, and by which columns."""
    graded = grade_detection(findings)
    subset_aucs = [one for one in findings.subset_aucs if one.auc == one.auc]
    values = {
        "graded": graded,
        "not_computed": _not_computed(findings, "detection"),
        "finding": DETECTION_TEXT[graded.grade],
        "chance": auc_margin(findings.n_compared),
        "subsets_finding": _describe_subsets(findings, subset_aucs) if subset_aucs else "",
        "subset_aucs": [
            (
                findings.details.open_columns(*one.columns),
                number(one.auc),
                make_bar(one.auc - 0.5, 0.5, SYNTHETIC_COLOUR),
            )
            for one in subset_aucs[:N_LISTED_SUBSETS]
        ],
        "scores": _score_rows(findings, ("detection", "detection_mlp", "mmd")),
    }
    return Section("detection", "Detection", values)


def columns(findings: Findings) -> Section:
    """Marginal distributions, the worst column first."""
    found = findings.columns
    most = max((column.distance for column in found), default=0.0)
    schema = findings.tables.plain_schema
    pairs = column_pairs(*findings.tables.frames(), [column.name for column in found], schema)
    values = {
        "graded": grade_columns(findings),
        "worst": found[0],
        "charts": list(map(column_chart, pairs)),
        "n_open": N_OPEN_COLUMNS,
        "distances": [_column_row(column, most, findings.details) for column in found],
        "is_tall": len(found) > N_FLAT_COLUMNS,
        "scores": _score_rows(findings, ("ks", "total_variation", "wasserstein")),
        "details": findings.details.to_dict({pair.column.name: pair for pair in pairs}),
    }
    return Section("columns", "Columns", values)


def associations(findings: Findings) -> Section:
    """Associations between two columns, the worst pair first."""
    names = findings.details.drawn
    real, synthetic = (select_columns(rows, names) for rows in (findings.tables.test, findings.tables.synthetic))
    values = {
        "graded": grade_association(findings),
        "not_computed": _not_computed(findings, "association_error"),
        "n_pairs": len(findings.pairs),
        "n_drawn": len(names),
        "n_columns": len(findings.columns),
        "maps": heat_maps(real, synthetic) if names else None,
        "pairs": [_pair_row(pair, findings.details) for pair in findings.pairs[:N_LISTED_PAIRS]],
        "scores": _score_rows(findings, ASSOCIATION_SCORES),
    }
    return Section("associations", "Associations", values)


def utility(findings: Findings) -> Section:
    """Train on synthetic, test on real."""
    graded = grade_utility(findings)
    sources = (("real rows", graded.reference, REAL_COLOUR), ("synthetic rows", graded.value, SYNTHETIC_COLOUR))
    values = {
        "graded": graded,
        "not_computed": _not_computed(findings, "utility"),
        "finding": _describe_utility(findings),
        "measure": findings.measure,
        "learners": [(name, number(score), make_bar(score, 1.0, colour)) for name, score, colour in sources],
        "scores": _score_rows(findings, UTILITY_SCORES),
    }
    return Section("utility", "Utility", values)


def privacy(findings: Findings) -> Section:
    """Nearest-neighbour distances and copies, and what they do not prove."""
    copies = grade_copies(findings)
    values = {
        "nearest": grade_nearest(findings),
        "copies": copies,
        "copies_finding": _describe_copies(copies),
        "not_computed": _not_computed(findings, "closer_to_train", "exact_copies"),
        "scores": _score_rows(findings, PRIVACY_SCORES),
    }
    return Section("privacy", "Privacy", values)


def disclosure(findings: Findings) -> Section:
    """Attacks on training rows beside the same attacks on unseen rows."""
    found = findings.report.disclosure
    values = {
        "found": found,
        "grade": Grade.UNKNOWN if found is None else DISCLOSURE_GRADES[found.level],
        "attacks": [] if found is None else [attack.cells() for attack in found.attacks.values()],
        "headings": ATTACK_HEADINGS,
        "sentences": [] if found is None else [attack.sentence for attack in found.attacks.values()],
        "chart": None if found is None else interval_chart(found.attacks.values()),
    }
    return Section("disclosure", "Disclosure risk", values)


def scores(findings: Findings) -> Section:
    """The whole report."""
    return Section("scores", "All scores", {"scores": _score_rows(findings, findings.report.scores)})


SECTIONS: tuple[Callable[[Findings], Section], ...] = (
    summary,
    detection,
    columns,
    associations,
    utility,
    privacy,
    disclosure,
    scores,
)
"""In the order of the page; the provenance comes last."""


def short(name: str) -> str:
    """Shorten a column name for a line of text."""
    return shorten(name, NAME_LENGTH)


def _score_rows(findings: Findings, names: Iterable[str]) -> list[Sequence[str]]:
    """Rows of the table of scores, for those that were computed."""
    return [findings.report.scores[name].cells() for name in names if name in findings.report]


def _not_computed(findings: Findings, *names: str) -> list[str]:
    return [name for name in names if name not in findings.report]


def _join_names(subset_aucs: SubsetAuc) -> str:
    return " and ".join(map(short, subset_aucs.columns))


def _describe_subsets(findings: Findings, subset_aucs: Sequence[SubsetAuc]) -> str:
    """Say whether single columns, pairs, or only larger sets of columns reveal synthetic rows."""
    whole, chance = findings.report["detection"], max(0.05, auc_margin(findings.n_compared))
    enough = 0.5 + max(chance, (whole - 0.5) / 2)
    if whole <= 0.5 + chance:
        return "Nothing in particular: even all columns together hardly help."
    alone = next((one for one in subset_aucs if len(one.columns) == 1), None)
    if alone is not None and alone.auc > enough:
        return f"Single columns already reveal much, {_join_names(alone)} the most."
    two = next((one for one in subset_aucs if len(one.columns) == 2), None)
    if two is not None and two.auc > enough:
        return f"Hardly any column reveals synthetic rows on its own, but two together do, such as {_join_names(two)}."
    return (
        "Neither single columns nor pairs reveal much: the difference is in the joint distribution of several columns."
    )


def _column_row(column: ColumnFinding, most: float, details: Details) -> Row:
    return (
        details.open_columns(column.name), column.kind, percent(column.distance),
        make_bar(column.distance, most, SYNTHETIC_COLOUR),
        percent(column.reference), number(column.wasserstein), percent(column.missing_real),
        percent(column.missing_synthetic),
    )  # fmt: skip


def _pair_row(pair: PairFinding, details: Details) -> Row:
    names = details.open_columns(pair.first, pair.second)
    values = (number(pair.real, 2), number(pair.synthetic, 2), number(pair.difference, 2))
    return names, pair.measure, *values, make_bar(abs(pair.difference), 1.0, SYNTHETIC_COLOUR)


def _describe_utility(findings: Findings) -> str:
    graded = grade_utility(findings)
    gap = graded.reference - graded.value
    if graded.grade is Grade.UNKNOWN:
        return "Even real rows hardly predict this target, so the comparison says little."
    if gap <= 0:
        return "Training on synthetic rows loses nothing."
    return f"Training on synthetic rows instead of real ones loses {number(gap)} in {findings.measure}."


def _describe_copies(copies: GradedScore) -> str:
    equal = f"{percent(copies.value)} of them equal" if copies.value else "None of them equals"
    if not copies.has_reference:
        return f"{equal} a training row in every column."
    beside = (
        f"{percent(copies.reference)} of held-out real rows do" if copies.reference else "no held-out real row does"
    )
    coarse = ", because the table has few distinct rows" if copies.reference else ""
    return f"{equal} a training row in every column; {beside}{coarse}."
