"""Scores to words: good, fair or poor, and a verdict that a hurried reader takes home.

The bounds are rules of thumb of this page. Each leaves room for what chance does to real rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from janus_synth.pages import percent
from janus_synth.plots.theme import shortened

if TYPE_CHECKING:
    from janus_synth.report.findings import Findings

MOST_JUDGED_FOR_NEARNESS = 5_000
LITTLE_SKILL = 0.05
FEW_ROWS = 200
MOSTLY = 0.5


class Grade(StrEnum):
    """How well a table does in one respect."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "not known"

    @property
    def is_known(self) -> bool:
        """Whether it says anything."""
        return self is not Grade.UNKNOWN


@dataclass(frozen=True, slots=True)
class Judged:
    """A score, and where good and fair end on its scale.

    ``good`` and ``fair`` are the last values that deserve the word; larger ones are worse, unless ``higher_is_better``.
    """

    value: float
    reference: float
    good: float
    fair: float
    higher_is_better: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the score was measured and is defined."""
        return not math.isnan(self.value)

    @property
    def has_reference(self) -> bool:
        """Whether it is known what real rows get."""
        return not math.isnan(self.reference)

    @property
    def grade(self) -> Grade:
        """The word that the value deserves."""
        if math.isnan(self.value + self.good + self.fair):
            return Grade.UNKNOWN
        value, good, fair = (-x if self.higher_is_better else x for x in (self.value, self.good, self.fair))
        return Grade.GOOD if value <= good else Grade.FAIR if value <= fair else Grade.POOR


def judged_detection(findings: Findings) -> Judged:
    """AUC of the classifier: 0.6 is good, 0.8 fair."""
    value, reference = pair_of(findings, "detection")
    good = max(0.6, 0.5 + auc_chance(findings.n_compared))
    return Judged(value, reference, good, max(0.8, good))


def judged_association(findings: Findings) -> Judged:
    """Error of associations: good if chance makes half as much again of real rows."""
    value, reference = pair_of(findings, "association_error")
    chance = 0.0 if math.isnan(reference) else reference
    return Judged(value, reference, max(0.02, 1.5 * chance), max(0.06, 3 * chance))


def judged_columns(findings: Findings) -> Judged:
    """Mean distance of the columns."""
    value = _mean([column.distance for column in findings.columns])
    chance = _mean([column.by_chance for column in findings.columns])
    return Judged(value, chance, max(0.03, 1.5 * chance), max(0.1, 3 * chance))


def judged_utility(findings: Findings) -> Judged:
    """Score after learning from synthetic rows, held against what real rows teach."""
    value, real = pair_of(findings, "utility")
    skill = real - (0.5 if findings.measure == "AUC" else 0.0)
    if not skill > LITTLE_SKILL:
        return Judged(value, real, math.nan, math.nan, higher_is_better=True)
    return Judged(value, real, real - max(0.02, 0.1 * skill), real - max(0.05, 0.3 * skill), higher_is_better=True)


def judged_nearness(findings: Findings) -> Judged:
    """Share of rows nearer to training rows than to held-out ones."""
    value, reference = pair_of(findings, "closer_to_train")
    good = max(0.55, 0.5 + share_chance(min(findings.report.n_rows["synthetic"], MOST_JUDGED_FOR_NEARNESS)))
    return Judged(value, reference, good, max(0.65, good))


def judged_copies(findings: Findings) -> Judged:
    """Share of copies, beyond that of held-out rows."""
    value, reference = pair_of(findings, "exact_copies")
    usual = 0.0 if math.isnan(reference) else reference
    return Judged(value, reference, usual + 0.005, usual + 0.05)


def verdict(findings: Findings) -> str:
    """Likeness, usefulness and nearness to the training rows, a sentence each, as far as they are known."""
    target = shortened(findings.report.target, 48)
    nearness, copies = judged_nearness(findings).grade, judged_copies(findings).grade
    sentences = [
        LIKENESS[judged_detection(findings).grade] if "detection" in findings.report else "",
        USE[judged_utility(findings).grade].format(target=target),
        PRIVACY[worst_of(nearness, copies)],
    ]
    told = [sentence for sentence in sentences if sentence]
    return " ".join(told) if told else "Too little was asked for to give a verdict."


def doubts(findings: Findings) -> list[str]:
    """What to know before believing any number: too few rows, or real tables that are not what they should be."""
    detection, nearness, copies = judged_detection(findings), judged_nearness(findings), judged_copies(findings)
    n_rows = findings.n_compared
    told = {
        f"Only {n_rows:,} real and as many synthetic rows could be compared. With so few, chance has a large part in "
        "every number on this page.": n_rows < FEW_ROWS,
        "Training and held-out rows differ: the classifier tells even these apart, with an AUC of "
        f"{detection.reference:.3f}. What has learnt from the ones cannot look like the others; split one table at "
        "random instead.": detection.reference > detection.good,
        "Synthetic rows lie nearer to held-out rows than to training rows. Were the two files swapped?": (
            nearness.value < 1 - nearness.fair
        ),
        f"{percent(copies.reference)} of the held-out rows equal a training row. If these are the same rows, nothing "
        "on this page can tell learning from copying.": copies.reference > MOSTLY,
    }
    return [text for text, holds in told.items() if holds]


def worst_of(*grades: Grade) -> Grade:
    """The worst of those that are known."""
    return next((grade for grade in (Grade.POOR, Grade.FAIR, Grade.GOOD) if grade in grades), Grade.UNKNOWN)


def pair_of(findings: Findings, name: str) -> tuple[float, float]:
    """Value and reference of a score; NaN if it was not asked for."""
    score = findings.report.scores.get(name)
    return (math.nan, math.nan) if score is None else (score.value, score.reference)


def auc_chance(n_rows: int) -> float:
    """How far chance alone moves an AUC of 0.5, 19 times in 20 (Mann–Whitney, equal numbers of rows)."""
    return 2 * math.sqrt((2 * n_rows + 1) / (12 * n_rows**2))


def share_chance(n_rows: int) -> float:
    """How far chance alone moves a share of one half, 19 times in 20."""
    return 1 / math.sqrt(n_rows)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


LIKENESS = {
    Grade.GOOD: "A classifier can hardly tell these rows from real ones.",
    Grade.FAIR: "These rows are close to real ones, but a classifier can tell many of them apart.",
    Grade.POOR: "A classifier easily tells these rows from real ones.",
    Grade.UNKNOWN: "There are too few rows to say how like real ones they are.",
}
USE = {
    Grade.GOOD: "They teach nearly as much about {target} as real rows do.",
    Grade.FAIR: "They teach something about {target}, but less than real rows do.",
    Grade.POOR: "They teach little of what real rows teach about {target}.",
    Grade.UNKNOWN: "",
}
PRIVACY = {
    Grade.GOOD: "Nothing suggests that training rows were copied.",
    Grade.FAIR: "Some of them lie closer to training rows than new rows would.",
    Grade.POOR: "Many of them are copies of training rows, or nearly so: think twice before you share them.",
    Grade.UNKNOWN: "",
}
