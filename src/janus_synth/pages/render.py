"""A template of the folder ``templates`` and values in; a self-contained HTML page out, every value escaped.

Also what pages and plots share: the colours of real and synthetic rows, and how shares are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

REAL = "#0072B2"
"""Blue of the Okabe–Ito palette: real rows, in every plot."""
SYNTHETIC = "#D55E00"
"""Vermilion of the same palette, which colour-blind readers can distinguish from the blue: synthetic rows."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its anchor, its heading and the values that its template shows.

    A template reads a value as ``section.key``: Jinja falls back to items where there is no such attribute.
    """

    name: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]


def render(template: str, **values: Any) -> str:
    """Fill in a template; a missing value is an error."""
    return environment().get_template(template).render(values) + "\n"


def render_sections(template: str, sections: Sequence[Section], **values: Any) -> str:
    """Fill in a template of sections, each under its anchor with underscores: ``given-rules`` is ``given_rules``."""
    by_name = {section.name.replace("-", "_"): section for section in sections}
    return render(template, sections=sections, **by_name, **values)


@cache
def environment() -> Environment:
    """Build the Jinja environment with the functions that all templates may use."""
    made = Environment(
        loader=PackageLoader("janus_synth.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(REAL=REAL, SYNTHETIC=SYNTHETIC)
    made.filters.update(percent=percent, thousands="{:,}".format)
    return made


def percent(share: float) -> str:
    """Format a share in percent; small shares are not rounded to zero."""
    if share != share:  # NaN: there are no rows
        return "–"
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{share:.1%}".replace("%", " %").replace(".0 %", " %")
