"""Findings in; every check with its thresholds and one overall grade out: that of the worst check."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from janus_synth.metrics.disclosure.result import HIGH_AUC, HIGH_RISK
from janus_synth.pages import percent
from janus_synth.report.verdict import (
    Grade,
    GradedScore,
    grade_association,
    grade_columns,
    grade_copies,
    grade_detection,
    grade_nearest,
    grade_utility,
    worst_grade,
)

if TYPE_CHECKING:
    from janus_synth.metrics import Disclosure
    from janus_synth.report.findings import Findings

DISCLOSURE_GRADES = {"low": Grade.GOOD, "moderate": Grade.FAIR, "high": Grade.POOR}


@dataclass(frozen=True, slots=True)
class Check:
    """One part of the verdict, as texts: what is checked, the value, that of real rows, and the thresholds."""

    name: str
    section: str
    value: str
    reference: str
    good: str
    fair: str
    grade: Grade


@dataclass(frozen=True, slots=True)
class Overall:
    """All checks, and the grade of the worst one."""

    checks: tuple[Check, ...]

    @property
    def grade(self) -> Grade:
        """The worst known grade."""
        return worst_grade(*(check.grade for check in self.checks))

    @property
    def sentence(self) -> str:
        """How many checks have which grade, and which ones are not good."""
        known = [check for check in self.checks if check.grade.is_known]
        if not known:
            return "No check could be graded."
        if self.grade is Grade.GOOD:
            return f"All {len(known)} checks are good." if len(known) > 1 else "The one check is good."
        parts = []
        for grade in (Grade.POOR, Grade.FAIR, Grade.GOOD):
            names = [check.name for check in known if check.grade is grade]
            if names:
                listed = "" if grade is Grade.GOOD else f" ({', '.join(names)})"
                parts.append(f"{len(names)} {'is' if len(names) == 1 else 'are'} {grade.value}{listed}")
        return f"Of {len(known)} checks, {', '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries."""
        checks = {
            check.name: {
                "value": check.value, "reference": check.reference, "good": check.good, "fair": check.fair,
                "grade": check.grade.value,
            }
            for check in self.checks
        }  # fmt: skip
        return {"grade": self.grade.value, "checks": checks}


def overall(findings: Findings) -> Overall:
    """Grade everything that was computed."""
    graded = {
        ("detection AUC", "detection", "detection"): (grade_detection(findings), False),
        ("distances of columns", "columns", None): (grade_columns(findings), True),
        ("association error", "associations", "association_error"): (grade_association(findings), False),
        (f"utility ({findings.measure})", "utility", "utility"): (grade_utility(findings), False),
        ("nearest neighbours", "privacy", "closer_to_train"): (grade_nearest(findings), True),
        ("exact copies", "privacy", "exact_copies"): (grade_copies(findings), True),
    }
    checks = [
        _check(name, section, score, in_percent=in_percent)
        for (name, section, key), (score, in_percent) in graded.items()
        if key is None or key in findings.report
    ]
    found = findings.report.disclosure
    return Overall((*checks, *([] if found is None else [_disclosure_check(found)])))


def _check(name: str, section: str, score: GradedScore, *, in_percent: bool) -> Check:
    def shown(value: float) -> str:
        return "–" if math.isnan(value) else percent(value) if in_percent else f"{value:.3f}"

    way = "at least" if score.higher_is_better else "up to"
    good, fair = ("–" if math.isnan(value) else f"{way} {shown(value)}" for value in (score.good, score.fair))
    return Check(name, section, shown(score.value), shown(score.reference), good, fair, score.grade)


def _disclosure_check(found: Disclosure) -> Check:
    fair = f"risk below {HIGH_RISK:g}, AUC below {HIGH_AUC:g}"
    grade = DISCLOSURE_GRADES[found.level]
    return Check("disclosure risk", "disclosure", found.level, "–", "no attack gains", fair, grade)
