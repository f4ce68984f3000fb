"""Parts to one standalone page: HTML and CSS, no script, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from janus_synth.interfaces.pages.style import STYLE


class Part(Protocol):
    """A part of a page."""

    @property
    def name(self) -> str:
        """Its anchor."""

    @property
    def title(self) -> str:
        """Its heading."""

    @property
    def html(self) -> str:
        """Its body, everything escaped."""


def page_of(sections: Sequence[Part], *, title: str, lead: str, footer: str, style: str = "") -> str:
    """The whole page; ``style`` comes after the one that all pages share."""
    links = " ".join(f'<a href="#{s.name}">{escape(s.title)}</a>' for s in sections)
    bodies = "\n".join(
        f'<section id="{s.name}">\n<h2>{escape(s.title)}</h2>\n{s.html}\n</section>' for s in sections
    )  # fmt: skip
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}{style}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p class="lead">{escape(lead)}</p>
<nav>{links}</nav>
</header>
<main>
{bodies}
</main>
<footer>{escape(footer)}</footer>
</body>
</html>
"""
