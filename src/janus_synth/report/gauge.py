"""A score in, what its small scale shows out: where good and fair end, the ideal, real rows, and this table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from janus_synth.report.verdict import Judged

ZONES = {"good": "#cfe6d6", "fair": "#f7e8b9", "poor": "#f3cbbd"}
NO_ZONE = "#e6eaee"
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


class Zone(NamedTuple):
    """A stretch of a scale, from 0 to 1, and its colour."""

    left: float
    right: float
    colour: str


class Mark(NamedTuple):
    """A text below a scale."""

    place: float
    text: str

    @property
    def anchor(self) -> str:
        """Which end of the text stands at its place."""
        return "start" if self.place < ROOM else "end" if self.place > 1 - ROOM else "middle"


class Gauge(NamedTuple):
    """A scale with all places between 0 and 1; None for what is not drawn."""

    label: str
    zones: tuple[Zone, ...]
    marks: tuple[Mark, ...]
    ideal: float | None
    reference: float | None
    value: float | None


class Bar(NamedTuple):
    """A bar in a cell of a table: the share of the cell that it fills, and its colour."""

    share: float
    colour: str


def gauge(judged: Judged, scale: Scale) -> Gauge:
    """Zones, the ideal, real rows and this table."""
    return Gauge(
        label=_in_words(judged, scale),
        zones=_zones(judged, scale),
        marks=_marks(scale),
        ideal=None if scale.ideal is None else scale.place(scale.ideal),
        reference=scale.place(judged.reference) if judged.has_reference else None,
        value=scale.place(judged.value) if judged.is_known else None,
    )


def bar(value: float, most: float, colour: str) -> Bar:
    """A bar as long as ``value`` of ``most``; empty for NaN."""
    share = 0.0 if math.isnan(value) or not most else min(max(value / most, 0.0), 1.0)
    return Bar(share, colour)


def _zones(judged: Judged, scale: Scale) -> tuple[Zone, ...]:
    if math.isnan(judged.good + judged.fair):
        return (Zone(0.0, 1.0, NO_ZONE),)
    names = ("poor", "fair", "good") if judged.higher_is_better else ("good", "fair", "poor")
    first, second = sorted((scale.place(judged.good), scale.place(judged.fair)))
    ends = [0.0, first, second, 1.0]
    zones = (
        Zone(left, right, ZONES[name]) for name, left, right in zip(names, ends[:-1], ends[1:], strict=True)
    )  # fmt: skip
    return tuple(zone for zone in zones if zone.left < zone.right)


def _marks(scale: Scale) -> tuple[Mark, ...]:
    """Values at the ends, and the ideal where it is; an end that is in its way goes without."""
    texts = {0.0: scale.text(scale.low), 1.0: scale.text(scale.high)}
    if scale.ideal is not None:
        place = scale.place(scale.ideal)
        texts = {end: text for end, text in texts.items() if abs(end - place) > 2 * ROOM or end == place}
        texts[place] = f"ideal {scale.text(scale.ideal)}"
    return tuple(Mark(place, text) for place, text in texts.items())


def _in_words(judged: Judged, scale: Scale) -> str:
    parts = [f"scale from {scale.text(scale.low)} to {scale.text(scale.high)}"]
    parts += [f"ideal {scale.text(scale.ideal)}"] if scale.ideal is not None else []
    parts += [f"real rows {scale.text(judged.reference)}"] if judged.has_reference else []
    parts += [f"this table {scale.text(judged.value)}" if judged.is_known else "this table: not known"]
    return ", ".join(parts)
