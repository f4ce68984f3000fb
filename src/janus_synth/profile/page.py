"""A ``Profile`` in; a standalone HTML page out."""

from __future__ import annotations

from dataclasses import dataclass

from janus_synth.pages import Section, render_sections
from janus_synth.profile.columns import ColumnProfile
from janus_synth.profile.overview import Profile

WIDTH, HEIGHT = 240, 56


@dataclass(frozen=True, slots=True)
class Stick:
    """One bar of a small chart, in its units."""

    x: float
    y: float
    width: float
    height: float


def profile_page(profile: Profile, *, title: str = "A table at a glance") -> str:
    """Format a profile as an HTML page; it has no script and loads nothing.

    Parameters
    ----------
    profile : Profile
        What ``profile_frame`` returned.
    title : str
        Heading of the page.

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
        Section("columns", "Columns", {"all": [(column, sticks(column)) for column in profile.columns]}),
        Section("associations", "Associations", {"all": profile.associations}),
        Section("relations", "Relations", {"all": profile.relations}),
    ]
    return render_sections(
        "profile.html.j2", sections, title=title, profile=profile, width=WIDTH, height=HEIGHT, version=__version__
    )


def sticks(column: ColumnProfile) -> list[Stick]:
    """Bars of a column's histogram; levels are shown as a list instead."""
    if column.levels or len(column.counts) < 2:
        return []
    step, most = WIDTH / len(column.counts), max(column.counts)
    heights = [HEIGHT * count / most for count in column.counts]
    return [Stick(i * step, HEIGHT - height, step - 1, height) for i, height in enumerate(heights)]
