"""Printable page: a certificate of planted bias in, one self-contained HTML page out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from janus_synth.fairness.records import WORLDS, EffectRecord, Rate, kinds_of
from janus_synth.pages import REAL, SYNTHETIC
from janus_synth.pages.render import render

if TYPE_CHECKING:
    from janus_synth.fairness.certificate import Certificate

MUTED = "#5a6675"
BARS = {"learnt": ("#fff", MUTED), "fair": (REAL, REAL), "biased": (SYNTHETIC, SYNTHETIC)}
"""Fill and outline colour of each world's bar; the world's name stands beside it."""
WIDTH, HEIGHT, PAD = 240, 18, 18
"""Size of a chart in pixels, and the padding on either side of its axis."""
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)

BASELINES = {
    "fair": "outcomes, and mediators of biases, do not depend on the protected columns. Other columns may still depend "
    "on them, so that a gap can remain in the fair world.",
    "neutral": "nothing depends on the protected columns, so that any gap beyond chance was planted.",
    "learnt": "the world as it was learnt. The biases come on top, and “fair” below only means “without them”.",
}


class Axis(NamedTuple):
    """Values with a tick, in order; the axis runs from the first to the last."""

    ticks: tuple[float, ...]
    unit: str = ""

    def place(self, value: float) -> float:
        """Position of a value, in pixels from the left."""
        share = (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])
        return round(PAD + (WIDTH - 2 * PAD) * share, 1)

    def label(self, tick: float) -> str:
        """The label of a tick."""
        return number(100 * tick, ".3g", self.unit)


SHARES = Axis((0.0, 0.25, 0.5, 0.75, 1.0), " %")


class Line(NamedTuple):
    """One world of a group or an effect: formatted numbers, and the ends of a bar and of an interval in pixels."""

    world: str
    numbers: tuple[str, ...]
    bar: tuple[float, float] | None
    interval: tuple[float, float] | None = None

    @property
    def colours(self) -> tuple[str, str]:
        """Fill and outline of the bar."""
        return BARS[self.world]


class Comparison(NamedTuple):
    """A group or an effect in each world, and the difference between biased and fair."""

    label: str
    note: str
    lines: tuple[Line, ...]
    change: str


class Panel(NamedTuple):
    """Comparisons that share an outcome."""

    title: str
    favourable: str
    comparisons: tuple[Comparison, ...]


def certificate_page(certificate: Certificate) -> str:
    """Render the page; it loads nothing from elsewhere."""
    parents: dict[str, list[str]] = {}
    for parent, child in certificate.graph:
        parents.setdefault(child, []).append(parent)
    axis = _axis_for(certificate.effects)
    return render(
        "certificate.html.j2",
        title="Certificate of planted bias",
        certificate=certificate,
        baseline=BASELINES.get(certificate.baseline, ""),
        rates=list(_rate_panels(certificate.rates)),
        effects=[_effect_panel(effect, axis) for effect in certificate.effects],
        shares=SHARES,
        effect_axis=axis,
        parents=parents,
        width=WIDTH,
        height=HEIGHT,
        number=number,
    )


def number(value: float, form: str, unit: str = "") -> str:
    """Format a number: a dash for NaN, no sign before zero.

    Examples
    --------
    >>> number(-0.04, "+.1f"), number(-12.34, ".1f", " %"), number(float("nan"), ".1f")
    ('0.0', '−12.3 %', '–')
    """
    text = format(value, form)
    return "–" if math.isnan(value) else (text if float(text) else text.lstrip("+-")).replace("-", "−") + unit


def _points(difference: float) -> str:
    return number(100 * difference, "+.1f")


def _rate_panels(rates: Iterable[Rate]) -> Iterator[Panel]:
    by_outcome: dict[tuple[str, str], list[Comparison]] = {}
    for rate in rates:
        by_outcome.setdefault((rate.outcome, rate.favourable), []).append(_rate_comparison(rate))
    for (outcome, favourable), comparisons in by_outcome.items():
        yield Panel(outcome, favourable, tuple(comparisons))


def _rate_comparison(rate: Rate) -> Comparison:
    shares = {world: float(getattr(rate, world)) for world in WORLDS}
    lines = [
        Line(world, (number(100 * share, ".1f", " %"),), _bar(SHARES, share)) for world, share in shares.items()
    ]  # fmt: skip
    return Comparison(rate.group, f"{rate.n:,} rows", tuple(lines), _points(rate.biased - rate.fair))


def _effect_panel(effect: EffectRecord, axis: Axis) -> Panel:
    comparisons = tuple(
        Comparison(
            kind, "", tuple(_effect_line(world, effect, kind, axis) for world in WORLDS), _points(effect.planted(kind))
        )
        for kind in kinds_of(effect)
    )
    return Panel(f"{' and '.join(effect.protected)} on {effect.outcome}", effect.favourable, comparisons)


def _effect_line(world: str, effect: EffectRecord, kind: str, axis: Axis) -> Line:
    found = effect.estimate(world, kind)
    value, low, high = found["value"], found["low"], found["high"]
    interval = None if math.isnan(low + high) else (axis.place(low), axis.place(high))
    return Line(world, (_points(value), f"{_points(low)} to {_points(high)}"), _bar(axis, value), interval)


def _bar(axis: Axis, value: float) -> tuple[float, float] | None:
    """Ends of a bar from zero; None for NaN."""
    if math.isnan(value):
        return None
    left, right = sorted((axis.place(0.0), axis.place(value)))
    return left, right


def _axis_for(effects: Iterable[EffectRecord]) -> Axis:
    """Choose an axis that covers zero and all effects with their intervals."""
    ends = [
        end
        for effect in effects
        for kind in kinds_of(effect)
        for world in WORLDS
        for end in effect.estimate(world, kind).values()
    ]
    known = [0.0, 0.005, *(end for end in ends if not math.isnan(end))]
    low, high = min(known), max(known)
    step = next((step for step in STEPS if high - low <= 5 * step), high - low)
    return Axis(tuple(i * step for i in range(math.floor(low / step), math.ceil(high / step) + 1)))
