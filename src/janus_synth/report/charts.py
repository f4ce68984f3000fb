"""One column of real and synthetic rows in; a small chart out, as places and texts that a template draws.

Charts of a report are drawn by the page itself: they follow its colours, light or dark, need no extra, and a table of
several hundred columns is drawn in less than a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.pages import percent
from janus_synth.plots.histogram import Bins, bins_of, shares_of
from janus_synth.plots.marginals import FEW_VALUES, MICROSECONDS, Pair, bar_shares, chart_notes, duration_unit
from janus_synth.plots.theme import SOURCES
from janus_synth.report.ticks import Tick, moment_ticks, number_ticks

N_SHARES = 3
"""Lines across a histogram."""


class Histogram(NamedTuple):
    """Outlines of the shares of real and synthetic rows, in a square of 100 by 100 with its origin at the top left."""

    real: str
    synthetic: str
    values: tuple[Tick, ...]
    shares: tuple[Tick, ...]


class BarPair(NamedTuple):
    """One level: its shares among real and synthetic rows as texts, and as parts of the largest share."""

    label: str
    real: str
    synthetic: str
    real_width: float
    synthetic_width: float


class ColumnChart(NamedTuple):
    """Chart of one column: a histogram, or a pair of bars per level; and notes on what it does not show."""

    name: str
    notes: tuple[str, ...]
    histogram: Histogram | None
    bars: tuple[BarPair, ...]


def column_chart(pair: Pair) -> ColumnChart:
    """Draw a column: bars for levels and few different values, a histogram otherwise.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.plots.marginals import column_pairs
    >>> real = pd.DataFrame({"sex": ["f", "m", "f", "f"]})
    >>> [chart] = map(column_chart, column_pairs(real, real, None))
    >>> [(bar.label, bar.real) for bar in chart.bars]
    [('f', '75 %'), ('m', '25 %')]
    """
    distinct = np.unique(np.concatenate([pair.present(source) for source in SOURCES]))
    if pair.column.is_discrete or len(distinct) <= FEW_VALUES:
        return ColumnChart(pair.column.name, (), None, _bars(pair, distinct))
    unit = duration_unit(pair.column, distinct)
    scale = MICROSECONDS[unit] if unit else 1.0
    values = {source: pair.present(source) / scale for source in SOURCES}
    bins = bins_of(values["real"], values["synthetic"], moments=pair.column.kind == "datetime")
    notes = [*([f"in {unit}"] if unit else []), *chart_notes(pair, values, bins)]
    shares = [shares_of(values[source], bins, pair.n_rows[source]) for source in SOURCES]
    return ColumnChart(pair.column.name, tuple(notes), _histogram(pair, bins, shares), ())


def _bars(pair: Pair, distinct: Array) -> tuple[BarPair, ...]:
    shares = bar_shares(pair, distinct)
    most = max(max(both) for both in shares.values()) or 1.0
    return tuple(
        BarPair(label, percent(real), percent(synthetic), real / most, synthetic / most)
        for label, (real, synthetic) in shares.items()
    )


def _histogram(pair: Pair, bins: Bins, shares: Sequence[Floats]) -> Histogram:
    edges = bins.edges
    most = max(float(one.max()) for one in shares) or 1.0
    ticks = moment_ticks if pair.column.kind == "datetime" else number_ticks
    places = (edges / 2 - edges[0] / 2) / (edges[-1] / 2 - edges[0] / 2)  # halves: the range itself may overflow
    lines = [
        Tick(tick.place, percent(float(tick.text)))
        for tick in number_ticks(0.0, 1.05 * most, N_SHARES)
        if float(tick.text)
    ]
    real, synthetic = (_outline(places, one / (1.05 * most)) for one in shares)
    return Histogram(real, synthetic, ticks(float(edges[0]), float(edges[-1])), tuple(lines))


def _outline(places: Floats, heights: Floats) -> str:
    """Path of a step line that starts and ends on the axis."""
    steps = [
        f"V{_short(100 - 100 * height)}H{_short(100 * right)}"
        for height, right in zip(heights.tolist(), places[1:].tolist(), strict=True)
    ]
    return f"M0 100{''.join(steps)}V100"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
