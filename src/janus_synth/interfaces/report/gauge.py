"""A score to a small scale: where good and fair end, the ideal, real rows, and this table. Drawn without any extra."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from janus_synth.interfaces.pages import Html
from janus_synth.interfaces.pictures import REAL, SYNTHETIC
from janus_synth.interfaces.report.verdict import Judged

ZONES = {"good": "#cfe6d6", "fair": "#f7e8b9", "poor": "#f3cbbd"}
INK, MUTED = "#1f2933", "#5a6675"
MIDDLE, BELOW, HEIGHT = 13, 42, 47
ROOM = 0.13
"""Share of a scale that an end's label needs."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Ends of a gauge, its ideal if that is a fixed value, and whether shares are told in percent."""

    low: float
    high: float
    ideal: float | None = None
    percent: bool = False

    def place(self, value: float) -> float:
        """Where a value stands, between 0 and 1; what lies beyond an end stands at it."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def text(self, value: float) -> str:
        """A value as the scale tells it."""
        return f"{100 * value:.3g} %" if self.percent else f"{value:.3g}"


def gauge(judged: Judged, scale: Scale) -> Html:
    """Zones, the ideal as a line, real rows as a ring and this table as a dot."""
    marks = [*_zones(judged, scale), *_labels(scale)]
    if scale.ideal is not None:
        marks.append(_line(scale.place(scale.ideal)))
    if not math.isnan(judged.reference):
        marks.append(_dot(scale.place(judged.reference), fill="none", edge=REAL, width=2.5, radius=8))
    if not math.isnan(judged.value):
        marks.append(_dot(scale.place(judged.value), fill=SYNTHETIC, edge="#fff", width=1.2, radius=6))
    # The dots at the ends of a scale reach over it, so it stands in from the edges of its box.
    return Html(
        f'<div class="gauge"><svg role="img" aria-label="{escape(_told(judged, scale))}" width="100%" '
        f'height="{HEIGHT}" overflow="visible">{"".join(marks)}</svg></div>'
    )


def bar(value: float, most: float, colour: str) -> Html:
    """A bar for a cell of a table; nothing for what is not known."""
    share = 0.0 if math.isnan(value) or not most else min(max(value / most, 0.0), 1.0)
    return Html(
        f'<svg aria-hidden="true" width="140" height="12" viewBox="0 0 140 12" preserveAspectRatio="none">'
        f'<rect width="140" height="12" fill="#eef1f4"/>'
        f'<rect width="{140 * share:.1f}" height="12" fill="{colour}"/></svg>'
    )


def gauge_key() -> str:
    """What the marks of all gauges mean."""
    zones = "".join(f'<span><i style="background:{colour}"></i>{name}</span>' for name, colour in ZONES.items())
    return (
        f'<p class="key small"><span><i class="round" style="background:{SYNTHETIC}"></i>this table</span>'
        f'<span><i class="round ring" style="border-color:{REAL}"></i>real rows in its place</span>'
        f'<span><i class="line"></i>ideal</span>{zones}</p>'
    )


def _zones(judged: Judged, scale: Scale) -> list[str]:
    names = ("poor", "fair", "good") if judged.higher_is_better else ("good", "fair", "poor")
    if math.isnan(judged.good + judged.fair):
        return [_rect(0.0, 1.0, "#e6eaee")]
    first, second = sorted((scale.place(judged.good), scale.place(judged.fair)))
    ends = [0.0, first, second, 1.0]
    return [
        _rect(left, right, ZONES[name])
        for name, left, right in zip(names, ends[:-1], ends[1:], strict=True)
        if left < right
    ]


def _labels(scale: Scale) -> list[str]:
    """Values at the ends, and the ideal where it is; an end that is in its way goes without."""
    texts = {0.0: scale.text(scale.low), 1.0: scale.text(scale.high)}
    if scale.ideal is not None:
        place = scale.place(scale.ideal)
        texts = {end: text for end, text in texts.items() if abs(end - place) > 2 * ROOM or end == place}
        texts[place] = f"ideal {scale.text(scale.ideal)}"
    return [
        f'<text x="{100 * place:.1f}%" y="{BELOW}" text-anchor="{_anchor(place)}" font-size="12" fill="{MUTED}">'
        f"{escape(text)}</text>"
        for place, text in texts.items()
    ]


def _anchor(place: float) -> str:
    return "start" if place < ROOM else "end" if place > 1 - ROOM else "middle"


def _rect(left: float, right: float, colour: str) -> str:
    place = f'x="{100 * left:.2f}%" y="{MIDDLE - 5}" width="{100 * (right - left):.2f}%" height="10"'
    return f'<rect {place} fill="{colour}"/>'


def _line(place: float) -> str:
    x = f"{100 * place:.2f}%"
    return f'<line x1="{x}" x2="{x}" y1="{MIDDLE - 11}" y2="{MIDDLE + 14}" stroke="{INK}" stroke-width="2"/>'


def _dot(place: float, *, fill: str, edge: str, width: float, radius: float) -> str:
    looks = f'fill="{fill}" stroke="{edge}" stroke-width="{width}"'
    return f'<circle cx="{100 * place:.2f}%" cy="{MIDDLE}" r="{radius}" {looks}/>'


def _told(judged: Judged, scale: Scale) -> str:
    parts = [f"scale from {scale.text(scale.low)} to {scale.text(scale.high)}"]
    parts += [f"ideal {scale.text(scale.ideal)}"] if scale.ideal is not None else []
    parts += [f"real rows {scale.text(judged.reference)}"] if not math.isnan(judged.reference) else []
    parts += ["this table: not known" if math.isnan(judged.value) else f"this table {scale.text(judged.value)}"]
    return ", ".join(parts)
