"""Sections to one standalone page: HTML and CSS, no script, nothing loaded from elsewhere."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Literal

from janus_synth.interfaces.demo.section import Section
from janus_synth.interfaces.pictures import REAL, SYNTHETIC, missing_extra, to_svg
from janus_synth.interfaces.pictures.theme import Chart

Kind = Literal["wide", "pair", "flow"]

STYLE = f"""
:root {{ --ink: #1f2933; --muted: #5a6675; --line: #dde2e8; --soft: #f5f7f9; --real: {REAL}; --syn: {SYNTHETIC}; }}
* {{ box-sizing: border-box; }}
html {{ -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }}
body {{ margin: 0; background: #fff; color: var(--ink); font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", "Liberation Sans", Arial, sans-serif; }}
main, header, footer {{ max-width: 1120px; margin: 0 auto; padding: 0 1.25rem; }}
header {{ padding-top: 3rem; }}
h1 {{ font-size: clamp(1.8rem, 4.5vw, 2.6rem); line-height: 1.15; margin: 0 0 .6rem; letter-spacing: -.02em; }}
h2 {{ font-size: 1.45rem; line-height: 1.25; margin: 0 0 .5rem; letter-spacing: -.01em; }}
p, ul, ol {{ max-width: 44rem; margin: .5rem 0 1rem; }}
li {{ margin: .35rem 0; }}
section {{ padding: 2.2rem 0 .6rem; border-top: 1px solid var(--line); margin-top: 2rem; }}
section:first-child {{ border-top: 0; margin-top: 0; padding-top: .8rem; }}
.lead {{ font-size: 1.15rem; color: var(--muted); }}
nav {{ margin: 1.2rem 0 0; font-size: .92rem; line-height: 2; }}
nav a {{ margin-right: 1rem; white-space: nowrap; }}
a {{ color: #00598c; text-underline-offset: 2px; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
  gap: .9rem; margin: 1rem 0; }}
.card {{ background: var(--soft); border-radius: 10px; padding: 1rem 1.1rem; }}
.card b {{ display: block; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums; }}
.card span {{ display: block; color: var(--muted); font-size: .92rem; line-height: 1.45; margin-top: .25rem; }}
figure {{ margin: 1.2rem 0; }}
figcaption {{ max-width: 44rem; color: var(--muted); font-size: .95rem; margin-top: .6rem; }}
.wide {{ overflow-x: auto; -webkit-overflow-scrolling: touch; }}
.wide svg {{ display: block; max-width: none; height: auto; }}
.flow {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 1.1rem .8rem; }}
.pair {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 1.4rem 1rem; }}
.flow svg, .pair svg {{ display: block; max-width: 100%; height: auto; }}
.key i {{ display: inline-block; width: .85em; height: .85em; border-radius: 2px; margin: 0 .35em 0 0; }}
.key span {{ margin-right: 1.1em; white-space: nowrap; }}
table {{ border-collapse: collapse; font-size: .9rem; line-height: 1.4; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .42rem .8rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }}
th {{ color: var(--muted); font-weight: 600; white-space: nowrap; }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
.rows td {{ white-space: nowrap; }}
.rows td:first-child {{ color: var(--muted); font-weight: 600; }}
td.null {{ color: #8a94a0; font-style: italic; }}
code, pre {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  font-size: .88rem; }}
pre {{ background: var(--soft); border-radius: 10px; padding: 1rem 1.1rem; overflow-x: auto; line-height: 1.6; }}
.decision {{ border-left: 3px solid var(--real); padding: .1rem 0 .1rem 1rem; margin: 1rem 0; max-width: 50rem; }}
.decision p {{ margin: .15rem 0; max-width: none; }}
.note {{ background: #fff8e6; border-radius: 10px; padding: .8rem 1.1rem; }}
footer {{ color: var(--muted); font-size: .9rem; padding-top: 2rem; padding-bottom: 3rem; }}
@media print {{ nav {{ display: none; }} section {{ break-inside: avoid; }} }}
"""


def page_of(sections: Sequence[Section], *, title: str, lead: str, footer: str) -> str:
    """The whole page."""
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
<style>{STYLE}</style>
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


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def figure(charts: Callable[[], Iterable[tuple[str, Chart]]], *, caption: str, kind: Kind = "wide") -> str:
    """Charts with what one sees in them, or a note on the extra that draws them.

    ``charts`` gives pairs of a description for those who cannot see it and a chart. A ``wide`` one scrolls; two are a
    ``pair``, side by side where there is room; small ones ``flow``.
    """
    if (missing := missing_extra()) is not None:
        return f'<p class="note">{escape(str(missing))}</p>'
    drawn = "\n".join(f"<div>{embedded(to_svg(chart), label)}</div>" for label, chart in charts())
    return f'<figure><div class="{kind}">{drawn}</div>\n<figcaption>{escape(caption)}</figcaption></figure>'


def embedded(svg: str, label: str) -> str:
    """An SVG ready to stand in a page beside others: ids of its own, and a description."""
    prefix = f"p{zlib.crc32(svg.encode()):08x}-"
    svg = re.sub(r'(<\w[^<>]*\s)id="', rf'\1id="{prefix}', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}', svg)
    svg = re.sub(r'\b(?:d|transform)="[^"]*"', _rounded, svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def _rounded(attribute: re.Match[str]) -> str:
    """Places to a hundredth of a pixel: a map has thousands of them."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int] = (), kind: str = ""
) -> str:  # fmt: skip
    """A table of plain texts; ``numeric`` columns stand to the right, an empty text is a missing value."""
    right = set(numeric)
    head = "".join(_cell("th", text, j in right) for j, text in enumerate(headings))
    body = "\n".join(
        "<tr>" + "".join(_cell("td", text, j in right) for j, text in enumerate(row)) + "</tr>" for row in rows
    )
    opening = f'<table class="{kind}">' if kind else "<table>"
    return f'<div class="wide">{opening}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _cell(tag: str, text: str, right: bool) -> str:
    classes = [name for name, on in (("number", right), ("null", not text and tag == "td")) if on]
    opening = f'<{tag} class="{" ".join(classes)}">' if classes else f"<{tag}>"
    return f"{opening}{escape(text) if text or tag == 'th' else 'null'}</{tag}>"
