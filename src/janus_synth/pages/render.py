"""A template of the folder ``templates`` and values in; a self-contained HTML page out, every value escaped.

Also what pages and plots share: the colours of real and synthetic rows, and how shares are written.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

REAL = "#0072B2"
"""Blue of the Okabe–Ito palette: real rows, in every plot."""
SYNTHETIC = "#D55E00"
"""Vermilion of the same palette, which colour-blind readers can distinguish from the blue: synthetic rows."""
REAL_DARK, SYNTHETIC_DARK = "#56B4E9", "#FF9A56"
"""The same on dark paper: sky blue of the palette, and a lighter vermilion."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


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
    """Fill in a template; a missing value is an error. A number and its percent sign stay on one line."""
    return re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", environment().get_template(template).render(values)) + "\n"


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
    made.globals.update(
        REAL=REAL,
        SYNTHETIC=SYNTHETIC,
        REAL_DARK=REAL_DARK,
        SYNTHETIC_DARK=SYNTHETIC_DARK,
        script=script,
        fingerprint=fingerprint,
    )
    made.filters.update(percent=percent, thousands="{:,}".format)
    return made


@cache
def script(name: str) -> Markup:
    """Text of a script of the folder ``templates``, as it stands in pages."""
    made = environment()
    assert made.loader is not None
    return Markup(made.loader.get_source(made, name)[0])


def fingerprint(name: str) -> Markup:
    """Hash by which a page's content security policy allows a script, and no other."""
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(script(name).encode()).digest()).decode()}'")


def in_words(day: date) -> str:
    """Format a date such that months are not mistaken for days; in English, whatever the locale.

    Examples
    --------
    >>> in_words(date(2024, 3, 9))
    '9 March 2024'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def percent(share: float) -> str:
    """Format a share in percent; small shares are not rounded to zero."""
    if share != share:  # NaN: there are no rows
        return "–"
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{share:.1%}".replace("%", " %").replace(".0 %", " %")
