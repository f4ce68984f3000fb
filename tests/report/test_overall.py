"""The overall grade is that of the worst check, and every check shows its thresholds."""

from __future__ import annotations

import pytest

from janus_synth.report.overall import Check, Overall, overall
from janus_synth.report.verdict import Grade, grade_association
from report.test_findings import findings


def check(name, grade):
    return Check(name, "privacy", "1", "–", "up to 1", "up to 2", grade)


@pytest.mark.parametrize(
    ("grades", "whole", "says"),
    [
        ([Grade.GOOD, Grade.GOOD], Grade.GOOD, "All 2 checks are good."),
        ([Grade.GOOD], Grade.GOOD, "The one check is good."),
        ([Grade.GOOD, Grade.UNKNOWN, Grade.FAIR], Grade.FAIR, "Of 2 checks, 1 is fair (c2), 1 is good."),
        ([Grade.POOR, Grade.FAIR, Grade.POOR], Grade.POOR, "Of 3 checks, 2 are poor (c0, c2), 1 is fair (c1)."),
        ([Grade.UNKNOWN], Grade.UNKNOWN, "No check could be graded."),
    ],
)
def test_the_worst_check_decides(grades, whole, says):
    found = Overall(tuple(check(f"c{i}", grade) for i, grade in enumerate(grades)))
    assert found.grade is whole
    assert found.sentence == says
    assert found.to_dict()["grade"] == whole.value


def test_only_what_was_computed_is_checked_with_its_thresholds():
    checks = {one.name: one for one in overall(findings()).checks}
    assert list(checks) == ["distances of columns", "association error"]
    graded = grade_association(findings())
    assert checks["association error"].good == f"up to {graded.good:.3f}"
    assert checks["association error"].fair == f"up to {graded.fair:.3f}"
    assert checks["association error"].value == f"{findings().report['association_error']:.3f}"
    assert checks["association error"].grade is graded.grade
