"""A ``Profile`` in; a standalone HTML page out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from janus_synth.pages import Section, in_words, percent, render_sections
from janus_synth.plots.theme import shorten
from janus_synth.profile.columns import ColumnProfile
from janus_synth.profile.overview import Profile

WIDTH, HEIGHT = 240, 56
N_OPEN, N_FLAT = 12, 40
"""Cards that are not folded away, and rows from which the table scrolls."""
NAME_LENGTH = 48


@dataclass(frozen=True, slots=True)
class Stick:
    """One bar of a small chart, in its units."""

    x: float
    y: float
    width: float
    height: float


class Link(NamedTuple):
    """A text that leads to a part of the page."""

    text: str
    address: str


def profile_page(profile: Profile, *, title: str = "A table at a glance", day: date | None = None) -> str:
    """Format a profile as an HTML page, which loads nothing and runs only the script of this library.

    Parameters
    ----------
    profile : Profile
        What ``profile_frame`` returned.
    title : str
        Heading of the page.
    day : date, optional
        Day to print; today by default.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> from janus_synth.profile import profile_frame
    >>> page = profile_page(profile_frame(datasets.hiring(200, random_state=0)), title="Hiring")
    >>> page.startswith("<!DOCTYPE html>"), "<h1>Hiring</h1>" in page
    (True, True)
    """
    from janus_synth import __version__

    sections = [
        Section("alerts", "Alerts", {"all": profile.alerts}),
        Section("columns", "Columns", _columns(profile)),
        Section("associations", "Associations", {"all": profile.associations}),
        Section("relations", "Relations", {"all": profile.relations}),
    ]
    return render_sections(
        "profile.html.j2",
        sections,
        title=title,
        day=in_words(day or date.today()),
        profile=profile,
        width=WIDTH,
        height=HEIGHT,
        version=__version__,
    )


def _columns(profile: Profile) -> dict[str, Any]:
    """Values of the section on columns: a table of all of them, and a card for each."""
    return {
        "all": [(column, sticks(column)) for column in profile.columns],
        "table": [_row(profile, place) for place in range(len(profile.columns))],
        "n_open": N_OPEN,
        "is_tall": len(profile.columns) > N_FLAT,
    }


def _row(profile: Profile, place: int) -> tuple[str | Link, ...]:
    column = profile.columns[place]
    distinct = "–" if column.n_distinct is None else f"{column.n_distinct:,}"
    ends = (text or "–" for text in (column.low, column.middle, column.high))
    n_alerts = len(profile.alerts_of(column.name))
    name = Link(shorten(column.name, NAME_LENGTH), f"column-{place}")
    return name, column.kind, distinct, percent(column.missing), *ends, str(n_alerts or "–")


def sticks(column: ColumnProfile) -> list[Stick]:
    """Bars of a column's histogram; levels are shown as a list instead."""
    if column.levels or len(column.counts) < 2:
        return []
    step, most = WIDTH / len(column.counts), max(column.counts)
    heights = [HEIGHT * count / most for count in column.counts]
    return [Stick(i * step, HEIGHT - height, step - 1, height) for i, height in enumerate(heights)]
