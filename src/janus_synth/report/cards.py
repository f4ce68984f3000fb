"""Findings in; the cards of the summary out: a number, its scale as a small gauge, and a sentence on how to read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.metrics.detection import LEAST_ROWS
from janus_synth.pages import percent
from janus_synth.plots.theme import shorten
from janus_synth.report.verdict import (
    Grade,
    GradedScore,
    grade_association,
    grade_copies,
    grade_detection,
    grade_nearest,
    grade_utility,
)

if TYPE_CHECKING:
    from janus_synth.report.findings import Findings

ZONES = {grade: f"var(--{grade})" for grade in ("good", "fair", "poor")}
NO_ZONE = "var(--line)"
REAL_COLOUR, SYNTHETIC_COLOUR = "var(--real)", "var(--synthetic)"
"""Colours of the page's style, which differ between light and dark."""
ROOM = 0.13
"""Share of a scale that the label at an end needs."""


class Card(NamedTuple):
    """One number of the summary; ``score`` is its name in the table of scores."""

    score: str
    title: str
    number: str
    graded: GradedScore
    scale: Scale
    reading: str

    @property
    def gauge(self) -> Gauge | None:
        """The number on its scale; None if it is not defined."""
        return make_gauge(self.graded, self.scale) if self.graded.is_known else None


def cards(findings: Findings) -> list[Card]:
    """Make the cards of the scores that were computed."""
    return [make(findings) for score, make in _CARDS.items() if score in findings.report]


def number(value: float, digits: int = 3) -> str:
    """Format a number; a dash for NaN."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def detection_card(findings: Findings) -> Card:
    """Detection AUC."""
    graded = grade_detection(findings)
    reading = f"Too few rows: a classifier needs at least {LEAST_ROWS} real and {LEAST_ROWS} synthetic ones."
    if graded.is_known:
        reading = (
            f"Given a real and a synthetic row, a classifier recognises the synthetic one in {percent(graded.value)} "
            "of cases. 0.5 is a coin toss: the rows cannot be distinguished. At 1 it is always right."
        )
    scale = Scale(min(0.4, graded.value), 1.0, ideal=0.5)
    return Card("detection", "Fidelity: detection AUC", number(graded.value), graded, scale, reading)


def utility_card(findings: Findings) -> Card:
    """Train on synthetic, test on real."""
    graded, target, measure = grade_utility(findings), shorten(findings.report.target, 48), findings.measure
    reading = (
        f"{measure} of predicting {target} on held-out real rows, after training on synthetic vs real rows. Equal "
        f"values are ideal; {'0.5 is guessing' if measure == 'AUC' else '0 is predicting the mean'}."
    )
    if not graded.is_known:
        reading = f"Not defined: too few rows with a {target}, or only one value of it."
    elif graded.grade is Grade.UNKNOWN:
        reading += " Even real rows hardly predict it, so the comparison says little."
    shown = f"{number(graded.value)} vs {number(graded.reference)}"
    scale = Scale(0.4 if measure == "AUC" else 0.0, 1.0)
    return Card("utility", "Utility: synthetic vs real training", shown, graded, scale, reading)


def association_card(findings: Findings) -> Card:
    """Association error."""
    graded = grade_association(findings)
    reading = "A single column has no associations."
    if graded.is_known:
        chance = f"; for real rows it is {number(graded.reference)} by chance" if graded.has_reference else ""
        reading = (
            f"Mean absolute error of the association between two columns, over all pairs{chance}. 0 is ideal, 1 the "
            "largest possible error of an association."
        )
    high = max(0.1, 1.25 * _largest(graded.value, graded.reference), 1.25 * graded.fair)
    scale = Scale(0.0, math.ceil(20 * high) / 20, ideal=0.0)
    return Card("association_error", "Fidelity: association error", number(graded.value), graded, scale, reading)


def nearest_card(findings: Findings) -> Card:
    """Nearest-neighbour distance to training rows against held-out rows."""
    graded = grade_nearest(findings)
    reading = (
        "of the synthetic rows are closer to a training row than to any held-out row. 50 % is expected of new rows, "
        "100 % of copies."
    )
    scale = Scale(0.0, 1.0, ideal=0.5, percent=True)
    return Card("closer_to_train", "Privacy: nearest-neighbour distance", percent(graded.value), graded, scale, reading)


def copies_card(findings: Findings) -> Card:
    """Share of exact copies."""
    graded = grade_copies(findings)
    reading = "of the synthetic rows equal a training row in every column."
    if graded.has_reference:
        reading += f" Of held-out real rows, {percent(graded.reference)} do: that is what to expect of new rows."
    most = 1.25 * _largest(graded.value, graded.reference, graded.fair)
    scale = Scale(0.0, min(1.0, max(0.1, math.ceil(10 * most) / 10)), percent=True)
    return Card("exact_copies", "Privacy: exact copies", percent(graded.value), graded, scale, reading)


_CARDS: dict[str, Callable[[Findings], Card]] = {
    "detection": detection_card,
    "utility": utility_card,
    "association_error": association_card,
    "closer_to_train": nearest_card,
    "exact_copies": copies_card,
}


def _largest(*values: float) -> float:
    return max((value for value in values if not math.isnan(value)), default=0.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """Ends of a gauge, its ideal value if there is one, and whether values are shown in percent."""

    low: float
    high: float
    ideal: float | None = None
    percent: bool = False

    def place(self, value: float) -> float:
        """Position of a value between 0 and 1, clipped to the ends."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def text(self, value: float) -> str:
        """Format a value."""
        return f"{100 * value:.3g} %" if self.percent else f"{value:.3g}"


class Zone(NamedTuple):
    """An interval of a scale, between 0 and 1, and its colour."""

    left: float
    right: float
    colour: str


class Mark(NamedTuple):
    """A label below a scale."""

    place: float
    text: str

    @property
    def anchor(self) -> str:
        """Which end of the text is at its position (SVG ``text-anchor``)."""
        return "start" if self.place < ROOM else "end" if self.place > 1 - ROOM else "middle"


class Gauge(NamedTuple):
    """A scale with all positions between 0 and 1; None for what is not drawn."""

    label: str
    zones: tuple[Zone, ...]
    marks: tuple[Mark, ...]
    ideal: float | None
    reference: float | None
    value: float | None


class Bar(NamedTuple):
    """A bar in a table cell: the share of the cell it fills, and its colour."""

    share: float
    colour: str


def make_gauge(graded: GradedScore, scale: Scale) -> Gauge:
    """Place the grades' zones, the ideal, the score of real rows and that of this table on a scale."""
    return Gauge(
        label=_describe(graded, scale),
        zones=_zones(graded, scale),
        marks=_marks(scale),
        ideal=None if scale.ideal is None else scale.place(scale.ideal),
        reference=scale.place(graded.reference) if graded.has_reference else None,
        value=scale.place(graded.value) if graded.is_known else None,
    )


def make_bar(value: float, largest: float, colour: str) -> Bar:
    """Make a bar that fills ``value / largest`` of its cell; empty for NaN."""
    share = 0.0 if math.isnan(value) or not largest else min(max(value / largest, 0.0), 1.0)
    return Bar(share, colour)


def _zones(graded: GradedScore, scale: Scale) -> tuple[Zone, ...]:
    if math.isnan(graded.good + graded.fair):
        return (Zone(0.0, 1.0, NO_ZONE),)
    names = ("poor", "fair", "good") if graded.higher_is_better else ("good", "fair", "poor")
    first, second = sorted((scale.place(graded.good), scale.place(graded.fair)))
    ends = [0.0, first, second, 1.0]
    zones = (
        Zone(left, right, ZONES[name]) for name, left, right in zip(names, ends[:-1], ends[1:], strict=True)
    )  # fmt: skip
    return tuple(zone for zone in zones if zone.left < zone.right)


def _marks(scale: Scale) -> tuple[Mark, ...]:
    """Label the ends and the ideal; an end too close to the ideal has no label."""
    texts = {0.0: scale.text(scale.low), 1.0: scale.text(scale.high)}
    if scale.ideal is not None:
        place = scale.place(scale.ideal)
        texts = {end: text for end, text in texts.items() if abs(end - place) > 2 * ROOM or end == place}
        texts[place] = f"ideal {scale.text(scale.ideal)}"
    return tuple(Mark(place, text) for place, text in texts.items())


def _describe(graded: GradedScore, scale: Scale) -> str:
    parts = [f"scale from {scale.text(scale.low)} to {scale.text(scale.high)}"]
    parts += [f"ideal {scale.text(scale.ideal)}"] if scale.ideal is not None else []
    parts += [f"real rows {scale.text(graded.reference)}"] if graded.has_reference else []
    parts += [f"this table {scale.text(graded.value)}" if graded.is_known else "this table: not available"]
    return ", ".join(parts)
