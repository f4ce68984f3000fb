"""Findings to the few large numbers at the top: each with its scale, and a sentence on how to read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.metrics.detection import LEAST_ROWS
from janus_synth.pages import percent
from janus_synth.plots.theme import shortened
from janus_synth.report.gauge import Gauge, Scale, gauge
from janus_synth.report.verdict import (
    Grade,
    Judged,
    judged_association,
    judged_copies,
    judged_detection,
    judged_nearness,
    judged_utility,
)

if TYPE_CHECKING:
    from janus_synth.report.findings import Findings


class Card(NamedTuple):
    """One number of the headline; ``score`` is the name under which it was measured."""

    score: str
    title: str
    number: str
    judged: Judged
    scale: Scale
    reading: str

    @property
    def gauge(self) -> Gauge | None:
        """The number on its scale; None if it is not known."""
        return gauge(self.judged, self.scale) if self.judged.is_known else None


def cards(findings: Findings) -> list[Card]:
    """Those whose score was asked for."""
    return [make(findings) for score, make in _CARDS.items() if score in findings.report]


def number(value: float, digits: int = 3) -> str:
    """A number as it is printed; a dash if there is none."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def detection_card(findings: Findings) -> Card:
    """Whether a classifier can tell."""
    judged = judged_detection(findings)
    reading = f"Too few rows to tell: this takes at least {LEAST_ROWS} real and {LEAST_ROWS} synthetic ones."
    if judged.is_known:
        reading = (
            f"Shown a real and a synthetic row, a classifier picks the synthetic one in {percent(judged.value)} of "
            "cases. 0.5 is a coin toss: nobody can tell. At 1 it is always right."
        )
    scale = Scale(min(0.4, judged.value), 1.0, ideal=0.5)
    return Card("detection", "Told apart: detection AUC", number(judged.value), judged, scale, reading)


def utility_card(findings: Findings) -> Card:
    """What synthetic rows teach, beside what real ones do."""
    judged, target, measure = judged_utility(findings), shortened(findings.report.target, 48), findings.measure
    reading = (
        f"{measure} of predicting {target} on real rows nobody has seen, learnt from synthetic vs real rows. The same "
        f"is ideal; {'0.5 is guessing' if measure == 'AUC' else '0 is guessing the mean'}."
    )
    if not judged.is_known:
        reading = f"Not defined: too few rows with a {target}, or only one value of it."
    elif judged.grade is Grade.UNKNOWN:
        reading += " Real rows teach next to nothing about it here, so there is little to lose."
    shown = f"{number(judged.value)} vs {number(judged.reference)}"
    scale = Scale(0.4 if measure == "AUC" else 0.0, 1.0)
    return Card("utility", "Useful: learnt from it vs real", shown, judged, scale, reading)


def association_card(findings: Findings) -> Card:
    """How well columns go together."""
    judged = judged_association(findings)
    reading = "A single column has nothing to go with."
    if judged.is_known:
        chance = f", where chance alone makes {number(judged.reference)}" if judged.has_reference else ""
        reading = (
            f"How far associations between columns are off, on average over all pairs{chance}. 0 is ideal; on this "
            "measure 1 would be everything."
        )
    high = max(0.1, 1.25 * _most(judged.value, judged.reference), 1.25 * judged.fair)
    scale = Scale(0.0, math.ceil(20 * high) / 20, ideal=0.0)
    return Card("association_error", "Between columns: error", number(judged.value), judged, scale, reading)


def nearness_card(findings: Findings) -> Card:
    """Whether rows lie nearer to what was seen."""
    judged = judged_nearness(findings)
    reading = (
        "of the synthetic rows are nearer to a training row than to any unseen real row. New rows would be so half of "
        "the time; copies, always."
    )
    scale = Scale(0.0, 1.0, ideal=0.5, percent=True)
    return Card("closer_to_train", "Privacy: nearest rows", percent(judged.value), judged, scale, reading)


def copies_card(findings: Findings) -> Card:
    """How many rows are copies."""
    judged = judged_copies(findings)
    reading = "of the synthetic rows equal a training row in every column."
    if judged.has_reference:
        reading += f" Of unseen real rows, {percent(judged.reference)} do: that is what to expect of new rows."
    most = 1.25 * _most(judged.value, judged.reference, judged.fair)
    scale = Scale(0.0, min(1.0, max(0.1, math.ceil(10 * most) / 10)), percent=True)
    return Card("exact_copies", "Privacy: exact copies", percent(judged.value), judged, scale, reading)


_CARDS: dict[str, Callable[[Findings], Card]] = {
    "detection": detection_card,
    "utility": utility_card,
    "association_error": association_card,
    "closer_to_train": nearness_card,
    "exact_copies": copies_card,
}


def _most(*values: float) -> float:
    return max((value for value in values if not math.isnan(value)), default=0.0)
