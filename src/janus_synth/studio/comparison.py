"""Rows of a question in; how they compare with rows that the model has not seen out, for the page and as a report.

The scores are those of ``metrics.evaluate``, grades and sentences those of its report; nothing is computed here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from janus_synth.errors import DataError
from janus_synth.files import write_whole

if TYPE_CHECKING:
    from janus_synth.metrics import Report
    from janus_synth.report.cards import Card
    from janus_synth.report.findings import Findings

Tell = Callable[[dict[str, Any]], None]
USUAL_SHARE = 0.2
MOST_HELD_OUT = 10_000
LEAST_ROWS = 100
"""Smaller tables are learnt from all rows: what they could set aside would say nothing."""
LEAST_COMPARED = 20
"""Real rows below which a comparison is refused."""
MOST_ROWS = 5_000
"""Larger tables are subsampled for expensive scores."""


def held_out_share(n_rows: int, percent: int) -> float:
    """Share of a table that is set aside at a fit.

    Examples
    --------
    >>> held_out_share(1_000, 20), held_out_share(500_000, 20), held_out_share(50, 20)
    (0.2, 0.02, 0.0)
    """
    return min(percent / 100, MOST_HELD_OUT / n_rows) if n_rows >= LEAST_ROWS else 0.0


def divide_rows(frame: Any, held_out: Mapping[str, Any] | None) -> tuple[Any, Any]:
    """Rows that the model was learnt from, and those set aside; None if none were."""
    from janus_synth.table.split import split_frame

    if not held_out:
        return frame, None
    return split_frame(frame, test=float(held_out["share"]), random_state=int(held_out["seed"]))


def compare_rows(task: dict[str, Any], tell: Tell, *, read: Callable[[Path], Any]) -> None:
    """Compare rows with those set aside, write the page's numbers and the full report."""
    from janus_synth import Janus, metrics

    tell({"progress": ["reading the rows", 0, None]})
    schema = Janus.load(task["model"]).schema_
    synthetic, frame = read(Path(task["rows"])), read(Path(task["data"]))
    train, test = divide_rows(frame, task["held_out"])
    was_trained_on = test is None
    if was_trained_on:
        _, test = divide_rows(frame, {"share": USUAL_SHARE, "seed": 0})
    train, test = (_satisfying(rows, task["where"], schema) for rows in (train, test))
    if len(test) < LEAST_COMPARED:
        raise DataError(_too_few(len(test), bool(task["where"])))
    report = metrics.evaluate(
        train, test, synthetic, target=task["target"], schema=schema, disclosure=True, max_rows=MOST_ROWS,
        progress=lambda name, done, total: tell({"progress": [f"measuring {name}".replace("_", " "), done, total]}),
    )  # fmt: skip
    found = {"was_trained_on": was_trained_on, **describe(report)}
    tell({"progress": ["writing the report", 0, None]})
    report.to_html(task["page"], title=task["title"])
    write_whole(task["answer"], json.dumps(found, ensure_ascii=False, allow_nan=False))


def _satisfying(frame: Any, where: Sequence[str], schema: Any) -> Any:
    """Rows that satisfy the conditions of the question; others are not what was asked for."""
    from janus_synth.rules import holds

    for text in where:
        frame = frame[holds(text, frame, schema)]
    return frame


def _too_few(n_rows: int, has_conditions: bool) -> str:
    some = "of the rows set aside satisfy the conditions" if has_conditions else "rows are set aside"
    return (
        f"only {n_rows:,} {some}, and a comparison needs {LEAST_COMPARED}. Compare rows of a wider question, or learn "
        "the table again with more rows set aside."
    )


def describe(report: Report) -> dict[str, Any]:
    """Plain values of a report: verdict, graded scores, attacks, and an overlay of each column, the worst first."""
    from janus_synth.plots.overlays import overlays
    from janus_synth.report.cards import cards
    from janus_synth.report.findings import Findings, read_tables
    from janus_synth.report.verdict import caveats, verdict, worst_grade

    assert report.tables is not None
    frames, options = report.tables.frames, report.tables.options
    tables = read_tables(*frames, report, **options)
    findings = Findings(report, tables, options["random_state"], options["max_rows"])
    shown = cards(findings)
    real, synthetic = tables.frames()
    drawn = {one.column: one.to_dict() for one in overlays(real, synthetic)}
    return {
        "n_rows": dict(report.n_rows),
        "n_compared": findings.n_compared,
        "target": report.target,
        "verdict": verdict(findings),
        "grade": str(worst_grade(*(card.graded.grade for card in shown))),
        "caveats": caveats(findings),
        "cards": [_card(card) for card in shown],
        "disclosure": _disclosure(report),
        "scores": [score.cells() for score in report.scores.values()],
        "columns": _columns(findings, drawn),
    }


def _card(card: Card) -> dict[str, Any]:
    graded = card.graded
    grade = str(graded.grade)
    words = ("from", "from") if graded.higher_is_better else ("up to", "up to")
    known = not math.isnan(graded.good + graded.fair)
    limits = (
        f"good {words[0]} {card.scale.text(graded.good)}, fair {words[1]} {card.scale.text(graded.fair)}"
        if known else ""
    )  # fmt: skip
    return {"title": card.title, "number": card.number, "grade": grade, "limits": limits, "reading": card.reading}


def _disclosure(report: Report) -> dict[str, Any] | None:
    found = report.disclosure
    if found is None:
        return None
    return {
        "level": found.level,
        "verdict": found.verdict,
        "attacks": [{"name": one.name, "sentence": one.sentence} for one in found.attacks.values()],
    }


def _columns(findings: Findings, drawn: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Columns with their distance from real rows, and what real rows differ by."""
    return [
        {**drawn[one.name], "distance": _plain(one.distance), "reference": _plain(one.reference)}
        for one in findings.columns
        if one.name in drawn
    ]


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
