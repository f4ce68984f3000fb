"""Texts, charts and cells to pieces of HTML, everything escaped."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Literal

from janus_synth.interfaces.pictures import REAL, SYNTHETIC, missing_extra, to_svg
from janus_synth.interfaces.pictures.theme import Chart

Kind = Literal["wide", "pair", "flow"]


class Html(str):
    """A piece of HTML that stands in a table as it is; any other text is escaped."""

    __slots__ = ()


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def source_key() -> str:
    """Which colour is which table."""
    return (
        f'<p class="key"><span><i style="background:{REAL}"></i>real rows, not seen in training</span>'
        f'<span><i style="background:{SYNTHETIC}"></i>synthetic rows</span></p>'
    )


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
    svg = _with_ids(svg, "")  # the renderer counts on from picture to picture; a page does not depend on that
    svg = _with_ids(svg, f"p{zlib.crc32((label + svg).encode()):08x}-")
    svg = re.sub(r'\b(?:d|transform)="[^"]*"', _rounded, svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)


def _with_ids(svg: str, prefix: str) -> str:
    """Ids in the order of their parts, and what refers to them."""
    found = dict.fromkeys(re.findall(r'<\w[^<>]*\sid="([^"]*)"', svg))
    names = {name: f"{prefix}{number}" for number, name in enumerate(found)}
    for place in (r'(<\w[^<>]*\sid=")([^"]*)', r"(url\(#)([^)]*)", r'(href="#)([^"]*)'):
        svg = re.sub(place, lambda match: match[1] + names.get(match[2], match[2]), svg)
    return svg


def _rounded(attribute: re.Match[str]) -> str:
    """Places to a hundredth of a pixel: a map has thousands of them."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int] = (), kind: str = ""
) -> str:  # fmt: skip
    """A table of plain texts and ``Html``; ``numeric`` columns stand to the right, an empty text is a missing value."""
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
    shown = text if isinstance(text, Html) else escape(text)
    return f"{opening}{shown if text or tag == 'th' else 'null'}</{tag}>"
