"""Attacks in; their risks with confidence intervals out, as places on one axis that a template draws."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.report.ticks import Tick, number_ticks

if TYPE_CHECKING:
    from janus_synth.metrics import Attack

LEAST = 0.1
"""Smallest upper end of the axis, so that small risks look small."""
MARGIN = 0.01


class Interval(NamedTuple):
    """One risk: its name, its value as a text, and the places of value and ends between 0 and 1."""

    name: str
    text: str
    value: float
    low: float
    high: float


class IntervalChart(NamedTuple):
    """Intervals on one axis; ``zero`` is the place of no risk."""

    intervals: tuple[Interval, ...]
    ticks: tuple[Tick, ...]
    zero: float


def interval_chart(attacks: Iterable[Attack]) -> IntervalChart | None:
    """Place the risks of attacks; None if no attack has one.

    Examples
    --------
    >>> from janus_synth.metrics import Attack
    >>> chart = interval_chart([Attack("linkability", 0.3, 0.1, 0.0, 0.22, 0.2, 0.25, 900, 900, 1e-9)])
    >>> chart.intervals[0].text, [tick.text for tick in chart.ticks]
    ('0.22 (0.20 to 0.25)', ['0', '0.1', '0.2'])
    """
    drawn = [attack for attack in attacks if math.isfinite(attack.risk + attack.low + attack.high)]
    if not drawn:
        return None
    low = max(min(0.0, *(attack.low for attack in drawn)), -1.0) - MARGIN
    high = min(max(LEAST, *(attack.high for attack in drawn)), 1.0) + MARGIN

    def place(value: float) -> float:
        return min(max((value - low) / (high - low), 0.0), 1.0)

    intervals = [
        Interval(
            attack.name.replace("_", " "),
            f"{attack.risk:.2f} ({attack.low:.2f} to {attack.high:.2f})".replace("-", "−"),
            place(attack.risk),
            place(attack.low),
            place(attack.high),
        )
        for attack in drawn
    ]
    return IntervalChart(tuple(intervals), number_ticks(low, high, 4), place(0.0))
