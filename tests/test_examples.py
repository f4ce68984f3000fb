"""The example scripts run as documented, on smaller tables."""

from __future__ import annotations

import runpy
from functools import partial
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("as_told", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_fairness_testbed_tells_its_story(as_told, tmp_path, capsys):
    """By day with fewer splits in the suite and without intervals of effects, by night as it is written."""
    story = runpy.run_path(str(EXAMPLES / "fairness_testbed.py"))
    main = story["main"]
    if not as_told:
        suite, plant = story["audit_suite"], story["plant"]
        main.__globals__["audit_suite"] = lambda *args, **more: suite(*args, **{**more, "n_splits": 2})
        main.__globals__["plant"] = partial(plant, effect_units=200)
    main(tmp_path, n_rows=800)
    told = capsys.readouterr().out
    assert "the planted bias shows in its scores" in told
    assert "JANUS, rule kept: 100.0%, gap +0.0%" in told
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        "certificate.html", "certificate.json", "detection-curve.svg", "equal-pay.svg", "planted.csv", "suite.csv"
    }  # fmt: skip


def test_the_quality_report_is_one_page(tmp_path):
    report = runpy.run_path(str(EXAMPLES / "quality_report.py"))
    page = report["main"](tmp_path, n_rows=400)
    assert page == tmp_path / "report.html"
    text = page.read_text(encoding="utf-8")
    assert "Quality of a synthetic table" in text
    assert "400 synthetic rows" in text


def test_labels_for_a_gap_are_compared_with_random_ones(capsys):
    story = runpy.run_path(str(EXAMPLES / "fair_labels.py"))
    main = story["main"]
    main.__globals__.update(ROUNDS=1, POOL=400, GROUPS={"age": (18, 50)})
    found = main(1)
    assert found.index.get_level_values("labels").unique().tolist() == [60, 100]
    assert set(found.index.get_level_values("chosen")) == {"random", "uncertainty", "gap"}
    assert "logistic" in capsys.readouterr().out
