"""Scores in; grades (good, fair, poor), a verdict in a few sentences, and caveats out.

The thresholds are rules of thumb of this report, not measurements. Each allows for sampling error: for what real rows
would score by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from janus_synth.pages import percent
from janus_synth.plots.theme import shorten

if TYPE_CHECKING:
    from janus_synth.report.findings import Findings

MAX_NEAREST_ROWS = 5_000
MIN_SKILL = 0.05
FEW_ROWS = 200
MANY_COPIES = 0.5


class Grade(StrEnum):
    """How well a table does on one score."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "not known"

    @property
    def is_known(self) -> bool:
        """Whether there is a grade."""
        return self is not Grade.UNKNOWN


@dataclass(frozen=True, slots=True)
class GradedScore:
    """A score with the reference for real rows, and the thresholds of the grades good and fair.

    A value up to ``good`` is good and up to ``fair`` fair; with ``higher_is_better``, from there upwards.
    """

    value: float
    reference: float
    good: float
    fair: float
    higher_is_better: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the score was computed and is defined."""
        return not math.isnan(self.value)

    @property
    def has_reference(self) -> bool:
        """Whether the score of real rows is known."""
        return not math.isnan(self.reference)

    @property
    def grade(self) -> Grade:
        """Grade of the value."""
        if math.isnan(self.value + self.good + self.fair):
            return Grade.UNKNOWN
        value, good, fair = (-x if self.higher_is_better else x for x in (self.value, self.good, self.fair))
        return Grade.GOOD if value <= good else Grade.FAIR if value <= fair else Grade.POOR


def grade_detection(findings: Findings) -> GradedScore:
    """Grade the detection AUC: good up to 0.6, fair up to 0.8."""
    value, reference = score_and_reference(findings, "detection")
    good = max(0.6, 0.5 + auc_margin(findings.n_compared))
    return GradedScore(value, reference, good, max(0.8, good))


def grade_association(findings: Findings) -> GradedScore:
    """Grade the association error: good up to 1.5 times, fair up to 3 times that of real rows."""
    value, reference = score_and_reference(findings, "association_error")
    chance = 0.0 if math.isnan(reference) else reference
    return GradedScore(value, reference, max(0.02, 1.5 * chance), max(0.06, 3 * chance))


def grade_columns(findings: Findings) -> GradedScore:
    """Grade the mean distance of the marginals."""
    value = _mean([column.distance for column in findings.columns])
    chance = _mean([column.reference for column in findings.columns])
    return GradedScore(value, chance, max(0.03, 1.5 * chance), max(0.1, 3 * chance))


def grade_utility(findings: Findings) -> GradedScore:
    """Grade train on synthetic, test on real, against training on real rows."""
    value, real = score_and_reference(findings, "utility")
    skill = real - (0.5 if findings.measure == "AUC" else 0.0)
    if not skill > MIN_SKILL:
        return GradedScore(value, real, math.nan, math.nan, higher_is_better=True)
    return GradedScore(value, real, real - max(0.02, 0.1 * skill), real - max(0.05, 0.3 * skill), higher_is_better=True)


def grade_nearest(findings: Findings) -> GradedScore:
    """Grade the share of synthetic rows whose nearest neighbour is a training row."""
    value, reference = score_and_reference(findings, "closer_to_train")
    good = max(0.55, 0.5 + share_margin(min(findings.report.n_rows["synthetic"], MAX_NEAREST_ROWS)))
    return GradedScore(value, reference, good, max(0.65, good))


def grade_copies(findings: Findings) -> GradedScore:
    """Grade the share of exact copies of training rows, beyond that of held-out rows."""
    value, reference = score_and_reference(findings, "exact_copies")
    expected = 0.0 if math.isnan(reference) else reference
    return GradedScore(value, reference, expected + 0.005, expected + 0.05)


def verdict(findings: Findings) -> str:
    """Summarise detection, utility and privacy in a sentence each, as far as they were computed."""
    target = shorten(findings.report.target, 48)
    nearness, copies = grade_nearest(findings).grade, grade_copies(findings).grade
    sentences = [
        DETECTION_TEXT[grade_detection(findings).grade] if "detection" in findings.report else "",
        UTILITY_TEXT[grade_utility(findings).grade].format(target=target),
        PRIVACY_TEXT[worst_grade(nearness, copies)],
    ]
    found = [sentence for sentence in sentences if sentence]
    return " ".join(found) if found else "Too few scores were computed for a verdict."


def caveats(findings: Findings) -> list[str]:
    """List reasons to distrust the numbers: too few rows, or real tables that do not fit together."""
    detection, nearness, copies = grade_detection(findings), grade_nearest(findings), grade_copies(findings)
    n_rows = findings.n_compared
    texts = {
        f"Only {n_rows:,} real and as many synthetic rows could be compared. With so few rows, all numbers in this "
        "report have a large sampling error.": n_rows < FEW_ROWS,
        "Training and held-out rows come from different distributions: the classifier separates them with an AUC of "
        f"{detection.reference:.3f}. A generator trained on one cannot match the other; split one table at random "
        "instead.": detection.reference > detection.good,
        "Synthetic rows are closer to held-out rows than to training rows. Were the two files swapped?": (
            nearness.value < 1 - nearness.fair
        ),
        f"{percent(copies.reference)} of the held-out rows equal a training row. If both files "
        "hold the same rows, this report cannot distinguish generalisation from copying.": copies.reference
        > MANY_COPIES,
    }
    return [text for text, holds in texts.items() if holds]


def worst_grade(*grades: Grade) -> Grade:
    """Return the worst known grade."""
    return next((grade for grade in (Grade.POOR, Grade.FAIR, Grade.GOOD) if grade in grades), Grade.UNKNOWN)


def score_and_reference(findings: Findings, name: str) -> tuple[float, float]:
    """Return a score and its reference; NaN if it was not computed."""
    score = findings.report.scores.get(name)
    return (math.nan, math.nan) if score is None else (score.value, score.reference)


def auc_margin(n_rows: int) -> float:
    """Half width of the 95 % range of an AUC of 0.5 under chance (Mann–Whitney, equal numbers of rows)."""
    return 2 * math.sqrt((2 * n_rows + 1) / (12 * n_rows**2))


def share_margin(n_rows: int) -> float:
    """Half width of the 95 % range of a share of one half under chance."""
    return 1 / math.sqrt(n_rows)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


DETECTION_TEXT = {
    Grade.GOOD: "A classifier can hardly distinguish these rows from real ones.",
    Grade.FAIR: "These rows are close to real ones, but a classifier can distinguish many of them.",
    Grade.POOR: "A classifier easily distinguishes these rows from real ones.",
    Grade.UNKNOWN: "There are too few rows to train a classifier that compares them with real ones.",
}
UTILITY_TEXT = {
    Grade.GOOD: "Models trained on them predict {target} nearly as well as models trained on real rows.",
    Grade.FAIR: "Models trained on them predict {target}, but less well than models trained on real rows.",
    Grade.POOR: "Models trained on them predict {target} much worse than models trained on real rows.",
    Grade.UNKNOWN: "",
}
PRIVACY_TEXT = {
    Grade.GOOD: "There is no sign that training rows were copied.",
    Grade.FAIR: "Some of them are closer to training rows than new rows would be.",
    Grade.POOR: "Many of them are copies or near copies of training rows: do not share them without further checks.",
    Grade.UNKNOWN: "",
}
