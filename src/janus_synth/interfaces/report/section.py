"""One part of a report, and what several of them share."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.interfaces.pages import Html, table
from janus_synth.interfaces.report.verdict import Grade

if TYPE_CHECKING:
    from janus_synth.interfaces.report.findings import Findings

HEADINGS = ("score", "value", "reference", "ideal", "meaning")


class Section(NamedTuple):
    """A part of the page: its anchor, its heading and its body, in which everything is escaped."""

    name: str
    title: str
    html: str


def score_table(findings: Findings, names: Iterable[str] | None = None) -> str:
    """Scores with what is needed to read them, those that were asked for; all of them by default."""
    scores = findings.report.scores
    chosen = [scores[name] for name in (scores if names is None else names) if name in scores]
    if not chosen:
        return ""
    title = "<h3>Scores</h3>" if names is not None else ""
    return title + table(HEADINGS, [score.cells() for score in chosen], numeric=(1, 2, 3))


def not_measured(findings: Findings, *names: str) -> str:
    """A note on the scores of a section that were not asked for; empty if there is none."""
    missing = [name for name in names if name not in findings.report]
    return note(f"Not asked for: {', '.join(missing)}.") if missing else ""


def grade_mark(grade: Grade) -> Html:
    """A word on how well it does, on its colour."""
    return Html(f'<em class="grade {grade.name.lower()}">{grade.value}</em>')


def graded(grade: Grade, text: str) -> str:
    """A paragraph that opens with its grade, if that is known."""
    return f"<p>{grade_mark(grade)} {escape(text)}</p>" if grade is not Grade.UNKNOWN else f"<p>{escape(text)}</p>"


def note(*texts: str) -> str:
    """Something that must not be overlooked."""
    return f'<div class="note">{"".join(f"<p>{escape(text)}</p>" for text in texts)}</div>'
