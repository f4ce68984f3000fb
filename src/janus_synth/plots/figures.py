"""Charts in; SVG pictures that can stand in one page out, or a note on the extra that draws them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from markupsafe import Markup

from janus_synth.plots import missing_extra, to_svg
from janus_synth.plots.theme import Chart


class Picture(NamedTuple):
    """An SVG, and what it is called for those who cannot see it."""

    label: str
    svg: Markup


class Pictures(NamedTuple):
    """Pictures of one figure, or why there are none."""

    drawn: tuple[Picture, ...]
    missing: str = ""


def draw(charts: Callable[[], Iterable[tuple[str, Chart]]]) -> Pictures:
    """Draw pairs of a label and a chart; ``charts`` is called only where the extra ``plots`` is installed."""
    if (missing := missing_extra()) is not None:
        return Pictures((), str(missing))
    return Pictures(tuple(Picture(label, embedded(to_svg(chart), label)) for label, chart in charts()))


def embedded(svg: str, label: str) -> Markup:
    """An SVG with ids that no other picture of a page has, and with rounded coordinates."""
    svg = _with_ids(svg, "")  # the renderer counts on from picture to picture; a page does not depend on that
    svg = _with_ids(svg, f"p{zlib.crc32((label + svg).encode()):08x}-")
    return Markup(re.sub(r'\b(?:d|transform)="[^"]*"', _rounded, svg))


def _with_ids(svg: str, prefix: str) -> str:
    """Number the ids in the order of their parts, and change what refers to them."""
    found = dict.fromkeys(re.findall(r'<\w[^<>]*\sid="([^"]*)"', svg))
    names = {name: f"{prefix}{number}" for number, name in enumerate(found)}
    for place in (r'(<\w[^<>]*\sid=")([^"]*)', r"(url\(#)([^)]*)", r'(href="#)([^"]*)'):
        svg = re.sub(place, lambda match: match[1] + names.get(match[2], match[2]), svg)
    return svg


def _rounded(attribute: re.Match[str]) -> str:
    """Round to a hundredth of a pixel: a map has thousands of coordinates."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])
