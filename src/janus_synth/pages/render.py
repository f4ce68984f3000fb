"""A template of the folder ``templates`` and values in; one standalone HTML page out, every value escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from janus_synth.pages.style import REAL, SYNTHETIC, percent


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its anchor, its heading and the values that its template shows.

    A template reads a value as ``section.key``: Jinja asks for an item where there is no such attribute.
    """

    name: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]


def render(template: str, **values: Any) -> str:
    """Fill in a template; a value it asks for and does not get is an error."""
    return environment().get_template(template).render(values) + "\n"


def render_sections(template: str, sections: Sequence[Section], **values: Any) -> str:
    """Fill in a template of sections, each known by its anchor with underscores: ``told-apart`` is ``told_apart``."""
    by_name = {section.name.replace("-", "_"): section for section in sections}
    return render(template, sections=sections, **by_name, **values)


@cache
def environment() -> Environment:
    """Where templates are found, and what all of them may use."""
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
