"""Charts in; SVG pictures that can share one HTML page out, or a note on the missing extra."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from markupsafe import Markup

from janus_synth.plots import missing_extra, to_svg
from janus_synth.plots.theme import Chart


class Picture(NamedTuple):
    """An SVG and its text alternative."""

    label: str
    svg: Markup


class Pictures(NamedTuple):
    """Pictures of one figure, or the reason why there are none."""

    drawn: tuple[Picture, ...]
    missing: str = ""


def draw(charts: Callable[[], Iterable[tuple[str, Chart]]]) -> Pictures:
    """Draw pairs of a label and a chart; ``charts`` is called only where the extra ``plots`` is installed."""
    if (missing := missing_extra()) is not None:
        return Pictures((), str(missing))
    return Pictures(tuple(Picture(label, embed_svg(to_svg(chart), label)) for label, chart in charts()))


def embed_svg(svg: str, label: str) -> Markup:
    """Give an SVG ids that are unique within a page, and round its coordinates."""
    svg = _with_ids(svg, "")  # the renderer numbers ids across pictures; a page must not depend on that
    svg = _with_ids(svg, f"p{zlib.crc32((label + svg).encode()):08x}-")
    return Markup(re.sub(r'\b(?:d|transform)="[^"]*"', _round_coordinates, svg))


def _with_ids(svg: str, prefix: str) -> str:
    """Renumber the ids in document order, with all references to them."""
    found = dict.fromkeys(re.findall(r'<\w[^<>]*\sid="([^"]*)"', svg))
    names = {name: f"{prefix}{number}" for number, name in enumerate(found)}
    for place in (r'(<\w[^<>]*\sid=")([^"]*)', r"(url\(#)([^)]*)", r'(href="#)([^"]*)'):
        svg = re.sub(place, lambda match: match[1] + names.get(match[2], match[2]), svg)
    return svg


def _round_coordinates(attribute: re.Match[str]) -> str:
    """Round to a hundredth of a pixel: a map has thousands of coordinates."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])
